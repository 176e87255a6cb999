/* The density stage on the processor: its memory, and its stages but the sweeps, which are in
   sweep_loops.c, solids and contacts. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "solvers/density/density_formula.h"
#include "solvers/density/density_solids.h"
#include "solvers/density/push_out.h"

/* Flags of a chunk: some inverse mass is not 1; some overlap is to be relieved. */
enum { UNEVEN = 1, OVERLAPS = 2 };

/* ---- memory ---- */

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

static OozeStatus enter(OozeDensitySweep *s, OozeError *error)
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

static OozeStatus sort(OozeDensitySweep *s, OozeError *error)
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

/* Of the own particles. */
static bool any_flag(const OozeDensitySweep *s, uint8_t what)
{
    uint8_t flags = 0;
    for (uint64_t k = 0; k * OOZE_DENSITY_GRAIN < s->job->n; k++) {
        flags |= s->chunk_flags[k];
    }
    return flags & what;
}

static OozeStatus load(OozeDensitySweep *s, OozeError *error)
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
    s->even = !ooze_halo_any(halo, any_flag(s, UNEVEN));
    if (s->line) {
        run(s, ooze_density_loops()->lines);
    }
    return ooze_push_out_begin(s->contacts, s, error);
}

/* ---- iterations ---- */

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

static void export_shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->caller_shift[s->order[k]] = s->shift[k];
    }
}

static void import_shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        OozeF32x4 now = s->caller_shift[s->order[k]];
        s->x[k] += now - s->shift[k];
        s->x[k][3] = 0;
        s->shift[k] = now;
    }
}

/* Copies shifts to the order of the caller, and back after the call. */
static void call_between(OozeDensitySweep *s)
{
    run(s, export_shift_range);
    s->job->between(s->job->user, s->caller_shift);
    run(s, import_shift_range);
}

static void push_out(OozeDensitySweep *s)
{
    ooze_push_out(s->contacts);
    if (!s->relieving) {
        ooze_density_move_solids(s);
    }
}

/* Largest density beyond rest at the last sweep, before its correction. */
static double worst_excess(const OozeDensitySweep *s)
{
    float worst = 0.0f;
    for (uint64_t k = 0; k * OOZE_DENSITY_GRAIN < s->job->n; k++) {
        worst = s->excess[k] > worst ? s->excess[k] : worst;
    }
    double all = (double)worst;
    ooze_halo_max(s->job->context->halo, &all, 1);
    return all;
}

/* Whether the mean ends the iterations, at the last sweep before its correction. */
static bool mean_is_reached(const OozeDensitySweep *s)
{
    const OozeDensityJob *job = s->job;
    return job->mean_tolerance > 0.0f &&
           ooze_halo_sum(job->context->halo, s->unfinished, job->n, OOZE_DENSITY_GRAIN) <=
               (double)job->mean_tolerance * (double)s->machine->all;
}

static bool continues(OozeDensitySweep *s)
{
    return worst_excess(s) > (double)s->job->tolerance && !mean_is_reached(s);
}

/* ---- results ---- */

static void store_multipliers_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->job->multiplier[s->order[k]] = s->multiplier[k].extrapolated;
    }
}

static void store_multipliers(OozeDensitySweep *s)
{
    run(s, store_multipliers_range);
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

static OozeDensityFound measure(OozeDensitySweep *s)
{
    OozeHalo *halo = s->job->context->halo;
    double found[2] = {any_flag(s, OVERLAPS), any_inside(s)};
    ooze_halo_max(halo, found, 2);
    return (OozeDensityFound){.worst = worst_excess(s),
                              .sum = ooze_halo_sum(halo, s->sum, s->job->n, OOZE_DENSITY_GRAIN),
                              .overlaps = found[0] > 0.0,
                              .inside = found[1] > 0.0};
}

static void begin_relief_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->position_only_shift[k] = s->shift[k];
        s->multiplier[k] = (OozeProjectedMultiplier){0, 0};
    }
}

static OozeStatus begin_relief(OozeDensitySweep *s, OozeError *error)
{
    s->position_only_shift =
        ooze_machine_alloc(s->machine, s->job->n, sizeof *s->position_only_shift);
    OozeStatus status = status_of(s, error);
    if (!status) {
        run(s, begin_relief_range);
        s->solid_diagonal = NULL; /* dynamic solids no longer move */
        s->density_target = s->relief_target;
    }
    return status;
}

static void end_relief_range(void *data, uint64_t begin, uint64_t end, int worker)
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

static void end_relief(OozeDensitySweep *s)
{
    run(s, end_relief_range);
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

/* Into x0_lambda, which no sweep reads any more. */
static void find_drift(OozeDensitySweep *s)
{
    ooze_halo_refresh(s->job->context->halo, s->x, sizeof *s->x);
    run(s, drift_range);
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        s->caller_shift[s->order[k]] = s->shift[k];
        if (s->job->drift) {
            s->job->drift[s->order[k]] = s->x0_lambda[k];
        }
        if (s->relieving) {
            s->job->position_only_shift[s->order[k]] = s->position_only_shift[k];
        }
    }
}

static OozeStatus leave(OozeDensitySweep *s, OozeError *error)
{
    run(s, store_range);
    OozeStatus status = s->ranks ? ooze_density_return(s, error) : OOZE_OK;
    ooze_timer_lap(s->job->context->timer, "density_move");
    return status;
}

static const OozeDensityStages density_stages = {
    .enter = enter,
    .sort = sort,
    .find_pairs = find_pairs,
    .load = load,
    .begin_solids = ooze_density_solids_begin,
    .find_solid_diagonals = ooze_density_solid_diagonals,
    .find_multipliers = find_multipliers,
    .push_solids = ooze_density_push_solids,
    .correct = correct,
    .call_between = call_between,
    .push_out = push_out,
    .continues = continues,
    .store_multipliers = store_multipliers,
    .measure = measure,
    .begin_relief = begin_relief,
    .end_relief = end_relief,
    .drift = find_drift,
    .leave = leave,
};

OozeStatus ooze_density_solve(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                              OozeError *error)
{
    OozeMachine machine = ooze_machine_of_particles((OozeStepContext *)job->context, job->n);
    OozePushOut contacts;
    OozeDensityRanks ranks;
    OozeDensitySweep sweep = {.machine = &machine,
                              .stages = &density_stages,
                              .job = job,
                              .first = x,
                              .caller_shift = shift,
                              .has_dynamic = job->coupling != NULL,
                              .contacts = &contacts,
                              .ranks = job->context->halo ? &ranks : NULL};
    return ooze_density_step(&sweep, error);
}
