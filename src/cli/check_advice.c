#include "cli/check_advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

/* Text for a range of numbers: that of the first row whose limit is not below the number. */
typedef struct Meaning {
    double below;
    const char *words;
} Meaning;

static const char *meaning(const Meaning *rows, double value)
{
    while (value >= rows->below) {
        rows++;
    }
    return rows->words;
}

static const Meaning reynolds[] = {{0.1, "creeping: it stops as soon as nothing drives it"},
                                   {10.0, "viscous: inertia shows a little"},
                                   {1000.0, "inertia dominates"},
                                   {INFINITY, "splashes"}};
static const Meaning weissenberg[] = {{0.1, "flows as if it had no memory"},
                                      {1.0, "a little elastic"},
                                      {INFINITY, "elastic: it stretches and springs back"}};
static const Meaning deborah[] = {{0.1, "a liquid for as long as the scene lasts"},
                                  {1.0, "flows slowly while the scene lasts"},
                                  {INFINITY, "a solid for as long as the scene lasts"}};
static const Meaning bond[] = {{1.0, "surface tension keeps it round"},
                               {10.0, "weight and surface tension"},
                               {INFINITY, "weight flattens it"}};
static const Meaning ohnesorge[] = {{0.1, "jets break into drops"},
                                    {1.0, "jets break slowly"},
                                    {INFINITY, "viscosity keeps jets whole"}};
static const Meaning capillary[] = {{1.0, "surface tension outweighs viscosity"},
                                    {INFINITY, "viscosity outweighs surface tension"}};

/* ---- text ------------------------------------------------------------------------------------ */

static void label(OozeText *out, const char *name)
{
    ooze_text_append(out, "  %-14s", name);
}

static void number(OozeText *out, const char *name, double value, const Meaning *rows)
{
    if (!isnan(value)) {
        label(out, name);
        ooze_text_append(out, "%-9.2g %s\n", value, meaning(rows, value));
    }
}

static double numerical_viscosity(const OozeScene *scene, const OozeFlow *flow)
{
    return ooze_flow_numerical(flow, ooze_method_list[scene->def.method.index],
                               scene->def.world.spacing);
}

/* Per cent by which a value over theory differs: "3.7% too high". */
static void append_error(OozeText *out, double over_theory, bool beyond)
{
    double error = 100.0 * (over_theory - 1.0);
    ooze_text_append(out, "%s%.2g%% too %s", beyond && error < 0.0 ? "more than " : "", fabs(error),
                     error < 0.0 ? "low" : "high");
}

/* What a step that is long beside the relaxation time does, and a shorter one. */
static void append_long_step(OozeText *out, const OozeLongStep *step)
{
    char number[OOZE_NUMBER_MAX];
    if (isnan(step->now.share)) {
        return;
    }
    label(out, "a long step");
    ooze_text_append(out,
                     "%.2g relaxation times: at a shear rate of one over that time the "
                     "viscosity is about ",
                     step->now.share);
    append_error(out, step->now.viscosity, step->now.beyond);
    ooze_text_append(out, " and the normal stress ");
    append_error(out, step->now.normal_stress, step->now.beyond);
    ooze_text_append(out, " (docs/notes/step-dependence.md); time_step: %s makes that ",
                     ooze_step_text(step->shorter, number));
    append_error(out, step->then.viscosity, false);
    ooze_text_append(out, " and ");
    append_error(out, step->then.normal_stress, false);
    ooze_text_append(out, "\n");
}

/* Numerical viscosity of the method and viscosity of the material; `exact`: the step is short. */
static void append_viscosity(OozeText *out, const OozeFlow *flow, double numerical, bool exact)
{
    double viscosity = flow->nu * flow->density, added = numerical * flow->density;
    double share = numerical / flow->nu;
    if (!isfinite(viscosity)) {
        return;
    }
    label(out, "viscosity");
    if (isnan(share)) {
        ooze_text_append(out, "%.3g Pa s\n", viscosity);
    } else if (share < 0.1) {
        ooze_text_append(out, "%s%.3g Pa s, and the method adds %.2g where it is stirred\n",
                         exact ? "accurate: " : "", viscosity, added);
    } else if (share < 1.0) {
        ooze_text_append(out,
                         "%.3g Pa s, and the method adds up to %.2g where it is stirred: a little "
                         "thicker than it should be\n",
                         viscosity, added);
    } else {
        ooze_text_append(out,
                         "%.3g Pa s, but up to %.2g where it is stirred: that is as thin as "
                         "this spacing shows it\n",
                         viscosity, viscosity + added);
    }
}

static void append_elasticity(OozeText *out, const OozeFlow *flow)
{
    if (flow->stiffest) {
        label(out, "stiffness");
        ooze_text_append(out, "as stiff as the solver allows\n");
        return;
    }
    if (flow->wave > 0.0) {
        label(out, "elastic waves");
        ooze_text_append(out, "%.2g m/s: %.2g spacings a step\n", flow->wave, flow->crossing);
    }
    if (!isnan(flow->sag)) {
        label(out, "sag");
        ooze_text_append(out,
                         flow->sag < 0.5 ? "%.2g%% of its height under its weight\n"
                                         : "too soft to stand: %.2g%% of its height\n",
                         100.0 * flow->sag);
    }
    if (!isnan(flow->stands)) {
        label(out, "yield");
        ooze_text_append(out, "%.2g Pa: it keeps its shape up to a height of about %.2g m\n",
                         flow->yield * flow->density, flow->stands);
    }
}

static void append_speed(OozeText *out, const OozeFlow *flow, const OozeSceneScale *scale)
{
    label(out, "flow");
    if (flow->slumps) {
        ooze_text_append(out, "%.2g m/s at most (comes down from %.2g m)", flow->speed,
                         flow->scale.height);
    } else if (flow->speed > 0.0) {
        ooze_text_append(out, "%.2g m/s at most (%s)", flow->speed,
                         flow->pours ? scale->pour_from : scale->strike_from);
    } else {
        ooze_text_append(out, "at rest");
    }
    ooze_text_append(out, ", %.2g m across (%s)\n", flow->scale.length, scale->length_from);
}

/* Temperatures of a material, degC: its numbers hold at the lowest. NAN: they depend on none. */
static OozeSceneRange temperatures_of(const OozeScene *scene, int material)
{
    const OozeMethod *method = ooze_method_find(scene->def.world.method);
    bool depends = scene->def.materials[material].temperature_row_count > 0;
    return method && method->uses_tables && depends ? ooze_scene_table_range(&scene->def, material)
                                                    : (OozeSceneRange){.min = NAN, .max = NAN};
}

static void append_material(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice,
                            int material)
{
    const OozeFlow *flow = &advice->flows[material];
    const OozeSceneScale *scale = &advice->scales->materials[material];
    OozeSceneRange temperature = temperatures_of(scene, material);
    ooze_text_append(out, "%s\n", scene->def.materials[material].name);
    if (!isnan(temperature.min)) {
        label(out, "temperature");
        ooze_text_append(out,
                         "%.4g degC, the coldest that it can become; the advice on settings goes "
                         "up to %.4g, the hottest\n",
                         temperature.min, temperature.max);
    }
    append_speed(out, flow, scale);
    number(out, "Reynolds", flow->reynolds, reynolds);
    number(out, "Weissenberg", flow->weissenberg, weissenberg);
    number(out, "Deborah", flow->deborah, deborah);
    number(out, "Bond", flow->bond, bond);
    number(out, "capillary", flow->capillary, capillary);
    number(out, "Ohnesorge", flow->ohnesorge, ohnesorge);
    append_elasticity(out, flow);
    if (advice->orders[material][0]) {
        label(out, "in time");
        ooze_text_append(out, "%s\n", advice->orders[material]);
    }
    append_viscosity(out, flow, numerical_viscosity(scene, flow),
                     isnan(advice->long_steps[material].now.share));
    append_long_step(out, &advice->long_steps[material]);
    if (flow->diffusion_length > 0.0) {
        label(out, "a step");
        ooze_text_append(out, "spreads momentum over %.2g spacings (nu dt/d2 = %.2g)\n",
                         flow->diffusion_length, flow->diffusion);
    }
}

static const char *density_key(const OozeChoice *choice)
{
    return choice->density_key ? choice->density_key : "density_iterations";
}

static void write_choice(OozeText *out, const OozeChoice *choice)
{
    char step[OOZE_NUMBER_MAX];
    ooze_text_append(out, "time_step: %s", ooze_step_text(choice->time_step, step));
    if (!isnan(choice->velocity_iterations)) {
        ooze_text_append(out, ", velocity_iterations: %.0f", choice->velocity_iterations);
    }
    if (!isnan(choice->passes)) {
        ooze_text_append(out, ", passes: %.0f", choice->passes);
    }
    if (!isnan(choice->density_iterations)) {
        ooze_text_append(out, ", %s: %.0f", density_key(choice), choice->density_iterations);
    }
}

static bool same_settings(const OozeChoice *a, const OozeChoice *b)
{
    return fabs(a->time_step - b->time_step) < 1e-9 * b->time_step &&
           a->velocity_iterations == b->velocity_iterations && a->passes == b->passes &&
           a->density_iterations == b->density_iterations;
}

static void write_settings(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice)
{
    const OozeChoice *chosen = &advice->own, *better = &advice->advised;
    char head[32];
    ooze_text_append(out, "settings\n");
    label(out, ooze_scene_chosen(scene) ? "chosen" : "this scene");
    write_choice(out, chosen);
    if (chosen->substeps > 1.0) {
        ooze_text_append(out, "; the fastest steps are cut into %.0f", chosen->substeps);
    }
    ooze_text_append(out, "\n");
    if (!same_settings(chosen, better)) {
        snprintf(head, sizeof head, "for %.2g%%", 100.0 * advice->error);
        label(out, head);
        write_choice(out, better);
        double ratio = better->cost / chosen->cost;
        if (isfinite(ratio)) {
            ooze_text_append(out, ": %.2g times the cost", ratio);
        }
        ooze_text_append(out, "\n");
    }
    label(out, "");
    ooze_text_append(out, "no longer step because of %s", better->bound);
    if (better->material >= 0) {
        ooze_text_append(out, " ('%s')", scene->def.materials[better->material].name);
    }
    ooze_text_append(out, "\n");
}

/* There is no advice for methods without stresses. */
static bool knows_viscosity(const OozeScene *scene)
{
    const OozeMethod *method = ooze_method_find(scene->def.world.method);
    return method && (ooze_method_uses(method, "viscosity") || method->measured_material);
}

void ooze_check_advice_text(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice)
{
    if (!knows_viscosity(scene)) {
        return;
    }
    for (int m = 0; m < scene->def.material_count; m++) {
        if (advice->flows[m].scale.flows) {
            append_material(out, scene, advice, m);
        }
    }
    write_settings(out, scene, advice);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void member_text(OozeText *out, const char *key, const char *value)
{
    ooze_text_append(out, ", \"%s\": ", key);
    if (value) {
        ooze_json_text(out, value);
    } else {
        ooze_text_append(out, "null");
    }
}

static void json_material(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice,
                          int material)
{
    const OozeFlow *flow = &advice->flows[material];
    const OozeSceneScale *scale = &advice->scales->materials[material];
    const OozeLongStep *step = &advice->long_steps[material];
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"length", flow->scale.length},
        {"height", flow->scale.height},
        {"temperature", temperatures_of(scene, material).min},
        {"temperature_max", temperatures_of(scene, material).max},
        {"density", flow->density},
        {"viscosity", flow->nu * flow->density},
        {"numerical_viscosity", numerical_viscosity(scene, flow) * flow->density},
        {"reynolds", flow->reynolds},
        {"weissenberg", flow->weissenberg},
        {"deborah", flow->deborah},
        {"bond", flow->bond},
        {"capillary", flow->capillary},
        {"ohnesorge", flow->ohnesorge},
        {"elastic_wave_speed", flow->wave},
        {"elastic_spacings_a_step", flow->crossing},
        {"diffusion", flow->diffusion},
        {"momentum_spacings_a_step", flow->diffusion_length},
        {"sag", flow->sag},
        {"stands", flow->stands},
        {"step_relaxation_times", step->now.share},
        {"viscosity_over_theory", step->now.viscosity},
        {"normal_stress_over_theory", step->now.normal_stress},
    };
    ooze_text_append(out, "{\"name\": ");
    ooze_json_text(out, scene->def.materials[material].name);
    ooze_json_member(out, ", ", "speed", flow->speed);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ooze_json_member(out, ", ", rows[i].key, rows[i].value);
    }
    member_text(out, "speed_from",
                flow->slumps  ? "its weight"
                : flow->pours ? scale->pour_from
                              : scale->strike_from);
    member_text(out, "length_from", scale->length_from);
    const char *order = advice->orders[material];
    member_text(out, "time_integration", order[0] ? order : NULL);
    ooze_text_append(out, "}");
}

static void json_choice(OozeText *out, const char *key, const OozeChoice *choice)
{
    ooze_text_append(out, ",\n  \"%s\": {", key);
    ooze_json_member(out, "", "time_step", choice->time_step);
    ooze_json_member(out, ", ", "velocity_iterations", choice->velocity_iterations);
    ooze_json_member(out, ", ", "passes", choice->passes);
    ooze_json_member(out, ", ", density_key(choice), choice->density_iterations);
    ooze_json_member(out, ", ", "substeps", choice->substeps);
    ooze_json_member(out, ", ", "cost", choice->cost);
}

void ooze_check_advice_json(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice)
{
    int written = 0;
    ooze_text_append(out, ",\n  \"materials\": [");
    for (int m = 0; m < scene->def.material_count; m++) {
        if (advice->flows[m].scale.flows) {
            ooze_text_append(out, "%s\n    ", written++ ? "," : "");
            json_material(out, scene, advice, m);
        }
    }
    ooze_text_append(out, "]");
    json_choice(out, "settings", &advice->own);
    member_text(out, "chosen", ooze_scene_chosen(scene));
    ooze_text_append(out, "}");
    json_choice(out, "advised", &advice->advised);
    ooze_json_member(out, ", ", "error", advice->error);
    member_text(out, "bound", advice->advised.bound);
    member_text(out, "bound_by",
                advice->advised.material < 0 ? NULL
                                             : scene->def.materials[advice->advised.material].name);
    ooze_text_append(out, "}");
}
