/* `changes`: resolves paths and reads values. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"
#include "world/world.h"

/* A path split at its dots. */
enum { PARTS_MAX = 4 };
typedef struct Path {
    const char *part[PARTS_MAX];
    int count; /* of parts, stored or not */
} Path;

static Path split_path(OozeScene *scene, const char *text)
{
    Path path = {.count = 0};
    while (text) {
        const char *dot = strchr(text, '.');
        if (path.count < PARTS_MAX) {
            size_t length = dot ? (size_t)(dot - text) : strlen(text);
            const char *part = ooze_scene_copy(scene, text, length);
            path.part[path.count] = part ? part : "";
        }
        path.count++;
        text = dot ? dot + 1 : NULL;
    }
    return path;
}

/* ---- targets ----------------------------------------------------------------------------- */

typedef struct Target {
    const char *list; /* key of the scene, NULL: the method */
    OozeChangeTarget target;
    const char *example;
} Target;

static const Target targets[] = {
    {"materials", OOZE_CHANGE_MATERIAL, "materials.NAME.KEY"},
    {"solids", OOZE_CHANGE_SOLID, "solids.NAME.KEY"},
    {"emitters", OOZE_CHANGE_EMITTER, "emitters.NAME.speed"},
    {"joints", OOZE_CHANGE_JOINT, "joints.NAME.speed"},
    {"method", OOZE_CHANGE_METHOD, "method.KEY"},
    {"gravity", OOZE_CHANGE_WORLD, "gravity.y"},
    {"air", OOZE_CHANGE_WORLD, "air.temperature"},
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static const Target *find_target(const Path *path)
{
    for (int i = 0; i < TARGETS; i++) {
        if (strcmp(path->part[0], targets[i].list) == 0) {
            return &targets[i];
        }
    }
    return NULL;
}

static const char *name_of(const OozeSceneDef *def, OozeChangeTarget target, int i)
{
    switch (target) {
    case OOZE_CHANGE_MATERIAL:
        return i < def->material_count ? def->materials[i].name : NULL;
    case OOZE_CHANGE_SOLID:
        return i < def->solid_count ? def->solids[i].name : NULL;
    case OOZE_CHANGE_EMITTER:
        return i < def->emitter_count ? def->emitters[i].def.name : NULL;
    case OOZE_CHANGE_JOINT:
        return i < def->joint_count ? def->joints[i].def.name : NULL;
    default:
        return NULL;
    }
}

/* Index of the item with that name or number; -1: an error was reported. */
static int find_item(OozeScene *scene, const Target *target, const char *word, const OozeNode *at)
{
    const char *known[OOZE_SCENE_KEYS_MAX];
    int count = 0;
    for (const char *name;
         count < OOZE_SCENE_KEYS_MAX && (name = name_of(&scene->def, target->target, count));
         count++) {
        known[count] = name;
        if (strcmp(name, word) == 0) {
            return count;
        }
    }
    char *end = NULL;
    long number = isdigit((unsigned char)word[0]) ? strtol(word, &end, 10) : -1;
    if (target->target != OOZE_CHANGE_MATERIAL && end && *end == '\0' && number < count) {
        return (int)number;
    }
    char shown[OOZE_CLIP_MAX];
    ooze_scene_error(scene, at, ooze_scene_did_you_mean(scene, word, known, count),
                     "there is no '%s' among the %s", ooze_clip(word, shown), target->list);
    return -1;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool may_change(OozeChangeTarget target, const OozeKey *row)
{
    if (target == OOZE_CHANGE_EMITTER) {
        return strcmp(row->key, "speed") == 0;
    }
    for (int i = 0; target == OOZE_CHANGE_JOINT && i < OOZE_JOINT_PARAM_COUNT; i++) {
        if (strcmp(row->key, ooze_joint_param_name((OozeJointParam)i)) == 0) {
            return true;
        }
    }
    for (int i = 0; target == OOZE_CHANGE_SOLID && i < OOZE_SOLID_PARAM_COUNT; i++) {
        if (strcmp(row->key, ooze_solid_param_name((OozeSolidParam)i)) == 0) {
            return true;
        }
    }
    if (target == OOZE_CHANGE_WORLD) {
        return true; /* the keys of the air */
    }
    /* parameters of materials and methods */
    return target != OOZE_CHANGE_SOLID && target != OOZE_CHANGE_JOINT &&
           row->store == OOZE_STORE_DOUBLE;
}

bool ooze_scene_change_row(const OozeScene *scene, OozeChangeTarget target, int i, OozeKey *row)
{
    for (int t = 0; t < TARGETS; t++) {
        OozeKey list;
        if (targets[t].target != target ||
            !ooze_section_find(&ooze_scene_root, -1, targets[t].list, &list) || !list.section) {
            continue;
        }
        int variant = target == OOZE_CHANGE_METHOD ? scene->def.method.index : -1;
        for (int k = 0; ooze_section_key(list.section, variant, k, row); k++) {
            if (may_change(target, row) && i-- == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The row of the number; false: an error was reported. */
static bool find_row(OozeScene *scene, const Target *target, const char *key, const OozeNode *at,
                     OozeKey *row)
{
    enum { KEYS_MAX = 96 };
    const char *known[KEYS_MAX];
    int count = 0, variant = target->target == OOZE_CHANGE_METHOD ? scene->def.method.index : -1;
    OozeKey list;
    if (!ooze_section_find(&ooze_scene_root, -1, target->list, &list)) {
        return false;
    }
    for (int i = 0; list.section && ooze_section_key(list.section, variant, i, row); i++) {
        if (may_change(target->target, row)) {
            if (strcmp(row->key, key) == 0) {
                return true;
            }
            if (count < KEYS_MAX) {
                known[count++] = row->key;
            }
        }
    }
    const struct OozeMethod *method =
        list.section && list.section->method ? list.section->method(variant) : NULL;
    if (ooze_scene_report_gone(scene, method, key, at, NULL)) {
        return false;
    }
    char shown[OOZE_CLIP_MAX];
    const char *hint = ooze_scene_did_you_mean(scene, key, known, count);
    ooze_scene_error(scene, at, hint ? hint : target->example,
                     "'%s' is no number of the %s that could change", ooze_clip(key, shown),
                     list.section ? list.section->name : list.key);
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void read_value(OozeScene *scene, OozeSceneChange *change, const OozeKey *found,
                       const OozeNode *node)
{
    OozeKey row = *found;
    row.store = OOZE_STORE_DOUBLE;
    row.offset = 0;
    double value = NAN;
    int before = scene->error_count;
    ooze_value_read(scene, &row, ooze_node_find(node, "to"), &value);
    if (scene->error_count != before) {
        return;
    }
    change->def.value = value;
    OozeText text = {0}; /* as in the canonical text */
    ooze_value_write(&text, &row, &value);
    scene->out_of_memory = scene->out_of_memory || text.failed;
    const char *copy = text.data ? ooze_scene_copy(scene, text.data, text.length) : NULL;
    change->to = copy ? copy : change->to;
    ooze_text_clear(&text);
    const OozeNode *ramp = ooze_node_find(node, "ramp");
    if (change->def.ramp > 0.0 && row.type != OOZE_KEY_REAL) {
        ooze_scene_error(scene, ramp, "leave the ramp out",
                         "'%s' has no values between two others to pass on a ramp", row.key);
    } else if (change->def.ramp > 0.0 && isinf(value)) {
        ooze_scene_warn(scene, ramp, "give a large number instead",
                        "'%s' becomes infinite at once: it cannot be ramped", row.key);
    }
}

/* Whether the last two parts of a path are the position of an item and an axis, or the last one is
   an axis of gravity. */
static bool names_axis(const Target *target, const Path *path)
{
    const char *axis = path->part[path->count - 1];
    bool letter = axis[0] >= 'x' && axis[0] <= 'z' && axis[1] == '\0';
    bool item = target->target == OOZE_CHANGE_SOLID || target->target == OOZE_CHANGE_EMITTER;
    return letter && (item ? path->count == 4 && strcmp(path->part[2], "position") == 0
                           : path->count == 2 && strcmp(path->part[0], "gravity") == 0);
}

/* The row of a number that is not a key of its own: an axis of a position or of gravity. */
static OozeKey axis_row(OozeScene *scene, const Target *target, const Path *path)
{
    bool world = target->target == OOZE_CHANGE_WORLD;
    const char *vector = world ? "gravity" : "position", *axis = path->part[path->count - 1];
    const char *key = ooze_scene_format(scene, "%s.%s", vector, axis);
    return (OozeKey){key ? key : "", OOZE_KEY_REAL, world ? "m/s2" : "m",
                     -OOZE_KEY_HUGE, OOZE_KEY_HUGE, .help = ""};
}

/* Number of parts of a path without an axis. */
static int parts_of(const Target *target)
{
    return target->target == OOZE_CHANGE_METHOD || target->target == OOZE_CHANGE_WORLD ? 2 : 3;
}

/* All numbers of a material change. */
static void finish_numbers(OozeScene *scene, OozeSceneChange *change, const OozeNode *node)
{
    const OozeNode *at = ooze_node_find(node, "set");
    Path path = split_path(scene, change->set);
    const Target *target = find_target(&path);
    if (!target || target->target != OOZE_CHANGE_MATERIAL || path.count != 2) {
        char shown[OOZE_CLIP_MAX];
        ooze_scene_error(scene, at, "materials.NAME", "'%s' is not the path of a material",
                         ooze_clip(change->set, shown));
        return;
    }
    if (change->def.ramp > 0.0) {
        ooze_scene_error(scene, ooze_node_find(node, "ramp"), "leave the ramp out",
                         "the numbers of a material change at once");
    }
    int index = find_item(scene, target, path.part[1], at);
    change->def.target = OOZE_CHANGE_MATERIAL;
    change->def.index = index < 0 ? 0 : index;
    change->def.key = ooze_material_params(NULL)[0].key;
    change->def.value = change->numbers.values[0];
}

static void finish_change(OozeScene *scene, OozeSceneChange *change, const OozeNode *node)
{
    const OozeNode *at = ooze_node_find(node, "set"), *to = ooze_node_find(node, "to");
    const OozeNode *numbers = ooze_node_find(node, "numbers");
    if (!to == !numbers) {
        ooze_scene_error(scene, node, "its new value, in its own unit and range",
                         to ? "the change has both 'to' and 'numbers'" : "the change lacks 'to'");
        return;
    }
    if (!at || !change->set || (to && !change->to)) {
        return; /* reported already */
    }
    if (numbers) {
        finish_numbers(scene, change, node);
        return;
    }
    Path path = split_path(scene, change->set);
    const Target *target = find_target(&path);
    bool axis = target && path.count <= PARTS_MAX && names_axis(target, &path);
    if (!target || (!axis && path.count != parts_of(target))) {
        char shown[OOZE_CLIP_MAX];
        ooze_scene_error(scene, at, target ? target->example : "such as materials.NAME.KEY",
                         "'%s' is not the path of a number that could change",
                         ooze_clip(change->set, shown));
        return;
    }
    OozeKey row;
    bool single = parts_of(target) == 2, world = target->target == OOZE_CHANGE_WORLD;
    int index = single ? 0 : find_item(scene, target, path.part[1], at);
    if (index < 0) {
        return;
    }
    if (axis) {
        row = axis_row(scene, target, &path);
    } else if (!find_row(scene, target, path.part[path.count - 1], at, &row)) {
        return;
    }
    change->def.target = target->target;
    change->def.index = index;
    change->def.key = world ? change->set : row.key;
    read_value(scene, change, &row, node);
}

void ooze_scene_finish_changes(OozeScene *scene)
{
    for (int i = 0; i < scene->def.change_count; i++) {
        const OozeNode *node = ooze_scene_item_node(scene, "changes", i);
        if (node && node->kind == OOZE_NODE_MAP) {
            finish_change(scene, &scene->def.changes[i], node);
        }
    }
}

/* ---- changes of a running world ---------------------------------------------------------- */

static OozeNode *add_scalar(OozeScene *scene, OozeNode *map, const char *key, const char *text)
{
    OozeNode *name = ooze_node_create(scene, OOZE_NODE_SCALAR, scene->main, 0, 0);
    OozeNode *value = ooze_node_create(scene, OOZE_NODE_SCALAR, scene->main, 0, 0);
    if (name && value) {
        name->text = key;
        value->text = text;
        value->plain = true;
        ooze_node_append(map, name, value);
    }
    return value;
}

/* Moves the error that was reported last from the scene's list to `error`. */
static OozeStatus take_error(OozeScene *scene, int errors_before, int count_before,
                             OozeError *error)
{
    const OozeDiagnostic *found = scene->diagnostic_count > count_before
                                      ? &scene->diagnostics[scene->diagnostic_count - 1]
                                      : NULL;
    OozeStatus status = ooze_fail(error, OOZE_ERROR_ARGUMENT, found ? found->hint : "", "%s",
                                  found ? found->message : "the change cannot be read");
    scene->diagnostic_count = count_before;
    scene->error_count = errors_before;
    return status;
}

OozeStatus ooze_scene_change_world(OozeScene *scene, OozeWorld *world,
                                   const OozeSceneChangeText *text, OozeError *error)
{
    OOZE_REQUIRE(scene, error);
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(text, error);
    OOZE_REQUIRE(text->set, error);
    OOZE_REQUIRE(text->to, error);
    OozeArenaMark mark = ooze_arena_mark(scene->arena); /* a session makes many changes */
    int errors = scene->error_count, diagnostics = scene->diagnostic_count;
    int nodes = scene->node_count;
    OozeLocaleGuard locale = ooze_locale_enter();
    OozeSceneChange change = {.set = text->set, .to = text->to, .def = ooze_change_def_default()};
    OozeNode *map = ooze_node_create(scene, OOZE_NODE_MAP, scene->main, 0, 0);
    bool made =
        map && add_scalar(scene, map, "set", text->set) && add_scalar(scene, map, "to", text->to);
    OozeStatus status = OOZE_OK;
    change.def.ramp = text->ramp;
    if (made) {
        finish_change(scene, &change, map);
    }
    if (scene->error_count != errors) {
        status = take_error(scene, errors, diagnostics, error);
    } else if (!made || scene->out_of_memory) {
        status = ooze_fail_memory(error, "a change", 0);
    } else {
        change.def.time = text->time;
        status = ooze_world_check_change(world, &change.def, error);
        status = status ? status : ooze_world_add_change(world, &change.def, error);
    }
    scene->diagnostic_count = diagnostics; /* warnings are in the arena's memory as well */
    scene->node_count = nodes;
    ooze_locale_leave(locale);
    ooze_arena_rewind(scene->arena, mark);
    return status;
}

OozeStatus ooze_scene_add_change(const OozeSceneChange *change, OozeWorld *world, OozeError *error)
{
    const OozeChangeDef *def = &change->def;
    return change->to ? ooze_world_add_change(world, def, error)
                      : ooze_world_add_material_change(world, def->index, change->numbers.values,
                                                       def->time, error);
}
