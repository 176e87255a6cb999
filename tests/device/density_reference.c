#include "device/density_case.h"

#include <string.h>

#include "solvers/density/density.h"
#include "solvers/density/density_formula.h"

typedef struct Between {
    uint64_t n;
    float by;
} Between;

static void add_between(void *user, OozeF32x4 *shift)
{
    const Between *between = user;
    for (uint64_t i = 0; i < between->n; i += 3) {
        shift[i][0] += between->by;
    }
}

static OozeStatus solve(const DensityCase *c, OozeDensityMemory *own, DensityResult *result,
                        OozeError *error)
{
    OozeStepContext context = c->context;
    OozeStepReport report = ooze_step_report_none();
    context.report = &report;
    Between between = {c->n, c->between};
    OozeDensityJob job = {.context = &context,
                          .n = c->n,
                          .support = c->support,
                          .volume = c->volume,
                          .wall_scale = c->wall_scale,
                          .contact = c->contact,
                          .iterations = c->iterations,
                          .tolerance = c->tolerance,
                          .mean_tolerance = c->mean_tolerance,
                          .min_distance = c->min_distance,
                          .drift_share = OOZE_DRIFT_SHARE,
                          .drift = c->drifts ? (OozeF32x4 *)result->drift : NULL,
                          .density_target = c->density_target,
                          .position_only_shift =
                              c->relieves ? (OozeF32x4 *)result->position_only_shift : NULL,
                          .load_excess = c->load_excess,
                          .mobility = c->mobility,
                          .rigid = c->rigid,
                          .effective_inverse_mass = c->effective_inverse_mass,
                          .ignores_boundary = c->ignores_boundary,
                          .multiplier = result->multiplier,
                          .first_multiplier = c->first_multiplier,
                          .start = (const OozeF32x4 *)c->start,
                          .between = c->between != 0.0f ? add_between : NULL,
                          .user = &between,
                          .own = own};
    memcpy(result->x, c->x, c->n * sizeof *c->x);
    OozeStatus status =
        ooze_density_solve(&job, (OozeF32x4 *)result->x, (OozeF32x4 *)result->shift, error);
    result->worst = report.worst_density_error;
    result->mean = report.mean_density_error;
    return status;
}

OozeStatus density_reference(const DensityCase *c, DensityResult *result, OozeError *error)
{
    void *memory = NULL;
    OozeStatus status = ooze_density_memory_create(&memory, error);
    if (!status) {
        status = solve(c, memory, result, error);
    }
    ooze_density_memory_destroy(memory);
    return status;
}
