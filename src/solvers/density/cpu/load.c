/* The density stage on the processor, before its iterations: the order of its particles, lists, and
   its arrays. */
#include <math.h>

#include "base/fail.h"
#include "solvers/density/cpu/push_out.h"
#include "solvers/density/density_formula.h"

/* Flags of a chunk: some inverse mass is not 1; some overlap is to be relieved. */
enum { UNEVEN = 1, OVERLAPS = 2 };

static void run(OozeDensitySweep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_DENSITY_GRAIN, body, s);
}

/* An array with an element for each particle, each ghost and the padding; NULL: not wanted. */
static void *array(const OozeDensitySweep *s, bool wanted, size_t size)
{
    return wanted ? ooze_machine_alloc(s->machine, s->machine->local, size) : NULL;
}

static OozeStatus status_of(const OozeDensitySweep *s, OozeError *error)
{
    return ooze_machine_status(s->machine, "the density stage", error);
}

/* ---- order ---- */

/* Positions inside the periodic box, as the grid needs them. */
static void wrap_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    const OozePeriodic *p = &s->job->context->periodic;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x = s->first[i];
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = ooze_periodic_wrap(x[axis], p->min[axis], p->length[axis], p->inverse[axis]);
        }
        x[3] = 0;
        s->first[i] = x;
    }
}

OozeStatus ooze_density_enter(OozeDensitySweep *s, OozeError *error)
{
    run(s, wrap_range);
    return s->ranks ? ooze_density_divide(s, error) : OOZE_OK;
}

static void sort_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->x[k] = s->first[s->order[k]];
    }
}

/* Ghosts of the sorted particles, which the arrays of the stage hold too. */
static OozeStatus find_ghosts(OozeDensitySweep *s, OozeError *error)
{
    OozeHalo *halo = s->job->context->halo;
    const OozeMachineMark mark = ooze_machine_mark(s->machine);
    s->x = ooze_machine_alloc(s->machine, s->job->n, sizeof *s->x);
    OozeStatus status = status_of(s, error);
    if (!status) {
        run(s, sort_range);
        status = ooze_halo_find(halo, &s->job->own->split, (const OozeFloat4 *)s->x, error);
    }
    ooze_machine_rewind(s->machine, mark);
    return status;
}

/* Order and first positions with those of ghosts behind them. The grid's order ends with its next
   sort, which finds the lists. */
static OozeStatus extend_to_ghosts(OozeDensitySweep *s, OozeError *error)
{
    const uint64_t n = s->job->n, local = s->machine->local;
    uint32_t *order = ooze_machine_alloc(s->machine, local, sizeof *order);
    OozeF32x4 *first = ooze_machine_alloc(s->machine, local, sizeof *first);
    OozeStatus status = status_of(s, error);
    if (status) {
        return status;
    }
    ooze_halo_refresh(s->job->context->halo, s->x, sizeof *s->x);
    for (uint64_t k = 0; k < n; k++) {
        order[k] = s->order[k];
        first[k] = s->first[k];
    }
    for (uint64_t k = n; k < local; k++) {
        order[k] = (uint32_t)k;
        first[k] = s->x[k];
    }
    s->order = order;
    s->first = first;
    return OOZE_OK;
}

OozeStatus ooze_density_sort(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    OozeStatus status = ooze_grid_sort(job->own->grid, c->threads, (const OozeFloat4 *)s->first,
                                       job->n, c->support, &c->periodic, error);
    s->order = ooze_grid_order(job->own->grid);
    status = status || !c->halo ? status : find_ghosts(s, error);
    if (status) {
        return status;
    }
    const uint64_t n = s->machine->local = ooze_halo_local(c->halo, job->n);
    s->x =
        job->workspace ? job->workspace : ooze_machine_alloc(s->machine, 3 * n + 2, sizeof *s->x);
    status = status_of(s, error);
    if (status) {
        return status;
    }
    s->x0_lambda = s->x + n + 1;
    s->shift = s->x0_lambda + n + 1;
    run(s, sort_range);
    s->x[n] = ooze_f32x4(0, 0, 0, OOZE_DENSITY_FAR);
    return c->halo ? extend_to_ghosts(s, error) : OOZE_OK;
}

/* Neighbours at the predicted positions. */
OozeStatus ooze_density_find_pairs(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    const OozeFloat4 *x = (const OozeFloat4 *)s->x;
    OozeNeighbourQuery query = {x, job->n, x, c->support, true};
    OozeStatus status =
        c->halo ? ooze_halo_lists(c->halo, &job->own->near, job->own->grid, c->threads, &query,
                                  &c->periodic, error)
                : ooze_neighbours_build(&job->own->near, job->own->grid, c->threads, &query, error);
    s->list = &job->own->near;
    s->walls = &job->own->near_walls;
    s->has_walls = c->boundary->count > 0;
    if (!status && s->has_walls) {
        const OozeNeighbourQuery samples = {x, job->n, c->boundary->position, c->support, false};
        status = ooze_neighbours_build(&job->own->near_walls, c->boundary->grid, c->threads,
                                       &samples, error);
        if (!status) { /* samples may have other neighbours than at the beginning of the step */
            status = ooze_boundary_measure(c->boundary, c->threads, &job->own->near_walls, error);
        }
    }
    return status;
}

/* ---- arrays ---- */

static OozeStatus allocate(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const uint64_t chunks = job->n / OOZE_DENSITY_GRAIN, edges = s->list->first[job->n];
    s->mobility = array(s, true, sizeof *s->mobility);
    s->effective_inverse_mass = job->effective_inverse_mass
                                    ? array(s, true, sizeof *s->effective_inverse_mass)
                                    : s->mobility;
    s->density_target = array(s, job->density_target, sizeof *s->density_target);
    s->rigid = array(s, job->rigid, sizeof *s->rigid);
    s->ignores_boundary = array(s, job->ignores_boundary, sizeof *s->ignores_boundary);
    s->relief_target = array(s, job->position_only_shift, sizeof *s->relief_target);
    s->excess = ooze_machine_alloc(s->machine, chunks, sizeof *s->excess);
    s->sum = ooze_machine_alloc(s->machine, chunks, sizeof *s->sum);
    s->unfinished = ooze_machine_alloc(s->machine, chunks, sizeof *s->unfinished);
    s->chunk_flags = ooze_machine_alloc(s->machine, chunks, sizeof *s->chunk_flags);
    s->inside = ooze_machine_alloc(s->machine, chunks, sizeof *s->inside);
    s->push = ooze_edge_values(job->memory, job->context->arena, edges);
    s->line = job->start ? ooze_machine_alloc(s->machine, edges, sizeof *s->line) : NULL;
    return s->push ? status_of(s, error)
                   : ooze_fail_memory(error, "pairs of the density stage", edges * sizeof *s->push);
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    const OozeDensityJob *job = s->job;
    uint8_t flags = job->effective_inverse_mass ? UNEVEN : 0;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        s->shift[k] = ooze_f32x4(0, 0, 0, 0);
        float first = job->first_multiplier ? job->first_multiplier[i] : 0.0f;
        s->multiplier[k] = (OozeProjectedMultiplier){first, first};
        s->mobility[k] = job->mobility ? job->mobility[i] : 1.0f;
        flags |= s->mobility[k] != 1.0f ? UNEVEN : 0;
        if (job->effective_inverse_mass) {
            s->effective_inverse_mass[k] = job->effective_inverse_mass[i];
        }
        if (job->rigid) {
            s->rigid[k] = job->rigid[i];
        }
        if (job->ignores_boundary) {
            s->ignores_boundary[k] = job->ignores_boundary[i];
        }
        if (job->density_target) {
            s->density_target[k] = job->density_target[i];
        }
        if (job->position_only_shift) {
            s->relief_target[k] = ooze_relief_target(job->load_excess[i]);
            flags |= isfinite(s->relief_target[k]) ? OVERLAPS : 0;
        }
        if (job->start) {
            s->x0_lambda[k] = job->start[i];
            s->x0_lambda[k][3] = 0;
        }
    }
    s->chunk_flags[begin / OOZE_DENSITY_GRAIN] = flags;
}

static void refresh_ghosts(OozeDensitySweep *s)
{
    OozeHalo *halo = s->job->context->halo;
    ooze_halo_refresh(halo, s->x0_lambda, sizeof *s->x0_lambda);
    ooze_halo_refresh(halo, s->mobility, sizeof *s->mobility);
    if (s->effective_inverse_mass != s->mobility) {
        ooze_halo_refresh(halo, s->effective_inverse_mass, sizeof *s->effective_inverse_mass);
    }
    if (s->rigid) {
        ooze_halo_refresh(halo, s->rigid, sizeof *s->rigid);
    }
}

/* Sets particle n of the arrays, the padding of lists, to weight 0. */
static void pad(OozeDensitySweep *s)
{
    const uint64_t n = s->machine->local;
    s->x0_lambda[n] = ooze_f32x4(0, 0, 0, 0);
    s->mobility[n] = s->effective_inverse_mass[n] = 0.0f;
    if (s->rigid) {
        s->rigid[n] = 0;
    }
}

/* Of all chunks. */
static uint8_t all_flags(const OozeDensitySweep *s)
{
    uint8_t flags = 0;
    for (uint64_t k = 0; k * OOZE_DENSITY_GRAIN < s->job->n; k++) {
        flags |= s->chunk_flags[k];
    }
    return flags;
}

OozeStatus ooze_density_load(OozeDensitySweep *s, OozeError *error)
{
    OozeHalo *halo = s->job->context->halo;
    OozeStatus status = allocate(s, error);
    if (status) {
        return status;
    }
    run(s, load_range);
    if (halo) {
        refresh_ghosts(s);
    }
    pad(s);
    const uint8_t flags = all_flags(s);
    s->even = !ooze_halo_any(halo, flags & UNEVEN);
    s->any_overlap = flags & OVERLAPS;
    if (s->line) {
        run(s, ooze_density_loops()->lines);
    }
    return ooze_push_out_begin(s->contacts, s, error);
}
