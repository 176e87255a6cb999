/* A multiplier that pushes particle i away from samples of a solid pushes the solid by the opposite at the place of the particle:
   pairs push along their lines, so that the torque is the same. The system of multipliers gains J M^-1 J^T, J being six numbers
   a particle; all particles around a solid are coupled by it, and Jacobi sweeps converge if each diagonal bears the sum of its
   row,

     sum_j |J_i M^-1 J_j| <= |J_i| sum_j |J_j|   with |J|^2 = J M^-1 J,

   a third of which is enough, for sweeps are 0.3 long (see projected.h). A light solid then gives way in place of the fluid, and
   does not overshoot, however light it is. */
#include "methods/density_solids.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "physics/kernels.h"

static const double SHARE_OF_ROW = 1.0 / 3.0;

static OozeVec3 widen(OozeFour a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

/* The push of the samples of one solid on particle i for a multiplier of 1, as in density_loops.c. */
static OozeFour push_of(const OozeDensitySweep *s, uint64_t i, int solid)
{
    const OozeBoundary *b = s->job->context->boundary;
    const OozePeriodic *p = &s->job->context->periodic;
    float h = s->job->support, bare = s->bare && s->bare[i] ? 0.0f : s->job->wall_scale;
    OozeFour push = {0};
    for (uint64_t e = s->walls->first[i], last = e + s->walls->count[i]; e < last; e++) {
        uint32_t k = s->walls->index[e];
        if (b->solid[k] == solid) {
            OozeFour d = ooze_four_nearest(s->x[i] - ooze_four_load(&b->position[k].x), p);
            float r = sqrtf(ooze_four_dot3(d, d));
            float slope = ooze_kernel_gradient_scale(ooze_cubic_slope(r, h), r, h);
            push -= bare * b->volume[k] * slope * d;
        }
    }
    push[3] = 0;
    return push;
}

/* The next dynamic solid after number k that has a sample near particle i, or -1. */
static int next_solid(const OozeDensitySweep *s, uint64_t i, int k)
{
    const OozeCoupled *c = s->job->coupled;
    const OozeBoundary *b = s->job->context->boundary;
    int next = INT32_MAX;
    for (uint64_t e = s->walls->first[i], last = e + s->walls->count[i]; e < last; e++) {
        int other = c->number[b->solid[s->walls->index[e]]];
        next = other > k && other < next ? other : next;
    }
    return next == INT32_MAX ? -1 : next;
}

/* Where particle i was when the step began. */
static OozeFour start_of(const OozeDensitySweep *s, uint64_t i)
{
    OozeFour x = s->job->start ? s->job->start[s->order[i]] : s->x[i];
    x[3] = 0;
    return x;
}

static void ease_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    OozeCoupled *c = s->job->coupled;
    if (!c->near[begin / OOZE_COUPLED_GRAIN]) {
        return;
    }
    OozeSix *sum = ooze_coupled_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        double give = 0.0;
        for (int k = next_solid(s, i, -1); k >= 0; k = next_solid(s, i, k)) {
            const OozeCoupledSolid *solid = &c->solids[k];
            OozeVec3 arm = ooze_coupled_arm(c, solid, start_of(s, i));
            double size = sqrt(ooze_coupled_yield(solid, arm, widen(push_of(s, i, solid->solid))));
            sum[k].v[0] += size;
            give += SHARE_OF_ROW * size * solid->crowd;
        }
        s->give[i] = (float)give;
    }
}

void ooze_density_ease_solids(OozeDensitySweep *s)
{
    OozeCoupled *c = s->job->coupled;
    if (!c) {
        return;
    }
    ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_COUPLED_GRAIN, ease_range, s);
    ooze_coupled_collect(c);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].crowd = c->solids[k].sum.v[0];
    }
}

OozeStatus ooze_density_solids_begin(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    OozeCoupled *c = job->coupled;
    s->give = NULL;
    if (!c) {
        return OOZE_OK;
    }
    s->give = ooze_arena_alloc(job->context->arena, job->n, sizeof *s->give);
    if (!s->give) {
        return ooze_fail_memory(error, "dynamic solids", job->n * sizeof *s->give);
    }
    memset(s->give, 0, job->n * sizeof *s->give);
    ooze_coupled_look(c, job->near_walls, job->n, job->context->boundary);
    ooze_density_ease_solids(s); /* sums of the rows: the first sweep asks for them */
    return OOZE_OK;
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    OozeCoupled *c = s->job->coupled;
    if (!c->near[begin / OOZE_COUPLED_GRAIN]) {
        return;
    }
    OozeSix *sum = ooze_coupled_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        float lambda = s->mobility[i] > 0.0f ? s->arrow[i][3] : 0.0f;
        int k = lambda != 0.0f ? next_solid(s, i, -1) : -1;
        for (; k >= 0; k = next_solid(s, i, k)) {
            const OozeCoupledSolid *solid = &c->solids[k];
            OozeVec3 push = vec3_scale(widen(push_of(s, i, solid->solid)), -(double)lambda);
            ooze_coupled_add(&sum[k], ooze_coupled_arm(c, solid, start_of(s, i)), push);
        }
    }
}

void ooze_density_push_solids(OozeDensitySweep *s)
{
    if (s->job->coupled) {
        ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_COUPLED_GRAIN, push_range, s);
    }
}

/* The way of the fastest point of any. */
static double farthest_way(const OozeCoupledSolid *solid, const OozeSix *change)
{
    double v = sqrt(change->v[0] * change->v[0] + change->v[1] * change->v[1] +
                    change->v[2] * change->v[2]);
    double w = sqrt(change->v[3] * change->v[3] + change->v[4] * change->v[4] +
                    change->v[5] * change->v[5]);
    return v + w * solid->reach;
}

void ooze_density_move_solids(OozeDensitySweep *s)
{
    OozeCoupled *c = s->job->coupled;
    double dt = (double)(float)s->job->context->dt, farthest = 0.0; /* as the particles move */
    if (!c) {
        return;
    }
    ooze_coupled_collect(c);
    for (int k = 0; k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        OozeSix change = ooze_coupled_respond(solid, &solid->sum);
        farthest = fmax(farthest, farthest_way(solid, &change));
        ooze_six_add(&solid->motion, 1.0 / dt, &change);
    }
    s->solids_moved += (float)farthest;
    if (farthest > 0.0) {
        ooze_coupled_move_samples(c);
    }
}

void ooze_density_push_back(OozeDensitySweep *s, uint64_t begin, uint64_t i, int solid,
                            OozeFour off)
{
    OozeCoupled *c = s->job->coupled;
    if (!c || s->settles || !ooze_coupled_is_dynamic(c, solid)) {
        return;
    }
    int k = c->number[solid];
    OozeVec3 push = vec3_scale(widen(off), -1.0 / (double)s->mobility[i]);
    ooze_coupled_add(&ooze_coupled_chunk(c, begin)[k],
                     ooze_coupled_arm(c, &c->solids[k], start_of(s, i)), push);
}

/* As if the solid were split among all that touch it. */
double ooze_density_push_share(const OozeDensitySweep *s, uint64_t i, int solid, OozeVec3 normal)
{
    const OozeCoupled *c = s->job->coupled;
    if (!c || s->settles || !ooze_coupled_is_dynamic(c, solid)) {
        return 1.0;
    }
    const OozeCoupledSolid *own = &c->solids[c->number[solid]];
    double yield = ooze_coupled_yield(own, ooze_coupled_arm(c, own, start_of(s, i)), normal);
    return 1.0 / (1.0 + own->touching * yield / (double)s->mobility[i]);
}
