/* Chooses values for the time step and settings that a scene gives as `auto`. This precedes the
   canonical text, so that a run folder holds the numbers and a resumed run has the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/advice.h"
#include "scene/setup.h"

static OozeChoiceQuestion make_question(const OozeSceneSetup *setup)
{
    const OozeSceneDef *def = &setup->scene->def;
    return (OozeChoiceQuestion){
        .context = &setup->context,
        .flows = setup->flows,
        .frame = 1.0 / def->frame_rate,
        .error = def->method.error,
        .max_travel = def->world.max_travel,
    };
}

/* Chooses what serves at every temperature of the scene: the shortest of the steps, then the most
   iterations with it. `dt`: step of the flows. */
static OozeChoice choose_at_all(OozeSceneSetup *setup, const OozeChoice *given, double dt)
{
    OozeChoice shortest = *given, result = *given;
    for (int i = 0; isnan(given->time_step) && ooze_scene_setup_step(setup, i, dt); i++) {
        OozeChoice choice = *given;
        OozeChoiceQuestion question = make_question(setup);
        ooze_choose(setup->method, &question, &choice);
        shortest = i == 0 || choice.time_step < shortest.time_step ? choice : shortest;
    }
    for (int i = 0; ooze_scene_setup_step(setup, i, dt); i++) {
        OozeChoice choice = *given;
        choice.time_step = shortest.time_step;
        OozeChoiceQuestion question = make_question(setup);
        ooze_choose(setup->method, &question, &choice);
        if (i == 0) {
            result = choice;
        }
        result.velocity_iterations = fmax(result.velocity_iterations, choice.velocity_iterations);
        result.passes = fmax(result.passes, choice.passes);
        result.density_iterations = fmax(result.density_iterations, choice.density_iterations);
        result.substeps = fmax(result.substeps, choice.substeps);
        result.cost = fmax(result.cost, choice.cost);
        result.grid_bytes = fmax(result.grid_bytes, choice.grid_bytes);
    }
    if (isnan(given->time_step)) {
        result.bound = shortest.bound;
        result.material = shortest.material;
    }
    return result;
}

/* ---- automatic values ------------------------------------------------------------------------ */

/* Index of a setting of the method, or -1. */
static int param_index(const OozeScene *scene, const char *key)
{
    const OozeMethodInfo *info = ooze_method_info(scene->def.method.index);
    return ooze_param_find(info->params, info->param_count, key);
}

typedef struct AutoValue {
    const char *key; /* NULL: the time step */
    double *value;   /* in the choice */
} AutoValue;

enum { AUTO_COUNT = 4 };

static void list_auto_values(const OozeScene *scene, OozeChoice *choice,
                             AutoValue values[AUTO_COUNT])
{
    bool positions = param_index(scene, "density_iterations") < 0; /* each has one of density */
    values[0] = (AutoValue){NULL, &choice->time_step};
    values[1] = (AutoValue){"velocity_iterations", &choice->velocity_iterations};
    values[2] = (AutoValue){"passes", &choice->passes};
    values[3] = (AutoValue){positions ? "position_iterations" : "density_iterations",
                            &choice->density_iterations};
}

/* The values that the scene gives; NAN: automatic. With `time_step: auto` those are automatic that
   the scene leaves out. False: none is automatic. */
static bool read_auto_values(const OozeScene *scene, OozeChoice *choice)
{
    AutoValue values[AUTO_COUNT];
    list_auto_values(scene, choice, values);
    const OozeNode *method = ooze_node_find(scene->root, "method");
    const OozeMethod *table = ooze_method_list[scene->def.method.index];
    bool all = isnan(scene->def.world.time_step), any = false;
    for (int i = 0; i < AUTO_COUNT; i++) {
        int place = values[i].key ? param_index(scene, values[i].key) : -1;
        if (values[i].key && place < 0) {
            *values[i].value = NAN;
            continue;
        }
        double given = values[i].key ? scene->def.method.params[place] : scene->def.world.time_step;
        bool written = ooze_node_find(values[i].key ? method : scene->root,
                                      values[i].key ? values[i].key : "time_step");
        if (values[i].key && !written) {
            given = all && ooze_method_chooses(table, values[i].key)
                        ? NAN
                        : ooze_method_param(table, scene->def.method.params, place);
        }
        *values[i].value = given;
        any = any || isnan(*values[i].value);
    }
    return any;
}

const char *ooze_step_text(double step, char text[OOZE_NUMBER_MAX])
{
    double whole = round(1.0 / step);
    if (step < 1.0 && fabs(whole * step - 1.0) < 1e-9) {
        snprintf(text, OOZE_NUMBER_MAX, "1/%.0f", whole);
    } else {
        snprintf(text, OOZE_NUMBER_MAX, "%.4g", step);
    }
    return text;
}

/* Writes chosen values to the definitions, and their description to scene->chosen. */
static void apply_choice(OozeScene *scene, const OozeChoice *given, OozeChoice *chosen)
{
    AutoValue was[AUTO_COUNT], is[AUTO_COUNT];
    OozeChoice before = *given;
    list_auto_values(scene, &before, was);
    list_auto_values(scene, chosen, is);
    OozeText words = {0};
    char number[OOZE_NUMBER_MAX];
    for (int i = 0; i < AUTO_COUNT; i++) {
        int place = is[i].key ? param_index(scene, is[i].key) : -1;
        if (!isnan(*was[i].value) || isnan(*is[i].value) || (is[i].key && place < 0)) {
            continue;
        }
        *(is[i].key ? &scene->def.method.params[place] : &scene->def.world.time_step) =
            *is[i].value;
        ooze_text_append(&words, "%s%s: %s", words.length ? ", " : "",
                         is[i].key ? is[i].key : "time_step",
                         is[i].key ? ooze_number_text(*is[i].value, number)
                                   : ooze_step_text(*is[i].value, number));
    }
    scene->chosen = words.data ? ooze_scene_copy(scene, words.data, words.length) : NULL;
    scene->out_of_memory = scene->out_of_memory || words.failed;
    ooze_text_clear(&words);
}

void ooze_scene_choose(OozeScene *scene)
{
    OozeChoice given = {0};
    if (!read_auto_values(scene, &given)) {
        return;
    }
    OozeSceneSetup setup;
    if (scene->error_count > 0 || !ooze_scene_setup(scene, &setup)) {
        return;
    }
    OozeChoice chosen = choose_at_all(
        &setup, &given, isnan(given.time_step) ? 1.0 / scene->def.frame_rate : given.time_step);
    apply_choice(scene, &given, &chosen);
}

const char *ooze_scene_chosen(const OozeScene *scene)
{
    return scene ? scene->chosen : NULL;
}

/* How materials flow in the method itself; NULL: out of memory. Automatic values follow from the
   numbers as they are given, in every method. */
static const OozeFlow *flows_of_method(const OozeSceneSetup *setup)
{
    int count = setup->context.material_count;
    OozeFlow *flows = ooze_scene_alloc(setup->scene, (size_t)count, sizeof *flows);
    for (int m = 0; flows && m < count; m++) {
        flows[m] = ooze_scene_setup_flow(setup, m);
    }
    return flows;
}

/* See describe_order of OozeMethod. NULL: out of memory. */
static const char *const *describe_orders(const OozeSceneSetup *setup)
{
    const OozeStepContext *c = &setup->context;
    const char **orders = ooze_scene_alloc(setup->scene, (size_t)c->material_count, sizeof *orders);
    for (int m = 0; orders && m < c->material_count; m++) {
        char text[256] = "";
        if (setup->method->describe_order) {
            setup->method->describe_order(c, m, setup->flows[m].scale.soft, text, sizeof text);
        }
        orders[m] = ooze_scene_copy(setup->scene, text, strlen(text));
        orders = orders[m] ? orders : NULL;
    }
    return orders;
}

/* Steps of at least LONG relaxation times change what a material reads by some per cent. */
static OozeLongStep long_step(const OozeSceneSetup *setup, const OozeFlow *flow)
{
    const double LONG = 0.09, SHORTER = 0.1, SHORTEST = 0.03;
    const OozeStepContext *c = &setup->context;
    double share = c->dt / flow->relaxation;
    if (!setup->method->step_bias || !(share >= LONG)) {
        return (OozeLongStep){.now = {NAN, NAN, NAN, false}};
    }
    double aim = share > 1.5 * SHORTER ? SHORTER : SHORTEST;
    double step = 1.0 / ceil(1.0 / (aim * flow->relaxation));
    return (OozeLongStep){.now = setup->method->step_bias(c, flow, share),
                          .shorter = step,
                          .then = setup->method->step_bias(c, flow, step / flow->relaxation)};
}

static const OozeLongStep *find_long_steps(const OozeSceneSetup *setup, const OozeFlow *flows)
{
    int count = setup->context.material_count;
    OozeLongStep *steps = ooze_scene_alloc(setup->scene, (size_t)count, sizeof *steps);
    for (int m = 0; steps && flows && m < count; m++) {
        steps[m] = long_step(setup, &flows[m]);
    }
    return steps;
}

OozeStatus ooze_scene_advice(OozeScene *scene, OozeSceneAdvice *advice, OozeError *error)
{
    OozeSceneSetup setup;
    OozeLocaleGuard locale = ooze_locale_enter();
    bool ready = ooze_scene_setup(scene, &setup);
    ooze_locale_leave(locale);
    const OozeFlow *flows = NULL;
    const char *const *orders = NULL;
    const OozeLongStep *steps = NULL;
    if (ready) {
        ooze_scene_setup_step(&setup, 0, scene->info.time_step);
        flows = flows_of_method(&setup);
        orders = describe_orders(&setup);
        steps = find_long_steps(&setup, flows);
    }
    if (!flows || !orders || !steps) {
        scene->out_of_memory = false;
        return ooze_fail_memory(error, "the advice on a scene", 0);
    }
    double dt = scene->info.time_step;
    OozeChoice own = {0}, advised = {.time_step = NAN,
                                     .velocity_iterations = NAN,
                                     .passes = NAN,
                                     .density_iterations = NAN};
    AutoValue numbers[AUTO_COUNT];
    list_auto_values(scene, &own, numbers);
    own.time_step = dt;
    for (int i = 1; i < AUTO_COUNT; i++) {
        int place = param_index(scene, numbers[i].key);
        *numbers[i].value = place < 0 ? NAN : setup.params[place];
    }
    own = choose_at_all(&setup, &own, dt);
    advised = choose_at_all(&setup, &advised, dt);
    *advice = (OozeSceneAdvice){setup.scales,           flows, orders, steps, own, advised,
                                scene->def.method.error};
    if (scene->out_of_memory) {
        scene->out_of_memory = false;
        return ooze_fail_memory(error, "the advice on a scene", 0);
    }
    return OOZE_OK;
}
