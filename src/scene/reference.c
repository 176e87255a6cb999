/* The key table as a Markdown page: docs/scene-format.md. */
#include <math.h>
#include <string.h>

#include "scene/expression.h"
#include "scene/scene.h"
#include "world/probes/probe.h"

static const char opening[] =
    "# The scene format\n"
    "\n"
    "A scene is one YAML file: materials, fluids, solids, measurements and the simulated time. "
    "This "
    "page is written\nby `ooze reference` from the table of keys with which scenes are "
    "parsed. `ooze check SCENE` reports every\nerror with its line, and `ooze schema` prints a "
    "JSON "
    "Schema for editors.\n"
    "\n"
    "```yaml\n"
    "ooze: 2                             # version of this format\n"
    "title: A jet of honey over a swaying bowl\n"
    "method: {name: ballistic}           # the simulation method\n"
    "spacing: 0.01                       # metres between particles\n"
    "time_step: 1/480                    # seconds; expressions are allowed\n"
    "duration: 2\n"
    "frame_rate: 24\n"
    "\n"
    "materials:\n"
    "  honey: {density: 1400, color: \"#d98e04\"}\n"
    "\n"
    "emitters:\n"
    "  - name: nozzle\n"
    "    material: honey\n"
    "    radius: 0.03                    # of a disc, the default `outline`\n"
    "    position: [0, 0.6, 0]\n"
    "    speed: 1.5                      # downwards, the default `direction`\n"
    "    stop: 1.5\n"
    "\n"
    "solids:\n"
    "  - name: floor\n"
    "    shape: {type: plane}\n"
    "  - name: bowl\n"
    "    shape: {type: torus, radius: 0.12, tube_radius: 0.04, position: [0, 0.04, 0]}\n"
    "    friction: 0.8\n"
    "    motion:\n"
    "      sine: {amplitude: [0.05, 0, 0], frequency: 0.5}\n"
    "\n"
    "probes:\n"
    "  - {name: top, kind: height}\n"
    "  - {kind: energy, every_step: true}\n"
    "```\n"
    "\n"
    "## Conventions\n"
    "\n"
    "- **Axes** are right-handed. `up` is the y axis unless the scene sets `up: z` (or x); "
    "gravity, the axis of upright\n  shapes, heights, exporters and pictures follow it.\n"
    "- **Units** are SI: metres, kilograms, seconds, pascals. Units are not written.\n"
    "- **Angles** are in degrees, angular velocities in degrees per second: `roll: 45`, "
    "`spin: [0, 360, 0]` is a revolution per second.\n  `sin`, `cos` and `tan` take degrees; "
    "`asin`, `acos`, `atan` and `atan2` return degrees.\n  The angular frequency of an "
    "oscillation in [rheometry](rheology.md) is a frequency, in rad/s.\n"
    "- **Numbers** may be expressions: `1/240`, `pi*0.1^2`, `1e-3`, `-sqrt(2)^3`. Operators are "
    "`+ - * / ^` and parentheses;\n  ";

static const char conventions[] =
    "- **Switches** are `true` or `false` (`yes`, `no`, `on`, `off` too); elsewhere these words "
    "are text.\n"
    "- **Colours** are `\"#rrggbb\"` in sRGB, with the quotes, or `[r, g, b]` in linear light from "
    "0 "
    "to 1.\n"
    "- **Files**: paths are relative to the file that contains them.\n"
    "- **Includes**: `include: [presets/honey.yaml]` reads those files first. Sections and "
    "materials "
    "are merged key by key,\n  lists are appended, and values of the including file "
    "override. A section of another kind, such as another `method`, replaces the\n  included one. "
    "A file included twice counts once.\n"
    "- **Overrides**: `ooze run SCENE --set materials.honey.viscosity=12 --set "
    "solids.floor.friction=0.1`. Items of lists are\n  addressed by name or by number from 0. The "
    "value is YAML and is checked like one in the file.\n"
    "- **Walls**: fluid does not slip on a solid without a `friction`. Other solids, rigid bodies "
    "and particles of\n  `ballistic` touch it dry, with a coefficient of 0.5. With a `friction`, "
    "that acts on all of them.\n  `ooze check` says what acts: \"honey sticks to 'bottle'\".\n"
    "- **Formats**: this is format 2. A file in format 1 (`ooze: 1`) is refused: there solids "
    "without a `friction` had 0.5,\n  `conformation` was first order in time, and the first files "
    "gave angles in radians. [`ooze upgrade`](cli.md) rewrites it.\n"
    "- **YAML**: anchors and aliases work; merge keys (`<<`), tags and several documents in one "
    "file "
    "do not.\n"
    "- A run folder contains the scene with includes and overrides applied, all values, absolute "
    "paths of files and their\n  checksums: a run folder can be moved, and resumed where these "
    "files exist and have not changed.\n";

static void write_names(OozeText *page, const char *(*name)(int))
{
    for (int i = 0; name(i); i++) {
        ooze_text_append(page, "%s`%s`", i ? ", " : "", name(i));
    }
}

static void write_type(OozeText *page, const OozeKey *row)
{
    char name[OOZE_CHOICE_MAX];
    static const char *const words[OOZE_KEY_TYPE_COUNT] = {
        [OOZE_KEY_REAL] = "number",
        [OOZE_KEY_INTEGER] = "whole number",
        [OOZE_KEY_SWITCH] = "switch",
        [OOZE_KEY_TEXT] = "text",
        [OOZE_KEY_NAME] = "name",
        [OOZE_KEY_MATERIAL] = "name of a material",
        [OOZE_KEY_FILE] = "path",
        [OOZE_KEY_CHECKSUM] = "text",
        [OOZE_KEY_INCLUDE] = "list of paths",
        [OOZE_KEY_VEC3] = "3 numbers",
        [OOZE_KEY_VEC2] = "2 numbers",
        [OOZE_KEY_SCALE] = "number, or 3",
        [OOZE_KEY_COLOR] = "colour",
        [OOZE_KEY_ROTATION] = "[rotation](#rotation)",
        [OOZE_KEY_RANGE] = "[low, high]",
        [OOZE_KEY_LIST] = "list of ",
        [OOZE_KEY_MAP] = "map of ",
    };
    if (row->type == OOZE_KEY_CHOICE || row->type == OOZE_KEY_PRESET) {
        for (int i = 0; ooze_key_choice(row, i, name); i++) {
            ooze_text_append(page, "%s`%s`", i ? ", " : "", name);
        }
        return;
    }
    ooze_text_append(page, "%s", words[row->type] ? words[row->type] : "");
    if (row->section) {
        bool many = row->type != OOZE_KEY_SECTION && row->section->plural;
        const char *title = many ? row->section->plural : row->section->name;
        ooze_text_append(page, "[%s](#%s)", title, title);
    }
}

static bool has_range(const OozeKey *row)
{
    switch (row->type) {
    case OOZE_KEY_REAL:
    case OOZE_KEY_INTEGER:
    case OOZE_KEY_VEC3:
    case OOZE_KEY_VEC2:
    case OOZE_KEY_SCALE:
    case OOZE_KEY_COLOR:
    case OOZE_KEY_RANGE:
        return true;
    default:
        return false;
    }
}

static void write_default(OozeText *page, const OozeKey *row, int variant, const void *item)
{
    if (ooze_key_is_required(row, variant)) {
        bool some = row->default_text && row->required != OOZE_REQUIRED;
        ooze_text_append(page, "**required**%s%s", some ? ", or " : "",
                         some ? row->default_text : "");
    } else if (row->default_text) {
        ooze_text_append(page, "%s", row->default_text);
    } else if (row->section) {
        ooze_text_append(page, "none");
    } else {
        ooze_value_write(page, row, item);
    }
}

/* The variants for which a key is valid: "box, heightfield", or "all". */
static void write_owners(OozeText *page, const OozeSection *section, const OozeKey *row)
{
    OozeKey variant_row;
    char name[OOZE_CHOICE_MAX];
    int count = ooze_section_variant_count(section), owners = 0, written = 0;
    for (int v = 0; v < count; v++) {
        owners += ooze_key_applies(row, v);
    }
    if (owners == count || !ooze_section_variant_key(section, &variant_row)) {
        ooze_text_append(page, " all |");
        return;
    }
    for (int v = 0; v < count; v++) {
        if (ooze_key_applies(row, v) && ooze_key_choice(&variant_row, v, name)) {
            ooze_text_append(page, "%s%s", written++ ? ", " : " ", name);
        }
    }
    ooze_text_append(page, " |");
}

static int first_owner(const OozeSection *section, const OozeKey *row)
{
    int count = ooze_section_variant_count(section);
    for (int v = 0; v < count; v++) {
        if (ooze_key_applies(row, v)) {
            return v;
        }
    }
    return -1;
}

static void write_row(OozeText *page, const OozeSection *section, const OozeKey *row, int variant,
                      bool owners, const void *item)
{
    char range[3 * OOZE_NUMBER_MAX];
    ooze_text_append(page, "| `%s` |", row->key);
    if (owners) {
        write_owners(page, section, row);
    }
    ooze_text_append(page, " ");
    write_type(page, row);
    ooze_text_append(page, " | %s | %s%s | ", row->unit,
                     has_range(row) ? ooze_key_range_text(row, range) : "",
                     row->automatic ? ", or auto" : "");
    write_default(page, row, variant, item);
    ooze_text_append(page, " | %s |\n", row->help);
}

static void write_heading(OozeText *page, const char *owners)
{
    ooze_text_append(page, "\n| key |%s%s type | unit | range | default | meaning |\n", owners,
                     owners[0] ? " |" : "");
    ooze_text_append(page, "| --- |%s --- | --- | --- | --- | --- |\n", owners[0] ? " --- |" : "");
}

/* Rows `first` to the last of one variant. */
static void write_rows(OozeText *page, const OozeSection *section, int variant, int first)
{
    void *item = ooze_alloc_zero(1, section->size);
    if (!item) {
        page->failed = true;
        return;
    }
    /* settings of methods have a table per method instead of a column of variants */
    bool owners = section->variant_key && !section->params;
    OozeKey row;
    for (int i = first; ooze_section_key(section, variant, i, &row); i++) {
        int owner = owners ? first_owner(section, &row) : variant;
        if (section->defaults) {
            section->defaults(item, owner);
        }
        write_row(page, section, &row, owner, owners, item);
    }
    ooze_free(item);
}

static void write_methods(OozeText *page, const OozeSection *section)
{
    for (int v = 0; v < ooze_method_count(); v++) {
        const OozeMethodInfo *info = ooze_method_info(v);
        ooze_text_append(page, "\n### `%s`\n\n%s.%s%s\n", info->name, info->summary,
                         info->reference[0] ? " " : "", info->reference);
        if (info->param_count > 0) {
            write_heading(page, "");
            write_rows(page, section, v, section->key_count);
        }
    }
}

static void write_probes(OozeText *page)
{
    ooze_text_append(page, "\n| kind | measures |\n| --- | --- |\n");
    for (int i = 0; i < OOZE_PROBE_KIND_COUNT; i++) {
        ooze_text_append(page, "| `%s` | %s |\n", ooze_probe_kinds[i].name,
                         ooze_probe_kinds[i].help);
    }
}

static void write_section(OozeText *page, const OozeSection *section)
{
    ooze_text_append(page, "\n## %s\n\n%s\n", section->plural ? section->plural : section->name,
                     section->help);
    bool per_variant = section->variant_key && section->params;
    write_heading(page, section->variant_key && !per_variant ? " for" : "");
    write_rows(page, section, -1, 0);
    if (per_variant) {
        write_methods(page, section);
    }
    OozeKey row;
    if (ooze_section_find(section, -1, "every_step", &row)) {
        write_probes(page);
    }
}

OozeStatus ooze_scene_reference(char **markdown, OozeError *error)
{
    OOZE_REQUIRE(markdown, error);
    OozeLocaleGuard locale = ooze_locale_enter();
    const OozeSection *sections[OOZE_SECTIONS_MAX];
    int count = ooze_scene_sections(sections);
    OozeText page = {0};
    ooze_text_append(&page, "%sconstants ", opening);
    write_names(&page, ooze_expression_constant);
    ooze_text_append(&page, ";\n  functions ");
    write_names(&page, ooze_expression_function);
    ooze_text_append(&page, ".\n  Where a range says so, `inf` is allowed.\n%s", conventions);
    for (int i = 0; i < count; i++) {
        write_section(&page, sections[i]);
    }
    ooze_locale_leave(locale);
    if (page.failed) {
        ooze_text_clear(&page);
        *markdown = NULL;
        return ooze_fail_memory(error, "the reference page", 0);
    }
    *markdown = page.data;
    return OOZE_OK;
}
