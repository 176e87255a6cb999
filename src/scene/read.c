/* Reads definitions from the tree: sections, lists and maps, as the key table describes them. */
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"

static int variant_of(const OozeSection *section, const OozeNode *node, void *item)
{
    OozeKey row;
    if (!ooze_section_variant_key(section, &row)) {
        return -1;
    }
    const OozeNode *given = ooze_node_find(node, row.key);
    if (given) {
        return given->kind == OOZE_NODE_SCALAR ? ooze_key_find_choice(&row, given->text) : -1;
    }
    if (ooze_key_is_required(&row, -1)) {
        return -1;
    }
    section->defaults(item, -1);
    return (int)ooze_key_load(&row, item);
}

static void report_unknown(OozeScene *scene, const OozeSection *section, int variant,
                           const OozeNode *key)
{
    enum { KEYS_MAX = 96 };
    const char *known[KEYS_MAX];
    char shown[OOZE_CLIP_MAX];
    int count = 0;
    OozeKey row;
    for (int i = 0; count < KEYS_MAX && ooze_section_key(section, variant, i, &row); i++) {
        if (ooze_key_applies(&row, variant)) {
            known[count++] = row.key;
        }
    }
    ooze_scene_error(scene, key, ooze_scene_did_you_mean(scene, key->text, known, count),
                     "unknown key '%s' in the %s", ooze_clip(key->text, shown), section->name);
}

/* Error for a key of other variants; the hint lists them. */
static void report_misplaced(OozeScene *scene, const OozeSection *section, int variant,
                             const OozeKey *row, const OozeNode *key)
{
    OozeKey variant_row;
    char name[OOZE_CHOICE_MAX], current[OOZE_CHOICE_MAX] = "";
    if (!ooze_section_variant_key(section, &variant_row)) {
        return;
    }
    OozeText owners = {0};
    for (int v = 0; ooze_key_choice(&variant_row, v, name); v++) {
        if (row->variants >> v & 1u) {
            ooze_text_append(&owners, "%s%s", owners.length ? ", " : "", name);
        }
    }
    ooze_key_choice(&variant_row, variant, current);
    scene->out_of_memory = scene->out_of_memory || owners.failed;
    const char *hint = ooze_scene_format(scene, "it belongs to %s: %s", variant_row.key,
                                         owners.data ? owners.data : "");
    ooze_text_clear(&owners);
    ooze_scene_error(scene, key, hint, "'%s' does not apply to a %s of %s '%s'", row->key,
                     section->name, variant_row.key, current);
}

static void read_list(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    OozeNodeKind kind = row->type == OOZE_KEY_MAP ? OOZE_NODE_MAP : OOZE_NODE_LIST;
    if (node->kind != kind) {
        ooze_scene_error(scene, node,
                         kind == OOZE_NODE_MAP ? "write `NAME:` and its keys below it"
                                               : "begin each entry with a dash",
                         "'%s' must be a %s of %ss, not %s", row->key,
                         kind == OOZE_NODE_MAP ? "map" : "list", row->section->name,
                         ooze_node_describe(node));
        return;
    }
    OozeKey name;
    bool named = kind == OOZE_NODE_MAP || ooze_section_find(row->section, -1, "name", &name);
    if (named && node->count > OOZE_SCENE_ITEMS_MAX) {
        ooze_scene_error(scene, node, NULL, "there are %d %s; at most %d are allowed", node->count,
                         row->key, OOZE_SCENE_ITEMS_MAX);
        return;
    }
    char *items = ooze_scene_alloc(scene, (size_t)node->count, row->section->size);
    if (!items) {
        return;
    }
    char *at = items;
    for (const OozeNode *child = node->first; child; child = child->next) {
        ooze_section_read(scene, row->section, child, at);
        if (kind == OOZE_NODE_MAP) {
            ooze_name_check(scene, child->key);
            /* the first member of a definition in a map is its name */
            memcpy(at, &child->key->text, sizeof child->key->text);
        }
        at += row->section->size;
    }
    memcpy((char *)item + row->offset, &items, sizeof items);
    memcpy((char *)item + row->count_offset, &node->count, sizeof node->count);
}

static void read_key(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item)
{
    switch (row->type) {
    case OOZE_KEY_SECTION:
        ooze_section_read(scene, row->section, node, (char *)item + row->offset);
        break;
    case OOZE_KEY_LIST:
    case OOZE_KEY_MAP:
        read_list(scene, row, node, item);
        break;
    default:
        ooze_value_read(scene, row, node, item);
        break;
    }
}

static void check_checksum(OozeScene *scene, const OozeSection *section, const OozeNode *node,
                           const void *item)
{
    const OozeNode *wanted = NULL;
    OozeKey row;
    for (int i = 0; !wanted && ooze_section_key(section, -1, i, &row); i++) {
        wanted = row.type == OOZE_KEY_CHECKSUM ? ooze_node_find(node, row.key) : NULL;
    }
    char found[OOZE_CHECKSUM_MAX], shown[OOZE_CLIP_MAX];
    if (wanted && ooze_section_checksum(section, item, found) && strcmp(wanted->text, found) != 0) {
        ooze_scene_error(scene, wanted, "put the old file back, or remove the checksum",
                         "the file has changed: its checksum is %s, not %s", found,
                         ooze_clip(wanted->text, shown));
    }
}

static void check_required(OozeScene *scene, const OozeSection *section, int variant,
                           const OozeNode *node)
{
    OozeKey row;
    for (int i = 0; ooze_section_key(section, variant, i, &row); i++) {
        if (ooze_key_is_required(&row, variant) && !ooze_node_find(node, row.key)) {
            ooze_scene_error_behind(scene, node, row.help, "the %s lacks '%s'", section->name,
                                    row.key);
        }
    }
}

void ooze_section_read(OozeScene *scene, const OozeSection *section, const OozeNode *node,
                       void *item)
{
    int variant = variant_of(section, node, item);
    if (section->defaults) {
        section->defaults(item, variant);
    }
    OozeKey shorthand;
    if (node->kind == OOZE_NODE_SCALAR && section->shorthand &&
        ooze_section_find(section, variant, section->shorthand, &shorthand)) {
        ooze_value_read(scene, &shorthand, node, item);
        return;
    }
    if (node->kind != OOZE_NODE_MAP) {
        ooze_scene_error(scene, node, "write its keys as `key: value`",
                         "a %s must be a map of keys, not %s", section->name,
                         ooze_node_describe(node));
        return;
    }
    for (const OozeNode *child = node->first; child; child = child->next) {
        OozeKey row;
        if (!ooze_section_find(section, variant, child->key->text, &row)) {
            const struct OozeMethod *method = section->method ? section->method(variant) : NULL;
            bool gone =
                ooze_scene_report_gone(scene, method, child->key->text, child->key, child) ||
                ooze_scene_report_gone_key(scene, section->name, child->key);
            /* the settings of an unknown method cannot be checked */
            if (!gone && (variant >= 0 || !section->variant_key || !section->params)) {
                report_unknown(scene, section, variant, child->key);
            }
        } else if (!ooze_key_applies(&row, variant)) {
            report_misplaced(scene, section, variant, &row, child->key);
        } else if (ooze_node_is_null(child)) {
            bool color = row.type == OOZE_KEY_COLOR;
            ooze_scene_error(scene, child->key,
                             color ? "put it in quotes: an unquoted # begins a comment" : row.help,
                             "'%s' has no value", row.key);
        } else {
            read_key(scene, &row, child, item);
        }
    }
    check_required(scene, section, variant, node);
    check_checksum(scene, section, node, item);
}

void ooze_scene_read(OozeScene *scene)
{
    ooze_section_read(scene, &ooze_scene_root, scene->root, &scene->def);
    if (!scene->out_of_memory) {
        ooze_scene_finish(scene);
    }
}
