/* Removes compression from the velocities: see methods/conformation/divergence.c. */
#include "cuda/conformation/bodies/bodies.cuh"
#include "cuda/ranks.cuh"

#include "methods/conformation/divergence_formula.h"
#include "solvers/projected_jacobi.h"

namespace ooze
{

/* Captured by loop bodies. Edges have the kernel of the density. */
struct DivergenceView {
    /* Sum of edges to boundary samples; last lane: rate of density without fluid velocities, 1/s */
    float4 *wall_sum;
    float *diagonal;                     /* J M^-1 J^T */
    float4 *free;                        /* velocities without contacts */
    OozeProjectedMultiplier *multiplier; /* per particle */
    float4 *change; /* positions; last lane: change of the multipliers in the present sweep */
};

OOZE_DEVICE float4 edge(float weight, const Delta &d)
{
    return f32x4(weight * d.x, weight * d.y, weight * d.z);
}

/* Sums over the boundary samples of particle i, where they were when the step began. */
OOZE_DEVICE OozeDivergenceWalls sum_walls(const StepView &s, uint32_t i)
{
    OozeDivergenceWalls sums = {f32x4(0, 0, 0), 0.0f};
    const float4 here = s.x0[i];
    if (s.body && s.body[i]) { /* contacts of particle bodies with solids are solved elsewhere */
        return sums;
    }
    each_wall(s, i, [&](uint32_t b) {
        float4 v = s.walls.velocity[b];
        Delta d = delta<true>(s, here, s.walls.position[b] - s.dt * v);
        float f = s.wall_scale / s.volume * s.walls.volume[b] * kernel_weight(s, d.r2);
        ooze_divergence_add_wall(&sums, edge(f, d), v);
    });
    return sums;
}

/* Weight of an edge; 0 within a particle body, whose own forces keep its density. */
OOZE_DEVICE float pair_weight(const StepView &s, uint16_t own, uint32_t j, float r2)
{
    return own && s.body[j] == own ? 0.0f : kernel_weight(s, r2);
}

OOZE_DEVICE uint16_t body_of(const StepView &s, uint32_t i)
{
    return s.body ? s.body[i] : (uint16_t)0;
}

/* Rate by which the density of particle i may rise; of a particle body without samples of solids,
   see OozeDensityJob. */
OOZE_DEVICE float allowed_rate(const StepView &s, uint32_t i)
{
    if (!body_of(s, i)) {
        return ooze_divergence_allowed(1.0f, s.density[i], s.dt);
    }
    float sum = ooze_cubic_value(0, s.support);
    each_true_neighbour(s.fluid, i, [&](uint32_t j) {
        sum += ooze_cubic_value(sqrtf(delta<true>(s, s.x0[i], s.x0[j]).r2), s.support);
    });
    return ooze_divergence_allowed(s.own_density_target[i], s.volume * sum, s.dt);
}

template <int LANES, bool WRAPS> static void divergence_begin_loop(Step *step, DivergenceView v)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            const uint16_t own = body_of(s, i);
            const float *effective_inverse_mass =
                s.effective_inverse_mass ? s.effective_inverse_mass : s.mobility;
            OozeDivergenceSums sums = {f32x4(0, 0, 0), 0.0f};
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(s, here, s.x0[j]);
                ooze_divergence_add_pair(&sums, edge(pair_weight(s, own, j, d.r2), d),
                                         effective_inverse_mass[j]);
            });
            sums.edges = lanes_sum<LANES>(sums.edges);
            sums.square = lanes_sum<LANES>(sums.square);
            if (lane != 0) {
                return;
            }
            OozeDivergenceWalls walls = sum_walls(s, i);
            walls.edges.w = walls.rate - allowed_rate(s, i);
            v.wall_sum[i] = walls.edges;
            v.diagonal[i] =
                ooze_divergence_diagonal(&sums, walls.edges, effective_inverse_mass[i], s.support);
            v.free[i] = s.u[i];
            OozeProjectedMultiplier none = {0.0f, 0.0f};
            v.multiplier[i] = none;
        });
}

template <int LANES, bool WRAPS>
static void divergence_multiplier_loop(Step *step, DivergenceView v, float momentum)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i], u = s.u[i];
            const uint16_t own = body_of(s, i);
            float rate = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(s, here, s.x0[j]);
                rate += ooze_divergence_rate(u, s.u[j], edge(pair_weight(s, own, j, d.r2), d));
            });
            rate = lanes_sum<LANES>(rate);
            if (lane == 0) {
                float4 wall = v.wall_sum[i];
                float step = (rate + wall.w + dot(u, wall)) / v.diagonal[i];
                OozeProjectedMultiplier multiplier = v.multiplier[i];
                float change = ooze_projected_step(&multiplier, step, momentum);
                v.multiplier[i] = multiplier;
                v.change[i] = make_float4(here.x, here.y, here.z, change);
            }
        });
}

template <int LANES, bool WRAPS> static void divergence_push_loop(Step *step, DivergenceView v)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            const uint16_t body = body_of(s, i);
            const float own = v.change[i].w;
            float4 push = f32x4(0, 0, 0);
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                float4 there = v.change[j];
                float both = j != s.fluid.dummy ? own + there.w : 0.0f;
                there.w = 0.0f;
                Delta d = delta<WRAPS>(s, here, there);
                push = ooze_divergence_push(push, both, edge(pair_weight(s, body, j, d.r2), d));
            });
            push = lanes_sum<LANES>(push);
            if (lane == 0 && s.mobility[i] > 0.0f) {
                push = ooze_divergence_push(push, own, v.wall_sum[i]);
                float4 free = v.free[i] + s.mobility[i] * push;
                const OozeContactSet *set = contacts_of(s, i);
                v.free[i] = free;
                s.u[i] = set ? ooze_contact_normal_velocity(set, free) : free;
            }
        });
}

void divergence(Step *step)
{
    Gpu *gpu = step->gpu;
    int iterations = step->plan.settings.divergence_iterations;
    if (iterations == 0) {
        return;
    }
    uint64_t n = step->view.n;
    OozeStepTimer *timer = step->context->timer;
    Mark mark = scratch_mark(gpu);
    DivergenceView v = {scratch<float4>(gpu, n), scratch<float>(gpu, n), scratch<float4>(gpu, n),
                        scratch<OozeProjectedMultiplier>(gpu, n), scratch<float4>(gpu, n)};
    clear(gpu, v.change + n, sizeof *v.change);
#define DIVERGENCE_BEGIN(lanes, wraps) divergence_begin_loop<lanes, wraps>(step, v)
    OOZE_EACH_KIND(step, DIVERGENCE_BEGIN);
    ooze_timer_lap(timer, "prepare");
    for (int k = 0; k < iterations; k++) {
        float momentum = ooze_projected_momentum(k, iterations);
#define DIVERGENCE_MULTIPLIER(lanes, wraps)                                                        \
    divergence_multiplier_loop<lanes, wraps>(step, v, momentum)
#define DIVERGENCE_PUSH(lanes, wraps) divergence_push_loop<lanes, wraps>(step, v)
        OOZE_EACH_KIND(step, DIVERGENCE_MULTIPLIER);
        refresh(gpu, v.change, sizeof *v.change);
        OOZE_EACH_KIND(step, DIVERGENCE_PUSH);
        bodies_apply_impulses(step, v.free);
        refresh(gpu, step->view.u, sizeof *step->view.u);
        ooze_timer_lap(timer, "divergence");
    }
    scratch_rewind(gpu, mark);
}

} // namespace ooze
