/* The density stage begins with the multipliers of the last step: see
   methods/conformation/cpu/density_warm_start.h. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/lodge.cuh"

namespace ooze
{

template <int LANES, bool WRAPS>
OOZE_DEVICE float4 push_of_fluid(const StepView &s, uint32_t i, uint32_t lane)
{
    const float4 here = s.x0[i];
    const float lambda = s.density_multiplier[i];
    float4 push = f32x4(0, 0, 0);
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Delta d = delta<WRAPS>(s, here, s.x0[j]);
        float value, r = sqrtf(d.r2), slope = cubic(s, r, &value);
        float over_r = (lambda + s.density_multiplier[j]) * slope / fmaxf(r, s.nearest);
        push = push - over_r * f32x4(d.x, d.y, d.z);
    });
    return lanes_sum<LANES>(push);
}

/* As add_walls of the density stage. */
OOZE_DEVICE float4 push_of_walls(const StepView &s, uint32_t i)
{
    const float4 here = s.x0[i];
    const float scale = s.density_multiplier[i] * s.wall_scale / s.volume;
    float4 push = f32x4(0, 0, 0);
    each_wall(s, i, [&](uint32_t b) {
        Delta d = delta<true>(s, here, s.walls.position[b]);
        float value, r = sqrtf(d.r2), slope = scale * s.walls.volume[b] * cubic(s, r, &value);
        push = push - slope / fmaxf(r, s.nearest) * f32x4(d.x, d.y, d.z);
    });
    return push;
}

template <int LANES, bool WRAPS> static void find_pushes(Step *step)
{
    const StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = push_of_fluid<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            if (s.density_multiplier[i] > 0.0f) {
                push = push + push_of_walls(s, i);
            }
            s.first_push[i] = s.mobility[i] * push;
        });
}

void density_warm_start_find(Step *step)
{
    const StepView s = step->view;
    if (!s.first_push) {
        return;
    }
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            s.density_multiplier[i] = ooze_push_multiplier(
                s.multiplier[i], s.rheology[s.material[i]].multiplier_share, s.dt);
        });
#define FIND_PUSHES(lanes, wraps) find_pushes<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FIND_PUSHES);
    refresh(step->gpu, s.first_push, sizeof *s.first_push);
}

} // namespace ooze
