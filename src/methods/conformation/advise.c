/* Warns of too few iterations, and of settings and materials that contradict each other. */
#include <math.h>
#include <stdio.h>

#include "methods/advice.h"
#include "methods/conformation/cost_model.h"
#include "methods/conformation/step.h"
#include "methods/maxwell.h"

/* No advice for a few iterations less than needed. */
static const double SLACK = 1.25;

static double needed(const OozeStepContext *c, const OozeMaterial *material,
                     const OozeConformationSettings *s, double layers, double dt)
{
    return ooze_cost_of_solve(s, ooze_cost_diffusion_length(c, material, dt), layers,
                              OOZE_COST_MODEL_ERROR)
        .iterations;
}

/* The longest step for which the iterations are enough. */
static double longest_sufficient_step(const OozeStepContext *c, const OozeConformationSettings *s,
                                      const OozeMaterial *material, double layers)
{
    double low = 0.0, high = c->dt;
    for (int k = 0; k < 60; k++) {
        double dt = 0.5 * (low + high);
        bool enough = needed(c, material, s, layers, dt) <= s->velocity_iterations;
        *(enough ? &low : &high) = dt;
    }
    return low;
}

/* Where a cap of `lodge` is too low, the default cap is enough, except with the diagonal
   preconditioner in large scenes. */
static void write_hint(const OozeConformationSettings *s, double wanted, double step, char *hint,
                       size_t size)
{
    bool lodge = s->formulation == OOZE_FORMULATION_LODGE;
    if (lodge && s->preconditioner == OOZE_PRECONDITIONER_DIAGONAL && wanted > OOZE_VELOCITY_CAP) {
        snprintf(hint, size, "use velocity_preconditioner: auto, or velocity_iterations: %.0f",
                 wanted);
    } else if (lodge && s->velocity_iterations < OOZE_VELOCITY_CAP) {
        snprintf(hint, size, "leave velocity_iterations out, or use time_step: %.2g", step);
    } else {
        snprintf(hint, size, "use velocity_iterations: %.0f, or time_step: %.2g", wanted, step);
    }
}

static void advise_iterations(const OozeStepContext *c, const OozeAdvice *advice, int index)
{
    const OozeMaterial *material = &c->materials[index];
    const double *v = material->values;
    OozeConformationSettings s = ooze_conformation_settings(c);
    if (ooze_material_is_stiffest(material) || s.positions_only) {
        return;
    }
    double spacings = ooze_cost_diffusion_length(c, material, c->dt),
           layers = advice->extent / c->spacing;
    double wanted = needed(c, material, &s, layers, c->dt);
    if (wanted <= SLACK * s.velocity_iterations) {
        return;
    }
    char hint[160];
    write_hint(&s, wanted, longest_sufficient_step(c, &s, material, layers), hint, sizeof hint);
    double stiff = v[OOZE_MATERIAL_MODULUS] / v[OOZE_MATERIAL_DENSITY];
    stiff = isnan(stiff) ? 1.0 / v[OOZE_MATERIAL_COMPLIANCE] : stiff;
    double wave = sqrt(stiff) * c->dt, carried = s.velocity_iterations * c->support;
    if (wave > carried && v[OOZE_MATERIAL_RELAXATION] != 0.0) {
        ooze_advise(
            advice, index, NULL, hint,
            "a shear wave in '%s' runs %.3g m a step, and %d iterations carry it %.3g m: it "
            "will be softer than it should",
            material->name, wave, s.velocity_iterations, carried);
        return;
    }
    ooze_advise(
        advice, index, NULL, hint,
        "'%s' is too stiff for %d iterations: a step spreads momentum over %.3g spacings, and "
        "it will flow faster than it should",
        material->name, s.velocity_iterations, spacings);
}

/* Of all modes together, kinematic. */
static double modulus_of(const OozeStepContext *c, const OozeMaterial *material)
{
    double reference = material->values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell first = ooze_maxwell(c, material, reference, INFINITY);
    return ooze_maxwell_sum(&first, material, reference).modulus;
}

static void advise_elasticity(const OozeStepContext *c, const OozeAdvice *advice, int index)
{
    const OozeMaterial *material = &c->materials[index];
    double modulus = modulus_of(c, material);
    if (!isnan(material->values[OOZE_MATERIAL_YIELD]) && modulus == 0.0) {
        ooze_advise(advice, index, "yield_strain", "give it a modulus",
                    "'%s' is not elastic, so it has no strain to yield at", material->name);
    }
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        const double *mode = material->values + OOZE_MATERIAL_MODULUS_2 + 2 * k;
        char key[32], want[64];
        snprintf(key, sizeof key, "relaxation_time_%d", k + 2);
        snprintf(want, sizeof want, "add modulus_%d", k + 2);
        if (!isnan(mode[1]) && !(mode[0] > 0.0)) {
            ooze_advise(advice, index, key, want,
                        "'%s' has a relaxation time %d and nothing that relaxes in it",
                        material->name, k + 2);
        }
    }
}

/* Whether particles of a material make up a body of that kind. */
static bool has_bodies(const OozeStepContext *c, int index, OozeBodyKind kind)
{
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; c->body && i < ooze_particles_count(c->particles); i++) {
        if (material[i] == index && c->body[i] && c->bodies[c->body[i] - 1].kind == kind) {
            return true;
        }
    }
    return false;
}

static void advise_bodies(const OozeStepContext *c, const OozeAdvice *advice, int index)
{
    const OozeMaterial *material = &c->materials[index];
    const double *v = material->values;
    if (has_bodies(c, index, OOZE_BODY_RIGID) &&
        (!isnan(v[OOZE_MATERIAL_MODULUS]) || !isnan(v[OOZE_MATERIAL_VISCOSITY]))) {
        ooze_advise(advice, index, isnan(v[OOZE_MATERIAL_MODULUS]) ? "viscosity" : "modulus",
                    "use body: soft for something that deforms",
                    "a rigid particle body uses only the density of '%s'", material->name);
    }
    if (!has_bodies(c, index, OOZE_BODY_SOFT)) {
        return;
    }
    bool stiff = v[OOZE_MATERIAL_MODULUS] > 0.0 || !isnan(v[OOZE_MATERIAL_COMPLIANCE]);
    if (!stiff) {
        ooze_advise(advice, index, "modulus", "add a modulus: rubber 1e6 Pa, jelly 1e3 Pa",
                    "'%s' makes up a soft body and has no modulus: nothing holds it together",
                    material->name);
    }
    if (stiff && v[OOZE_MATERIAL_RELAXATION] >= 0.0 && isfinite(v[OOZE_MATERIAL_RELAXATION])) {
        ooze_advise(advice, index, "relaxation_time", "damp it with solvent_viscosity",
                    "'%s' makes up a soft body, which never relaxes", material->name);
    }
}

/* ---- order in time --------------------------------------------------------------------------- */

/* %, of the speed of a bounce, at a rate of damping. */
static double lost(const OozeBounce *b, double rate)
{
    return -100.0 * expm1(-rate * b->duration);
}

/* Why a material is of first order where the setting is `auto` or second order. Only the first two
   reasons count where the scene asks for second order. */
static void write_first_order(const OozeStepContext *c, const OozeBounce *b, double travel,
                              bool yields, char *text, size_t size)
{
    if (b->longest <= c->dt) {
        snprintf(text, size, "first order: it relaxes within a step");
    } else if (b->wave * c->dt >= travel) {
        snprintf(text, size,
                 "first order: a shear wave crosses %.2g spacings a step, and %.2g at most are "
                 "solved in second order",
                 b->wave * c->dt / c->spacing, travel / c->spacing);
    } else if (yields) {
        snprintf(text, size, "first order: what yields does not bounce");
    } else if (b->first_order == 0.0) {
        snprintf(text, size,
                 "first order: a body of 15 layers bounces in %.1f steps, which no order resolves",
                 b->duration / c->dt);
    } else {
        snprintf(
            text, size,
            "first order: in a bounce of %.0f steps the material takes %.0f%% of the speed, and "
            "first order %.0f%%",
            b->duration / c->dt, lost(b, b->own), lost(b, b->first_order));
    }
}

void ooze_conformation_describe_order(const OozeStepContext *c, int index, bool soft, char *text,
                                      size_t size)
{
    const OozeMaterial *material = &c->materials[index];
    OozeConformationSettings s = ooze_conformation_settings(c);
    OozeRheologyRecipe recipe = ooze_rheology_recipe(c, &s);
    OozeBounce b = ooze_conformation_bounce(c, material);
    bool automatic = s.time_integration == OOZE_TIME_AUTO;
    text[0] = '\0';
    if (s.formulation != OOZE_FORMULATION_LODGE || !(b.wave > 0.0)) {
        return;
    }
    if (soft) {
        snprintf(text, size, "first order, as every soft body");
    } else if (ooze_material_is_stiffest(material)) {
        snprintf(text, size, "first order: compliance 0 is not meant to swing");
    } else if (s.time_integration == OOZE_TIME_FIRST_ORDER) {
        snprintf(
            text, size,
            b.first_order > 0.0
                ? "first order, by the scene's settings: in a bounce of %.0f steps the material "
                  "takes %.0f%% of the speed, and first order %.0f%%"
                : "first order, by the scene's settings",
            b.duration / c->dt, lost(&b, b.own), lost(&b, b.first_order));
    } else if (!ooze_conformation_is_second_order(c, material, &recipe)) {
        write_first_order(c, &b, recipe.second_order_travel,
                          !isnan(material->values[OOZE_MATERIAL_YIELD]), text, size);
    } else {
        snprintf(
            text, size,
            automatic
                ? "second order: in a bounce of %.0f steps the material takes %.0f%% of the speed, "
                  "and first order would take %.0f%%"
                : "second order, by the scene's settings",
            b.duration / c->dt, lost(&b, b.own), lost(&b, b.first_order));
    }
}

void ooze_conformation_advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    ooze_advise_numbers(c, advice);
    for (int m = 0; m < c->material_count; m++) {
        advise_iterations(c, advice, m);
        advise_elasticity(c, advice, m);
        advise_bodies(c, advice, m);
    }
}
