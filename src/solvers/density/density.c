#include "solvers/density/density.h"

#include <math.h>

#include "base/fail.h"
#include "solvers/density/density_formula.h"
#include "solvers/density/density_solids.h"
#include "solvers/density/push_out.h"

/* Flags of a chunk: some inverse mass is not 1; some overlap is to be relieved. */
enum { UNEVEN = 1, OVERLAPS = 2 };

OozeStatus ooze_density_memory_create(void **memory, OozeError *error)
{
    OozeDensityMemory *own = ooze_alloc_zero(1, sizeof *own);
    if (own) {
        own->grid = ooze_grid_create();
    }
    if (!own || !own->grid) {
        ooze_free(own);
        return ooze_fail_memory(error, "the density stage", sizeof *own);
    }
    *memory = own;
    return OOZE_OK;
}

void ooze_density_memory_destroy(void *memory)
{
    OozeDensityMemory *own = memory;
    if (own) {
        ooze_grid_destroy(own->grid);
        ooze_neighbours_free(&own->near);
        ooze_neighbours_free(&own->near_walls);
        ooze_split_free(&own->split);
        ooze_halo_destroy(own->halo);
        ooze_free(own);
    }
}

uint64_t ooze_density_memory_bytes(const void *memory)
{
    const OozeDensityMemory *own = memory;
    return ooze_grid_bytes(own->grid) + ooze_neighbours_bytes(&own->near) +
           ooze_neighbours_bytes(&own->near_walls) + ooze_split_bytes(&own->split) +
           ooze_halo_bytes(own->halo);
}

/* Largest density beyond rest at the last sweep, before its correction. */
static float worst_excess(const OozeDensitySweep *s)
{
    float worst = 0.0f;
    for (uint64_t k = 0; k * OOZE_DENSITY_GRAIN < s->job->n; k++) {
        worst = s->excess[k] > worst ? s->excess[k] : worst;
    }
    double all = (double)worst;
    ooze_halo_max(s->job->context->halo, &all, 1);
    return (float)all;
}

/* Whether the mean ends the iterations, at the last sweep before its correction. */
static bool mean_is_reached(const OozeDensitySweep *s)
{
    const OozeDensityJob *job = s->job;
    OozeHalo *halo = job->context->halo;
    return job->mean_tolerance > 0.0f && !job->between &&
           ooze_halo_sum(halo, s->unfinished, job->n, OOZE_DENSITY_GRAIN) <=
               (double)job->mean_tolerance * (double)ooze_halo_all(halo, job->n);
}

static void report_excess(const OozeDensitySweep *s, float worst)
{
    OozeStepReport *report = s->job->context->report;
    OozeHalo *halo = s->job->context->halo;
    uint64_t n = s->job->n;
    report->worst_density_error = (double)worst;
    report->mean_density_error =
        ooze_halo_sum(halo, s->sum, n, OOZE_DENSITY_GRAIN) / (double)ooze_halo_all(halo, n);
}

/* Moves a particle along the axes of its thread or sheet to an even distance from its neighbours.
   Returns the shift. */
static OozeF32x4 regularise_thread(const OozeDensitySweep *s, uint64_t i)
{
    const OozeDensityJob *job = s->job;
    const OozeSym3 axes = job->thread_regularisation[s->order[i]];
    OozeF32x4 sum = {0}, shift = {0};
    if (axes.xx + axes.yy + axes.zz > 0.0f) {
        for (uint64_t e = s->list->first[i], last = e + s->list->count[i]; e < last; e++) {
            OozeF32x4 d =
                ooze_f32x4_nearest(s->x[i] - s->x[s->list->index[e]], &job->context->periodic);
            float r = sqrtf(ooze_f32x4_dot3(d, d));
            sum += d * (r > 0.0f ? ooze_thread_regularisation_weight(r, job->support) : 0.0f);
        }
        ooze_sym3_apply(axes, (const float *)&sum, (float *)&shift);
    }
    return shift;
}

static void drift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    const OozeDensityJob *job = s->job;
    float near2 = job->min_distance * job->min_distance,
          limit = ooze_drift_limit(job->min_distance);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x = s->x[i], drift = {0};
        for (uint64_t e = s->list->first[i], last = e + s->list->count[i]; e < last; e++) {
            OozeF32x4 d = ooze_f32x4_nearest(x - s->x[s->list->index[e]], &job->context->periodic);
            float r2 = ooze_f32x4_dot3(d, d);
            if (r2 < near2 && r2 > 0.0f) {
                float r = sqrtf(r2);
                drift += d * (job->drift_share * (job->min_distance - r) / r);
            }
        }
        if (job->thread_regularisation) {
            drift += regularise_thread(s, i);
        }
        drift *= s->mobility[i] > 0.0f && !ooze_density_is_rigid(s, i) ? 1.0f : 0.0f;
        drift[3] = 0;
        float length = sqrtf(ooze_f32x4_dot3(drift, drift));
        s->x0_lambda[i] = drift * ooze_shortened(length, limit);
    }
}

/* ---- between the order of the caller and that of the stage ---- */

typedef struct Transfer {
    OozeDensitySweep *sweep;
    OozeF32x4 *x, *shift; /* in the caller's order */
    const uint32_t *order;
} Transfer;

/* Positions inside the periodic box, as the grid needs them. */
typedef struct Wrap {
    const OozePeriodic *periodic;
    OozeF32x4 *x;
} Wrap;

static void wrap_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Wrap *wrap = data;
    const OozePeriodic *p = wrap->periodic;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x = wrap->x[i];
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = ooze_periodic_wrap(x[axis], p->min[axis], p->length[axis], p->inverse[axis]);
        }
        x[3] = 0;
        wrap->x[i] = x;
    }
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Transfer *transfer = data;
    OozeDensitySweep *s = transfer->sweep;
    const OozeDensityJob *job = s->job;
    uint8_t flags = job->effective_inverse_mass ? UNEVEN : 0;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = transfer->order[k];
        s->x[k] = transfer->x[i];
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
            s->relief_target[k] = 1.0f + job->load_excess[i];
            flags |= isfinite(s->relief_target[k]) ? OVERLAPS : 0;
        }
        if (job->start) {
            s->x0_lambda[k] = job->start[i];
            s->x0_lambda[k][3] = 0;
        }
    }
    s->chunk_flags[begin / OOZE_DENSITY_GRAIN] = flags;
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Transfer *transfer = data;
    OozeDensitySweep *s = transfer->sweep;
    for (uint64_t k = begin; k < end; k++) {
        transfer->shift[transfer->order[k]] = s->shift[k];
        if (s->job->drift) {
            s->job->drift[transfer->order[k]] = s->x0_lambda[k];
        }
        if (s->relieving) {
            s->job->position_only_shift[transfer->order[k]] = s->position_only_shift[k];
        }
    }
}

static void run(const OozeDensitySweep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_DENSITY_GRAIN, body, data);
}

static void export_shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Transfer *transfer = data;
    for (uint64_t k = begin; k < end; k++) {
        transfer->shift[transfer->order[k]] = transfer->sweep->shift[k];
    }
}

static void import_shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Transfer *transfer = data;
    OozeDensitySweep *s = transfer->sweep;
    for (uint64_t k = begin; k < end; k++) {
        OozeF32x4 now = transfer->shift[transfer->order[k]];
        s->x[k] += now - s->shift[k];
        s->x[k][3] = 0;
        s->shift[k] = now;
    }
}

/* Copies shifts to the order of the caller, and back after the call. */
static void call_between(Transfer *transfer)
{
    const OozeDensitySweep *s = transfer->sweep;
    run(s, export_shift_range, transfer);
    s->job->between(s->job->user, transfer->shift);
    run(s, import_shift_range, transfer);
}

/* ---- the stage ---- */

static OozeStatus allocate(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    OozeArena *arena = job->context->arena;
    uint64_t n = ooze_halo_local(job->context->halo, job->n) + 1, start = job->start ? n : 0,
             position_only_shift = job->position_only_shift ? n : 0;
    OozeF32x4 *workspace =
        job->workspace ? job->workspace : ooze_arena_alloc(arena, 3 * n, sizeof *workspace);
    s->x = workspace;
    s->x0_lambda = workspace ? workspace + n : NULL;
    s->shift = workspace ? workspace + 2 * n : NULL;
    s->mobility = ooze_arena_alloc(arena, n, sizeof *s->mobility);
    s->multiplier = ooze_arena_alloc(arena, n, sizeof *s->multiplier);
    s->excess = ooze_arena_alloc(arena, n / OOZE_DENSITY_GRAIN + 1, sizeof *s->excess);
    s->sum = ooze_arena_alloc(arena, n / OOZE_DENSITY_GRAIN + 1, sizeof *s->sum);
    s->unfinished = ooze_arena_alloc(arena, n / OOZE_DENSITY_GRAIN + 1, sizeof *s->unfinished);
    s->density_target =
        ooze_arena_alloc(arena, job->density_target ? n : 0, sizeof *s->density_target);
    s->effective_inverse_mass = job->effective_inverse_mass
                                    ? ooze_arena_alloc(arena, n, sizeof *s->effective_inverse_mass)
                                    : s->mobility;
    s->rigid = ooze_arena_alloc(arena, job->rigid ? n : 0, sizeof *s->rigid);
    s->ignores_boundary =
        ooze_arena_alloc(arena, job->ignores_boundary ? n : 0, sizeof *s->ignores_boundary);
    s->pair_flags = ooze_arena_alloc(arena, start, sizeof *s->pair_flags);
    s->relief_target = ooze_arena_alloc(arena, position_only_shift, sizeof *s->relief_target);
    s->chunk_flags = ooze_arena_alloc(arena, n / OOZE_DENSITY_GRAIN + 1, sizeof *s->chunk_flags);
    s->inside = ooze_arena_alloc(arena, n / OOZE_DENSITY_GRAIN + 1, sizeof *s->inside);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the density stage", n * 5 * sizeof *s->x);
    }
    s->density_target = job->density_target ? s->density_target : NULL;
    s->rigid = job->rigid ? s->rigid : NULL;
    s->ignores_boundary = job->ignores_boundary ? s->ignores_boundary : NULL;
    return OOZE_OK;
}

/* Sets particle n of the arrays, the padding of lists, to weight 0. */
static void pad(OozeDensitySweep *s)
{
    uint64_t n = ooze_halo_local(s->job->context->halo, s->job->n);
    s->x[n] = ooze_f32x4(0, 0, 0, OOZE_DENSITY_FAR);
    s->x0_lambda[n] = ooze_f32x4(0, 0, 0, 0);
    s->mobility[n] = s->effective_inverse_mass[n] = 0.0f;
    if (s->rigid) {
        s->rigid[n] = 0;
    }
}

/* Neighbours at the predicted positions, and arrays of one element a pair. */
static OozeStatus find_pairs(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    const OozeFloat4 *x = (const OozeFloat4 *)s->x;
    OozeNeighbourQuery query = {x, job->n, x, c->support, true};
    OozeStatus status =
        c->halo ? ooze_halo_lists(c->halo, &job->own->near, job->own->grid, c->threads, &query,
                                  &c->periodic, error)
                : ooze_neighbours_build(&job->own->near, job->own->grid, c->threads, &query, error);
    if (!status && c->boundary->count) {
        status =
            ooze_neighbours_build(&job->own->near_walls, c->boundary->grid, c->threads,
                                  &(OozeNeighbourQuery){(const OozeFloat4 *)s->x, job->n,
                                                        c->boundary->position, c->support, false},
                                  error);
        if (!status) { /* samples may have other neighbours than at the beginning of the step */
            status = ooze_boundary_measure(c->boundary, c->threads, &job->own->near_walls, error);
        }
    }
    if (status) {
        return status;
    }
    uint64_t edges = s->list->first[job->n];
    uint64_t near_walls = c->boundary->count ? job->n : 0;
    s->push = ooze_edge_values(job->memory, c->arena, edges);
    s->line = ooze_arena_alloc(c->arena, job->start ? edges : 0, sizeof *s->line);
    s->wall_push = ooze_arena_alloc(c->arena, near_walls, sizeof *s->wall_push);
    if (!s->push || ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "pairs of the density stage", edges * 2 * sizeof *s->push);
    }
    s->line = job->start ? s->line : NULL;
    return OOZE_OK;
}

/* Of the own particles. */
static bool any_flag(const OozeDensitySweep *s, uint8_t what)
{
    uint8_t flags = 0;
    for (uint64_t k = 0; k * OOZE_DENSITY_GRAIN < s->job->n; k++) {
        flags |= s->chunk_flags[k];
    }
    return flags & what;
}

static bool any_inside(const OozeDensitySweep *s)
{
    bool any = false;
    bool solids = s->job->context->solid_count > 0;
    for (uint64_t k = 0; solids && k * OOZE_DENSITY_GRAIN < s->job->n && !any; k++) {
        any = s->inside[k] != 0;
    }
    return any;
}

static void store_multipliers_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->job->multiplier[s->order[k]] = s->multiplier[k].extrapolated;
    }
}

static void relief_begin_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->position_only_shift[k] = s->shift[k];
        s->multiplier[k] = (OozeProjectedMultiplier){0, 0};
    }
}

static void relief_end_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    float limit = ooze_position_only_limit(s->job->support);
    for (uint64_t k = begin; k < end; k++) {
        OozeF32x4 move = s->shift[k] - s->position_only_shift[k];
        float length = sqrtf(ooze_f32x4_dot3(move, move));
        move *= ooze_density_is_rigid(s, k) ? 0.0f : 1.0f;
        s->shift[k] = s->position_only_shift[k];
        s->position_only_shift[k] = move * ooze_shortened(length, limit);
    }
}

/* A loop that reads `data` at neighbours. */
static void refresh_and_run(OozeDensitySweep *s, OozeF32x4 *data, OozeRangeBody body)
{
    const OozeStepContext *c = s->job->context;
    OozeHaloLoop loop = {c->threads, s->job->n, OOZE_DENSITY_GRAIN, body, s};
    ooze_halo_refresh_during(c->halo, data, sizeof *data, &loop);
}

static void find_multipliers(OozeDensitySweep *s)
{
    refresh_and_run(s, s->x, ooze_density_loops()->multipliers);
}

static void correct(OozeDensitySweep *s)
{
    refresh_and_run(s, s->x0_lambda, ooze_density_loops()->corrections);
}

/* Position-only shifts: relieve overlaps down to 1 + load_excess, and move particles out of
   solids. */
static OozeStatus relieve(OozeDensitySweep *s, OozePushOut *out, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    double found[2] = {any_flag(s, OVERLAPS), any_inside(s)};
    ooze_halo_max(job->context->halo, found, 2);
    int iterations = found[0] > 0.0 ? OOZE_RELIEF_ITERATIONS : 0;
    if (iterations == 0 && !(found[1] > 0.0)) {
        return OOZE_OK;
    }
    float *target = s->density_target;
    s->position_only_shift =
        ooze_arena_alloc(job->context->arena, job->n, sizeof *s->position_only_shift);
    if (!s->position_only_shift) {
        return ooze_fail_memory(error, "relief of overlaps",
                                job->n * sizeof *s->position_only_shift);
    }
    run(s, relief_begin_range, s);
    s->relieving = true;
    s->solid_diagonal = NULL; /* dynamic solids no longer move */
    s->density_target = s->relief_target;
    s->momentum = 0.0f;
    for (int k = 0; k < iterations; k++) {
        find_multipliers(s);
        correct(s);
    }
    ooze_push_out(out);
    s->density_target = target;
    run(s, relief_end_range, s);
    return OOZE_OK;
}

static OozeStatus iterate(Transfer *transfer, OozePushOut *out, OozeError *error)
{
    OozeDensitySweep *s = transfer->sweep;
    const OozeDensityJob *job = s->job;
    OozeStepTimer *timer = job->context->timer;
    OozeStatus status = OOZE_OK;
    if (s->line) {
        run(s, ooze_density_loops()->lines, s);
        ooze_timer_lap(timer, "density_lines");
    }
    float worst = INFINITY;
    bool reached = false;
    for (int k = 0; k < job->iterations && worst > job->tolerance && !reached; k++) {
        s->momentum = ooze_projected_momentum(k, job->iterations);
        ooze_density_solid_diagonals(s);
        find_multipliers(s);
        ooze_timer_lap(timer, "density_multipliers");
        ooze_density_push_solids(s);
        correct(s);
        ooze_density_move_solids(s);
        ooze_timer_lap(timer, "density_corrections");
        if (job->between) {
            call_between(transfer);
            ooze_timer_lap(timer, job->rigid ? "rest" : "conformation_sweep");
        }
        ooze_push_out(out);
        ooze_density_move_solids(s);
        ooze_timer_lap(timer, "push_out");
        worst = job->between && k + 1 < job->iterations ? INFINITY : worst_excess(s);
        reached = mean_is_reached(s);
    }
    if (job->iterations > 0 && ooze_halo_all(job->context->halo, job->n) > 0) {
        report_excess(s, worst);
    }
    if (job->multiplier) {
        run(s, store_multipliers_range, s);
    }
    if (job->iterations > 0 && job->position_only_shift) {
        status = relieve(s, out, error);
        ooze_timer_lap(timer, "settling");
    }
    if (job->drift && !status) {
        ooze_halo_refresh(job->context->halo, s->x, sizeof *s->x);
        run(s, drift_range, s);
        ooze_timer_lap(timer, "drift");
    }
    return status;
}

/* Ghosts of the sorted particles, which the arrays of the stage hold too. */
static OozeStatus find_ghosts(const OozeDensityJob *job, const OozeF32x4 *x, OozeError *error)
{
    const OozeStepContext *c = job->context;
    const uint32_t *order = ooze_grid_order(job->own->grid);
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    OozeF32x4 *sorted = ooze_arena_alloc(c->arena, job->n, sizeof *sorted);
    if (!sorted) {
        return ooze_fail_memory(error, "the density stage", job->n * sizeof *sorted);
    }
    for (uint64_t k = 0; k < job->n; k++) {
        sorted[k] = x[order[k]];
    }
    OozeStatus status =
        ooze_halo_find(c->halo, &job->own->split, (const OozeFloat4 *)sorted, error);
    ooze_arena_rewind(c->arena, mark);
    return status;
}

/* Order and first positions with those of ghosts behind them. The grid's order ends with its next
   sort, which finds the lists. */
static OozeStatus extend_to_ghosts(OozeDensitySweep *s, const OozeF32x4 *x, OozeError *error)
{
    const OozeStepContext *c = s->job->context;
    uint64_t n = s->job->n, local = ooze_halo_local(c->halo, n);
    uint32_t *order = ooze_arena_alloc(c->arena, local, sizeof *order);
    OozeF32x4 *first = ooze_arena_alloc(c->arena, local, sizeof *first);
    if (!order || !first) {
        return ooze_fail_memory(error, "the density stage", local * sizeof *first);
    }
    for (uint64_t k = 0; k < n; k++) {
        order[k] = s->order[k];
        first[k] = x[k];
    }
    ooze_halo_refresh(c->halo, s->x, sizeof *s->x);
    ooze_halo_refresh(c->halo, s->x0_lambda, sizeof *s->x0_lambda);
    ooze_halo_refresh(c->halo, s->mobility, sizeof *s->mobility);
    if (s->effective_inverse_mass != s->mobility) {
        ooze_halo_refresh(c->halo, s->effective_inverse_mass, sizeof *s->effective_inverse_mass);
    }
    if (s->rigid) {
        ooze_halo_refresh(c->halo, s->rigid, sizeof *s->rigid);
    }
    for (uint64_t k = n; k < local; k++) {
        order[k] = (uint32_t)k;
        first[k] = s->x[k];
    }
    s->order = order;
    s->first = first;
    return OOZE_OK;
}

/* Sorts the particles, and loads the arrays of the stage. */
static OozeStatus begin(Transfer *transfer, OozeError *error)
{
    OozeDensitySweep *s = transfer->sweep;
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    OozeStatus status = ooze_grid_sort(job->own->grid, c->threads, (const OozeFloat4 *)transfer->x,
                                       job->n, c->support, &c->periodic, error);
    status = status || !c->halo ? status : find_ghosts(job, transfer->x, error);
    status = status ? status : allocate(s, error);
    if (status) {
        return status;
    }
    transfer->order = s->order = ooze_grid_order(job->own->grid);
    s->first = transfer->x;
    run(s, load_range, transfer);
    if (c->halo) {
        status = extend_to_ghosts(s, transfer->x, error);
        transfer->order = s->order;
    }
    pad(s);
    s->even = !ooze_halo_any(c->halo, any_flag(s, UNEVEN));
    ooze_timer_lap(c->timer, "density_sort");
    return status;
}

OozeStatus ooze_density_solve_part(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                                   OozeError *error)
{
    const OozeStepContext *c = job->context;
    OozeDensitySweep s = {.job = job,
                          .list = &job->own->near,
                          .walls = &job->own->near_walls,
                          .cubic = ooze_cubic(job->support, job->volume)};
    Transfer transfer = {.sweep = &s, .x = x, .shift = shift};
    OozePushOut out;
    OozeStatus status = begin(&transfer, error);
    status = status ? status : find_pairs(&s, error);
    ooze_timer_lap(c->timer, "density_lists");
    if (!status) {
        status = ooze_push_out_begin(&out, &s, error);
    }
    if (!status) {
        status = ooze_density_solids_begin(&s, error);
    }
    if (status) {
        return status;
    }
    status = iterate(&transfer, &out, error);
    run(&s, store_range, &transfer);
    return status;
}

OozeStatus ooze_density_solve(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                              OozeError *error)
{
    Wrap wrap = {&job->context->periodic, x};
    ooze_parallel_for(job->context->threads, job->n, OOZE_DENSITY_GRAIN, wrap_range, &wrap);
    return job->context->halo ? ooze_density_solve_on_ranks(job, x, shift, error)
                              : ooze_density_solve_part(job, x, shift, error);
}
