/* The density stage on the processor: its iterations, but for their loops over pairs and contacts
   with solids, and its results. Memory that outlives a step. */
#include <math.h>

#include "base/fail.h"
#include "solvers/density/cpu/density_solids.h"
#include "solvers/density/cpu/push_out.h"
#include "solvers/density/density_formula.h"

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

/* A sweep takes longer than its call. */
static int repeat(OozeDensitySweep *s, int count)
{
    (void)s;
    (void)count;
    return 0;
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
    double found[2] = {s->any_overlap, any_inside(s)};
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
    OozeStatus status = ooze_machine_status(s->machine, "relief of overlaps", error);
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
    if (ooze_thread_is_regularised(axes)) {
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
    return s->ranks ? ooze_density_return(s, error) : OOZE_OK;
}

static const OozeDensityStages density_stages = {
    .enter = ooze_density_enter,
    .sort = ooze_density_sort,
    .find_pairs = ooze_density_find_pairs,
    .load = ooze_density_load,
    .begin_solids = ooze_density_solids_begin,
    .find_solid_diagonals = ooze_density_solid_diagonals,
    .find_multipliers = find_multipliers,
    .push_solids = ooze_density_push_solids,
    .correct = correct,
    .call_between = call_between,
    .push_out = push_out,
    .repeat = repeat,
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
