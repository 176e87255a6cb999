/* Compression taken out of the velocities before anything moves: see methods/conformation/divergence.c. */
#include "cuda/conformation/bodies.cuh"

extern "C" {
#include "methods/projected.h"
}

namespace ooze
{

/* To be captured. Edges weigh as the kernel of the density. */
struct DivergenceView {
    float4 *
        wall_sum; /* edges summed over walls; last lane: what walls and missing density add to the rate, 1/s */
    float4 *sum;      /* edges summed over all; last lane: J M^-1 J^T */
    float4 *free;     /* velocities before solids hold them */
    OozePush *pushed; /* what the multipliers have come to */
    float4 *change;   /* positions; last lane: change of the multipliers in the present sweep */
};

/* Walls of particle i, where they were when the step began. */
OOZE_DEVICE float4 sum_walls(const StepView &s, uint32_t i)
{
    float4 sum = four(0, 0, 0, 0);
    const float4 here = s.x0[i];
    if (s.body && s.body[i]) { /* solids hold bodies in other ways */
        return sum;
    }
    each_wall(s, i, [&](uint32_t b) {
        float4 v = s.walls.velocity[b];
        Way d = way<true>(s, here, s.walls.position[b] - s.dt * v);
        float f = s.wall_scale / s.volume * s.walls.volume[b] * kernel_weight(s, d.r2);
        float4 g = four(f * d.x, f * d.y, f * d.z);
        sum = sum + g;
        sum.w -= dot(v, g);
    });
    return sum;
}

/* Weight of an edge; none within a body, which minds its own density. */
OOZE_DEVICE float pair_weight(const StepView &s, uint16_t own, uint32_t j, float r2)
{
    return own && s.body[j] == own ? 0.0f : kernel_weight(s, r2);
}

OOZE_DEVICE uint16_t body_of(const StepView &s, uint32_t i)
{
    return s.body ? s.body[i] : (uint16_t)0;
}

/* How far a particle is from where density would have to stop it, as a density: solids make nothing of a body's, see
   OozeDensityJob. */
OOZE_DEVICE float lacking(const StepView &s, uint32_t i)
{
    if (!body_of(s, i)) {
        return fmaxf(1.0f - s.density[i], 0.0f);
    }
    float sum = ooze_cubic_value(0, s.support);
    each_true_neighbour(s.fluid, i, [&](uint32_t j) {
        sum += ooze_cubic_value(sqrtf(way<true>(s, s.x0[i], s.x0[j]).r2), s.support);
    });
    return fmaxf(s.own_limit[i] - s.volume * sum, 0.0f);
}

template <int LANES, bool WRAPS> static void divergence_begin_loop(Step *step, DivergenceView v)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            const uint16_t own = body_of(s, i);
            const float *ease = s.ease ? s.ease : s.mobility;
            float x = 0.0f, y = 0.0f, z = 0.0f, square = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Way d = way<WRAPS>(s, here, s.x0[j]);
                float f = pair_weight(s, own, j, d.r2), gx = f * d.x, gy = f * d.y, gz = f * d.z;
                x += gx;
                y += gy;
                z += gz;
                square += ease[j] * (gx * gx + gy * gy + gz * gz);
            });
            x = lanes_sum<LANES>(x);
            y = lanes_sum<LANES>(y);
            z = lanes_sum<LANES>(z);
            square = lanes_sum<LANES>(square);
            if (lane != 0) {
                return;
            }
            float4 wall = sum_walls(s, i), sum = four(x + wall.x, y + wall.y, z + wall.z);
            wall.w -= lacking(s, i) / s.dt;
            /* as in the density stage: an isolated pair must not divide by nothing */
            sum.w = square + ease[i] * dot(sum, sum) + 0.05f / (s.support * s.support);
            v.wall_sum[i] = wall;
            v.sum[i] = sum;
            v.free[i] = s.u[i];
            OozePush none = {0.0f, 0.0f};
            v.pushed[i] = none;
        });
}

template <int LANES, bool WRAPS>
static void divergence_multiplier_loop(Step *step, DivergenceView v, float momentum)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i], u = s.u[i];
            const uint16_t own = body_of(s, i);
            float rate = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Way d = way<WRAPS>(s, here, s.x0[j]);
                float4 apart = u - s.u[j];
                rate +=
                    pair_weight(s, own, j, d.r2) * (apart.x * d.x + apart.y * d.y + apart.z * d.z);
            });
            rate = lanes_sum<LANES>(rate);
            if (lane == 0) {
                float4 wall = v.wall_sum[i];
                float wanted = (rate + wall.w + dot(u, wall)) / v.sum[i].w;
                OozePush pushed = v.pushed[i];
                float change = ooze_push_sweep(&pushed, wanted, momentum);
                v.pushed[i] = pushed;
                v.change[i] = make_float4(here.x, here.y, here.z, change);
            }
        });
}

/* A solid that holds a particle goes on to hold it. */
OOZE_DEVICE float4 kept_out(const StepView &s, uint32_t i, float4 u)
{
    if (s.hold_of && s.hold_of[i] >= 0) {
        const Hold *hold = &s.holds[s.hold_of[i]];
        for (int k = 0; k < hold->normals; k++) {
            float4 d = hold->direction[k];
            u = u + fmaxf(d.w - dot(u, d), 0.0f) * d;
        }
    }
    return u;
}

/* What fills up lists has no change, whatever its edge weighs. */
template <int LANES, bool WRAPS> static void divergence_push_loop(Step *step, DivergenceView v)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            const uint16_t body = body_of(s, i);
            float x = 0.0f, y = 0.0f, z = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                float4 there = v.change[j];
                float change = there.w;
                there.w = 0.0f;
                Way d = way<WRAPS>(s, here, there);
                float f = change * pair_weight(s, body, j, d.r2);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
            });
            float4 push = four(lanes_sum<LANES>(x), lanes_sum<LANES>(y), lanes_sum<LANES>(z));
            if (lane == 0 && s.mobility[i] > 0.0f) { /* against the rise of density */
                float own = v.change[i].w;
                float4 free = v.free[i] - s.mobility[i] * (push + own * v.sum[i]);
                v.free[i] = free;
                s.u[i] = kept_out(s, i, free);
            }
        });
}

/* Rigid bodies take up what has pushed their particles. */
static void settle_bodies(Step *step, DivergenceView v)
{
    StepView s = step->view;
    const uint32_t *index = rigid_slots(step) > 0 ? step->bodies->index : nullptr;
    bodies_settle(step);
    for_each(
        step->m, rigid_slots(step), OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            if (i != OOZE_NO_PARTICLE) {
                v.free[i] = s.u[i];
            }
        });
}

void divergence(Step *step)
{
    Machine *m = step->m;
    int iterations = step->plan.settings.divergence_iterations;
    if (iterations == 0) {
        return;
    }
    uint64_t n = step->view.n;
    OozeStageClock *clock = step->context->clock;
    Mark mark = scratch_mark(m);
    DivergenceView v = {scratch<float4>(m, n), scratch<float4>(m, n), scratch<float4>(m, n),
                        scratch<OozePush>(m, n), scratch<float4>(m, n)};
    clear(m, v.change + n, sizeof *v.change);
#define DIVERGENCE_BEGIN(lanes, wraps) divergence_begin_loop<lanes, wraps>(step, v)
    OOZE_EACH_KIND(step, DIVERGENCE_BEGIN);
    ooze_stage_lap(clock, OOZE_PART_PREPARE);
    for (int k = 0; k < iterations; k++) {
        float momentum = ooze_push_momentum(k, iterations);
#define DIVERGENCE_MULTIPLIER(lanes, wraps)                                                        \
    divergence_multiplier_loop<lanes, wraps>(step, v, momentum)
#define DIVERGENCE_PUSH(lanes, wraps) divergence_push_loop<lanes, wraps>(step, v)
        OOZE_EACH_KIND(step, DIVERGENCE_MULTIPLIER);
        OOZE_EACH_KIND(step, DIVERGENCE_PUSH);
        settle_bodies(step, v);
        ooze_stage_lap(clock, OOZE_PART_DIVERGENCE);
    }
    scratch_rewind(m, mark);
}

} // namespace ooze
