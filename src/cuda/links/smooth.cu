/* XSPH on the device: see methods/links/smooth_loops.c. */
#include "cuda/links/step.cuh"

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

OOZE_DEVICE float inverse_mass_of_stored(const LinksView &s, uint32_t i)
{
    return s.prescribed && s.prescribed[i] ? 0.0f : s.materials[s.material[i]].inverse_mass;
}

void links_smooth(LinksStep *step)
{
    LinksView s = step->view;
    Gpu *gpu = step->gpu;
    const double *p = step->context->params;
    const float fluid = (float)p[OOZE_LINKS_XSPH], walls = (float)p[OOZE_LINKS_WALL_XSPH];
    if (fluid == 0.0f && walls == 0.0f) {
        return;
    }
    float4 *moving = scratch<float4>(gpu, s.now.n), *from_walls = scratch<float4>(gpu, s.now.n);
    for_each(
        gpu, s.now.n, OOZE_BODY(uint32_t i) { moving[i] = density_at(s, i, &from_walls[i]); });
    for_each(
        gpu, s.now.n, OOZE_BODY(uint32_t i) {
            const float4 own = moving[i];
            const float own_inverse_mass = inverse_mass_of_stored(s, i);
            float4 sum = f32x4(0, 0, 0);
            if (own_inverse_mass == 0.0f) {
                return;
            }
            each_pair<1>(s.now, i, 0, [&](uint32_t j, float4 d) {
                float4 other = moving[j];
                float value = s.k.volume * ooze_links_value(&s.now.kernel, d.w);
                float share = 2.0f * value / (own.w + other.w);
                share *=
                    2.0f * own_inverse_mass / (own_inverse_mass + inverse_mass_of_stored(s, j));
                sum = sum + share * (other - own);
            });
            s.u[i] = s.u[i] + fluid * sum + walls * from_walls[i];
        });
}

} // namespace ooze
