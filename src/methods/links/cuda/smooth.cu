/* XSPH on the device: see cpu/smooth_loops.c. */
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

/* Velocity and, in the last lane, density; `walls` gets the sum over boundary particles. */
OOZE_DEVICE float4 density_at(const LinksView &s, uint32_t i, float4 *walls)
{
    const PairView<OozeLinksKernel> &pairs = s.now;
    const float4 u = s.u[i];
    float density = s.k.volume * ooze_links_value(&pairs.kernel, 0.0f);
    float4 sum = f32x4(0, 0, 0);
    each_pair<1>(pairs, i, 0, [&](uint32_t, float4 d) {
        density += s.k.volume * ooze_links_value(&pairs.kernel, d.w);
    });
    each_wall_pair<1>(pairs, i, 0, [&](uint32_t b, float4 d) {
        float value =
            s.k.wall_scale * pairs.boundary.volume[b] * ooze_links_value(&pairs.kernel, d.w);
        density += value;
        /* those of dynamic solids would take momentum that the solids do not lose */
        if (has_friction(s, pairs.boundary.solid[b]) &&
            !s.solids.items[pairs.boundary.solid[b]].dynamic) {
            sum = sum + value * (pairs.boundary.velocity[b] - u);
        }
    });
    *walls = sum;
    return f32x4(u.x, u.y, u.z, density);
}

OozeStatus links_find_densities(OozeLinksStep *step, OozeError *)
{
    const LinksView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.n,
        OOZE_BODY(uint32_t i) { s.moving[i] = density_at(s, i, &s.wall_motion[i]); });
    return OOZE_OK;
}

void links_smooth(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t i) {
            const float4 own = s.moving[i];
            const float own_inverse_mass = s.store_inverse_mass[i];
            float4 sum = f32x4(0, 0, 0);
            if (own_inverse_mass == 0.0f) {
                return;
            }
            each_pair<1>(s.now, i, 0, [&](uint32_t j, float4 d) {
                float4 other = s.moving[j];
                float value = s.k.volume * ooze_links_value(&s.now.kernel, d.w);
                float share = 2.0f * value / (own.w + other.w);
                share *= 2.0f * own_inverse_mass / (own_inverse_mass + s.store_inverse_mass[j]);
                sum = sum + share * (other - own);
            });
            s.u[i] = s.u[i] + s.k.xsph * sum + s.k.wall_xsph * s.wall_motion[i];
        });
}

} // namespace ooze
