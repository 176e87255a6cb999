/* ooze presets: named materials, their parameters and sources. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/report.h"
#include "materials/material.h"
#include "scene/scene.h"

static const OozeParamInfo *param_of(const char *key)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    int found = ooze_param_find(params, count, key);
    return found >= 0 ? &params[found] : NULL;
}

/* A value as written in a scene: choices by name. */
static void append_value(OozeText *out, const OozePresetNumber *number)
{
    const OozeParamInfo *param = param_of(number->key);
    char text[OOZE_NUMBER_MAX];
    if (!param || param->kind != OOZE_PARAM_CHOICE) {
        ooze_text_append(out, "%s", ooze_number_text(number->value, text));
        return;
    }
    const char *word = param->choices;
    for (int i = 0; i < (int)number->value && word; i++) {
        word = strchr(word, '|');
        word = word ? word + 1 : NULL;
    }
    ooze_text_append(out, "%.*s", word ? (int)strcspn(word, "|") : 0, word ? word : "");
}

/* ---- the list -------------------------------------------------------------------------------- */

static void append_key(OozeText *out, const char *name, double value, const char *unit)
{
    if (!isnan(value)) {
        ooze_text_append(out, "%s%s %.4g %s", out->length ? ", " : "", name, value, unit);
    }
}

/* The main parameters in one line. */
static void append_summary(OozeText *out, const OozePresetInfo *info)
{
    double yield = ooze_preset_number(info, "modulus") * ooze_preset_number(info, "yield_strain");
    double tau = ooze_preset_number(info, "relaxation_time"),
           n = ooze_preset_number(info, "thinning_exponent");
    double solvent = ooze_preset_number(info, "solvent_viscosity");
    append_key(out, "viscosity", ooze_preset_number(info, "viscosity"), "Pa s");
    append_key(out, "yields at", yield, "Pa");
    if (isnan(yield)) {
        append_key(out, "modulus", ooze_preset_number(info, "modulus"), "Pa");
        append_key(out,
                   isnan(ooze_preset_number(info, "modulus_2")) ? "relaxes in" : "relaxes from",
                   tau, "s");
    } else if (isnan(n)) {
        append_key(out, "then", solvent, "Pa s");
    } else {
        ooze_text_append(out, ", then %g rate^%g Pa", solvent, n);
    }
}

static void append_list(OozeText *out)
{
    for (int i = 0; i < ooze_preset_count(); i++) {
        const OozePresetInfo *info = ooze_preset_info(i);
        OozeText summary = {0};
        append_summary(&summary, info);
        ooze_text_append(out, "%-14s %-34s %4.0f kg/m3, %s\n", info->name, info->summary,
                         ooze_preset_number(info, "density"), summary.data ? summary.data : "");
        out->failed = out->failed || summary.failed;
        ooze_text_clear(&summary);
    }
    ooze_text_append(out, "\n'ooze presets NAME' shows all of one, with sources. In a scene:\n\n"
                          "  materials:\n    mine: {preset: honey, viscosity: 20}\n");
}

/* ---- one ------------------------------------------------------------------------------------- */

static void append_preset(OozeText *out, const OozePresetInfo *info)
{
    ooze_text_append(out, "%s: %s", info->name, info->summary);
    if (!isnan(info->celsius)) {
        ooze_text_append(out, ", at %g C", info->celsius);
    }
    ooze_text_append(out, "\n%s\n\n", info->model);
    for (int i = 0; i < info->number_count; i++) {
        const OozePresetNumber *number = &info->numbers[i];
        const OozeParamInfo *param = param_of(number->key);
        bool again = i > 0 && strcmp(number[-1].source, number->source) == 0;
        OozeText value = {0};
        append_value(&value, number);
        ooze_text_append(&value, "%s%s", param && param->unit[0] ? " " : "",
                         param ? param->unit : "");
        ooze_text_append(out, "  %-18s %-14s %-9s %s\n", number->key, value.data ? value.data : "",
                         ooze_preset_origin_name(number->origin),
                         again ? "likewise" : number->source);
        out->failed = out->failed || value.failed;
        ooze_text_clear(&value);
    }
    double yield = ooze_preset_number(info, "modulus") * ooze_preset_number(info, "yield_strain");
    if (!isnan(yield)) {
        ooze_text_append(out, "\n  yield stress %.3g Pa: modulus times yield strain\n", yield);
    }
    ooze_text_append(out, "\nmaterials:\n  %s:\n", info->name);
    ooze_preset_write(out, info, 4);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_text(OozeText *out, const char *key, const char *value)
{
    ooze_text_append(out, "\"%s\": ", key);
    ooze_json_text(out, value);
    ooze_text_append(out, ", ");
}

static void json_number(OozeText *out, const OozePresetNumber *number)
{
    const OozeParamInfo *param = param_of(number->key);
    OozeText value = {0};
    append_value(&value, number);
    ooze_text_append(out, "\n     {");
    json_text(out, "key", number->key);
    if (param && param->kind == OOZE_PARAM_CHOICE) {
        json_text(out, "value", value.data ? value.data : "");
    } else {
        ooze_text_append(out, "\"value\": %s, ", value.data ? value.data : "null");
    }
    json_text(out, "unit", param ? param->unit : "");
    json_text(out, "origin", ooze_preset_origin_name(number->origin));
    ooze_text_append(out, "\"source\": ");
    ooze_json_text(out, number->source);
    ooze_text_append(out, "}");
    out->failed = out->failed || value.failed;
    ooze_text_clear(&value);
}

static void json_preset(OozeText *out, const OozePresetInfo *info)
{
    ooze_text_append(out, "  {");
    json_text(out, "name", info->name);
    json_text(out, "summary", info->summary);
    json_text(out, "model", info->model);
    ooze_text_append(out, "\"celsius\": ");
    ooze_json_number(out, info->celsius);
    ooze_text_append(out, ", ");
    json_text(out, "look", info->look);
    ooze_text_append(out, "\"color\": [%g, %g, %g],\n   \"numbers\": [", (double)info->color[0],
                     (double)info->color[1], (double)info->color[2]);
    for (int i = 0; i < info->number_count; i++) {
        ooze_text_append(out, "%s", i ? "," : "");
        json_number(out, &info->numbers[i]);
    }
    ooze_text_append(out, "]}");
}

static int print_text(OozeText *out)
{
    OozeError error = {0};
    int code = OOZE_EXIT_OK;
    if (out->failed) {
        ooze_fail_memory(&error, "the presets", 0);
        code = ooze_report_error(&error);
    } else {
        fputs(out->data, stdout);
    }
    ooze_text_clear(out);
    return code;
}

static int run(const OozeArguments *arguments)
{
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    const OozePresetInfo *info = name ? ooze_preset_find(name) : NULL;
    bool json = ooze_argument_given(arguments, "json");
    if (name && !info) {
        OozeMaterialDef def;
        OozeError error = {0};
        ooze_material_preset(name, &def, &error);
        return ooze_usage_error(arguments->command, "%s; %s", error.message, error.hint);
    }
    OozeText out = {0};
    if (json) {
        ooze_text_append(&out, "[\n");
        for (int i = 0; i < ooze_preset_count(); i++) {
            const OozePresetInfo *one = ooze_preset_info(i);
            if (!info || info == one) {
                ooze_text_append(&out, "%s", out.length > 2 ? ",\n" : "");
                json_preset(&out, one);
            }
        }
        ooze_text_append(&out, "\n]\n");
    } else if (info) {
        append_preset(&out, info);
    } else {
        append_list(&out);
    }
    return print_text(&out);
}

static const OozeOperand operands[] = {
    {"NAME", "all numbers of this one with their sources, and a material to paste into a scene",
     true}};

static const OozeOption options[] = {
    {"json", 0, NULL, false, "a JSON array instead of text, with or without a NAME"},
};

const OozeCommand ooze_command_presets = {
    .name = "presets",
    .synopsis = "[NAME] [--json]",
    .summary = "List materials by name: water, honey, ketchup, dough, ...",
    .details =
        "A scene uses a preset by `materials: {mine: {preset: honey}}`, the command line by "
        "`--set materials.mine.preset=honey`; values of the scene take precedence. Every value "
        "is `measured` (as its source reports it), `typical` (the order of magnitude, since "
        "samples differ) or `artistic` (chosen for its appearance). "
        "[materials.md](materials.md) shows all presets.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
