/* Materials whose numbers depend on temperature: a row of rheology for each of many temperatures, so that the loops
   stay those of any material. */
#include "base/fail.h"
#include "methods/conformation/workspace.h"

int ooze_warm_row_count(const OozeStepContext *c)
{
    int count = 0, kinds = c->body_count ? 2 : 1;
    for (int m = 0; c->temperature && m < c->material_count; m++) {
        count += c->materials[m].table_count > 0 ? kinds * OOZE_WARM_ROWS : 0;
    }
    return count;
}

static OozeWarmRows rows_of(const OozeMaterial *material, int first, bool bodies)
{
    double low = material->table[0].temperature;
    double width = material->table[material->table_count - 1].temperature - low;
    return (OozeWarmRows){
        .fluid = first,
        .soft = bodies ? first + OOZE_WARM_ROWS : -1,
        .low = low,
        .rows_per_degree = width > 0.0 ? (OOZE_WARM_ROWS - 1) / width : 0.0,
    };
}

OozeStatus ooze_warm_rows_plan(const OozeStepContext *c, OozeConformationPlan *plan, int first,
                               const OozeWarmRecipe *recipe, OozeError *error)
{
    OozeWarmRows *warm = ooze_arena_alloc(c->arena, (size_t)c->material_count, sizeof *warm);
    bool bodies = c->body_count > 0;
    if (!warm) {
        return ooze_fail_memory(error, "the conformation step", sizeof *warm);
    }
    for (int m = 0; m < c->material_count; m++) {
        const OozeMaterial *material = &c->materials[m];
        warm[m] = (OozeWarmRows){.fluid = -1, .soft = -1};
        if (material->table_count == 0) {
            continue;
        }
        warm[m] = rows_of(material, first, bodies);
        first += (bodies ? 2 : 1) * OOZE_WARM_ROWS;
        for (int k = 0; k < OOZE_WARM_ROWS; k++) {
            double step = warm[m].rows_per_degree > 0.0 ? k / warm[m].rows_per_degree : 0.0;
            OozeMaterial at = ooze_material_at(material, warm[m].low + step);
            OozeRheology *row = &plan->rheology[warm[m].fluid + k];
            *row = ooze_rheology(c, &at, recipe->reference, recipe->hourglass, recipe->reach);
            plan->any_tension = plan->any_tension || row->tension > 0.0f;
            if (bodies) {
                plan->rheology[warm[m].soft + k] = ooze_body_rheology(
                    c, &at, recipe->reference, recipe->hourglass, OOZE_BODY_SOFT);
            }
        }
    }
    plan->warm = warm;
    return OOZE_OK;
}

static int level_of(const OozeWarmRows *warm, double temperature)
{
    double level = (temperature - warm->low) * warm->rows_per_degree + 0.5;
    if (!(level > 0.0)) {
        return 0;
    }
    return level < OOZE_WARM_ROWS ? (int)level : OOZE_WARM_ROWS - 1;
}

int ooze_warm_row(const OozeWarmRows *warm, OozeBodyKind kind, double temperature, int otherwise)
{
    int first = kind == OOZE_BODY_FLUID ? warm->fluid : kind == OOZE_BODY_SOFT ? warm->soft : -1;
    return first < 0 ? otherwise : first + level_of(warm, temperature);
}
