/* Warnings of `ooze check` about valid scenes that are unlikely to be intended. */
#include <math.h>
#include <string.h>

#include "methods/choice.h"
#include "methods/conformation/method.h"
#include "methods/derive.h"
#include "scene/scales.h"
#include "world/world.h"

/* More substeps per step than this cause a warning. */
static const double SUBSTEPS_MANY = 4.0;
/* More steps of a run than this cause a warning: at a millisecond each they take over a day. */
static const double STEPS_MANY = 1e8;
static const char STICK_HINT[] = "only springs and ballistic attract particles to solids";

static void check_duration(OozeScene *scene)
{
    const OozeSceneInfo *info = &scene->info;
    double wanted = scene->def.world.time_step;
    if (info->frame_count == 0) {
        ooze_scene_warn(
            scene, ooze_node_find(scene->root, "duration"), "give at least one over frame_rate",
            "nothing will move: a duration of %g s holds no frame but the first", info->duration);
    }
    double end = (double)info->frame_count / info->frame_rate;
    if (info->frame_count > 0 && info->duration - end > OOZE_FRAME_ROUNDING / info->frame_rate) {
        ooze_scene_warn(scene, ooze_node_find(scene->root, "duration"),
                        "make it a whole number of frames",
                        "the run ends at %.6g s, with the last frame within the duration of %g s",
                        end, info->duration);
    }
    double steps = (double)info->frame_count * (double)info->steps_per_frame;
    if (steps > STEPS_MANY) {
        ooze_scene_warn(scene, ooze_node_find(scene->root, "duration"),
                        "times are in s; `ooze run --dry-run` estimates the time of the run",
                        "%g s of simulated time are %.3g frames and %.3g steps: %.3g days at a "
                        "millisecond a step",
                        info->duration, (double)info->frame_count, steps, 1e-3 * steps / 86400.0);
    }
    if (info->time_step < wanted * (1.0 - 1e-6)) {
        ooze_scene_warn(scene, ooze_node_find(scene->root, "time_step"),
                        "write 1 / (frame_rate times a whole number) to avoid this",
                        "the time step is shortened from %g s to %g s so that frames fall on whole "
                        "steps (%llu a frame)",
                        wanted, info->time_step, (unsigned long long)info->steps_per_frame);
    }
}

static void check_not_empty(OozeScene *scene, bool filled)
{
    const OozeSceneDef *def = &scene->def;
    bool emits = false;
    for (int i = 0; i < def->emitter_count; i++) {
        const OozeEmitterDef *emitter = &def->emitters[i].def;
        bool opens = emitter->start < def->duration && emitter->stop > 0.0;
        emits = emits || (emitter->speed > 0.0 && opens);
        if (!opens) {
            ooze_scene_warn(scene, ooze_scene_item_node(scene, "emitters", i), NULL,
                            "emitter '%s' is closed for the whole %g s", emitter->name,
                            def->duration);
        }
    }
    for (int i = 0; i < def->solid_count; i++) {
        emits = emits || def->solids[i].density > 0.0; /* a dynamic solid is enough */
    }
    if (!filled && !emits) {
        ooze_scene_warn(scene, NULL, "add a fluid or an emitter", "there is nothing to simulate");
    }
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether the material gives every number that has a default, as scenes of run folders and of the
   viewer do: a number of theirs may come from a preset. */
static bool is_complete(const OozeNode *material)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < count; i++) {
        if (!isnan(params[i].initial) && !ooze_node_find(material, params[i].key)) {
            return false;
        }
    }
    return true;
}

bool ooze_scene_asks_for(const OozeScene *scene, int material, const OozeNode *number)
{
    int count, place;
    const OozeParamInfo *params = ooze_material_params(&count);
    const char *key = number->key->text;
    if (number->source->includer || (place = ooze_param_find(params, count, key)) < 0) {
        return false;
    }
    double value = scene->def.materials[material].values[place];
    bool asked = !same_number(value, params[place].initial);
    const OozePresetInfo *preset;
    bool complete = is_complete(ooze_scene_item_node(scene, "materials", material));
    for (int i = 0; complete && asked && (preset = ooze_preset_info(i)); i++) {
        asked = !same_number(value, ooze_preset_number(preset, key));
    }
    return asked;
}

static void check_ignored(OozeScene *scene, const OozeMethod *method)
{
    for (int i = 0; i < scene->def.material_count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", i);
        for (const OozeNode *child = node ? node->first : NULL; child; child = child->next) {
            const char *key = child->key->text;
            /* ooze_scene_check_presets names numbers with effects, beside a preset */
            bool named = ooze_node_find(node, "preset") && ooze_effect_of(key) != 0;
            bool in_scene = !child->source->includer && !named;
            bool table = strcmp(key, "temperature_table") == 0 && !method->uses_tables;
            bool number = !ooze_method_uses(method, key) && ooze_scene_asks_for(scene, i, child);
            if (in_scene && (table || number)) {
                bool other = method != &ooze_method_conformation &&
                             ooze_method_uses(&ooze_method_conformation, key);
                ooze_scene_warn(scene, child->key,
                                other ? "method: {name: conformation} uses it" : NULL,
                                "the method '%s' ignores '%s'", method->info.name, key);
            }
        }
    }
}

static bool is_stick_key(const char *key)
{
    return strcmp(key, "stick_distance") == 0 || strcmp(key, "stick_strength") == 0;
}

/* Attraction to solids, where the method has none. A zero asks for nothing: scenes of run folders
   hold every key. */
static void check_stick(OozeScene *scene, const OozeMethod *method)
{
    int count = method->sticks_to_solids ? 0 : scene->def.solid_count;
    for (int i = 0; i < count; i++) {
        const OozeSolidDef *solid = &scene->def.solids[i];
        const OozeNode *node = ooze_scene_item_node(scene, "solids", i);
        for (const OozeNode *child = node ? node->first : NULL; child; child = child->next) {
            const char *key = child->key->text;
            bool distance = strcmp(key, "stick_distance") == 0;
            double value = distance ? solid->stick_distance : solid->stick_strength;
            if (is_stick_key(key) && value > 0.0) {
                ooze_scene_warn(scene, child->key, STICK_HINT, "the method '%s' ignores '%s'",
                                method->info.name, key);
            }
        }
    }
}

/* Densities below that of any liquid: probably given in g/cm3. */
static void check_density(OozeScene *scene, const OozeMethod *method)
{
    const double lowest = 30.0; /* kg/m3: foams are above */
    int count = ooze_method_uses(method, "viscosity") ? scene->def.material_count : 0;
    for (int i = 0; i < count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", i);
        const OozeNode *at = node ? ooze_node_find(node, "density") : NULL;
        double density = scene->def.materials[i].values[OOZE_MATERIAL_DENSITY];
        if (at && density < lowest) {
            ooze_scene_warn(
                scene, at,
                ooze_scene_format(scene, "if it is in g/cm3, write %g", 1000.0 * density),
                "the density of '%s' is %g kg/m3, less than that of any liquid",
                scene->def.materials[i].name, density);
        }
    }
}

/* Whether the material is used other than in rigid bodies, which need no numbers. */
static bool is_used_as_fluid(const OozeSceneDef *def, const char *material)
{
    bool rigid = false, other = false;
    for (int k = 0; k < def->fluid_count; k++) {
        bool its = strcmp(def->fluids[k].material, material) == 0;
        rigid = rigid || (its && def->fluids[k].def.body == OOZE_BODY_RIGID);
        other = other || (its && def->fluids[k].def.body != OOZE_BODY_RIGID);
    }
    for (int k = 0; k < def->emitter_count; k++) {
        other = other || strcmp(def->emitters[k].material, material) == 0;
    }
    return other || !rigid;
}

/* Warns about materials without numbers that have the name of a preset, which they do not use. */
static void check_name_only(OozeScene *scene, const OozeMethod *method)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < scene->def.material_count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "materials", i);
        const char *name = scene->def.materials[i].name;
        bool name_only = node && ooze_preset_find(name) && ooze_method_uses(method, "viscosity") &&
                         !ooze_node_find(node, "temperature_table");
        for (int k = 0; name_only && k < count; k++) {
            name_only =
                strcmp(params[k].key, "density") == 0 || !ooze_node_find(node, params[k].key);
        }
        if (name_only && is_used_as_fluid(&scene->def, name)) {
            ooze_scene_warn(
                scene, node->key, ooze_scene_format(scene, "add `preset: %s`, or numbers", name),
                "'%s' flows without resistance: a name alone gives it no numbers", name);
        }
    }
}

/* The value at the start of the number of a material or a solid that a change sets; false: it sets
   another number. */
static bool get_start(const OozeWorld *world, const OozeChangeDef *change, double *value)
{
    if (change->target == OOZE_CHANGE_MATERIAL) {
        return !ooze_world_get_material(world, (OozeMaterialId){change->index}, change->key, value,
                                        NULL);
    }
    for (int i = 0; change->target == OOZE_CHANGE_SOLID && i < OOZE_SOLID_PARAM_COUNT; i++) {
        if (strcmp(ooze_solid_param_name((OozeSolidParam)i), change->key) == 0) {
            return !ooze_world_get_solid(world, (OozeSolidId){change->index}, (OozeSolidParam)i,
                                         value, NULL);
        }
    }
    return false;
}

/* A ramp from a value that is not finite. */
static void check_ramp(OozeScene *scene, const OozeWorld *world, int index)
{
    const OozeSceneDef *def = &scene->def;
    const OozeChangeDef *change = &def->changes[index].def;
    const char *set = def->changes[index].set;
    double from;
    if (!(change->ramp > 0.0) || !get_start(world, change, &from) || isfinite(from)) {
        return;
    }
    for (int k = 0; k < def->change_count; k++) {
        if (k != index && strcmp(def->changes[k].set, set) == 0) {
            return; /* it may begin at the value of the other */
        }
    }
    const OozeNode *node = ooze_scene_item_node(scene, "changes", index);
    ooze_scene_warn(scene, ooze_node_find(node, "ramp"), "give the number at the start too",
                    "'%s' changes at once: it cannot be ramped from a value that is %s", set,
                    isnan(from) ? "not given" : "infinite");
}

/* Changes after the end, and of numbers that the method ignores. */
static void check_changes(OozeScene *scene, const OozeWorld *world)
{
    const OozeSceneDef *def = &scene->def;
    for (int i = 0; i < def->change_count; i++) {
        const OozeChangeDef *change = &def->changes[i].def;
        const OozeNode *node = ooze_scene_item_node(scene, "changes", i);
        bool material = change->target == OOZE_CHANGE_MATERIAL && def->changes[i].to;
        bool in_scene =
            node && !node->source->includer; /* a shorter scene may include a longer one */
        if (in_scene && change->time >= def->duration) {
            ooze_scene_warn(scene, ooze_node_find(node, "time"), NULL,
                            "the change of '%s' at %g s comes after the end at %g s",
                            def->changes[i].set, change->time, def->duration);
        }
        if (material && !ooze_method_uses(world->method, change->key)) {
            ooze_scene_warn(scene, ooze_node_find(node, "set"), NULL,
                            "the method '%s' ignores '%s'", world->method->info.name, change->key);
        }
        if (change->target == OOZE_CHANGE_SOLID && is_stick_key(change->key) &&
            !world->method->sticks_to_solids) {
            ooze_scene_warn(scene, ooze_node_find(node, "set"), STICK_HINT,
                            "the method '%s' ignores '%s'", world->method->info.name, change->key);
        }
        if (material && world->method->uses_tables &&
            ooze_temperature_table_gives(&def->materials[change->index], change->key)) {
            ooze_scene_warn(scene, ooze_node_find(node, "set"),
                            "take the number out of the temperature table",
                            "the change has no effect: the temperature table of '%s' gives '%s'",
                            def->materials[change->index].name, change->key);
        }
        check_ramp(scene, world, i);
    }
}

/* The longest that is stable at every temperature of the scene. */
static double stable_step(OozeScene *scene, OozeWorld *world)
{
    OozeStepContext context = ooze_world_step_context(world), at = context;
    double stable = INFINITY;
    for (int i = 0; ooze_scene_materials_at(scene, world->method, i, &at); i++) {
        stable = fmin(stable, world->method->stable_step(&at));
        at = context;
    }
    return stable;
}

/* Methods without a stability limit are stable at any time step. */
static void check_step(OozeScene *scene, OozeWorld *world)
{
    if (!world->method->stable_step) {
        return;
    }
    double dt = scene->info.time_step, spacing = world->def.spacing;
    const OozeNode *at = ooze_node_find(scene->root, "time_step");
    double stable = stable_step(scene, world);
    bool divides = world->method->divides_unstable_steps && ooze_world_uses_substeps(world);
    if (dt > stable * (divides ? SUBSTEPS_MANY : 1.0)) {
        ooze_scene_warn(scene, at, ooze_scene_format(scene, "use at most %.3g s", stable),
                        "the time step %.4g s is beyond the stability of method '%s' with these "
                        "materials",
                        dt, world->def.method);
    }
    const OozeSceneScales *scales = ooze_scene_scales(scene);
    if (!scales) {
        return;
    }
    OozeSceneFastest fastest = scales->fastest;
    if (ooze_world_uses_substeps(world)) {
        double substeps = fastest.speed * dt / (world->def.max_travel * spacing);
        if (substeps > SUBSTEPS_MANY) {
            ooze_scene_warn(scene, at,
                            ooze_scene_format(scene, "use %.3g s, or another max_travel",
                                              world->def.max_travel * spacing / fastest.speed),
                            "the time step %.4g s is long: %s '%s' moves %.3g m/s, so that steps "
                            "are divided into %.0f substeps and more",
                            dt, fastest.kind, fastest.name, fastest.speed, ceil(substeps));
        }
        return;
    }
    if (fastest.speed * dt > OOZE_LONGEST_TRAVEL * spacing * (1.0 + 1e-6)) {
        ooze_scene_warn(
            scene, at,
            ooze_scene_format(scene, "use at most %.3g s",
                              OOZE_LONGEST_TRAVEL * spacing / fastest.speed),
            "the time step %.4g s is long: %s '%s' moves %.3g m/s, which is %.2g spacings a step",
            dt, fastest.kind, fastest.name, fastest.speed, fastest.speed * dt / spacing);
    }
}

OozeStatus ooze_scene_check_physics(OozeScene *scene, OozeWorld *world, OozeError *error)
{
    OOZE_REQUIRE(scene, error);
    OOZE_REQUIRE(world, error);
    OozeStatus status = ooze_world_sync_to_host(world, error);
    if (status) {
        return status;
    }
    OozeLocaleGuard locale = ooze_locale_enter();
    check_duration(scene);
    check_not_empty(scene, scene->counted || ooze_particles_count(world->particles) > 0);
    ooze_scene_check_nozzles(scene, world);
    check_ignored(scene, world->method);
    ooze_scene_check_presets(scene);
    check_stick(scene, world->method);
    check_name_only(scene, world->method);
    check_density(scene, world->method);
    check_changes(scene, world);
    check_step(scene, world);
    ooze_scene_check_first_step(scene, world);
    ooze_scene_check_advice(scene, world);
    ooze_scene_check_heat(scene, world);
    status = ooze_scene_check_particles(scene, world, error);
    ooze_locale_leave(locale);
    if (!status && scene->out_of_memory) {
        scene->out_of_memory = false;
        status = ooze_fail_memory(error, "the warnings of a scene", 0);
    }
    return status;
}
