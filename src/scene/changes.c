/* `changes`: resolves paths and reads values. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"

/* A path split at its dots. */
enum { PARTS_MAX = 3 };
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
    /* parameters of materials and methods */
    return target != OOZE_CHANGE_SOLID && target != OOZE_CHANGE_JOINT &&
           row->store == OOZE_STORE_DOUBLE;
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
    for (int i = 0; ooze_section_key(list.section, variant, i, row); i++) {
        if (may_change(target->target, row)) {
            if (strcmp(row->key, key) == 0) {
                return true;
            }
            if (count < KEYS_MAX) {
                known[count++] = row->key;
            }
        }
    }
    char shown[OOZE_CLIP_MAX];
    const char *hint = ooze_scene_did_you_mean(scene, key, known, count);
    ooze_scene_error(scene, at, hint ? hint : target->example,
                     "'%s' is no number of the %s that could change", ooze_clip(key, shown),
                     list.section->name);
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

static void finish_change(OozeScene *scene, OozeSceneChange *change, const OozeNode *node)
{
    const OozeNode *at = ooze_node_find(node, "set");
    if (!at || !change->set || !change->to || !ooze_node_find(node, "to")) {
        return; /* reported already */
    }
    Path path = split_path(scene, change->set);
    const Target *target = find_target(&path);
    bool method = target && target->target == OOZE_CHANGE_METHOD;
    if (!target || path.count != (method ? 2 : 3)) {
        char shown[OOZE_CLIP_MAX];
        ooze_scene_error(scene, at, target ? target->example : "such as materials.NAME.KEY",
                         "'%s' is not the path of a number that could change",
                         ooze_clip(change->set, shown));
        return;
    }
    OozeKey row;
    const char *key = path.part[method ? 1 : 2];
    int index = method ? 0 : find_item(scene, target, path.part[1], at);
    if (index >= 0 && find_row(scene, target, key, at, &row)) {
        change->def.target = target->target;
        change->def.index = index;
        change->def.key = key;
        read_value(scene, change, &row, node);
    }
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
