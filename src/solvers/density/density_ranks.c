/* The density stage of several ranks. It has an order of its own, that of the grid of the predicted
   positions: particles are divided among ranks in that order for the time of the stage, so that
   neighbours and sums have the order of one process. */
#include <string.h>

#include "base/fail.h"
#include "solvers/density/density_sweep.h"

enum { COLUMNS_MAX = 13 };

/* The arrays of the job while its particles are divided otherwise. */
typedef struct Moved {
    OozeDensityJob job;
    OozeStepContext context;
    OozeF32x4 *x, *shift;
    float *mobility, *density_target, *load_excess, *first_multiplier;
    OozeF32x4 *start;
    OozeSym3 *thread_regularisation;
    float *effective_inverse_mass; /* this and the next two: of particle bodies */
    uint16_t *rigid;
    uint8_t *ignores_boundary;
    OozeColumn columns[COLUMNS_MAX];
    int count;
} Moved;

static void add_column(Moved *moved, const void *from, void *to, size_t size)
{
    if (from) {
        moved->columns[moved->count++] = (OozeColumn){(void *)from, to, size};
    }
}

static OozeStatus allocate(Moved *moved, const OozeDensityJob *job, OozeError *error)
{
    OozeArena *arena = job->context->arena;
    uint64_t n = job->own->split.after;
    moved->x = ooze_arena_alloc(arena, n, sizeof *moved->x);
    moved->shift = ooze_arena_alloc(arena, n, sizeof *moved->shift);
    moved->mobility = ooze_arena_alloc(arena, n, sizeof *moved->mobility);
    moved->density_target = ooze_arena_alloc(arena, n, sizeof *moved->density_target);
    moved->load_excess = ooze_arena_alloc(arena, n, sizeof *moved->load_excess);
    moved->first_multiplier =
        ooze_arena_alloc(arena, job->first_multiplier ? n : 0, sizeof *moved->first_multiplier);
    moved->start = ooze_arena_alloc(arena, n, sizeof *moved->start);
    moved->thread_regularisation = ooze_arena_alloc(arena, job->thread_regularisation ? n : 0,
                                                    sizeof *moved->thread_regularisation);
    moved->effective_inverse_mass = ooze_arena_alloc(arena, job->effective_inverse_mass ? n : 0,
                                                     sizeof *moved->effective_inverse_mass);
    moved->rigid = ooze_arena_alloc(arena, job->rigid ? n : 0, sizeof *moved->rigid);
    moved->ignores_boundary = ooze_arena_alloc(arena, job->ignores_boundary ? n : 0, 1);
    moved->job.drift = ooze_arena_alloc(arena, n, sizeof *moved->job.drift);
    moved->job.position_only_shift =
        ooze_arena_alloc(arena, n, sizeof *moved->job.position_only_shift);
    moved->job.multiplier = ooze_arena_alloc(arena, n, sizeof *moved->job.multiplier);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the density stage", n * 7 * sizeof *moved->x);
    }
    memset(moved->job.position_only_shift, 0, n * sizeof *moved->job.position_only_shift);
    return OOZE_OK;
}

static OozeStatus move_there(Moved *moved, const OozeDensityJob *job, const OozeF32x4 *x,
                             OozeError *error)
{
    moved->job.n = job->own->split.after;
    moved->job.mobility = job->mobility ? moved->mobility : NULL;
    moved->job.density_target = job->density_target ? moved->density_target : NULL;
    moved->job.load_excess = job->load_excess ? moved->load_excess : NULL;
    moved->job.first_multiplier = job->first_multiplier ? moved->first_multiplier : NULL;
    moved->job.start = job->start ? moved->start : NULL;
    moved->job.thread_regularisation =
        job->thread_regularisation ? moved->thread_regularisation : NULL;
    moved->job.drift = job->drift ? moved->job.drift : NULL;
    moved->job.multiplier = job->multiplier ? moved->job.multiplier : NULL;
    moved->job.position_only_shift =
        job->position_only_shift ? moved->job.position_only_shift : NULL;
    moved->job.effective_inverse_mass =
        job->effective_inverse_mass ? moved->effective_inverse_mass : NULL;
    moved->job.rigid = job->rigid ? moved->rigid : NULL;
    moved->job.ignores_boundary = job->ignores_boundary ? moved->ignores_boundary : NULL;
    moved->job.workspace = NULL;
    moved->count = 0;
    add_column(moved, x, moved->x, sizeof *x);
    add_column(moved, job->mobility, moved->mobility, sizeof *job->mobility);
    add_column(moved, job->density_target, moved->density_target, sizeof *job->density_target);
    add_column(moved, job->load_excess, moved->load_excess, sizeof *job->load_excess);
    add_column(moved, job->first_multiplier, moved->first_multiplier,
               sizeof *job->first_multiplier);
    add_column(moved, job->start, moved->start, sizeof *job->start);
    add_column(moved, job->thread_regularisation, moved->thread_regularisation,
               sizeof *job->thread_regularisation);
    add_column(moved, job->effective_inverse_mass, moved->effective_inverse_mass,
               sizeof *job->effective_inverse_mass);
    add_column(moved, job->rigid, moved->rigid, sizeof *job->rigid);
    add_column(moved, job->ignores_boundary, moved->ignores_boundary, 1);
    return ooze_split_move(&job->own->split, moved->columns, moved->count, error);
}

static OozeStatus move_back(Moved *moved, const OozeDensityJob *job, OozeF32x4 *shift,
                            OozeError *error)
{
    moved->count = 0;
    add_column(moved, moved->shift, shift, sizeof *shift);
    add_column(moved, moved->job.drift, job->drift, sizeof *job->drift);
    add_column(moved, moved->job.position_only_shift, job->position_only_shift,
               sizeof *job->position_only_shift);
    add_column(moved, moved->job.multiplier, job->multiplier, sizeof *job->multiplier);
    return ooze_split_move_back(&job->own->split, moved->columns, moved->count, error);
}

/* What another stage does between sweeps, in the order of its particles. */
typedef struct Between {
    const OozeDensityJob *job;
    OozeF32x4 *shift; /* in that order */
    OozeStatus status;
    OozeError *error;
} Between;

static void between_on_ranks(void *user, OozeF32x4 *shift)
{
    Between *between = user;
    const OozeDensityJob *job = between->job;
    OozeColumn there = {shift, between->shift, sizeof *shift};
    OozeColumn back = {between->shift, shift, sizeof *shift};
    OozeStatus status = ooze_split_move_back(&job->own->split, &there, 1, between->error);
    if (!status) {
        job->between(job->user, between->shift);
        status = ooze_split_move(&job->own->split, &back, 1, between->error);
    }
    between->status = status ? status : between->status;
}

OozeStatus ooze_density_solve_on_ranks(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                                       OozeError *error)
{
    const OozeStepContext *c = job->context;
    OozeRanks *ranks = ooze_halo_ranks(c->halo);
    Moved moved = {.job = *job, .context = *c};
    job->own->split.ranks = ranks;
    job->own->halo = job->own->halo ? job->own->halo : ooze_halo_create(ranks);
    if (!job->own->halo) {
        return ooze_fail_memory(error, "the density stage", 0);
    }
    moved.context.halo = job->own->halo;
    moved.job.context = &moved.context;
    Between between = {.job = job, .shift = shift, .error = error};
    if (job->between) {
        moved.job.between = between_on_ranks;
        moved.job.user = &between;
    }
    OozeSplitPoints points = {(const OozeFloat4 *)x, job->n, c->support, &c->periodic};
    double *shares = ooze_arena_alloc(c->arena, (uint64_t)ranks->count + 1, sizeof *shares);
    OozeStatus status = shares ? OOZE_OK : ooze_fail_memory(error, "the density stage", 0);
    if (!status) {
        ooze_halo_shares(c->halo, shares);
        status = ooze_split_find(&job->own->split, c->threads, &points, shares, error);
    }
    status = status ? status : allocate(&moved, job, error);
    status = status ? status : move_there(&moved, job, x, error);
    ooze_timer_lap(c->timer, "density_move");
    status = status ? status : ooze_density_solve_part(&moved.job, moved.x, moved.shift, error);
    status = status ? status : between.status;
    status = status ? status : move_back(&moved, job, shift, error);
    ooze_timer_lap(c->timer, "density_move");
    return status;
}
