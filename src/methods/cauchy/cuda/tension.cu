/* Surface tension on the device: see methods/cauchy/cpu/tension.c and operators_loops.c. */
#include "methods/cauchy/cuda/step.cuh"

namespace ooze
{

/* ---- a stress along the surface ---- */

template <int LANES, bool WRAPS> static void stresses(OozeCauchyTension *tension)
{
    const CauchyView s = view_of(tension->step);
    const OozeSurfaceTension t = tension->numbers;
    float4 *flux = tension->flux, *base = tension->base;
    for_lanes<LANES>(
        gpu_of(tension->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float tension = material_of(s, i).surface_tension;
            const float4 here = s.x0[i], inward = s.fluid_edge_sum[i];
            float filled = 0.0f;
            if (tension > 0.0f) {
                each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                    const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                    const float f = fmaxf(1.0f - d.r2 * s.inverse2, 0.0f);
                    filled += t.filled * f * f;
                });
            }
            filled = lanes_sum<LANES>(filled);
            if (lane != 0) {
                return;
            }
            OozeSurfaceSums sums = {{0, 0, 0}, 1.0f};
            if (tension > 0.0f) {
                sums = {{inward.x, inward.y, inward.z}, filled};
                ooze_cauchy_add_walls(&s.k, &s.wall[i], &sums);
            }
            const OozeMat3 m = ooze_surface_flux(t, sums, tension, s.correction[i]);
            const float4 sum = s.edge_sum[i];
            float b[3];
            for (int k = 0; k < 3; k++) {
                const float4 row = f32x4(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0.0f);
                flux[3 * (uint64_t)i + k] = row;
                b[k] = dot(row, sum);
            }
            base[i] = f32x4(b[0], b[1], b[2]);
        });
}

template <int LANES, bool WRAPS> static void pulls(OozeCauchyTension *tension)
{
    const CauchyView s = view_of(tension->step);
    const float4 *flux = tension->flux, *base = tension->base;
    for_lanes<LANES>(
        gpu_of(tension->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                float wetting[3] = {0.0f, 0.0f, 0.0f};
                ooze_cauchy_add_wetting(&s.k, &material_of(s, i), &s.wall[i], wetting);
                s.force[i] = s.force[i] + base[i] + force +
                             make_float4(wetting[0], wetting[1], wetting[2], 0.0f);
            }
        });
}

static void find_stress(OozeCauchyTension *tension)
{
    clear(gpu_of(tension->step), tension->flux + 3 * tension->step->machine->n, 3 * sizeof(float4));
#define STRESSES(lanes, wraps) stresses<lanes, wraps>(tension)
    CAUCHY_EACH_KIND(tension->step, STRESSES);
}

static void add_stress(OozeCauchyTension *tension)
{
#define PULLS(lanes, wraps) pulls<lanes, wraps>(tension)
    CAUCHY_EACH_KIND(tension->step, PULLS);
}

/* ---- the potential between particles ---- */

OOZE_DEVICE float4 wall_cohesion(const CauchyView &s, uint32_t i)
{
    const OozeCauchyMaterial &own = material_of(s, i);
    const float4 here = s.x0[i];
    const float strength = own.adhesion * own.cohesion * s.k.inverse_sample;
    float4 force = f32x4(0, 0, 0);
    each_wall(s, i, [&](uint32_t b) {
        const Delta d = delta<true>(s, here, s.walls.position[b]);
        const float r = fmaxf(sqrtf(d.r2), 1e-3f * s.k.support);
        const float pull =
            strength * s.walls.volume[b] / r * ooze_mps_wall_cohesion(r, s.k.spacing, s.k.support);
        force = force + pull * f32x4(d.x, d.y, d.z);
    });
    return force;
}

OOZE_DEVICE float balance_of(const CauchyView &s, uint32_t i)
{
    return ooze_cauchy_balance(&material_of(s, i), s.number[i]);
}

template <int LANES, bool WRAPS> static void cohesions(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float own = material_of(s, i).cohesion, balance = balance_of(s, i);
            const float4 here = s.x0[i];
            float4 force = f32x4(0, 0, 0);
            each_weighted<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j, float w) {
                if (j == s.fluid.dummy) {
                    return;
                }
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                const float r = fmaxf(sqrtf(d.r2), 1e-3f * s.k.support);
                const float other = material_of(s, j).cohesion;
                const float c = own == other ? own : sqrtf(own * other);
                const float pull = c / r * ooze_mps_cohesion(r, s.k.spacing, s.k.support) -
                                   (balance + balance_of(s, j)) * w;
                force = force + pull * f32x4(d.x, d.y, d.z);
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                force = force + wall_cohesion(s, i) - balance * wall_edge(s, i);
                s.force[i] = s.force[i] + force;
            }
        });
}

static void add_cohesion(OozeCauchyStep *step)
{
#define COHESIONS(lanes, wraps) cohesions<lanes, wraps>(step)
    CAUCHY_EACH_KIND(step, COHESIONS);
}

extern const OozeCauchyTensionStages cauchy_tension_stages = {
    add_cohesion,
    find_stress,
    add_stress,
};

} // namespace ooze
