/* Look-up in the key table, and access to values in definitions. */
#include "scene/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static OozeKey key_of_param(const OozeParamInfo *info, size_t offset)
{
    static const OozeKeyType types[] = {
        [OOZE_PARAM_REAL] = OOZE_KEY_REAL,
        [OOZE_PARAM_INTEGER] = OOZE_KEY_INTEGER,
        [OOZE_PARAM_SWITCH] = OOZE_KEY_SWITCH,
        [OOZE_PARAM_CHOICE] = OOZE_KEY_CHOICE,
    };
    return (OozeKey){
        .key = info->key,
        .type = types[info->kind],
        .unit = info->unit,
        .min = info->min,
        .max = info->max,
        .offset = offset,
        .help = info->help,
        .store = OOZE_STORE_DOUBLE,
        .choices = info->choices,
        .default_text = isnan(info->initial) ? "not given" : NULL,
    };
}

bool ooze_section_key(const OozeSection *section, int variant, int i, OozeKey *row)
{
    if (i < section->key_count) {
        *row = section->keys[i];
        for (int v = 0; section->owns && v < 32; v++) {
            row->variants |= section->owns(v, row->key) ? 1u << v : 0u;
        }
        return true;
    }
    int count = 0;
    const OozeParamInfo *params = section->params ? section->params(variant, &count) : NULL;
    int index = i - section->key_count;
    if (index >= count) {
        return false;
    }
    *row = key_of_param(&params[index], section->params_offset + (size_t)index * sizeof(double));
    row->automatic = section->automatic && section->automatic(variant, row->key);
    row->method = section->method ? section->method(variant) : NULL;
    return true;
}

bool ooze_section_find(const OozeSection *section, int variant, const char *key, OozeKey *row)
{
    for (int i = 0; ooze_section_key(section, variant, i, row); i++) {
        if (strcmp(row->key, key) == 0) {
            return true;
        }
    }
    return false;
}

bool ooze_key_applies(const OozeKey *row, int variant)
{
    return row->variants == 0 || variant < 0 || (row->variants >> variant & 1u);
}

bool ooze_key_is_required(const OozeKey *row, int variant)
{
    return row->required == OOZE_REQUIRED || (variant >= 0 && (row->required >> variant & 1u));
}

bool ooze_section_variant_key(const OozeSection *section, OozeKey *row)
{
    return section->variant_key && ooze_section_find(section, -1, section->variant_key, row);
}

int ooze_section_variant_count(const OozeSection *section)
{
    OozeKey row;
    char name[OOZE_CHOICE_MAX];
    int count = 0;
    if (ooze_section_variant_key(section, &row)) {
        while (ooze_key_choice(&row, count, name)) {
            count++;
        }
    }
    return count;
}

static int add_section(const OozeSection *sections[OOZE_SECTIONS_MAX], int count,
                       const OozeSection *section)
{
    for (int i = 0; i < count; i++) {
        if (sections[i] == section) {
            return count;
        }
    }
    if (section && count < OOZE_SECTIONS_MAX) {
        sections[count++] = section;
    }
    return count;
}

int ooze_scene_sections(const OozeSection *sections[OOZE_SECTIONS_MAX])
{
    int count = add_section(sections, 0, &ooze_scene_root);
    for (int at = 0; at < count; at++) {
        OozeKey row;
        for (int i = 0; ooze_section_key(sections[at], -1, i, &row); i++) {
            count =
                add_section(sections, count,
                            row.type == OOZE_KEY_ROTATION ? &ooze_section_rotation : row.section);
        }
    }
    return count;
}

bool ooze_key_choice(const OozeKey *row, int i, char name[OOZE_CHOICE_MAX])
{
    if (row->choice) {
        const char *word = row->choice(i);
        if (word) {
            snprintf(name, OOZE_CHOICE_MAX, "%s", word);
        }
        return word != NULL;
    }
    const char *word = row->choices;
    for (; word && i > 0; i--) {
        word = strchr(word, '|');
        word = word ? word + 1 : NULL;
    }
    if (!word) {
        return false;
    }
    snprintf(name, OOZE_CHOICE_MAX, "%.*s", (int)strcspn(word, "|"), word);
    return true;
}

int ooze_key_find_choice(const OozeKey *row, const char *word)
{
    char name[OOZE_CHOICE_MAX];
    for (int i = 0; ooze_key_choice(row, i, name); i++) {
        if (strcmp(name, word) == 0) {
            return i;
        }
    }
    return -1;
}

void ooze_key_store(const OozeKey *row, void *item, double value)
{
    char *at = (char *)item + row->offset;
    if (row->store == OOZE_STORE_DOUBLE || row->type == OOZE_KEY_REAL) {
        memcpy(at, &value, sizeof value);
    } else if (row->store == OOZE_STORE_UINT64) {
        uint64_t whole = (uint64_t)value;
        memcpy(at, &whole, sizeof whole);
    } else if (row->type == OOZE_KEY_SWITCH) {
        bool on = value != 0.0;
        memcpy(at, &on, sizeof on);
    } else {
        int whole = (int)value;
        memcpy(at, &whole, sizeof whole);
    }
}

double ooze_key_load(const OozeKey *row, const void *item)
{
    const char *at = (const char *)item + row->offset;
    if (row->store == OOZE_STORE_DOUBLE || row->type == OOZE_KEY_REAL) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (row->store == OOZE_STORE_UINT64) {
        uint64_t whole;
        memcpy(&whole, at, sizeof whole);
        return (double)whole;
    }
    if (row->type == OOZE_KEY_SWITCH) {
        bool on;
        memcpy(&on, at, sizeof on);
        return on;
    }
    int whole;
    memcpy(&whole, at, sizeof whole);
    return whole;
}

const char *ooze_key_range_text(const OozeKey *row, char text[3 * OOZE_NUMBER_MAX])
{
    char low[OOZE_NUMBER_MAX], high[OOZE_NUMBER_MAX];
    ooze_number_text(row->min, low);
    ooze_number_text(row->max, high);
    bool below = row->min > -OOZE_KEY_HUGE, above = row->max < OOZE_KEY_HUGE;
    if (row->min == row->max) {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "%s", low);
    } else if (below && above) {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "%s to %s", low, high);
    } else if (below) {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "at least %s%s", low,
                 isinf(row->max) ? ", or inf" : "");
    } else if (above) {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "at most %s", high);
    } else {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "%s", isinf(row->max) ? "any, or inf" : "any");
    }
    return text;
}

/* An end of a range: large ones as 1e12. */
static const char *end_text(double value, char text[OOZE_NUMBER_MAX])
{
    if (!(fabs(value) >= OOZE_KEY_HUGE)) {
        return ooze_number_text(value, text);
    }
    snprintf(text, OOZE_NUMBER_MAX, "%g", value);
    char *plus = strchr(text, '+');
    if (plus) {
        memmove(plus, plus + 1, strlen(plus));
    }
    return text;
}

const char *ooze_key_full_range_text(const OozeKey *row, char text[3 * OOZE_NUMBER_MAX])
{
    char low[OOZE_NUMBER_MAX], high[OOZE_NUMBER_MAX];
    bool infinite = isinf(row->max);
    end_text(row->min, low);
    end_text(infinite ? OOZE_KEY_HUGE : row->max, high);
    if (row->min == row->max) {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "%s", low);
    } else {
        snprintf(text, 3 * OOZE_NUMBER_MAX, "%s to %s%s", low, high, infinite ? ", or inf" : "");
    }
    return text;
}
