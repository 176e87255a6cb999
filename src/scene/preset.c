/* `preset: honey`: merges the numbers, colour and look of a named material under the keys that the
   scene gives, as an include does. The canonical text holds these numbers and no presets, so that
   a resumed run does not depend on the table of presets. */
#include <math.h>
#include <string.h>

#include "materials/material.h"
#include "scene/keys.h"
#include "scene/scene.h"

static bool is_replaced(const OozePresetInfo *info, const char *key, const OozeNode *given)
{
    bool replaced = false;
    for (const OozeNode *child = given ? given->first : NULL; child; child = child->next) {
        replaced = replaced || ooze_preset_modulus_yields(info, child->key->text);
    }
    return replaced && strcmp(key, "modulus") == 0;
}

static void write_preset(OozeText *text, const OozePresetInfo *info, const OozeNode *given,
                         int indent)
{
    OozeMaterialDef def;
    OozeKey materials, row;
    if (ooze_material_preset(info->name, &def, NULL) ||
        !ooze_section_find(&ooze_scene_root, -1, "materials", &materials)) {
        text->failed = true;
        return;
    }
    for (int i = 0; i <= info->number_count; i++) {
        const char *key = i < info->number_count ? info->numbers[i].key : "color";
        if (ooze_section_find(materials.section, -1, key, &row) && !is_replaced(info, key, given)) {
            ooze_text_append(text, "%*s%s: ", indent, "", key);
            ooze_value_write(text, &row, &def);
            ooze_text_append(text, "\n");
        }
    }
    ooze_text_append(text, "%*slook: {type: %s}\n", indent, "", info->look);
}

void ooze_preset_write(OozeText *text, const OozePresetInfo *info, int indent)
{
    OozeLocaleGuard locale = ooze_locale_enter();
    write_preset(text, info, NULL, indent);
    ooze_locale_leave(locale);
}

/* The preset's map merged with the material's keys; NULL: out of memory. */
static OozeNode *merge_preset(OozeScene *scene, const OozeSection *section,
                              const OozePresetInfo *info, OozeNode *material)
{
    OozeText text = {0};
    write_preset(&text, info, material, 0);
    const char *name = ooze_scene_format(scene, "preset '%s'", info->name);
    if (text.failed || !name) {
        ooze_text_clear(&text);
        scene->out_of_memory = true;
        return NULL;
    }
    OozeSource *source =
        ooze_source_add(scene, name, text.data, text.length, text.data, material->source);
    if (source) {
        source->preset = true;
    }
    OozeNode *map = source ? ooze_document_parse(scene, source, 0, 0, "") : NULL;
    if (map) {
        ooze_node_merge(section, map, material);
    }
    return map;
}

void ooze_scene_merge_presets(OozeScene *scene)
{
    OozeKey row;
    OozeNode *materials = ooze_node_find(scene->root, "materials");
    if (!materials || materials->kind != OOZE_NODE_MAP ||
        !ooze_section_find(&ooze_scene_root, -1, "materials", &row)) {
        return;
    }
    for (OozeNode *material = materials->first; material; material = material->next) {
        const OozeNode *wanted = ooze_node_find(material, "preset");
        const OozePresetInfo *info =
            wanted && wanted->kind == OOZE_NODE_SCALAR ? ooze_preset_find(wanted->text) : NULL;
        OozeNode *merged = info ? merge_preset(scene, row.section, info, material) : NULL;
        if (info && !merged) {
            return;
        }
        if (merged) { /* the node keeps its place in the list and gets the merged children */
            material->first = merged->first;
            material->last = merged->last;
            material->count = merged->count;
        }
    }
}
