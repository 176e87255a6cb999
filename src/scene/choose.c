/* Time step and settings that a scene leaves to the program are chosen when all else of it is read,
   before its canonical text is written: the run folder keeps numbers, and a resumed run has the
   same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/advice.h"

/* The scene as a method sees it before there is a world. */
typedef struct Desk {
    OozeScene *scene;
    const OozeMethod *method;
    OozeStepContext context;
    OozeFlow *flows;
    double params[OOZE_SCENE_PARAMS_MAX];
    const OozeSceneScales *scales;
} Desk;

/* Room for the flows; they follow from the time step. False: out of memory. */
static bool set_up(OozeScene *scene, Desk *desk)
{
    const OozeSceneDef *def = &scene->def;
    const OozeMethodInfo *info = ooze_method_info(def->method.index);
    size_t count = (size_t)def->material_count;
    OozeMaterial *materials = ooze_scene_alloc(scene, count, sizeof *materials);
    *desk = (Desk){
        .scene = scene,
        .method = ooze_method_find(info->name),
        .flows = ooze_scene_alloc(scene, count, sizeof *desk->flows),
        .scales = ooze_scene_scales(scene),
    };
    if (!materials || !desk->flows || !desk->scales) {
        return false;
    }
    for (size_t m = 0; m < count; m++) {
        materials[m] = ooze_material_of(&def->materials[m]);
    }
    for (int i = 0; i < info->param_count && i < OOZE_SCENE_PARAMS_MAX; i++) {
        double value = def->method.params[i];
        desk->params[i] = isnan(value) ? info->params[i].initial : value;
    }
    desk->context = (OozeStepContext){
        .spacing = def->world.spacing,
        .support =
            ooze_method_support_ratio(desk->method, def->world.support_ratio) * def->world.spacing,
        .gravity = def->world.gravity,
        .materials = materials,
        .material_count = def->material_count,
    };
    return true;
}

/* The context points into the desk: again after a copy. */
static void set_step(Desk *desk, double dt)
{
    desk->context.dt = dt;
    desk->context.params = desk->params;
    for (int m = 0; m < desk->context.material_count; m++) {
        desk->flows[m] = ooze_flow(&desk->context, m, &desk->scales->materials[m].scale);
    }
}

static OozeChoiceQuestion question_of(const Desk *desk)
{
    const OozeSceneDef *def = &desk->scene->def;
    return (OozeChoiceQuestion){
        .context = &desk->context,
        .flows = desk->flows,
        .frame = 1.0 / def->frame_rate,
        .error = def->method.error,
        .max_travel = def->world.max_travel,
    };
}

/* ---- what a scene leaves open ---------------------------------------------------------------- */

/* Place of a chosen setting among the method's, or -1. */
static int place_of(const OozeScene *scene, const char *key)
{
    const OozeMethodInfo *info = ooze_method_info(scene->def.method.index);
    return ooze_param_find(info->params, info->param_count, key);
}

typedef struct Open {
    const char *key; /* NULL: the time step */
    double *value;   /* in the choice */
} Open;

enum { OPEN_COUNT = 4 };

static void list_open(OozeChoice *choice, Open open[OPEN_COUNT])
{
    open[0] = (Open){NULL, &choice->time_step};
    open[1] = (Open){"velocity_iterations", &choice->velocity_iterations};
    open[2] = (Open){"passes", &choice->passes};
    open[3] = (Open){"density_iterations", &choice->density_iterations};
}

/* `solver: auto` leaves open all that is not given. */
static bool leaves_all(const OozeScene *scene)
{
    const OozeNode *solver = ooze_node_find(ooze_node_find(scene->root, "method"), "solver");
    return solver && solver->kind == OOZE_NODE_SCALAR && strcmp(solver->text, "auto") == 0;
}

/* The scene's own numbers, NAN where it leaves them open. False: it leaves none. */
static bool read_open(const OozeScene *scene, OozeChoice *choice)
{
    Open open[OPEN_COUNT];
    list_open(choice, open);
    const OozeNode *method = ooze_node_find(scene->root, "method");
    bool all = leaves_all(scene), any = false;
    for (int i = 0; i < OPEN_COUNT; i++) {
        int place = open[i].key ? place_of(scene, open[i].key) : -1;
        if (open[i].key && place < 0) {
            *open[i].value = NAN;
            continue;
        }
        double given = open[i].key ? scene->def.method.params[place] : scene->def.world.time_step;
        bool written = ooze_node_find(open[i].key ? method : scene->root,
                                      open[i].key ? open[i].key : "time_step");
        *open[i].value = all && !written ? NAN : given;
        any = any || isnan(*open[i].value);
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

/* The choice into the definitions, and into words. */
static void take(OozeScene *scene, const OozeChoice *asked, OozeChoice *chosen)
{
    Open was[OPEN_COUNT], is[OPEN_COUNT];
    OozeChoice before = *asked;
    list_open(&before, was);
    list_open(chosen, is);
    OozeText words = {0};
    char number[OOZE_NUMBER_MAX];
    for (int i = 0; i < OPEN_COUNT; i++) {
        int place = is[i].key ? place_of(scene, is[i].key) : -1;
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
    OozeChoice asked = {0};
    if (!read_open(scene, &asked)) {
        return;
    }
    if (isnan(asked.time_step) && !ooze_node_find(scene->root, "time_step") && !leaves_all(scene)) {
        ooze_scene_error(scene, scene->root, "longest step in s, or auto",
                         "the scene lacks 'time_step'");
    }
    Desk desk;
    if (scene->error_count > 0 || !set_up(scene, &desk)) {
        return;
    }
    set_step(&desk, isnan(asked.time_step) ? 1.0 / scene->def.frame_rate : asked.time_step);
    OozeChoiceQuestion question = question_of(&desk);
    OozeChoice chosen = asked;
    ooze_choose(desk.method, &question, &chosen);
    take(scene, &asked, &chosen);
}

const char *ooze_scene_chosen(const OozeScene *scene)
{
    return scene ? scene->chosen : NULL;
}

OozeStatus ooze_scene_advice(OozeScene *scene, OozeSceneAdvice *advice, OozeError *error)
{
    Desk desk;
    OozeLocaleGuard locale = ooze_locale_enter();
    bool ready = set_up(scene, &desk);
    ooze_locale_leave(locale);
    if (!ready) {
        scene->out_of_memory = false;
        return ooze_fail_memory(error, "the advice on a scene", 0);
    }
    set_step(&desk, scene->info.time_step);
    OozeChoiceQuestion question = question_of(&desk);
    OozeChoice own = {0}, open = {.time_step = NAN,
                                  .velocity_iterations = NAN,
                                  .passes = NAN,
                                  .density_iterations = NAN};
    Open numbers[OPEN_COUNT];
    list_open(&own, numbers);
    own.time_step = scene->info.time_step;
    for (int i = 1; i < OPEN_COUNT; i++) {
        int place = place_of(scene, numbers[i].key);
        *numbers[i].value = place < 0 ? NAN : desk.params[place];
    }
    ooze_choose(desk.method, &question, &own);
    ooze_choose(desk.method, &question, &open);
    *advice = (OozeSceneAdvice){desk.scales, desk.flows, own, open, question.error};
    return OOZE_OK;
}
