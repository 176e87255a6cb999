/* Checks and completes definitions across keys, after the sections are read: names, references,
   order in time, and values that depend on others. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/keys.h"
#include "scene/scene.h"

const OozeNode *ooze_scene_item_node(const OozeScene *scene, const char *key, int index)
{
    const OozeNode *list = ooze_node_find(scene->root, key);
    const OozeNode *child = list ? list->first : NULL;
    for (; child && index > 0; index--) {
        child = child->next;
    }
    return child;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The items of one list of the scene. */
typedef struct Items {
    OozeKey row, name; /* rows of the list, and of the items' name */
    char *first;
    int count;
} Items;

static Items items_of(OozeScene *scene, const OozeKey *row)
{
    Items items = {.row = *row};
    memcpy(&items.first, (char *)&scene->def + row->offset, sizeof items.first);
    memcpy(&items.count, (char *)&scene->def + row->count_offset, sizeof items.count);
    return items;
}

static const char *name_of(const Items *items, int i)
{
    const char *name;
    memcpy(&name, items->first + (size_t)i * items->row.section->size + items->name.offset,
           sizeof name);
    return name;
}

static void set_name(const Items *items, int i, const char *name)
{
    memcpy(items->first + (size_t)i * items->row.section->size + items->name.offset, &name,
           sizeof name);
}

/* The default name: the kind of a probe, the section and index of other items. */
static const char *make_name(OozeScene *scene, const Items *items, int i)
{
    const OozeSection *section = items->row.section;
    OozeKey variant_row;
    char kind[OOZE_CHOICE_MAX];
    if (items->first == (char *)scene->def.probes &&
        ooze_section_variant_key(section, &variant_row)) {
        const char *item = items->first + (size_t)i * section->size;
        if (ooze_key_choice(&variant_row, (int)ooze_key_load(&variant_row, item), kind)) {
            return ooze_scene_copy(scene, kind, strlen(kind));
        }
    }
    return ooze_scene_format(scene, "%s%d", section->name, i);
}

static void name_items(OozeScene *scene, const Items *items)
{
    const OozeNode *list = ooze_node_find(scene->root, items->row.key);
    const OozeNode *node = list ? list->first : NULL;
    for (int i = 0; i < items->count && node; i++, node = node->next) {
        const char *name = name_of(items, i);
        if (!name) {
            name = make_name(scene, items, i);
            set_name(items, i, name);
        }
        for (int j = 0; j < i && name; j++) {
            const char *other = name_of(items, j);
            if (other && strcmp(other, name) == 0) {
                const OozeNode *at = ooze_node_find(node, "name");
                ooze_scene_error(scene, at ? at : node, "give each its own name",
                                 "two %s are named '%s'", items->row.key, name);
                break;
            }
        }
    }
}

static void name_everything(OozeScene *scene)
{
    OozeKey row;
    for (int i = 0; ooze_section_key(&ooze_scene_root, -1, i, &row); i++) {
        if (row.type == OOZE_KEY_LIST) {
            Items items = items_of(scene, &row);
            if (ooze_section_find(row.section, -1, "name", &items.name)) {
                name_items(scene, &items);
            }
        }
    }
}

/* ---- materials ------------------------------------------------------------------------------- */

static void check_material(OozeScene *scene, const char *list, int index, const char *name)
{
    const OozeSceneDef *def = &scene->def;
    const char *known[OOZE_SCENE_KEYS_MAX];
    for (int i = 0; i < def->material_count; i++) {
        known[i] = def->materials[i].name;
        if (name && strcmp(known[i], name) == 0) {
            return;
        }
    }
    const OozeNode *node = ooze_node_find(ooze_scene_item_node(scene, list, index), "material");
    if (name && node) {
        const char *hint = ooze_scene_did_you_mean(scene, name, known, def->material_count);
        ooze_scene_error(scene, node, hint ? hint : "define it under materials",
                         "there is no material '%s'", name);
    }
}

/* A key of the camera. */
static const OozeNode *camera_key(const OozeScene *scene, const char *key)
{
    const OozeNode *render = ooze_node_find(scene->root, "render");
    const OozeNode *camera = render ? ooze_node_find(render, "camera") : NULL;
    return camera ? ooze_node_find(camera, key) : NULL;
}

/* The camera follows a material, and focuses on a material or a solid. */
static void check_camera(OozeScene *scene, const char *key, const char *name, bool solids_too)
{
    const OozeSceneDef *def = &scene->def;
    const char *known[2 * OOZE_SCENE_KEYS_MAX];
    int count = 0;
    bool found = !name;
    for (int i = 0; i < def->material_count; i++) {
        known[count++] = def->materials[i].name;
        found = found || strcmp(def->materials[i].name, name) == 0;
    }
    for (int i = 0; solids_too && i < def->solid_count && i < OOZE_SCENE_KEYS_MAX; i++) {
        known[count++] = def->solids[i].name ? def->solids[i].name : "";
    }
    found = found || (solids_too && ooze_scene_find_solid(def, name) >= 0);
    const OozeNode *node = camera_key(scene, key);
    if (!found && node) {
        const char *hint = ooze_scene_did_you_mean(scene, name, known, count);
        const char *where =
            solids_too ? "define it under materials or solids" : "define it under materials";
        ooze_scene_error(scene, node, hint ? hint : where, "there is no material %s'%s' to %s",
                         solids_too ? "or solid " : "", name, solids_too ? "focus on" : key);
    }
}

static void check_materials(OozeScene *scene)
{
    const OozeSceneDef *def = &scene->def;
    check_camera(scene, "follow", def->render.follow, false);
    check_camera(scene, "focus", def->render.focus, true);
    for (int i = 0; i < def->fluid_count; i++) {
        check_material(scene, "fluids", i, def->fluids[i].material);
    }
    for (int i = 0; i < def->emitter_count; i++) {
        check_material(scene, "emitters", i, def->emitters[i].material);
    }
    for (int i = 0; i < def->probe_count; i++) {
        check_material(scene, "probes", i, def->probes[i].material);
    }
}

/* ---- solids ---------------------------------------------------------------------------------- */

int ooze_scene_find_solid(const OozeSceneDef *def, const char *name)
{
    for (int i = 0; name && i < def->solid_count; i++) {
        if (def->solids[i].name && strcmp(def->solids[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Reports a key of a list item that names a solid which is not defined. */
static void check_solid_reference(OozeScene *scene, const char *list, int index, const char *key,
                                  const char *name)
{
    const OozeSceneDef *def = &scene->def;
    const OozeNode *node = ooze_node_find(ooze_scene_item_node(scene, list, index), key);
    if (!name || !node || ooze_scene_find_solid(def, name) >= 0) {
        return;
    }
    const char *known[OOZE_SCENE_KEYS_MAX];
    int count = def->solid_count < OOZE_SCENE_KEYS_MAX ? def->solid_count : OOZE_SCENE_KEYS_MAX;
    for (int i = 0; i < count; i++) {
        known[i] = def->solids[i].name ? def->solids[i].name : "";
    }
    const char *hint = ooze_scene_did_you_mean(scene, name, known, count);
    ooze_scene_error(scene, node, hint ? hint : "define it under solids", "there is no solid '%s'",
                     name);
}

static void check_solid_references(OozeScene *scene)
{
    for (int i = 0; i < scene->def.joint_count; i++) {
        check_solid_reference(scene, "joints", i, "solid", scene->def.joints[i].solid);
        check_solid_reference(scene, "joints", i, "other", scene->def.joints[i].other);
    }
    for (int i = 0; i < scene->def.probe_count; i++) {
        const OozeProbeDef *probe = &scene->def.probes[i].def;
        check_solid_reference(scene, "probes", i, "solid", probe->solid);
        check_solid_reference(scene, "probes", i, "lower", probe->lower);
        check_solid_reference(scene, "probes", i, "upper", probe->upper);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void check_times(OozeScene *scene, const OozeNode *node, double start, double stop)
{
    if (node && stop < start) {
        const OozeNode *at = ooze_node_find(node, "stop");
        ooze_scene_error(scene, at ? at : node, "stop must not come before start",
                         "this stops at %g s, before it starts at %g s", stop, start);
    }
}

/* Position or rotation that a keyframe does not give are those of the solid or nozzle. */
static void finish_motion(OozeScene *scene, const OozeNode *item, OozeMotionDef *motion,
                          OozeVec3 position, OozeQuat rotation)
{
    const OozeNode *node = ooze_node_find(item, "motion");
    if (!node) {
        return;
    }
    check_times(scene, node, motion->start, motion->stop);
    const OozeNode *list = ooze_node_find(node, "keyframes");
    const OozeNode *key = list ? list->first : NULL;
    /* allocated by the scene, so that it may be written */
    OozeKeyframe *frames = (OozeKeyframe *)(uintptr_t)motion->keyframes;
    for (int i = 0; i < motion->keyframe_count && key; i++, key = key->next) {
        frames[i].position = isnan(frames[i].position.x) ? position : frames[i].position;
        frames[i].rotation = isnan(frames[i].rotation.x) ? rotation : frames[i].rotation;
        if (i > 0 && !(frames[i].time > frames[i - 1].time)) {
            ooze_scene_error(scene, key, "sort them by time",
                             "keyframe %d is at %g s, not after the one before it (%g s)", i,
                             frames[i].time, frames[i - 1].time);
        }
    }
}

static void finish_times(OozeScene *scene)
{
    OozeSceneDef *def = &scene->def;
    for (int i = 0; i < def->solid_count; i++) {
        OozeSolidDef *solid = &def->solids[i];
        finish_motion(scene, ooze_scene_item_node(scene, "solids", i), &solid->motion,
                      solid->shape.position, solid->shape.rotation);
    }
    for (int i = 0; i < def->emitter_count; i++) {
        OozeEmitterDef *emitter = &def->emitters[i].def;
        const OozeNode *node = ooze_scene_item_node(scene, "emitters", i);
        finish_motion(scene, node, &emitter->motion, emitter->position, quat_identity());
        check_times(scene, node, emitter->start, emitter->stop);
    }
    for (int i = 0; i < def->sink_count; i++) {
        check_times(scene, ooze_scene_item_node(scene, "sinks", i), def->sinks[i].start,
                    def->sinks[i].stop);
    }
    for (int i = 0; i < def->heat_source_count; i++) {
        check_times(scene, ooze_scene_item_node(scene, "heat_sources", i),
                    def->heat_sources[i].start, def->heat_sources[i].stop);
    }
}

/* ---- the world ------------------------------------------------------------------------------- */

static void finish_world(OozeSceneDef *def)
{
    const double gravity = 9.81; /* m/s2 */
    OozeWorldDef *world = &def->world;
    if (isnan(world->gravity.x)) {
        world->gravity = vec3_madd(vec3(0, 0, 0), -gravity, vec3_axis(world->up));
    }
    const OozeMethodInfo *method = ooze_method_info(def->method.index);
    world->method = method ? method->name : world->method;
    double low[3] = {0}, high[3] = {0};
    for (int axis = 0; axis < 3; axis++) {
        world->periodic[axis] = def->periodic[axis].given;
        low[axis] = def->periodic[axis].min;
        high[axis] = def->periodic[axis].max;
    }
    world->periodic_min = vec3(low[0], low[1], low[2]);
    world->periodic_max = vec3(high[0], high[1], high[2]);
}

/* Shortens the time step so that frames are whole numbers of steps apart. The tolerances cover
   numbers that are rounded in the scene file: a time step of 0.00208333 s, a duration of 0.4583 s
   that ends with frame 11 of 24 a second. */
static void finish_info(OozeScene *scene)
{
    const OozeSceneDef *def = &scene->def;
    OozeSceneInfo *info = &scene->info;
    double frame = 1.0 / def->frame_rate;
    double steps = ceil(frame / def->world.time_step * (1.0 - OOZE_STEP_ROUNDING));
    info->title = def->title;
    info->duration = def->duration;
    info->frame_rate = def->frame_rate;
    info->frame_count = (uint64_t)floor(def->duration * def->frame_rate + OOZE_FRAME_ROUNDING);
    info->steps_per_frame = steps >= 1.0 ? (uint64_t)steps : 1;
    info->time_step = frame / (double)info->steps_per_frame;
}

void ooze_scene_finish(OozeScene *scene)
{
    name_everything(scene);
    check_materials(scene);
    check_solid_references(scene);
    finish_times(scene);
    ooze_scene_finish_changes(scene);
    finish_world(&scene->def);
    scene->filled = ooze_scene_alloc(scene, (size_t)scene->def.fluid_count, sizeof(uint64_t));
    ooze_scene_derive(scene);
    ooze_scene_choose(scene);
    ooze_scene_color_materials(scene);
    if (scene->error_count == 0 && !scene->out_of_memory) {
        finish_info(scene);
    }
}
