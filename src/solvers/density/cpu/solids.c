/* A multiplier that pushes particle i away from samples of a solid pushes the solid by the opposite
   at the position of the particle: pairs push along their lines, so that the torque is the same.
   The system of multipliers gains J M^-1 J^T, J being six numbers a particle. It couples all
   particles around a solid, and Jacobi sweeps converge if each diagonal is at least the sum of its
   row,

     sum_j |J_i M^-1 J_j| <= |J_i| sum_j |J_j|   with |J|^2 = J M^-1 J,

   a third of which is enough, because sweeps have step length 0.3 (see projected_jacobi.h). A light
   solid then moves instead of the fluid and does not overshoot, however light it is. */
#include "solvers/density/cpu/density_solids.h"

#include <math.h>
#include <string.h>

#include "physics/kernels.h"
#include "solvers/contact/dynamic_coupling_f32x4.h"

static OozeVec3 widen(OozeF32x4 a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

/* The push of the samples of one solid on particle i for a multiplier of 1, as in
   sweep_loops.c. */
static OozeF32x4 push_of(const OozeDensitySweep *s, uint64_t i, int solid)
{
    const OozeBoundary *b = s->job->context->boundary;
    const OozePeriodic *p = &s->job->context->periodic;
    float h = s->job->support, ignores_boundary = s->ignores_boundary && s->ignores_boundary[i]
                                                      ? 0.0f
                                                      : s->job->wall_scale;
    OozeF32x4 push = {0};
    for (uint64_t e = s->walls->first[i], last = e + s->walls->count[i]; e < last; e++) {
        uint32_t k = s->walls->index[e];
        if (b->solid[k] == solid) {
            OozeF32x4 d = ooze_f32x4_nearest(s->x[i] - ooze_f32x4_load(&b->position[k].x), p);
            float r = sqrtf(ooze_f32x4_dot3(d, d));
            float slope = ooze_kernel_gradient_scale(ooze_cubic_slope(r, h), r, h);
            push -= ignores_boundary * b->volume[k] * slope * d;
        }
    }
    push[3] = 0;
    return push;
}

/* The next dynamic solid after number k that has a sample near particle i, or -1. */
static int next_solid(const OozeDensitySweep *s, uint64_t i, int k)
{
    const OozeDynamicCoupling *c = s->job->coupling;
    const OozeBoundary *b = s->job->context->boundary;
    int next = INT32_MAX;
    for (uint64_t e = s->walls->first[i], last = e + s->walls->count[i]; e < last; e++) {
        int other = c->index_of[b->solid[s->walls->index[e]]];
        next = other > k && other < next ? other : next;
    }
    return next == INT32_MAX ? -1 : next;
}

/* Position of particle i at the beginning of the step. */
static OozeF32x4 start_of(const OozeDensitySweep *s, uint64_t i)
{
    OozeF32x4 x = s->job->start ? s->job->start[s->order[i]] : s->x[i];
    x[3] = 0;
    return x;
}

static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    OozeDynamicCoupling *c = s->job->coupling;
    if (!c->near[begin / OOZE_COUPLING_GRAIN]) {
        return;
    }
    OozeTwist *sum = ooze_coupling_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        double diagonal = 0.0;
        for (int k = next_solid(s, i, -1); k >= 0; k = next_solid(s, i, k)) {
            const OozeDynamicSolid *solid = &c->solids[k];
            OozeVec3 arm = ooze_coupling_arm_to(c, solid, start_of(s, i));
            double size =
                sqrt(ooze_coupling_compliance(solid, arm, widen(push_of(s, i, solid->solid))));
            sum[k].v[0] += size;
            diagonal += OOZE_COUPLING_SHARE_OF_ROW * size * solid->row_sum;
        }
        s->solid_diagonal[i] = (float)diagonal;
    }
}

void ooze_density_solid_diagonals(OozeDensitySweep *s)
{
    OozeDynamicCoupling *c = s->job->coupling;
    ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_COUPLING_GRAIN, diagonal_range, s);
    ooze_coupling_collect(c);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].row_sum = c->solids[k].collected.v[0];
    }
}

void ooze_density_solids_begin(OozeDensitySweep *s)
{
    const OozeDensityJob *job = s->job;
    memset(s->solid_diagonal, 0, job->n * sizeof *s->solid_diagonal);
    ooze_coupling_find_chunks(job->coupling, &job->own->near_walls, job->n, job->context->boundary);
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    OozeDynamicCoupling *c = s->job->coupling;
    if (!c->near[begin / OOZE_COUPLING_GRAIN]) {
        return;
    }
    OozeTwist *sum = ooze_coupling_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        float lambda = s->mobility[i] > 0.0f ? s->x0_lambda[i][3] : 0.0f;
        int k = lambda != 0.0f ? next_solid(s, i, -1) : -1;
        for (; k >= 0; k = next_solid(s, i, k)) {
            const OozeDynamicSolid *solid = &c->solids[k];
            OozeVec3 push = vec3_scale(widen(push_of(s, i, solid->solid)), -(double)lambda);
            ooze_coupling_add(&sum[k], ooze_coupling_arm_to(c, solid, start_of(s, i)), push);
        }
    }
}

void ooze_density_move_solids(OozeDensitySweep *s)
{
    OozeDynamicCoupling *c = s->job->coupling;
    double dt = (double)(float)s->job->context->dt, farthest = 0.0; /* as the particles move */
    if (!c) {
        return;
    }
    ooze_coupling_collect(c);
    for (int k = 0; k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        OozeTwist change = ooze_coupling_velocity_change(solid, &solid->collected);
        farthest = fmax(farthest, ooze_coupling_travel(&change, solid->reach));
        ooze_twist_add(&solid->motion, 1.0 / dt, &change);
    }
    s->solids_moved += (float)farthest;
    if (farthest > 0.0) {
        ooze_coupling_move_samples(c);
    }
}

void ooze_density_push_solids(OozeDensitySweep *s)
{
    ooze_parallel_for(s->job->context->threads, s->job->n, OOZE_COUPLING_GRAIN, push_range, s);
    ooze_density_move_solids(s);
}

void ooze_density_push_back(OozeDensitySweep *s, uint64_t begin, uint64_t i, int solid,
                            OozeF32x4 delta)
{
    OozeDynamicCoupling *c = s->job->coupling;
    if (!c || s->relieving || !ooze_coupling_is_dynamic(c, solid)) {
        return;
    }
    int k = c->index_of[solid];
    OozeVec3 push = vec3_scale(widen(delta), -1.0 / (double)s->mobility[i]);
    ooze_coupling_add(&ooze_coupling_chunk(c, begin)[k],
                      ooze_coupling_arm_to(c, &c->solids[k], start_of(s, i)), push);
}

double ooze_density_push_share(const OozeDensitySweep *s, uint64_t i, int solid, OozeVec3 normal)
{
    const OozeDynamicCoupling *c = s->job->coupling;
    if (!c || s->relieving || !ooze_coupling_is_dynamic(c, solid)) {
        return 1.0;
    }
    const OozeDynamicSolid *own = &c->solids[c->index_of[solid]];
    return ooze_coupling_push_share(own, ooze_coupling_arm_to(c, own, start_of(s, i)), normal,
                                    s->mobility[i]);
}
