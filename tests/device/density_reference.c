#include "device/density_case.h"

#include <string.h>

#include "methods/density.h"

typedef struct Between {
    uint64_t n;
    float by;
} Between;

static void add_between(void *user, OozeFour *shift)
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
                          .plain = c->plain,
                          .apart = c->apart,
                          .drift = c->drifts ? (OozeFour *)result->drift : NULL,
                          .limit = c->limit,
                          .settled = c->settles ? (OozeFour *)result->settled : NULL,
                          .borne = c->borne,
                          .mobility = c->mobility,
                          .rigid = c->rigid,
                          .ease = c->ease,
                          .bare = c->bare,
                          .start = (const OozeFour *)c->start,
                          .between = c->between != 0.0f ? add_between : NULL,
                          .user = &between,
                          .grid = own->grid,
                          .near = &own->near,
                          .near_walls = &own->near_walls};
    memcpy(result->x, c->x, c->n * sizeof *c->x);
    OozeStatus status =
        ooze_density_solve(&job, (OozeFour *)result->x, (OozeFour *)result->shift, error);
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
