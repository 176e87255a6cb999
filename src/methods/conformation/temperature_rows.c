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
    return (OozeTemperatureRows){.fluid = first,
                                 .soft = bodies ? first + OOZE_TEMPERATURE_ROWS : -1,
                                 .scale = ooze_temperature_scale(material)};
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
            OozeMaterial at = ooze_temperature_scale_material(&rows[m].scale, material, k);
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
