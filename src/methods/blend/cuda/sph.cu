/* Densities and forces of the SPH half on the GPU: see cpu/sph_loops.c. */
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

template <int LANES> static void sum_densities(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    const float h = s.k.support, inverse_h2 = 1.0f / (h * h);
    const float scale = s.k.volume * ooze_poly6_value(0.0f, h);
    for_lanes<LANES>(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float sum = 0.0f;
            const float4 here = s.pairs.x[i];
            each_neighbour<LANES>(s.pairs.fluid, i, lane, [&](uint32_t j) {
                if (j != s.pairs.fluid.dummy) {
                    float4 d = s.pairs.x[j] - here;
                    sum += ooze_blend_density_term(dot(d, d), inverse_h2);
                }
            });
            sum = lanes_sum<LANES>(sum);
            if (lane != 0) {
                return;
            }
            float density = scale * (1.0f + sum) + s.wall[i].w;
            OozeBlendState state = s.state[i];
            state.pressure = ooze_blend_pressure(s.materials[s.material[i]].relative_mass, density,
                                                 s.k.sound, s.k.published);
            state.inverse_density = 1.0f / density;
            s.density[i] = density;
            s.state[i] = state;
        });
}

/* Over the pairs of this lane. */
template <int LANES>
OOZE_DEVICE float4 forces_of(const BlendView &s, uint32_t i, uint32_t lane,
                             const OozeBlendState &own)
{
    const float4 u = s.u[i], shape = s.shape[i];
    float4 sum = f32x4(0, 0, 0);
    each_pair<LANES>(s.pairs, i, lane, [&](uint32_t j, float4 d) {
        const OozeBlendState other = s.state[j];
        bool one_region = false;
        if (s.compares_shapes) {
            float4 there = s.shape[j], q = there - shape;
            one_region = ooze_blend_one_region(q.x, q.y, q.z, there.w - shape.w, s.k.radius2);
        }
        OozeBlendPair pair = ooze_blend_pair(&s.k, &own, &other, one_region, d.w);
        sum = sum - pair.push * d + pair.drag * (s.u[j] - u);
    });
    return sum;
}

/* The same of eqs 1 to 3 as printed. */
template <int LANES>
OOZE_DEVICE float4 printed_forces_of(const BlendView &s, uint32_t i, uint32_t lane,
                                     const OozeBlendState &own)
{
    float4 sum = f32x4(0, 0, 0);
    if (lane == 0) {
        sum = ooze_blend_printed_own_drag(&s.k, &own) * s.u[i];
    }
    each_pair<LANES>(s.pairs, i, lane, [&](uint32_t j, float4 d) {
        const OozeBlendState other = s.state[j];
        OozeBlendPair pair = ooze_blend_printed_pair(&s.k, &own, &other, d.w);
        sum = sum - pair.push * d + pair.drag * s.u[j];
    });
    return sum;
}

template <int LANES> static void sum_forces(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeBlendState own = s.state[i];
            float4 sum = s.k.published ? printed_forces_of<LANES>(s, i, lane, own)
                                       : forces_of<LANES>(s, i, lane, own);
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                float share = ooze_blend_pressure_share(own.fluid_share, s.k.blended_pressure);
                float4 wall = share * own.pressure * own.inverse_density * s.wall[i];
                s.acceleration[i] =
                    (1.0f / s.materials[s.material[i]].relative_mass) * (sum + wall);
            }
        });
}

void blend_sum_densities(OozeBlendStep *step)
{
#define SUM_DENSITIES(LANES) sum_densities<LANES>(step)
    OOZE_LANES(step->machine->all, SUM_DENSITIES);
}

void blend_sum_forces(OozeBlendStep *step)
{
#define SUM_FORCES(LANES) sum_forces<LANES>(step)
    OOZE_LANES(step->machine->all, SUM_FORCES);
}

} // namespace ooze
