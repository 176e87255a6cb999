/* Materials whose numbers depend on temperature: a row of rheology for each of many
   temperatures, so that loops over particles need no branch. */
#include "base/fail.h"
#include "methods/conformation/step.h"

int ooze_temperature_row_count(const OozeStepContext *c)
{
    int count = 0, kinds = c->body_count ? 2 : 1;
    for (int m = 0; c->temperature && m < c->material_count; m++) {
        count += c->materials[m].table_count > 0 ? kinds * OOZE_TEMPERATURE_ROWS : 0;
    }
    return count;
}

static OozeTemperatureRows rows_of(const OozeMaterial *material, int first, bool bodies)
{
    double low = material->table[0].temperature;
    double width = material->table[material->table_count - 1].temperature - low;
    return (OozeTemperatureRows){
        .fluid = first,
        .soft = bodies ? first + OOZE_TEMPERATURE_ROWS : -1,
        .low = low,
        .rows_per_degree = width > 0.0 ? (OOZE_TEMPERATURE_ROWS - 1) / width : 0.0,
    };
}

OozeStatus ooze_temperature_rows_plan(const OozeStepContext *c, OozeConformationPlan *plan,
                                      int first, const OozeRheologyRecipe *recipe, OozeError *error)
{
    OozeTemperatureRows *rows = ooze_arena_alloc(c->arena, (size_t)c->material_count, sizeof *rows);
    bool bodies = c->body_count > 0;
    if (!rows) {
        return ooze_fail_memory(error, "the conformation step", sizeof *rows);
    }
    for (int m = 0; m < c->material_count; m++) {
        const OozeMaterial *material = &c->materials[m];
        rows[m] = (OozeTemperatureRows){.fluid = -1, .soft = -1};
        if (material->table_count == 0) {
            continue;
        }
        rows[m] = rows_of(material, first, bodies);
        first += (bodies ? 2 : 1) * OOZE_TEMPERATURE_ROWS;
        for (int k = 0; k < OOZE_TEMPERATURE_ROWS; k++) {
            double step = rows[m].rows_per_degree > 0.0 ? k / rows[m].rows_per_degree : 0.0;
            OozeMaterial at = ooze_material_at(material, rows[m].low + step);
            plan->rheology[rows[m].fluid + k] = ooze_rheology(c, &at, recipe);
            if (bodies) {
                plan->rheology[rows[m].soft + k] =
                    ooze_body_rheology(c, &at, recipe, OOZE_BODY_SOFT);
            }
        }
    }
    plan->temperature_rows = rows;
    return OOZE_OK;
}

static int level_of(const OozeTemperatureRows *rows, double temperature)
{
    double level = (temperature - rows->low) * rows->rows_per_degree + 0.5;
    if (!(level > 0.0)) {
        return 0;
    }
    return level < OOZE_TEMPERATURE_ROWS ? (int)level : OOZE_TEMPERATURE_ROWS - 1;
}

int ooze_temperature_row(const OozeTemperatureRows *rows, OozeBodyKind kind, double temperature,
                         int otherwise)
{
    int first = kind == OOZE_BODY_FLUID ? rows->fluid : kind == OOZE_BODY_SOFT ? rows->soft : -1;
    return first < 0 ? otherwise : first + level_of(rows, temperature);
}
