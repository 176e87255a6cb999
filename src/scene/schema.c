/* The key table as JSON Schema (draft 2020-12), for completion and checks in editors. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "scene/scene.h"

/* Bounds apply to numbers only: an expression is a string. */
static void write_number(OozeText *json, const OozeKey *row, const char *type)
{
    char number[OOZE_NUMBER_MAX];
    ooze_text_append(json, "\"type\": [\"%s\", \"string\"]", type);
    if (row->min > -OOZE_KEY_HUGE) {
        ooze_text_append(json, ", \"minimum\": %s", ooze_number_text(row->min, number));
    }
    if (row->max < OOZE_KEY_HUGE) {
        ooze_text_append(json, ", \"maximum\": %s", ooze_number_text(row->max, number));
    }
}

static void write_numbers(OozeText *json, const OozeKey *row, int count)
{
    ooze_text_append(json, "\"type\": \"array\", \"items\": {");
    write_number(json, row, "number");
    ooze_text_append(json, "}, \"minItems\": %d, \"maxItems\": %d", count, count);
}

static void write_choices(OozeText *json, const OozeKey *row)
{
    char name[OOZE_CHOICE_MAX];
    ooze_text_append(json, "\"enum\": [");
    for (int i = 0; ooze_key_choice(row, i, name); i++) {
        ooze_text_append(json, "%s", i ? ", " : "");
        ooze_json_text(json, name);
    }
    ooze_text_append(json, "]");
}

static void write_type(OozeText *json, const OozeKey *row);

static void write_reference(OozeText *json, const OozeKey *row)
{
    const char *name = row->section->name;
    if (row->type == OOZE_KEY_LIST) {
        ooze_text_append(json, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}", name);
    } else if (row->type == OOZE_KEY_MAP) {
        ooze_text_append(json,
                         "\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
                         "\"#/$defs/%s\"}",
                         name);
    } else if (row->section->shorthand) {
        OozeKey key;
        ooze_section_find(row->section, -1, row->section->shorthand, &key);
        ooze_text_append(json, "\"anyOf\": [{");
        write_type(json, &key);
        ooze_text_append(json, "}, {\"$ref\": \"#/$defs/%s\"}]", name);
    } else {
        ooze_text_append(json, "\"$ref\": \"#/$defs/%s\"", name);
    }
}

static void write_type(OozeText *json, const OozeKey *row)
{
    switch (row->type) {
    case OOZE_KEY_REAL:
        write_number(json, row, "number");
        break;
    case OOZE_KEY_INTEGER:
        write_number(json, row, "integer");
        break;
    case OOZE_KEY_SWITCH:
        ooze_text_append(json, "\"enum\": [true, false, \"yes\", \"no\", \"on\", \"off\"]");
        break;
    case OOZE_KEY_CHOICE:
    case OOZE_KEY_PRESET:
        write_choices(json, row);
        break;
    case OOZE_KEY_INCLUDE:
        ooze_text_append(json, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", "
                               "\"items\": {\"type\": \"string\"}}]");
        break;
    case OOZE_KEY_VEC3:
    case OOZE_KEY_VEC2:
    case OOZE_KEY_RANGE:
        write_numbers(json, row, row->type == OOZE_KEY_VEC3 ? 3 : 2);
        break;
    case OOZE_KEY_SCALE:
        ooze_text_append(json, "\"anyOf\": [{");
        write_number(json, row, "number");
        ooze_text_append(json, "}, {");
        write_numbers(json, row, 3);
        ooze_text_append(json, "}]");
        break;
    case OOZE_KEY_COLOR:
        ooze_text_append(json, "\"anyOf\": [{\"type\": \"string\", \"pattern\": "
                               "\"^#[0-9a-fA-F]{6}$\"}, {");
        if (row->choices) {
            ooze_text_append(json, "\"const\": \"%s\"}, {", row->choices);
        }
        write_numbers(json, row, 3);
        ooze_text_append(json, "}]");
        break;
    case OOZE_KEY_ROTATION:
        ooze_text_append(json, "\"anyOf\": [{\"$ref\": \"#/$defs/%s\"}, {",
                         ooze_section_rotation.name);
        write_numbers(json, row, 3);
        ooze_text_append(json, "}]");
        break;
    case OOZE_KEY_SECTION:
    case OOZE_KEY_LIST:
    case OOZE_KEY_MAP:
        write_reference(json, row);
        break;
    default:
        ooze_text_append(json, "\"type\": [\"string\", \"number\", \"boolean\"]");
        break;
    }
}

static void write_default(OozeText *json, const OozeKey *row, const void *item)
{
    bool scalar = row->type == OOZE_KEY_REAL || row->type == OOZE_KEY_INTEGER ||
                  row->type == OOZE_KEY_SWITCH || row->type == OOZE_KEY_CHOICE;
    if (!scalar || row->default_text || row->required || isnan(ooze_key_load(row, item))) {
        return;
    }
    bool quoted = row->type == OOZE_KEY_CHOICE || isinf(ooze_key_load(row, item));
    ooze_text_append(json, ", \"default\": %s", quoted ? "\"" : "");
    ooze_value_write(json, row, item);
    ooze_text_append(json, "%s", quoted ? "\"" : "");
}

static void write_property(OozeText *json, const OozeKey *row, const void *item, const char *fixed)
{
    ooze_text_append(json, "        ");
    ooze_json_text(json, row->key);
    ooze_text_append(json, ": {");
    if (fixed) {
        ooze_text_append(json, "\"const\": ");
        ooze_json_text(json, fixed);
    } else {
        write_type(json, row);
        write_default(json, row, item);
    }
    OozeText help = {0};
    ooze_text_append(&help, "%s%s%s%s", row->help, row->unit[0] ? " [" : "", row->unit,
                     row->unit[0] ? "]" : "");
    ooze_text_append(json, ", \"description\": ");
    ooze_json_text(json, help.data ? help.data : "");
    json->failed = json->failed || help.failed;
    ooze_text_clear(&help);
    ooze_text_append(json, "}");
}

/* One variant of a section (-1: it has none) as the inside of an object. */
static void write_object(OozeText *json, const OozeSection *section, int variant, const char *name)
{
    void *item = ooze_alloc_zero(1, section->size);
    if (!item) {
        json->failed = true;
        return;
    }
    OozeKey row, decider;
    bool varied = ooze_section_variant_key(section, &decider);
    if (section->defaults) {
        section->defaults(item, -1);
    }
    bool usual = varied && !decider.required && (int)ooze_key_load(&decider, item) == variant;
    if (section->defaults) {
        section->defaults(item, variant);
    }
    ooze_text_append(json, "\"properties\": {");
    int written = 0;
    for (int i = 0; ooze_section_key(section, variant, i, &row); i++) {
        if (ooze_key_applies(&row, variant)) {
            ooze_text_append(json, "%s\n", written++ ? "," : "");
            bool decides = varied && strcmp(row.key, decider.key) == 0;
            write_property(json, &row, item, decides ? name : NULL);
        }
    }
    ooze_text_append(json, "\n      }, \"additionalProperties\": false");
    ooze_text_append(json,
                     section == &ooze_scene_root
                         ? ",\n      \"anyOf\": [{\"required\": [\"include\"]}, {\"required\": ["
                         : ",\n      \"required\": [");
    written = 0;
    for (int i = 0; ooze_section_key(section, variant, i, &row); i++) {
        bool decides = varied && !usual && strcmp(row.key, decider.key) == 0;
        if (ooze_key_applies(&row, variant) && (decides || ooze_key_is_required(&row, variant))) {
            ooze_text_append(json, "%s", written++ ? ", " : "");
            ooze_json_text(json, row.key);
        }
    }
    ooze_text_append(json, section == &ooze_scene_root ? "]}]" : "]");
    ooze_free(item);
}

static void write_section(OozeText *json, const OozeSection *section)
{
    ooze_text_append(json, "\"type\": \"object\",\n      \"description\": ");
    ooze_json_text(json, section->help);
    ooze_text_append(json, ",\n      ");
    OozeKey decider;
    if (!ooze_section_variant_key(section, &decider)) {
        write_object(json, section, -1, NULL);
        return;
    }
    char name[OOZE_CHOICE_MAX];
    ooze_text_append(json, "\"oneOf\": [");
    for (int v = 0; ooze_key_choice(&decider, v, name); v++) {
        ooze_text_append(json, "%s\n      {\"title\": ", v ? "," : "");
        ooze_json_text(json, name);
        ooze_text_append(json, ", ");
        write_object(json, section, v, name);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}

OozeStatus ooze_scene_schema(char **json, OozeError *error)
{
    OOZE_REQUIRE(json, error);
    OozeLocaleGuard locale = ooze_locale_enter();
    const OozeSection *sections[OOZE_SECTIONS_MAX];
    int count = ooze_scene_sections(sections);
    OozeText text = {0};
    ooze_text_append(&text, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                            "  \"title\": \"Ooze scene\",\n  ");
    write_section(&text, sections[0]);
    ooze_text_append(&text, ",\n  \"$defs\": {");
    for (int i = 1; i < count; i++) {
        ooze_text_append(&text, "%s\n    \"%s\": {", i > 1 ? "," : "", sections[i]->name);
        write_section(&text, sections[i]);
        ooze_text_append(&text, "}");
    }
    ooze_text_append(&text, "\n  }\n}\n");
    ooze_locale_leave(locale);
    if (text.failed) {
        ooze_text_clear(&text);
        *json = NULL;
        return ooze_fail_memory(error, "the schema", 0);
    }
    *json = text.data;
    return OOZE_OK;
}
