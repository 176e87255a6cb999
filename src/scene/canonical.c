/* The scene as canonical YAML: keys in the order of the table, every value explicit, includes and
   overrides merged, files by absolute path, so that the text does not depend on its folder.
   Reading it gives bitwise equal definitions, and hence the same text again. */
#include <math.h>
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"

typedef struct Writer {
    OozeScene *scene;
    OozeText *text;
} Writer;

/* ---- scalars --------------------------------------------------------------------------------- */

static void write_quoted(OozeText *text, const char *value)
{
    ooze_text_append_bytes(text, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        uint32_t two = c[0] >= 0xc2 && c[0] < 0xe0 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu) : 0;
        uint32_t three = c[0] >= 0xe0 && c[0] < 0xf0
                             ? (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu)
                             : 0;
        if (*c == '"' || *c == '\\') {
            ooze_text_append(text, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            ooze_text_append(text, "\\x%02X", *c);
        } else if (two && two < 0xa0) { /* control characters, and a line break */
            ooze_text_append(text, "\\x%02X", (unsigned)two);
            c += 1;
        } else if (three == 0x2028 || three == 0x2029 || three >= 0xfeff) {
            ooze_text_append(text, "\\u%04X", (unsigned)three);
            c += 2;
        } else {
            ooze_text_append_bytes(text, c, 1);
        }
    }
    ooze_text_append_bytes(text, "\"", 1);
}

static void write_numbers(OozeText *text, const double *values, int count)
{
    char number[OOZE_NUMBER_MAX];
    for (int i = 0; i < count; i++) {
        ooze_text_append(text, "%s%s", i ? ", " : "[", ooze_number_text(values[i], number));
    }
    ooze_text_append(text, "]");
}

static void write_color(OozeText *text, const float color[3])
{
    char number[OOZE_NUMBER_MAX];
    for (int i = 0; i < 3; i++) {
        ooze_text_append(text, "%s%s", i ? ", " : "[", ooze_float_text(color[i], number));
    }
    ooze_text_append(text, "]");
}

/* Writes the angles of the scene: those computed from the quaternion would differ in rounding. */
static void write_rotation(Writer *w, const OozeNode *node)
{
    if (node->kind == OOZE_NODE_MAP) {
        OozeAxisAngle turn = {0};
        ooze_section_read(w->scene, &ooze_section_rotation, node, &turn);
        ooze_text_append(w->text, "{axis: ");
        write_numbers(w->text, &turn.axis.x, 3);
        char number[OOZE_NUMBER_MAX];
        ooze_text_append(w->text, ", degrees: %s}", ooze_number_text(turn.degrees, number));
        return;
    }
    OozeVec3 degrees = {0};
    const OozeKey row = {"rotation", OOZE_KEY_VEC3, "", -OOZE_KEY_HUGE, OOZE_KEY_HUGE, .help = ""};
    ooze_value_read(w->scene, &row, node, &degrees);
    write_numbers(w->text, &degrees.x, 3);
}

void ooze_value_write(OozeText *text, const OozeKey *row, const void *item)
{
    const char *at = (const char *)item + row->offset;
    char number[OOZE_NUMBER_MAX], choice[OOZE_CHOICE_MAX] = "";
    OozeVec3 v;
    OozeSceneRange range;
    float color[3];
    const char *words;
    switch (row->type) {
    case OOZE_KEY_REAL:
    case OOZE_KEY_INTEGER:
        ooze_text_append(text, "%s", ooze_number_text(ooze_key_load(row, item), number));
        break;
    case OOZE_KEY_SWITCH:
        ooze_text_append(text, "%s", ooze_key_load(row, item) != 0.0 ? "true" : "false");
        break;
    case OOZE_KEY_CHOICE:
        ooze_key_choice(row, (int)ooze_key_load(row, item), choice);
        ooze_text_append(text, "%s", choice);
        break;
    case OOZE_KEY_VEC3:
    case OOZE_KEY_VEC2:
    case OOZE_KEY_SCALE:
        memcpy(&v, at, sizeof v);
        write_numbers(text, &v.x, row->type == OOZE_KEY_VEC2 ? 2 : 3);
        break;
    case OOZE_KEY_COLOR:
        memcpy(color, at, sizeof color);
        write_color(text, color);
        break;
    case OOZE_KEY_RANGE:
        memcpy(&range, at, sizeof range);
        write_numbers(text, &range.min, 2);
        break;
    default:
        memcpy(&words, at, sizeof words);
        write_quoted(text, words);
        break;
    }
}

/* Whether the value is given: NAN, NULL and empty lists mean "not given". */
static bool is_given(const OozeKey *row, const OozeNode *node, const void *item)
{
    const char *at = (const char *)item + row->offset;
    const char *words;
    double first;
    float red;
    switch (row->type) {
    case OOZE_KEY_INCLUDE:
    case OOZE_KEY_PRESET:
        return false;
    case OOZE_KEY_REAL:
    case OOZE_KEY_INTEGER:
    case OOZE_KEY_SWITCH:
    case OOZE_KEY_CHOICE:
        return !isnan(ooze_key_load(row, item));
    case OOZE_KEY_TEXT:
    case OOZE_KEY_NAME:
    case OOZE_KEY_MATERIAL:
    case OOZE_KEY_FILE:
        memcpy(&words, at, sizeof words);
        return words != NULL;
    case OOZE_KEY_VEC3:
        memcpy(&first, at, sizeof first);
        return !isnan(first);
    case OOZE_KEY_COLOR:
        memcpy(&red, at, sizeof red);
        return !isnan(red);
    case OOZE_KEY_LIST:
    case OOZE_KEY_MAP:
        return node && node->count > 0;
    case OOZE_KEY_RANGE:
    case OOZE_KEY_ROTATION:
    case OOZE_KEY_SECTION:
        return node != NULL;
    default:
        return true;
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

static void write_section(Writer *w, const OozeSection *section, const OozeNode *node,
                          const void *item, int indent, bool first_in_place);

static void indent_to(OozeText *text, int indent)
{
    ooze_text_append(text, "%*s", indent, "");
}

static void write_items(Writer *w, const OozeKey *row, const OozeNode *node, const void *item,
                        int indent)
{
    const char *items;
    memcpy(&items, (const char *)item + row->offset, sizeof items);
    for (const OozeNode *child = node->first; child; child = child->next) {
        indent_to(w->text, indent);
        if (row->type == OOZE_KEY_MAP) {
            write_quoted(w->text, child->key->text);
            ooze_text_append(w->text, ":\n");
            write_section(w, row->section, child, items, indent + 2, false);
        } else {
            ooze_text_append(w->text, "- ");
            write_section(w, row->section, child, items, indent + 2, true);
        }
        items += row->section->size;
    }
}

/* `first_in_place`: the first key follows a dash, without indentation. */
static void write_section(Writer *w, const OozeSection *section, const OozeNode *node,
                          const void *item, int indent, bool first_in_place)
{
    OozeKey variant_row, row;
    int variant = ooze_section_variant_key(section, &variant_row)
                      ? (int)ooze_key_load(&variant_row, item)
                      : -1;
    for (int i = 0; ooze_section_key(section, variant, i, &row); i++) {
        const OozeNode *given = ooze_node_find(node, row.key);
        char checksum[OOZE_CHECKSUM_MAX];
        bool wanted = row.type == OOZE_KEY_CHECKSUM ? ooze_section_checksum(section, item, checksum)
                                                    : is_given(&row, given, item);
        if (!ooze_key_applies(&row, variant) || !wanted) {
            continue;
        }
        indent_to(w->text, first_in_place ? 0 : indent);
        first_in_place = false;
        ooze_text_append(w->text, "%s:", row.key);
        if (row.type == OOZE_KEY_LIST || row.type == OOZE_KEY_MAP) {
            ooze_text_append(w->text, "\n");
            write_items(w, &row, given, item, indent + 2);
        } else if (row.type == OOZE_KEY_SECTION && given->kind == OOZE_NODE_MAP &&
                   given->count == 0) {
            ooze_text_append(w->text, " {}\n");
        } else if (row.type == OOZE_KEY_SECTION) {
            ooze_text_append(w->text, "\n");
            write_section(w, row.section, given, (const char *)item + row.offset, indent + 2,
                          false);
        } else {
            ooze_text_append(w->text, " ");
            if (row.type == OOZE_KEY_ROTATION) {
                write_rotation(w, given);
            } else if (row.type == OOZE_KEY_CHECKSUM) {
                write_quoted(w->text, checksum);
            } else {
                ooze_value_write(w->text, &row, item);
            }
            ooze_text_append(w->text, "\n");
        }
    }
}

void ooze_scene_write_canonical(OozeScene *scene)
{
    Writer writer = {scene, &scene->canonical};
    write_section(&writer, &ooze_scene_root, scene->root, &scene->def, 0, false);
    scene->out_of_memory = scene->out_of_memory || scene->canonical.failed;
}
