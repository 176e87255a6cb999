/* Strangers: particles that are crowded though no motion has pressed them together. Position-based density turns
   every error into velocity, shift over dt: without end for short steps. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/workspace.h"
#include "solids/nearby.h"

/* Steps in which a particle may be a stranger at its place, and the error of density with which it is none. */
#define STRANGE_STEPS   256.0f
#define STRANGE_DENSITY 1e-3f

/* Particles of a chunk: those of the holds, whose groups tell who is near a solid. */
enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* What one chunk knows, or all of them. */
typedef struct Extremes {
    float top, bottom; /* of g . x */
    float fastest;     /* squared */
    bool intruded;     /* a solid lies too deep in some */
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
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeFour g = ooze_four((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    Extremes found = {.top = -INFINITY, .bottom = INFINITY};
    for (uint64_t i = begin; i < end; i++) {
        float depth = ooze_four_dot3(g, s->x0[i]);
        found.top = depth > found.top ? depth : found.top;
        found.bottom = depth < found.bottom ? depth : found.bottom;
        found.fastest =
            ooze_max(found.fastest, v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
        found.intruded |= s->intruder[i] >= 0;
    }
    job->chunk[begin / GRAIN] = found;
}

static Extremes find_extremes(const ExtremesJob *job)
{
    Extremes all = {.top = -INFINITY, .bottom = INFINITY};
    for (uint64_t k = 0; k * GRAIN < job->step->n; k++) {
        const Extremes *found = &job->chunk[k];
        all.top = found->top > all.top ? found->top : all.top;
        all.bottom = found->bottom < all.bottom ? found->bottom : all.bottom;
        all.fastest = ooze_max(all.fastest, found->fastest);
        all.intruded |= found->intruded;
    }
    return all;
}

/* p/rho of what presses on all of the fluid: the weight of all that lies above, what stops the fastest, and
   surface tension at a spacing. */
static float load_on_all(const OozeConformationStep *s, const Extremes *all)
{
    float tension = 0;
    for (int m = 0; m < s->row_count; m++) {
        tension = ooze_max(tension, s->rheology[m].tension / s->rheology[m].weight);
    }
    return all->top - all->bottom + 0.5f * all->fastest +
           2.0f * tension / (float)s->context->spacing;
}

typedef struct MeetJob {
    OozeConformationStep *step;
    const OozeNearby *nearby;
    const bool *intrudes; /* per solid */
} MeetJob;

static void meet_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MeetJob *job = data;
    OozeConformationStep *s = job->step;
    const OozeStepContext *c = s->context;
    for (uint64_t first = begin; first < end; first += OOZE_NEARBY_GROUP) {
        uint64_t last = first + OOZE_NEARBY_GROUP < end ? first + OOZE_NEARBY_GROUP : end;
        uint64_t near =
            ooze_nearby_find(job->nearby, s->x0, first, last, s->support, false, UINT64_MAX);
        for (int k = 0; k < c->solid_count && near; k++) {
            bool meets = job->intrudes[k] && ooze_nearby_has(near, k);
            for (uint64_t i = first; i < last && meets; i++) {
                OozeVec3 x = vec3(s->x0[i][0], s->x0[i][1], s->x0[i][2]);
                if (ooze_solid_contact(&c->solids[k], x).distance < c->support) {
                    s->calm[i] = 0.0f;
                }
            }
        }
    }
}

/* A solid in which fluid lies has been put there, and with it all whom it presses. */
static OozeStatus meet_intruders(const ExtremesJob *extremes, OozeError *error)
{
    OozeConformationStep *s = extremes->step;
    const OozeStepContext *c = s->context;
    OozeNearby nearby;
    OozeStatus status =
        ooze_nearby_begin(&nearby, c->solids, c->solid_count, c->spacing, c->dt, c->arena, error);
    bool *intrudes = ooze_arena_alloc(c->arena, (size_t)c->solid_count, sizeof *intrudes);
    if (status || !intrudes) {
        return status ? status : ooze_fail_memory(error, "contacts", (size_t)c->solid_count);
    }
    memset(intrudes, 0, (size_t)c->solid_count * sizeof *intrudes);
    for (uint64_t i = 0; i < s->n; i++) {
        if (!extremes->chunk[i / GRAIN].intruded) {
            i += GRAIN - 1;
        } else if (s->intruder[i] >= 0) {
            intrudes[s->intruder[i]] = true;
        }
    }
    MeetJob job = {.step = s, .nearby = &nearby, .intrudes = intrudes};
    ooze_parallel_for(c->threads, s->n, GRAIN, meet_range, &job);
    return OOZE_OK;
}

typedef struct LimitJob {
    OozeConformationStep *step;
    float load;
} LimitJob;

static void limit_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const LimitJob *job = data;
    OozeConformationStep *s = job->step;
    float d = (float)s->context->spacing;
    float k = ooze_max(1.0f, (float)s->settings.density_iterations);
    for (uint64_t i = begin; i < end; i++) {
        float load = job->load + s->stress[i] * s->mobility[i];
        float borne = 2.0f * load * s->dt * s->dt / (k * d * d);
        bool strange = s->calm[i] < 1.0f && s->density[i] > 1.0f + borne + STRANGE_DENSITY;
        s->borne[i] = strange ? borne : INFINITY;
        s->limit[i] = strange ? s->density[i] - borne : 1.0f;
    }
}

/* Iterations that stop early leave an error of density, and it is this that carries the pressure p: k of them
   turn a relative error e into a push of k e (d/dt)^2 rho. Errors that motion has made are let push with all
   their strength: a piston may be behind them. But a particle that was put where it is, at the start of a
   scene or in a solid, is crowded through no motion. Of its error no more than p dt^2/(k d^2 rho) may become
   velocity in a step, with p what presses on all of the fluid and the particle's own stress; twice that, for
   what is not at rest. The rest settles. */
OozeStatus ooze_conformation_set_limits(OozeConformationStep *s, OozeError *error)
{
    OozeThreads *threads = s->context->threads;
    ExtremesJob job = {.step = s};
    job.chunk = ooze_arena_alloc(s->context->arena, s->n / GRAIN + 1, sizeof *job.chunk);
    if (!job.chunk) {
        return ooze_fail_memory(error, "the conformation step", s->n / GRAIN * sizeof *job.chunk);
    }
    ooze_parallel_for(threads, s->n, GRAIN, extremes_range, &job);
    Extremes all = find_extremes(&job);
    OozeStatus status = all.intruded ? meet_intruders(&job, error) : OOZE_OK;
    LimitJob limits = {.step = s, .load = load_on_all(s, &all)};
    ooze_parallel_for(threads, s->n, GRAIN, limit_range, &limits);
    return status;
}

/* Squared way that settling must go to count. */
static float far_settled(const OozeConformationStep *s)
{
    float far = 1e-3f * (float)s->context->spacing;
    return far * far;
}

static bool near_settled(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid;
    float most = ooze_four_dot3(s->settled[i], s->settled[i]);
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeFour other = s->settled[list->index[e]];
        most = ooze_max(most, ooze_four_dot3(other, other));
    }
    return most > far_settled(s);
}

typedef struct SettledJob {
    OozeConformationStep *step;
    bool *chunk; /* something in it has settled, far enough */
    bool any;
} SettledJob;

static void settled_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SettledJob *job = data;
    float most = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        most = ooze_max(most, ooze_four_dot3(job->step->settled[i], job->step->settled[i]));
    }
    job->chunk[begin / GRAIN] = most > far_settled(job->step);
}

static void calm_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SettledJob *job = data;
    OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        bool strange = isfinite(s->borne[i]);
        float calm = strange ? ooze_min(1.0f, s->calm[i] + 1.0f / STRANGE_STEPS) : 1.0f;
        bool anew = s->mobility[i] == 0.0f || (job->any && !strange && near_settled(s, i));
        s->calm[i] = anew ? 0.0f : calm;
    }
}

/* Who settles crowds those around, and these are strangers too. */
OozeStatus ooze_conformation_find_strangers(OozeConformationStep *s, OozeError *error)
{
    OozeThreads *threads = s->context->threads;
    SettledJob job = {.step = s};
    job.chunk = ooze_arena_alloc(s->context->arena, s->n / GRAIN + 1, sizeof *job.chunk);
    if (!job.chunk) {
        return ooze_fail_memory(error, "the conformation step", s->n / GRAIN);
    }
    ooze_parallel_for(threads, s->n, GRAIN, settled_range, &job);
    for (uint64_t k = 0; k * GRAIN < s->n && !job.any; k++) {
        job.any = job.chunk[k];
    }
    ooze_parallel_for(threads, s->n, GRAIN, calm_range, &job);
    return OOZE_OK;
}
