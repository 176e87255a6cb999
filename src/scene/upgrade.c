#include "scene/upgrade.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/expression.h"
#include "scene/scene.h"

/* A replacement of `length` characters by a text. */
typedef struct Edit {
    size_t at, length; /* in characters, as the nodes of the tree */
    bool line_end;     /* acts at the end of the line instead */
    const char *text;
    int *counter; /* incremented where it acts; NULL: none */
} Edit;

typedef struct Upgrade {
    OozeScene *scene;
    const OozeSource *source;
    const OozeNode *root;
    bool converts;                  /* angles, from radians; else walks look for the two below */
    const OozeNode *angle, *degree; /* first value with an angle, and first with `deg`; or NULL */
    Edit *edits;
    size_t count, capacity;
    OozeUpgradeCounts counts;
} Upgrade;

static void add_edit(Upgrade *u, Edit edit)
{
    if (u->count == u->capacity) {
        size_t capacity = u->capacity ? 2 * u->capacity : 64;
        Edit *edits = ooze_scene_alloc(u->scene, capacity, sizeof *edits);
        if (!edits) {
            return;
        }
        memcpy(edits, u->edits ? u->edits : edits, u->count * sizeof *edits);
        u->edits = edits;
        u->capacity = capacity;
    }
    u->edits[u->count++] = edit;
}

/* ---- expressions in radians ------------------------------------------------------------------ */

enum { NESTING_MAX = 64 };

typedef struct Words {
    const char *begin;
    size_t length;
} Words;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without blanks at the front. */
static Words without_blanks(Words w)
{
    for (; w.length > 0 && is_blank(w.begin[0]); w.begin++) {
        w.length--;
    }
    return w;
}

static Words trimmed(Words w)
{
    w = without_blanks(w);
    while (w.length > 0 && is_blank(w.begin[w.length - 1])) {
        w.length--;
    }
    return w;
}

/* The name at the beginning of the text, without digits at its front. */
static size_t name_length(Words w)
{
    size_t length = 0;
    while (length < w.length && (isalpha((unsigned char)w.begin[length]) ||
                                 (length > 0 && isdigit((unsigned char)w.begin[length])))) {
        length++;
    }
    return length;
}

static bool is_one_of(Words w, const char *const *names, int count)
{
    bool found = false;
    for (int i = 0; i < count; i++) {
        found = found || (strlen(names[i]) == w.length && memcmp(names[i], w.begin, w.length) == 0);
    }
    return found;
}

static bool takes_angle(Words name)
{
    static const char *const names[] = {"sin", "cos", "tan"};
    return is_one_of(name, names, 3);
}

static bool returns_angle(Words name)
{
    static const char *const names[] = {"asin", "acos", "atan", "atan2"};
    return is_one_of(name, names, 4);
}

static bool is_degree(Words name)
{
    static const char *const names[] = {"deg"};
    return is_one_of(name, names, 1);
}

/* What stands in the parentheses that the text begins with, after blanks, and `size`, the length
   with both. */
static bool parenthesised(Words w, Words *inside, size_t *size)
{
    Words text = without_blanks(w);
    int depth = 0;
    for (size_t i = 0; i < text.length; i++) {
        depth += (text.begin[i] == '(') - (text.begin[i] == ')');
        if (depth == 0) {
            *inside = (Words){text.begin + 1, i > 0 ? i - 1 : 0};
            *size = w.length - text.length + i + 1;
            return i > 0;
        }
    }
    return false;
}

static bool is_number(Words w)
{
    char *end = NULL;
    strtod(w.begin, &end); /* the text ends with a byte that is no part of a number */
    return w.length > 0 && end == w.begin + w.length;
}

static bool is_zero(Words w)
{
    return is_number(w) && strtod(w.begin, NULL) == 0.0;
}

/* Removes `*deg` from the end of a product. */
static bool is_in_degrees(Words w, Words *number)
{
    bool ends = w.length > 3 && memcmp(w.begin + w.length - 3, "deg", 3) == 0;
    Words left = trimmed((Words){w.begin, ends ? w.length - 3 : 0});
    if (left.length < 2 || left.begin[left.length - 1] != '*') {
        return false;
    }
    *number = trimmed((Words){left.begin, left.length - 1});
    for (size_t i = 1; i < number->length; i++) {
        if (number->begin[i] == '+' || number->begin[i] == '-') {
            return false;
        }
    }
    return true;
}

static void write_expression(OozeText *text, Words w, int depth);

/* An angle in radians as degrees. */
static void write_angle(OozeText *text, Words w, int depth)
{
    Words number;
    w = trimmed(w);
    if (is_zero(w)) {
        ooze_text_append_bytes(text, w.begin, w.length);
    } else if (is_in_degrees(w, &number)) {
        write_expression(text, number, depth);
    } else {
        bool plain = is_number(w);
        ooze_text_append(text, plain ? "" : "(");
        write_expression(text, w, depth);
        ooze_text_append(text, plain ? "*180/pi" : ")*180/pi");
    }
}

/* An expression of functions in radians as one of functions in degrees, with the same value. */
static void write_expression(OozeText *text, Words w, int depth)
{
    for (size_t i = 0; i < w.length;) {
        Words rest = {w.begin + i, w.length - i}, inside;
        size_t length = name_length(rest), size = 0;
        Words name = {rest.begin, length}, after = {rest.begin + length, rest.length - length};
        bool call = depth < NESTING_MAX && (takes_angle(name) || returns_angle(name)) &&
                    parenthesised(after, &inside, &size);
        if (call && takes_angle(name)) {
            ooze_text_append(text, "%.*s(", (int)length, name.begin);
            write_angle(text, inside, depth + 1);
            ooze_text_append(text, ")");
        } else if (call) {
            ooze_text_append(text, "(%.*s(", (int)length, name.begin);
            write_expression(text, inside, depth + 1);
            ooze_text_append(text, ")*pi/180)");
        } else if (is_degree(name)) {
            ooze_text_append(text, "(pi/180)");
        } else {
            length = length ? length : 1;
            ooze_text_append_bytes(text, rest.begin, length);
        }
        i += length + (call ? size : 0);
    }
}

/* Whether an expression has functions of angles, and whether it has `deg`. */
static bool has_angles(Words w, bool *degree)
{
    bool found = false;
    for (size_t i = 0; i < w.length;) {
        Words rest = {w.begin + i, w.length - i};
        size_t length = name_length(rest);
        Words name = {rest.begin, length};
        Words after = without_blanks((Words){rest.begin + length, rest.length - length});
        bool call = after.length > 0 && after.begin[0] == '(';
        found = found || (call && (takes_angle(name) || returns_angle(name)));
        *degree = *degree || is_degree(name);
        i += length ? length : 1;
    }
    return found;
}

/* ---- angles in the tree ---------------------------------------------------------------------- */

/* Expressions are in quotes in JSON: a quoted number stays quoted, and a number of JSON becomes an
   expression in quotes. `quoted`: the key of the number is in quotes. */
static void walk_number(Upgrade *u, const OozeNode *node, bool angle, bool quoted)
{
    Words w = {node->text, strlen(node->text)};
    bool degree = false, functions = has_angles(w, &degree);
    if (!(functions || (degree && (!node->quoted || angle)) || (angle && !is_zero(w)))) {
        return;
    }
    if (!u->converts) {
        u->angle = u->angle ? u->angle : node;
        u->degree = degree && !u->degree ? node : u->degree;
        return;
    }
    const char *quote = quoted || node->quoted ? "\"" : "";
    OozeText text = {0};
    ooze_text_append(&text, "%s", quote);
    if (angle) {
        write_angle(&text, w, 0);
    } else {
        write_expression(&text, w, 0);
    }
    ooze_text_append(&text, "%s", quote);
    const char *copy = text.data ? ooze_scene_copy(u->scene, text.data, text.length) : NULL;
    u->scene->out_of_memory = u->scene->out_of_memory || text.failed || !copy;
    ooze_text_clear(&text);
    if (copy && strcmp(copy, node->text) != 0) {
        add_edit(u, (Edit){node->begin, node->end - node->begin, false, copy, &u->counts.angles});
    }
}

static bool has_value(const OozeNode *map, const char *key, const char *value)
{
    const OozeNode *node = ooze_node_find(map, key);
    return node && node->kind == OOZE_NODE_SCALAR && strcmp(node->text, value) == 0;
}

static bool is_hinge_number(const char *key)
{
    return strcmp(key, "low") == 0 || strcmp(key, "high") == 0 || strcmp(key, "speed") == 0;
}

/* Whether a row of `changes` sets a number of a hinge: `set: joints.door.low`. */
static bool sets_hinge(const Upgrade *u, const OozeNode *map)
{
    const OozeNode *set = ooze_node_find(map, "set");
    const OozeNode *joints = ooze_node_find(u->root, "joints");
    const char *path = set && set->kind == OOZE_NODE_SCALAR ? set->text : "";
    const char *dot = strrchr(path, '.');
    if (!joints || strncmp(path, "joints.", 7) != 0 || dot < path + 7 ||
        !is_hinge_number(dot + 1)) {
        return false;
    }
    bool found = false;
    for (const OozeNode *joint = joints->first; joint; joint = joint->next) {
        const OozeNode *name = ooze_node_find(joint, "name");
        size_t length = name ? strlen(name->text) : 0;
        found = found ||
                (length == (size_t)(dot - path - 7) && memcmp(name->text, path + 7, length) == 0 &&
                 has_value(joint, "type", "hinge"));
    }
    return found;
}

static bool is_angle(const Upgrade *u, const OozeNode *map, const char *key)
{
    return strcmp(key, "spin") == 0 || strcmp(key, "roll") == 0 || strcmp(key, "phase") == 0 ||
           (is_hinge_number(key) && has_value(map, "type", "hinge")) ||
           (strcmp(key, "to") == 0 && sets_hinge(u, map));
}

static bool is_text(const char *key)
{
    static const char *const keys[] = {"title", "name", "include", "file", "set"};
    return is_one_of((Words){key, strlen(key)}, keys, 5);
}

/* `angle`: the node is the value of a key of angles; `quoted`: of a key in quotes. */
static void walk_angles(Upgrade *u, const OozeNode *node, bool angle, bool quoted)
{
    if (node->kind == OOZE_NODE_SCALAR) {
        walk_number(u, node, angle, quoted);
    }
    for (const OozeNode *child = node->first; child; child = child->next) {
        const char *key = child->key ? child->key->text : "";
        bool map = child->kind == OOZE_NODE_MAP;
        if (node->kind == OOZE_NODE_LIST || !is_text(key)) {
            walk_angles(u, child,
                        !map && (node->kind == OOZE_NODE_LIST ? angle : is_angle(u, node, key)),
                        node->kind == OOZE_NODE_MAP ? child->key->quoted : quoted);
        }
    }
}

static OozeStatus convert_angles(Upgrade *u, OozeAngles angles, OozeError *error)
{
    walk_angles(u, u->root, false, false);
    if (u->angle && angles == OOZE_ANGLES_UNKNOWN && !u->degree) {
        char shown[OOZE_CLIP_MAX];
        return ooze_fail(
            error, OOZE_ERROR_SCENE, "say which with --angles radians or --angles degrees",
            "%s:%d:%d: '%s' is an angle, which the first scenes of format 1 gave in "
            "radians and later ones in degrees",
            u->source->name, u->angle->line, u->angle->column, ooze_clip(u->angle->text, shown));
    }
    if (angles == OOZE_ANGLES_RADIANS || (angles == OOZE_ANGLES_UNKNOWN && u->degree)) {
        u->converts = true;
        walk_angles(u, u->root, false, false);
    }
    return OOZE_OK;
}

/* ---- defaults of format 1 -------------------------------------------------------------------- */

static const char *line_break(const OozeSource *source)
{
    const char *end = memchr(source->text, '\n', source->size);
    return end && end > source->text && end[-1] == '\r' ? "\r\n" : "\n";
}

/* A value of format 1 that the new text states. */
typedef struct Stated {
    const char *key, *value;
    bool number;
} Stated;

/* States a value behind an item of a map, in quotes where the key of the item is: JSON stays
   JSON. */
static void state_value(Upgrade *u, const OozeNode *map, const OozeNode *item, Stated stated,
                        int *counter)
{
    const char *quote = map->flow && item->key->quoted ? "\"" : "";
    const char *around = stated.number ? "" : quote;
    const char *text = map->flow
                           ? ooze_scene_format(u->scene, ", %s%s%s: %s%s%s", quote, stated.key,
                                               quote, around, stated.value, around)
                           : ooze_scene_format(u->scene, "%s%*s%s: %s", line_break(u->source),
                                               item->key->column - 1, "", stated.key, stated.value);
    if (text) {
        add_edit(u, (Edit){item->end, 0, !map->flow, text, counter});
    }
}

/* Behind the shape of each solid that gives no friction. */
static void state_frictions(Upgrade *u)
{
    const OozeNode *solids = ooze_node_find(u->root, "solids");
    for (const OozeNode *solid = solids ? solids->first : NULL; solid; solid = solid->next) {
        const OozeNode *shape = ooze_node_find(solid, "shape");
        if (shape && !ooze_node_find(solid, "friction")) {
            state_value(u, solid, shape, (Stated){"friction", "0.5", true}, &u->counts.frictions);
        }
    }
}

/* Behind the name of the method conformation. */
static void state_order(Upgrade *u)
{
    const OozeNode *method = ooze_node_find(u->root, "method");
    if (method && has_value(method, "name", "conformation") &&
        !ooze_node_find(method, "time_integration")) {
        state_value(u, method, ooze_node_find(method, "name"),
                    (Stated){"time_integration", "first_order", false}, &u->counts.orders);
    }
}

static int count_includes(const Upgrade *u)
{
    const OozeNode *include = ooze_node_find(u->root, "include");
    int count = include && include->kind == OOZE_NODE_SCALAR;
    for (const OozeNode *entry = include ? include->first : NULL; entry; entry = entry->next) {
        count++;
    }
    return count;
}

/* ---- the new text ---------------------------------------------------------------------------- */

static int compare_edits(const void *a, const void *b)
{
    size_t p = ((const Edit *)a)->at, q = ((const Edit *)b)->at;
    return (p > q) - (p < q);
}

/* Bytes of the character at the beginning of the text. */
static size_t character_size(const char *text, size_t size)
{
    uint32_t code;
    size_t length = ooze_utf8_decode(text, size, &code);
    return length ? length : 1;
}

/* Copies the text, with the edits; those of aliases occur several times and act once. */
static void write_text(Upgrade *u, OozeText *out)
{
    const char *text = u->source->text;
    size_t size = u->source->size, at = ooze_byte_order_mark(text, size), character = 0;
    int uncounted = 0;
    ooze_text_append_bytes(out, text, at);
    if (u->count > 0) {
        qsort(u->edits, u->count, sizeof *u->edits, compare_edits);
    }
    for (size_t i = 0; i < u->count; i++) {
        const Edit *edit = &u->edits[i];
        if (i > 0 && edit->at == edit[-1].at) {
            continue;
        }
        size_t begin = at;
        while (at < size && (character < edit->at ||
                             (edit->line_end && !ooze_line_break(text + at, size - at)))) {
            at += character_size(text + at, size - at);
            character++;
        }
        ooze_text_append_bytes(out, text + begin, at - begin);
        ooze_text_append(out, "%s", edit->text);
        for (size_t k = 0; k < edit->length && at < size; k++, character++) {
            at += character_size(text + at, size - at);
        }
        *(edit->counter ? edit->counter : &uncounted) += 1;
    }
    ooze_text_append_bytes(out, text + at, size - at);
}

/* ---- the format ------------------------------------------------------------------------------ */

double ooze_scene_format_of(const OozeNode *node)
{
    double value = NAN;
    const char *problem;
    int offset;
    bool number =
        node->kind == OOZE_NODE_SCALAR && ooze_expression(node->text, &value, &problem, &offset);
    return number ? value : NAN;
}

/* The format of the text; 0: there is an error. */
static int find_format(const Upgrade *u, OozeError *error)
{
    const OozeNode *node = ooze_node_find(u->root, "ooze");
    if (!node) {
        ooze_fail(error, OOZE_ERROR_SCENE,
                  "if it is a part of scenes in format 1, add the line `ooze: 1` to it",
                  "'%s' does not say its format", u->source->name);
        return 0;
    }
    double number = ooze_scene_format_of(node);
    int format = number == 1.0 ? 1 : number == OOZE_SCENE_FORMAT ? OOZE_SCENE_FORMAT : 0;
    if (format == 0) {
        char shown[OOZE_CLIP_MAX];
        bool newer = number > OOZE_SCENE_FORMAT;
        ooze_fail(error, OOZE_ERROR_SCENE,
                  newer ? OOZE_SCENE_NEWER_HINT : "this version reads formats 1 and 2",
                  newer ? "%s:%d:%d: format %s is of a newer version of Ooze"
                        : "%s:%d:%d: there is no format '%s'",
                  u->source->name, node->line, node->column, ooze_clip(node->text, shown));
    }
    return format;
}

static OozeStatus upgrade(Upgrade *u, OozeAngles angles, OozeText *text, OozeError *error)
{
    u->counts.format = find_format(u, error);
    OozeStatus status = u->counts.format ? OOZE_OK : OOZE_ERROR_SCENE;
    if (u->counts.format == 1) {
        status = convert_angles(u, angles, error);
        state_frictions(u);
        state_order(u);
        u->counts.includes = count_includes(u);
        const OozeNode *number = ooze_node_find(u->root, "ooze");
        add_edit(u, (Edit){number->begin, number->end - number->begin, false, "2", NULL});
    }
    if (!status) {
        write_text(u, text);
    }
    return status || (!u->scene->out_of_memory && !text->failed)
               ? status
               : ooze_fail_memory(error, "the scene", 0);
}

OozeStatus ooze_scene_upgrade(const OozeOldScene *old, OozeText *text, OozeUpgradeCounts *counts,
                              OozeError *error)
{
    OozeScene *scene = ooze_scene_create();
    if (!scene) {
        return ooze_fail_memory(error, "a scene", sizeof *scene);
    }
    Upgrade u = {.scene = scene};
    OozeLocaleGuard locale = ooze_locale_enter();
    u.source = ooze_source_add(scene, old->name, old->text ? old->text : "", old->size, NULL, NULL);
    u.root = u.source ? ooze_document_parse(scene, u.source, 0, 0, "the file is empty") : NULL;
    OozeStatus status;
    if (!u.root || scene->error_count > 0) {
        status = scene->out_of_memory ? ooze_fail_memory(error, "the scene", 0)
                                      : ooze_scene_fail(scene, error);
    } else {
        status = upgrade(&u, old->angles, text, error);
    }
    if (counts) {
        *counts = u.counts;
    }
    ooze_locale_leave(locale);
    ooze_scene_free(scene);
    return status;
}
