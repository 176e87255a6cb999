/* Rows of material numbers: one a material, then those of temperature tables. */
#include "base/fail.h"
#include "methods/cauchy/constants.h"

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

static void fill_rows(const OozeStepContext *c, OozeCauchyRows *rows)
{
    int next = c->material_count;
    for (int m = 0; m < c->material_count; m++) {
        const OozeMaterial *material = &c->materials[m];
        rows->materials[m] = ooze_cauchy_material(c, material);
        if (rows->tables) {
            rows->tables[m] = (OozeCauchyTable){.first = -1};
        }
        if (has_table(c, m)) {
            OozeTemperatureScale scale = ooze_temperature_scale(material);
            rows->tables[m] = (OozeCauchyTable){next, scale};
            for (int k = 0; k < OOZE_TEMPERATURE_ROWS; k++) {
                OozeMaterial at = ooze_temperature_scale_material(&scale, material, k);
                rows->materials[next++] = ooze_cauchy_material(c, &at);
            }
        }
    }
}

OozeStatus ooze_cauchy_rows(const OozeStepContext *c, OozeCauchyRows *rows, OozeError *error)
{
    int count = row_count(c);
    bool own = count > c->material_count;
    if (count > UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer materials with temperature tables",
                         "materials that depend on temperature need %d rows; %d are possible",
                         count, UINT16_MAX);
    }
    rows->count = count;
    rows->materials = ooze_arena_alloc(c->arena, (size_t)count, sizeof *rows->materials);
    rows->tables =
        own ? ooze_arena_alloc(c->arena, (size_t)c->material_count, sizeof *rows->tables) : NULL;
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the cauchy step", (size_t)count * sizeof *rows->materials);
    }
    fill_rows(c, rows);
    return OOZE_OK;
}
