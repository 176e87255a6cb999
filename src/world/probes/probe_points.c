#include "world/probes/probe_points.h"

#include <stdatomic.h>

#include "base/fail.h"
#include "base/memory.h"
#include "particles/components_formula.h"

typedef struct Gather {
    const OozeProbeView *view;
    OozeFloat4 *points;
    _Atomic bool broken; /* a coordinate is not finite */
} Gather;

static void gather_one(void *context, uint64_t i, uint64_t place)
{
    Gather *job = context;
    const OozePeriodic *periodic = &job->view->context->periodic;
    const float *x = job->view->position + i * job->view->position_stride;
    float wrapped[3];
    for (int k = 0; k < 3; k++) {
        wrapped[k] =
            ooze_periodic_wrap(x[k], periodic->min[k], periodic->length[k], periodic->inverse[k]);
        if (!isfinite(x[k]) || !isfinite(wrapped[k])) {
            atomic_store(&job->broken, true);
        }
    }
    job->points[place] = (OozeFloat4){wrapped[0], wrapped[1], wrapped[2], 0.0f};
}

OozeStatus ooze_probe_gather(const OozeProbeView *view, bool all, OozeFloat4 **points, uint64_t *n,
                             bool *finite, OozeError *error)
{
    *finite = true;
    *n = 0;
    *points = NULL;
    if (view->count > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "measure fewer particles",
                         "probe '%s' sees %llu particles; neighbours work up to %llu",
                         view->probe->def.name, (unsigned long long)view->count,
                         (unsigned long long)OOZE_PARTICLES_MAX);
    }
    OozeFloat4 *list = ooze_alloc(view->count, sizeof *list);
    if (!list) {
        return ooze_fail_memory(error, "the positions a probe sees", view->count * sizeof *list);
    }
    Gather job = {.view = view, .points = list};
    OozeStatus status = ooze_probe_each(view, all, gather_one, &job, n, error);
    *finite = !atomic_load(&job.broken);
    *points = list;
    return status;
}

void ooze_probe_points_free(OozeProbePoints *sorted)
{
    ooze_grid_destroy(sorted->grid);
    ooze_neighbours_free(&sorted->lists);
    ooze_free(sorted->points);
}

typedef struct Reorder {
    const OozeFloat4 *from;
    const uint32_t *order;
    OozeFloat4 *to;
} Reorder;

static void reorder(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Reorder *job = context;
    for (uint64_t i = begin; i < end; i++) {
        job->to[i] = job->from[job->order[i]];
    }
}

OozeStatus ooze_probe_points_sort(OozeProbePoints *sorted, const OozeProbeView *view,
                                  const OozeFloat4 *points, uint64_t n, double cell,
                                  OozeError *error)
{
    *sorted = (OozeProbePoints){.n = n};
    sorted->grid = ooze_grid_create();
    sorted->points = ooze_alloc(n, sizeof *sorted->points);
    if (!sorted->grid || !sorted->points) {
        return ooze_fail_memory(error, "the cell grid of a probe", n * sizeof *sorted->points);
    }
    OozeStatus status = ooze_grid_sort(sorted->grid, view->context->threads, points, n, cell,
                                       &view->context->periodic, error);
    if (!status) {
        Reorder job = {points, ooze_grid_order(sorted->grid), sorted->points};
        ooze_parallel_for(view->context->threads, n, 4096, reorder, &job);
    }
    return status;
}

OozeStatus ooze_probe_points_find(OozeProbePoints *sorted, const OozeProbeView *view,
                                  const OozeFloat4 *points, uint64_t n, double radius,
                                  OozeError *error)
{
    return ooze_neighbours_build(&sorted->lists, sorted->grid, view->context->threads,
                                 &(OozeNeighbourQuery){points, n, sorted->points, radius, false},
                                 error);
}

/* ---- components ------------------------------------------------------------------------- */

enum { GRAIN = 1024 };

typedef struct Join {
    const OozeNeighbours *lists;
    uint64_t begin; /* of the block */
    OozeParent *parent;
} Join;

static void join_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Join *job = context;
    const OozeNeighbours *lists = job->lists;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t self = (uint32_t)(job->begin + i);
        for (uint64_t k = lists->first[i]; k < lists->first[i] + lists->count[i]; k++) {
            if (lists->index[k] < self) {
                ooze_component_join(job->parent, self, lists->index[k]);
            }
        }
    }
}

static OozeStatus join_all(OozeProbePoints *sorted, const OozeProbeView *view, double link,
                           OozeParent *parent, OozeError *error)
{
    for (uint64_t i = 0; i < sorted->n; i++) {
        ooze_parent_set(parent, (uint32_t)i, (uint32_t)i);
    }
    for (uint64_t begin = 0; begin < sorted->n; begin += OOZE_PROBE_LIST_BLOCK) {
        uint64_t size = ooze_probe_block_size(sorted->n, begin);
        OozeStatus status =
            ooze_probe_points_find(sorted, view, sorted->points + begin, size, link, error);
        if (status) {
            return status;
        }
        Join job = {&sorted->lists, begin, parent};
        ooze_parallel_for(view->context->threads, size, GRAIN, join_range, &job);
    }
    return OOZE_OK;
}

OozeStatus ooze_probe_find_components(const OozeProbeView *view, const OozeFloat4 *points,
                                      uint64_t n, uint32_t *root, OozeError *error)
{
    OozeProbePoints sorted = {0};
    double link = view->probe->def.link_length * view->spacing;
    OozeParent *parent = ooze_alloc(n, sizeof *parent);
    OozeStatus status = parent ? ooze_probe_points_sort(&sorted, view, points, n, link, error)
                               : ooze_fail_memory(error, "components", n * sizeof *parent);
    status = status ? status : join_all(&sorted, view, link, parent, error);
    if (!status) {
        const uint32_t *order = ooze_grid_order(sorted.grid);
        for (uint64_t i = 0; i < n; i++) {
            root[order[i]] = order[ooze_component_root(parent, (uint32_t)i)];
        }
    }
    ooze_probe_points_free(&sorted);
    ooze_free(parent);
    return status;
}
