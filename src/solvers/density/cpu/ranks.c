/* The density stage of several ranks. It has an order of its own, that of the grid of the predicted
   positions: particles are divided among ranks in that order for the time of the stage, so that
   neighbours and sums have the order of one process. */
#include <string.h>

#include "base/fail.h"
#include "solvers/density/cpu/density_sweep.h"

static void add_column(OozeDensityRanks *ranks, const void *from, void *to, size_t size)
{
    ranks->columns[ranks->count++] = (OozeColumn){(void *)from, to, size};
}

/* Adds an array of the caller, and returns the one of the divided particles. */
static void *receive(OozeDensityRanks *ranks, const void *from, size_t size)
{
    void *to = from ? ooze_arena_alloc(ranks->context.arena, ranks->job.n, size) : NULL;
    if (from) {
        add_column(ranks, from, to, size);
    }
    return to;
}

/* An array for results, if the caller wants them. */
static void *result(OozeDensityRanks *ranks, const void *wanted, size_t size)
{
    void *to = wanted ? ooze_arena_alloc(ranks->context.arena, ranks->job.n, size) : NULL;
    if (to) {
        memset(to, 0, ranks->job.n * size);
    }
    return to;
}

static OozeStatus move_there(OozeDensityRanks *ranks, const OozeF32x4 *x, OozeError *error)
{
    const OozeDensityJob *from = ranks->caller;
    OozeDensityJob *to = &ranks->job;
    to->n = from->own->split.after;
    ranks->x = receive(ranks, x, sizeof *x);
    ranks->shift = result(ranks, x, sizeof *x);
    to->mobility = receive(ranks, from->mobility, sizeof *from->mobility);
    to->density_target = receive(ranks, from->density_target, sizeof *from->density_target);
    to->load_excess = receive(ranks, from->load_excess, sizeof *from->load_excess);
    to->first_multiplier = receive(ranks, from->first_multiplier, sizeof *from->first_multiplier);
    to->start = receive(ranks, from->start, sizeof *from->start);
    to->thread_regularisation =
        receive(ranks, from->thread_regularisation, sizeof *from->thread_regularisation);
    to->effective_inverse_mass =
        receive(ranks, from->effective_inverse_mass, sizeof *from->effective_inverse_mass);
    to->rigid = receive(ranks, from->rigid, sizeof *from->rigid);
    to->ignores_boundary = receive(ranks, from->ignores_boundary, 1);
    to->drift = result(ranks, from->drift, sizeof *from->drift);
    to->position_only_shift =
        result(ranks, from->position_only_shift, sizeof *from->position_only_shift);
    to->multiplier = result(ranks, from->multiplier, sizeof *from->multiplier);
    to->workspace = NULL;
    if (ooze_arena_failed(ranks->context.arena)) {
        return ooze_fail_memory(error, "the density stage", to->n * 7 * sizeof *x);
    }
    return ooze_split_move(&from->own->split, ranks->columns, ranks->count, error);
}

/* Where a result of the divided particles goes. */
static void add_result(OozeDensityRanks *ranks, const void *from, void *to, size_t size)
{
    if (from) {
        add_column(ranks, from, to, size);
    }
}

OozeStatus ooze_density_return(OozeDensitySweep *s, OozeError *error)
{
    OozeDensityRanks *ranks = s->ranks;
    const OozeDensityJob *from = &ranks->job, *to = ranks->caller;
    if (ranks->between) {
        return ranks->between;
    }
    ranks->count = 0;
    add_result(ranks, ranks->shift, ranks->caller_shift, sizeof *ranks->shift);
    add_result(ranks, from->drift, to->drift, sizeof *to->drift);
    add_result(ranks, from->position_only_shift, to->position_only_shift,
               sizeof *to->position_only_shift);
    add_result(ranks, from->multiplier, to->multiplier, sizeof *to->multiplier);
    OozeStatus status = ooze_split_move_back(&to->own->split, ranks->columns, ranks->count, error);
    ooze_timer_lap(to->context->timer, "density_move");
    return status;
}

/* What another stage does between sweeps, in the order of its particles. */
static void between_on_ranks(void *user, OozeF32x4 *shift)
{
    OozeDensityRanks *ranks = user;
    const OozeDensityJob *job = ranks->caller;
    OozeColumn there = {shift, ranks->caller_shift, sizeof *shift};
    OozeColumn back = {ranks->caller_shift, shift, sizeof *shift};
    OozeStatus status = ooze_split_move_back(&job->own->split, &there, 1, ranks->error);
    if (!status) {
        job->between(job->user, ranks->caller_shift);
        status = ooze_split_move(&job->own->split, &back, 1, ranks->error);
    }
    ranks->between = status ? status : ranks->between;
}

OozeStatus ooze_density_divide(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    OozeDensityRanks *ranks = s->ranks;
    OozeDensityMemory *own = job->own;
    own->split.ranks = ooze_halo_ranks(c->halo);
    own->halo = own->halo ? own->halo : ooze_halo_create(own->split.ranks);
    double *shares =
        ooze_arena_alloc(c->arena, (uint64_t)own->split.ranks->count + 1, sizeof *shares);
    if (!own->halo || !shares) {
        return ooze_fail_memory(error, "the density stage", 0);
    }
    *ranks = (OozeDensityRanks){
        .caller = job, .job = *job, .context = *c, .caller_shift = s->caller_shift, .error = error};
    ranks->context.halo = own->halo;
    ranks->job.context = &ranks->context;
    if (job->between) {
        ranks->job.between = between_on_ranks;
        ranks->job.user = ranks;
    }
    const OozeSplitPoints points = {(const OozeFloat4 *)s->first, job->n, c->support, &c->periodic};
    ooze_halo_shares(c->halo, shares);
    OozeStatus status = ooze_split_find(&own->split, c->threads, &points, shares, error);
    status = status ? status : move_there(ranks, s->first, error);
    s->job = &ranks->job;
    s->first = ranks->x;
    s->caller_shift = ranks->shift;
    s->machine->context = &ranks->context;
    s->machine->n = ranks->job.n;
    ooze_timer_lap(c->timer, "density_move");
    return status;
}
