#include "cli/facts.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"

static void begin_fact(OozeFacts *facts, const char *key)
{
    if (!facts->json) {
        ooze_text_append(&facts->out, "%-12s ", key);
        return;
    }
    ooze_text_append(&facts->out, "%s  ", facts->first ? "" : ",\n");
    ooze_json_text(&facts->out, key);
    ooze_text_append(&facts->out, ": ");
    facts->first = false;
}

static void end_fact(OozeFacts *facts)
{
    if (!facts->json) {
        ooze_text_append(&facts->out, "\n");
    }
}

void ooze_facts_begin(OozeFacts *facts, bool json)
{
    *facts = (OozeFacts){.json = json, .first = true};
    ooze_text_append(&facts->out, "%s", json ? "{\n" : "");
}

void ooze_facts_text(OozeFacts *facts, const char *key, const char *value)
{
    begin_fact(facts, key);
    if (facts->json) {
        ooze_json_text(&facts->out, value);
    } else {
        ooze_text_append(&facts->out, "%s", value);
    }
    end_fact(facts);
}

void ooze_facts_count(OozeFacts *facts, const char *key, uint64_t value)
{
    char text[OOZE_QUANTITY_SIZE];
    begin_fact(facts, key);
    if (facts->json) {
        ooze_text_append(&facts->out, "%llu", (unsigned long long)value);
    } else {
        ooze_text_append(&facts->out, "%s", ooze_quantity_count(text, value));
    }
    end_fact(facts);
}

void ooze_facts_real(OozeFacts *facts, const char *key, double value, const char *unit)
{
    begin_fact(facts, key);
    if (facts->json) {
        ooze_json_number(&facts->out, value);
    } else {
        ooze_text_append(&facts->out, "%.9g%s%s", value, unit[0] ? " " : "", unit);
    }
    end_fact(facts);
}

void ooze_facts_flag(OozeFacts *facts, const char *key, bool value)
{
    begin_fact(facts, key);
    ooze_text_append(&facts->out, "%s",
                     facts->json ? (value ? "true" : "false") : (value ? "yes" : "no"));
    end_fact(facts);
}

void ooze_facts_vector(OozeFacts *facts, const char *key, OozeVec3 value, const char *unit)
{
    begin_fact(facts, key);
    if (facts->json) {
        ooze_text_append(&facts->out, "[");
        ooze_json_number(&facts->out, value.x);
        ooze_text_append(&facts->out, ", ");
        ooze_json_number(&facts->out, value.y);
        ooze_text_append(&facts->out, ", ");
        ooze_json_number(&facts->out, value.z);
        ooze_text_append(&facts->out, "]");
    } else {
        ooze_text_append(&facts->out, "%.9g, %.9g, %.9g%s%s", value.x, value.y, value.z,
                         unit[0] ? " " : "", unit);
    }
    end_fact(facts);
}

void ooze_facts_names(OozeFacts *facts, const char *key, int count,
                      const char *(*name)(const void *items, int i), const void *items)
{
    begin_fact(facts, key);
    ooze_text_append(&facts->out, "%s", facts->json ? "[" : count == 0 ? "none" : "");
    for (int i = 0; i < count; i++) {
        ooze_text_append(&facts->out, "%s", i > 0 ? ", " : "");
        if (facts->json) {
            ooze_json_text(&facts->out, name(items, i));
        } else {
            ooze_text_append(&facts->out, "%s", name(items, i));
        }
    }
    ooze_text_append(&facts->out, "%s", facts->json ? "]" : "");
    end_fact(facts);
}

static const char *const type_names[OOZE_FIELD_TYPE_COUNT] = {
    [OOZE_FIELD_FLOAT32] = "float32", [OOZE_FIELD_FLOAT64] = "float64",
    [OOZE_FIELD_UINT8] = "uint8",     [OOZE_FIELD_UINT16] = "uint16",
    [OOZE_FIELD_UINT32] = "uint32",   [OOZE_FIELD_UINT64] = "uint64",
};

/* Range of one component over all particles; NAN where there are none. */
static void find_range(const OozeFieldView *field, int component, double *min, double *max)
{
    *min = *max = NAN;
    for (uint64_t i = 0; i < field->count; i++) {
        double value = ooze_field_value(field, i, component);
        *min = value < *min || isnan(*min) ? value : *min;
        *max = value > *max || isnan(*max) ? value : *max;
    }
}

/* A number for a scalar, a list for a vector. */
static void append_limits(OozeText *out, const OozeFieldView *field, const char *key, bool highest)
{
    ooze_text_append(out, ", \"%s\": %s", key, field->components > 1 ? "[" : "");
    for (int k = 0; k < field->components; k++) {
        double min, max;
        find_range(field, k, &min, &max);
        ooze_text_append(out, "%s", k > 0 ? ", " : "");
        ooze_json_number(out, highest ? max : min);
    }
    ooze_text_append(out, "%s", field->components > 1 ? "]" : "");
}

static void append_ranges(OozeText *out, const OozeFieldView *field)
{
    for (int k = 0; field->count > 0 && k < field->components; k++) {
        double min, max;
        find_range(field, k, &min, &max);
        ooze_text_append(out, ", %.6g to %.6g", min, max);
    }
    if (field->count > 0 && field->unit[0]) {
        ooze_text_append(out, " %s", field->unit);
    }
}

void ooze_facts_fields(OozeFacts *facts, const OozeFrame *frame)
{
    begin_fact(facts, "fields");
    ooze_text_append(&facts->out, "%s", facts->json ? "[" : "");
    for (int i = 0; i < frame->field_count; i++) {
        const OozeFieldView *field = &frame->fields[i];
        if (facts->json) {
            ooze_text_append(&facts->out, "%s\n    {\"name\": ", i > 0 ? "," : "");
            ooze_json_text(&facts->out, field->name);
            ooze_text_append(&facts->out, ", \"type\": \"%s\", \"components\": %d, \"unit\": ",
                             type_names[field->type], field->components);
            ooze_json_text(&facts->out, field->unit);
            append_limits(&facts->out, field, "min", false);
            append_limits(&facts->out, field, "max", true);
            ooze_text_append(&facts->out, "}");
        } else {
            ooze_text_append(&facts->out, "\n  %-18s %s x %d", field->name, type_names[field->type],
                             field->components);
            append_ranges(&facts->out, field);
        }
    }
    ooze_text_append(&facts->out, "%s", facts->json ? "\n  ]" : "");
    end_fact(facts);
}

/* One object per row; of a table without named columns its shape. */
static void append_json_table(OozeText *out, const OozeFieldView *table)
{
    ooze_json_text(out, table->name);
    if (!table->columns) {
        ooze_text_append(out, ": {\"type\": \"%s\", \"components\": %d, \"rows\": %llu}",
                         type_names[table->type], table->components,
                         (unsigned long long)table->count);
        return;
    }
    ooze_text_append(out, ": [");
    for (uint64_t row = 0; row < table->count; row++) {
        ooze_text_append(out, row > 0 ? ",\n      {" : "{");
        for (int k = 0; k < table->components; k++) {
            ooze_text_append(out, k > 0 ? ", " : "");
            ooze_json_text(out, table->columns[k]);
            ooze_text_append(out, ": ");
            ooze_json_number(out, ooze_field_value(table, row, k));
        }
        ooze_text_append(out, "}");
    }
    ooze_text_append(out, "]");
}

static bool all_zero(const OozeFieldView *table, uint64_t row)
{
    bool zero = true;
    for (int k = 0; k < table->components; k++) {
        zero = zero && ooze_field_value(table, row, k) == 0.0;
    }
    return zero;
}

/* Names and values of a row; omits NaN, which means not given. */
static void append_row(OozeText *out, const OozeFieldView *table, uint64_t row)
{
    char name[64];
    snprintf(name, sizeof name, table->count > 1 ? "%s %llu" : "%s", table->name,
             (unsigned long long)row);
    ooze_text_append(out, "\n  %-19s", name);
    const char *before = " ";
    for (int k = 0; k < table->components; k++) {
        double value = ooze_field_value(table, row, k);
        if (!isnan(value)) {
            ooze_text_append(out, "%s%s %.9g", before, table->columns[k], value);
            before = ", ";
        }
    }
}

void ooze_facts_state(OozeFacts *facts, const OozeFrame *frame)
{
    begin_fact(facts, "state");
    ooze_text_append(&facts->out, "%s", facts->json ? "{" : "");
    for (int i = 0; i < frame->state_count; i++) {
        const OozeFieldView *table = &frame->state[i];
        if (facts->json) {
            ooze_text_append(&facts->out, "%s\n    ", i > 0 ? "," : "");
            append_json_table(&facts->out, table);
        } else if (!table->columns) {
            ooze_text_append(&facts->out, "\n  %-19s %s x %d, %llu row%s", table->name,
                             type_names[table->type], table->components,
                             (unsigned long long)table->count, table->count == 1 ? "" : "s");
        }
        for (uint64_t row = 0; !facts->json && table->columns && row < table->count; row++) {
            if (!all_zero(table, row)) {
                append_row(&facts->out, table, row);
            }
        }
    }
    ooze_text_append(&facts->out, "%s", facts->json ? "\n  }" : "");
    end_fact(facts);
}

int ooze_facts_end(OozeFacts *facts)
{
    ooze_text_append(&facts->out, "%s", facts->json ? "\n}\n" : "");
    int code = OOZE_EXIT_OK;
    if (facts->out.failed) {
        OozeError error = {0};
        ooze_fail_memory(&error, "the answer", facts->out.length);
        code = ooze_report_error(&error);
    } else {
        fputs(facts->out.data ? facts->out.data : "", stdout);
    }
    ooze_text_clear(&facts->out);
    return code;
}
