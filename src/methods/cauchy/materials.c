/* Rows of material numbers: one a material, then those of temperature tables. */
#include "base/fail.h"
#include "methods/cauchy/step.h"
#include "methods/temperature_scale.h"

static bool has_table(const OozeStepContext *c, int material)
{
    return c->temperature && c->materials[material].table_count > 0;
}

static int row_count(const OozeStepContext *c)
{
    int count = c->material_count;
    for (int m = 0; m < c->material_count; m++) {
        count += has_table(c, m) ? OOZE_TEMPERATURE_ROWS : 0;
    }
    return count;
}

/* `first` of a material: its first row of temperatures, or -1. */
static void fill_rows(const OozeStepContext *c, OozeCauchyMaterial *rows, int *first)
{
    int next = c->material_count;
    for (int m = 0; m < c->material_count; m++) {
        const OozeMaterial *material = &c->materials[m];
        rows[m] = ooze_cauchy_material(c, material);
        first[m] = -1;
        if (has_table(c, m)) {
            OozeTemperatureScale scale = ooze_temperature_scale(material);
            first[m] = next;
            for (int k = 0; k < OOZE_TEMPERATURE_ROWS; k++) {
                OozeMaterial at = ooze_temperature_scale_material(&scale, material, k);
                rows[next++] = ooze_cauchy_material(c, &at);
            }
        }
    }
}

OozeStatus ooze_cauchy_set_materials(OozeCauchyStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    int count = row_count(c);
    bool own = count > c->material_count;
    if (count > UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials with temperature tables",
                         "materials that depend on temperature need %d rows; %d are possible",
                         count, UINT16_MAX);
    }
    OozeCauchyMaterial *rows = ooze_arena_alloc(c->arena, (size_t)count, sizeof *rows);
    int *first = ooze_arena_alloc(c->arena, (size_t)c->material_count, sizeof *first);
    uint16_t *row = ooze_arena_alloc(c->arena, own ? s->n : 0, sizeof *row);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the cauchy step", (size_t)count * sizeof *rows);
    }
    fill_rows(c, rows, first);
    for (uint64_t i = 0; own && i < s->n; i++) {
        int m = s->material[i];
        row[i] = (uint16_t)m;
        if (first[m] >= 0) {
            OozeTemperatureScale scale = ooze_temperature_scale(&c->materials[m]);
            row[i] = (uint16_t)(first[m] + ooze_temperature_scale_row(&scale, c->temperature[i]));
        }
    }
    s->materials = rows;
    s->material = own ? row : s->material;
    return OOZE_OK;
}
