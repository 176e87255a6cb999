/* Reads one value into a definition, and checks it against its row of the key table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/angle.h"
#include "scene/expression.h"
#include "scene/keys.h"
#include "scene/scene.h"

static bool is_scalar(OozeScene *scene, const OozeKey *row, const OozeNode *node,
                      const char *expected)
{
    if (node->kind == OOZE_NODE_SCALAR && !ooze_node_is_null(node)) {
        return true;
    }
    ooze_scene_error(scene, node, row->help, "'%s' must be %s, not %s", row->key, expected,
                     ooze_node_describe(node));
    return false;
}

static bool in_range(OozeScene *scene, const OozeKey *row, const OozeNode *node, double value)
{
    if (value >= row->min && value <= row->max) {
        return true;
    }
    char number[OOZE_NUMBER_MAX], range[3 * OOZE_NUMBER_MAX];
    const char *space = row->unit[0] ? " " : "";
    ooze_scene_error(scene, node, row->help, "'%s' is %s%s%s; it must be %s%s%s", row->key,
                     ooze_number_text(value, number), space, row->unit,
                     ooze_key_full_range_text(row, range), space, row->unit);
    return false;
}

static bool read_number(OozeScene *scene, const OozeKey *row, const OozeNode *node, double *value)
{
    if (!is_scalar(scene, row, node, "a number")) {
        return false;
    }
    const char *problem;
    int offset;
    if (!ooze_expression(node->text, value, &problem, &offset)) {
        OozePlace place = ooze_node_place(node);
        place.column += node->plain ? offset : 0;
        char shown[OOZE_CLIP_MAX];
        ooze_scene_report(scene, OOZE_SEVERITY_ERROR, place, row->help,
                          "'%s' must be a number, but '%s' is not: %s", row->key,
                          ooze_clip(node->text, shown), problem);
        return false;
    }
    return in_range(scene, row, node, *value);
}

/* ooze_scene_choose replaces `auto` values. */
static bool is_automatic(const OozeKey *row, const OozeNode *node)
{
    return row->automatic && node->kind == OOZE_NODE_SCALAR && strcmp(node->text, "auto") == 0;
}

static void read_real(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    double value;
    if (is_automatic(row, node)) {
        ooze_key_store(row, item, NAN);
        return;
    }
    if (read_number(scene, row, node, &value)) {
        ooze_key_store(row, item, value);
    }
}

static void read_integer(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    double value;
    if (is_automatic(row, node)) {
        ooze_key_store(row, item, NAN);
        return;
    }
    if (!read_number(scene, row, node, &value)) {
        return;
    }
    if (value != floor(value)) {
        ooze_scene_error(scene, node, row->help, "'%s' must be a whole number, not %g", row->key,
                         value);
        return;
    }
    ooze_key_store(row, item, value);
}

static void read_switch(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    if (!is_scalar(scene, row, node, "true or false")) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            ooze_key_store(row, item, i % 2);
            return;
        }
    }
    char shown[OOZE_CLIP_MAX];
    ooze_scene_error(scene, node, row->help, "'%s' must be true or false, not '%s'", row->key,
                     ooze_clip(node->text, shown));
}

static void read_choice(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    enum { CHOICES_MAX = 32 };
    if (!is_scalar(scene, row, node, "one word")) {
        return;
    }
    int index = ooze_key_find_choice(row, node->text);
    if (index >= 0) {
        if (row->type == OOZE_KEY_CHOICE) {
            ooze_key_store(row, item, index);
        }
        return;
    }
    if (ooze_scene_read_gone_choice(scene, row, node, item)) {
        return;
    }
    char names[CHOICES_MAX][OOZE_CHOICE_MAX], shown[OOZE_CLIP_MAX];
    const char *known[CHOICES_MAX];
    int count = 0;
    OozeText list = {0};
    while (count < CHOICES_MAX && ooze_key_choice(row, count, names[count])) {
        ooze_text_append(&list, "%s%s", count ? ", " : "", names[count]);
        known[count] = names[count];
        count++;
    }
    scene->out_of_memory = scene->out_of_memory || list.failed;
    ooze_scene_error(scene, node, ooze_scene_did_you_mean(scene, node->text, known, count),
                     "'%s' cannot be '%s'; choose one of: %s", row->key,
                     ooze_clip(node->text, shown), list.data ? list.data : "");
    ooze_text_clear(&list);
}

static void put_text(const OozeKey *row, void *item, const char *text)
{
    memcpy((char *)item + row->offset, &text, sizeof text);
}

static void read_text(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    if (is_scalar(scene, row, node, "text")) {
        put_text(row, item, node->text);
    }
}

static void read_name(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    if (!is_scalar(scene, row, node, "a name")) {
        return;
    }
    if (ooze_name_check(scene, node)) {
        put_text(row, item, node->text);
    }
}

bool ooze_name_check(OozeScene *scene, const OozeNode *node)
{
    size_t length = strlen(node->text);
    const char *bad = strpbrk(node->text, ".=,;\"'");
    for (const char *c = node->text; *c && !bad; c++) {
        bad = (unsigned char)*c < ' ' || *c == 0x7f ? c : NULL;
    }
    if (length == 0 || length > OOZE_SCENE_NAME_MAX || bad) {
        ooze_scene_error(scene, node, "letters, digits, spaces, - and _ are safe",
                         "a name has 1 to %d characters and none of . = , ; or quotes",
                         OOZE_SCENE_NAME_MAX);
        return false;
    }
    return true;
}

static void read_file(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    if (!is_scalar(scene, row, node, "the path of a file")) {
        return;
    }
    const char *path = ooze_source_resolve(scene, node->source, node->text);
    if (!path) {
        return;
    }
    char *resolved = realpath(path, NULL);
    struct stat info;
    bool plain = resolved && stat(resolved, &info) == 0 && S_ISREG(info.st_mode);
    if (!plain) {
        ooze_scene_error(scene, node, "paths are relative to the file they stand in",
                         resolved ? "'%s' is not a plain file" : "there is no file '%s'", path);
        free(resolved);
        return;
    }
    const char *copy = ooze_scene_copy(scene, resolved, strlen(resolved));
    free(resolved);
    put_text(row, item, copy);
}

/* `count` numbers; false: an error was reported. */
static bool read_numbers(OozeScene *scene, const OozeKey *row, const OozeNode *node, int count,
                         const char *example, double *values)
{
    if (node->kind != OOZE_NODE_LIST || node->count != count) {
        const char *what = node->kind == OOZE_NODE_LIST
                               ? ooze_scene_format(scene, "a list of %d", node->count)
                               : ooze_node_describe(node);
        ooze_scene_error(scene, node, row->help,
                         "'%s' must be a list of %d numbers such as %s, not %s", row->key, count,
                         example, what ? what : "");
        return false;
    }
    bool valid = true;
    for (const OozeNode *child = node->first; child; child = child->next) {
        valid = read_number(scene, row, child, values++) && valid;
    }
    return valid;
}

static void read_vector(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    double v[3] = {0};
    bool valid;
    if (row->type == OOZE_KEY_SCALE && node->kind == OOZE_NODE_SCALAR) {
        valid = read_number(scene, row, node, v);
        v[1] = v[2] = v[0];
    } else if (row->type == OOZE_KEY_VEC2) {
        valid = read_numbers(scene, row, node, 2, "[0.1, 0.2]", v);
    } else {
        valid = read_numbers(scene, row, node, 3, "[0, 1, 0]", v);
    }
    if (valid) {
        OozeVec3 vector = vec3(v[0], v[1], v[2]);
        memcpy((char *)item + row->offset, &vector, sizeof vector);
    }
}

/* IEC 61966-2-1. */
static float linear_of_srgb(unsigned byte)
{
    double c = byte / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static void read_color(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    float color[3];
    if (node->kind == OOZE_NODE_LIST) {
        double v[3];
        if (!read_numbers(scene, row, node, 3, "[0.8, 0.5, 0.1]", v)) {
            return;
        }
        for (int i = 0; i < 3; i++) {
            color[i] = (float)v[i];
        }
    } else if (row->choices && node->kind == OOZE_NODE_SCALAR &&
               strcmp(node->text, row->choices) == 0) {
        color[0] = color[1] = color[2] = NAN; /* found when the scene is complete */
    } else {
        unsigned rgb = 0;
        const char *text = node->text;
        bool hex = node->kind == OOZE_NODE_SCALAR && text[0] == '#' && strlen(text) == 7 &&
                   strspn(text + 1, "0123456789abcdefABCDEF") == 6 &&
                   sscanf(text + 1, "%6x", &rgb) == 1;
        if (!hex) {
            ooze_scene_error(scene, node, row->help,
                             "'%s' must be \"#rrggbb\"%s%s or three numbers from 0 to 1", row->key,
                             row->choices ? ", " : "", row->choices ? row->choices : "");
            return;
        }
        for (int i = 0; i < 3; i++) {
            color[i] = linear_of_srgb(rgb >> (16 - 8 * i) & 0xff);
        }
    }
    memcpy((char *)item + row->offset, color, sizeof color);
}

static void read_rotation(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    OozeQuat q;
    if (node->kind == OOZE_NODE_MAP) {
        OozeAxisAngle turn = {0};
        int before = scene->error_count;
        ooze_section_read(scene, &ooze_section_rotation, node, &turn);
        if (scene->error_count != before) {
            return;
        }
        if (!(vec3_length(turn.axis) > 0.0)) {
            ooze_scene_error(scene, node, NULL, "the axis of a rotation cannot be zero");
            return;
        }
        OozeVec3 axis = vec3_unit(turn.axis, vec3(0, 0, 1));
        q = quat_from_vector(vec3_scale(axis, ooze_radians(turn.degrees)));
    } else {
        double degrees[3];
        if (!read_numbers(scene, row, node, 3, "[0, 90, 0] degrees, or {axis: ..., degrees: ...}",
                          degrees)) {
            return;
        }
        q = quat_mul(quat_from_vector(vec3(0, 0, ooze_radians(degrees[2]))),
                     quat_mul(quat_from_vector(vec3(0, ooze_radians(degrees[1]), 0)),
                              quat_from_vector(vec3(ooze_radians(degrees[0]), 0, 0))));
    }
    memcpy((char *)item + row->offset, &q, sizeof q);
}

static void read_range(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    double v[2];
    if (!read_numbers(scene, row, node, 2, "[-1, 1]", v)) {
        return;
    }
    if (!(v[0] < v[1])) {
        ooze_scene_error(scene, node, row->help, "'%s' must rise: %g is not below %g", row->key,
                         v[0], v[1]);
        return;
    }
    OozeSceneRange range = {true, v[0], v[1]};
    memcpy((char *)item + row->offset, &range, sizeof range);
}

typedef void (*Read)(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item);

void ooze_value_read(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    static const Read readers[OOZE_KEY_TYPE_COUNT] = {
        [OOZE_KEY_REAL] = read_real,         [OOZE_KEY_INTEGER] = read_integer,
        [OOZE_KEY_SWITCH] = read_switch,     [OOZE_KEY_CHOICE] = read_choice,
        [OOZE_KEY_TEXT] = read_text,         [OOZE_KEY_NAME] = read_name,
        [OOZE_KEY_MATERIAL] = read_name,     [OOZE_KEY_FILE] = read_file,
        [OOZE_KEY_VEC3] = read_vector,       [OOZE_KEY_VEC2] = read_vector,
        [OOZE_KEY_SCALE] = read_vector,      [OOZE_KEY_COLOR] = read_color,
        [OOZE_KEY_ROTATION] = read_rotation, [OOZE_KEY_RANGE] = read_range,
        [OOZE_KEY_PRESET] = read_choice,
    };
    if (readers[row->type]) {
        readers[row->type](scene, row, node, item);
    }
}
