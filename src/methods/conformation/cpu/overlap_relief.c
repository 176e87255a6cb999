/* Relief of overlaps: particles that were placed too close, at the start of a scene or in a solid,
   and not compressed by motion. Position-based density turns every error into a velocity, shift
   over dt, which has no bound for short steps; the error of an overlap is therefore relieved by
   position-only shifts. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/overlap_relief_formula.h"
#include "methods/conformation/pressure_solve.h"
#include "solids/broad_phase.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* Over a chunk of particles, or over all. */
typedef struct Extremes {
    OozeReliefExtremes range;
    bool any_buried; /* some particle is buried in a solid */
} Extremes;

typedef struct ExtremesJob {
    OozeConformationStep *step;
    Extremes *chunk;
} ExtremesJob;

static void extremes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ExtremesJob *job = data;
    const OozeConformationStep *s = job->step;
    const OozeStepContext *c = s->context;
    OozeF32x4 g = ooze_f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    Extremes found = {.range = {-INFINITY, INFINITY, 0.0f}};
    for (uint64_t i = begin; i < end; i++) {
        found.range = ooze_relief_widen(found.range, ooze_relief_extremes_of(s, i, g));
        found.any_buried |= s->buried_in[i] >= 0;
    }
    job->chunk[begin / GRAIN] = found;
}

/* Those of all processes. */
static void share_extremes(OozeHalo *halo, Extremes *all)
{
    double values[4] = {(double)all->range.top, -(double)all->range.bottom,
                        (double)all->range.fastest, all->any_buried ? 1.0 : 0.0};
    ooze_halo_max(halo, values, 4);
    all->range.top = (float)values[0];
    all->range.bottom = (float)-values[1];
    all->range.fastest = (float)values[2];
    all->any_buried = values[3] > 0.0;
}

static Extremes find_extremes(const ExtremesJob *job)
{
    Extremes all = {.range = {-INFINITY, INFINITY, 0.0f}};
    for (uint64_t k = 0; k * GRAIN < job->step->n; k++) {
        all.range = ooze_relief_widen(all.range, job->chunk[k].range);
        all.any_buried |= job->chunk[k].any_buried;
    }
    share_extremes(job->step->context->halo, &all);
    return all;
}

typedef struct BuriedJob {
    OozeConformationStep *step;
    const OozeBroadPhase *nearby;
    const bool *has_buried; /* per solid */
} BuriedJob;

static void reset_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const BuriedJob *job = data;
    OozeConformationStep *s = job->step;
    const OozeStepContext *c = s->context;
    for (uint64_t first = begin; first < end; first += OOZE_BROAD_PHASE_GROUP) {
        uint64_t last = first + OOZE_BROAD_PHASE_GROUP < end ? first + OOZE_BROAD_PHASE_GROUP : end;
        uint64_t near =
            ooze_broad_phase_find(job->nearby, s->x0, first, last, s->support, false, UINT64_MAX);
        for (int k = 0; k < c->solid_count && near; k++) {
            bool has_buried = job->has_buried[k] && ooze_broad_phase_has(near, k);
            for (uint64_t i = first; i < last && has_buried; i++) {
                OozeVec3 x = ooze_vector_widen(s->x0[i]);
                if (ooze_solid_contact(&c->solids[k], x).distance < c->support) {
                    s->relief_progress[i] = 0.0f;
                }
            }
        }
    }
}

/* A solid in which particles are buried was placed there. Relief restarts for all particles within
   a support of it. */
static OozeStatus reset_near_buried(const ExtremesJob *extremes, OozeError *error)
{
    OozeConformationStep *s = extremes->step;
    const OozeStepContext *c = s->context;
    OozeBroadPhase nearby;
    OozeStatus status = ooze_broad_phase_begin(&nearby, c->solids, c->solid_count, c->spacing,
                                               c->dt, c->arena, error);
    bool *has_buried = ooze_arena_alloc(c->arena, (size_t)c->solid_count, sizeof *has_buried);
    if (status || !has_buried) {
        return status ? status : ooze_fail_memory(error, "contacts", (size_t)c->solid_count);
    }
    memset(has_buried, 0, (size_t)c->solid_count * sizeof *has_buried);
    double *everywhere = ooze_arena_alloc(c->arena, (size_t)c->solid_count, sizeof *everywhere);
    if (!everywhere) {
        return ooze_fail_memory(error, "contacts", (size_t)c->solid_count * sizeof *everywhere);
    }
    for (uint64_t i = 0; i < s->n; i++) {
        if (!extremes->chunk[i / GRAIN].any_buried) {
            i += GRAIN - 1;
        } else if (s->buried_in[i] >= 0) {
            has_buried[s->buried_in[i]] = true;
        }
    }
    for (int k = 0; k < c->solid_count; k++) {
        everywhere[k] = has_buried[k] ? 1.0 : 0.0;
    }
    ooze_halo_max(c->halo, everywhere, c->solid_count);
    for (int k = 0; k < c->solid_count; k++) {
        has_buried[k] = everywhere[k] > 0.0;
    }
    BuriedJob job = {.step = s, .nearby = &nearby, .has_buried = has_buried};
    ooze_parallel_for(c->threads, s->n, GRAIN, reset_range, &job);
    return OOZE_OK;
}

typedef struct TargetJob {
    OozeConformationStep *step;
    float load;
} TargetJob;

static void target_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const TargetJob *job = data;
    const OozeConformationStep *s = job->step;
    float k = ooze_max(1.0f, (float)s->plan->settings.density_iterations);
    for (uint64_t i = begin; i < end; i++) {
        ooze_relief_set_target(s, i, job->load, k);
    }
}

/* Iterations that stop early leave an error of density, and this error carries the pressure p: k
   iterations turn a relative error e into a pressure of k e (d/dt)^2 rho. Errors by motion act in
   full, because they may carry a load such as a piston. Of the error of an overlap at most
   load_excess = 2 p dt^2/(k d^2 rho) becomes velocity in a step, with p the load on all of the
   fluid and the stress of the particle; the rest is relieved by position-only shifts. */
OozeStatus ooze_conformation_set_density_targets(OozeConformationStep *s, OozeError *error)
{
    OozeThreads *threads = s->context->threads;
    ExtremesJob job = {.step = s};
    job.chunk = ooze_arena_alloc(s->context->arena, s->n / GRAIN + 1, sizeof *job.chunk);
    if (!job.chunk) {
        return ooze_fail_memory(error, "the conformation step", s->n / GRAIN * sizeof *job.chunk);
    }
    ooze_parallel_for(threads, s->n, GRAIN, extremes_range, &job);
    Extremes all = find_extremes(&job);
    OozeStatus status = all.any_buried ? reset_near_buried(&job, error) : OOZE_OK;
    float tension = s->plan->largest_surface_tension;
    TargetJob targets = {.step = s,
                         .load = ooze_relief_load(all.range, tension, (float)s->context->spacing)};
    ooze_parallel_for(threads, s->n, GRAIN, target_range, &targets);
    return status;
}

/* Whether relief has shifted the particle or a neighbour of it. */
static bool near_shift(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid;
    OozeF32x4 own = s->position_only_shift[i];
    float largest = ooze_f32x4_dot3(own, own);
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeF32x4 other = s->position_only_shift[list->index[e]];
        largest = ooze_max(largest, ooze_f32x4_dot3(other, other));
    }
    return largest > ooze_relief_shift_square((float)s->context->spacing);
}

typedef struct ProgressJob {
    OozeConformationStep *step;
    bool *shifted; /* per chunk: relief has shifted a particle of it */
    bool any;
} ProgressJob;

static void shifted_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ProgressJob *job = data;
    float largest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 shift = job->step->position_only_shift[i];
        largest = ooze_max(largest, ooze_f32x4_dot3(shift, shift));
    }
    float spacing = (float)job->step->context->spacing;
    job->shifted[begin / GRAIN] = largest > ooze_relief_shift_square(spacing);
}

static void progress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ProgressJob *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        ooze_relief_end(s, i, job->any && ooze_relief_follows(s, i) && near_shift(s, i));
    }
}

/* A particle that is shifted compresses its neighbours, so they are relieved as well. */
OozeStatus ooze_conformation_end_relief(OozeConformationStep *s, OozeError *error)
{
    OozeThreads *threads = s->context->threads;
    ProgressJob job = {.step = s};
    job.shifted = ooze_arena_alloc(s->context->arena, s->n / GRAIN + 1, sizeof *job.shifted);
    if (!job.shifted) {
        return ooze_fail_memory(error, "the conformation step", s->n / GRAIN);
    }
    ooze_parallel_for(threads, s->n, GRAIN, shifted_range, &job);
    for (uint64_t k = 0; k * GRAIN < s->n && !job.any; k++) {
        job.any = job.shifted[k];
    }
    job.any = ooze_halo_any(s->context->halo, job.any);
    if (job.any) {
        ooze_halo_refresh(s->context->halo, s->position_only_shift, sizeof *s->position_only_shift);
    }
    ooze_parallel_for(threads, s->n, GRAIN, progress_range, &job);
    return OOZE_OK;
}
