/* Walls, weights of pairs, corrections and densities on the device: see methods/cauchy/walls.c and
   operators_loops.c. */
#include "cuda/cauchy/step.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

void cauchy_find_walls(CauchyStep *step)
{
    const CauchyView s = step->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float4 x = s.x0[i];
            OozeContact surfaces[OOZE_ALL_SURFACES_MAX];
            int count = 0;
            for (int k = 0; k < s.solids.count; k++) {
                const SolidView &solid = s.solids.items[k];
                if (solid_near(solid, x, s.k.support, true)) {
                    count += ooze_cauchy_surfaces(&solid.shape, &solid.pose, widen(x), s.spacing,
                                                  (double)s.k.support, surfaces + count,
                                                  OOZE_ALL_SURFACES_MAX - count);
                }
            }
            s.wall[i] = ooze_cauchy_wall(&s.k, surfaces, count);
        });
    ooze_timer_lap(step->context->timer, "walls");
}

/* Sums over the neighbours of a particle. */
struct CauchySums {
    OozeSym3 moment, mps_moment; /* sum x g^T, sum x h^T */
    float4 edge, mps;            /* sum g, sum h */
    float fluid, density;        /* number density of fluid; sum of the weights of densities */
};

OOZE_DEVICE void add_moment(OozeSym3 *moment, const Delta &d, float w)
{
    const float x = w * d.x, y = w * d.y, z = w * d.z;
    moment->xx += x * d.x;
    moment->yy += y * d.y;
    moment->zz += z * d.z;
    moment->xy += y * d.x;
    moment->xz += z * d.x;
    moment->yz += z * d.y;
}

OOZE_DEVICE void add_edge(float4 *sum, const Delta &d, float w)
{
    sum->x += w * d.x;
    sum->y += w * d.y;
    sum->z += w * d.z;
    sum->w += w;
}

template <int LANES, bool WRAPS>
OOZE_DEVICE CauchySums sum_fluid(const CauchyView &s, uint32_t i, uint32_t lane)
{
    CauchySums t = {
        ooze_sym3_identity(0), ooze_sym3_identity(0), f32x4(0, 0, 0), f32x4(0, 0, 0), 0.0f, 0.0f};
    const float4 here = s.x0[i];
    const float h = s.k.support;
    const bool at_wall = s.wall[i].planes > 0;
    set_weights<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j) {
        const Delta d = delta<WRAPS>(s, here, s.x0[j]);
        const float w = ooze_mps_weight(sqrtf(d.r2), h), f = edge_weight(s, d.r2);
        float half = 0.5f * s.k.laplacian * w;
        if (at_wall && s.wall[j].planes > 0) {
            half *= ooze_cauchy_pair_mirror(&s.k, &s.wall[i], &s.wall[j], d.x, d.y, d.z);
        }
        t.fluid += w;
        t.density += ooze_mps_density_weight(d.r2, h);
        add_moment(&t.moment, d, f);
        add_moment(&t.mps_moment, d, half);
        add_edge(&t.edge, d, f);
        add_edge(&t.mps, d, half);
        return half;
    });
    t.moment = lanes_sum_sym3<LANES>(t.moment);
    t.mps_moment = lanes_sum_sym3<LANES>(t.mps_moment);
    const float weight = lanes_sum<LANES>(t.edge.w);
    t.edge = lanes_sum<LANES>(t.edge);
    t.edge.w = weight;
    t.mps = lanes_sum<LANES>(t.mps);
    t.fluid = lanes_sum<LANES>(t.fluid);
    t.density = lanes_sum<LANES>(t.density);
    return t;
}

/* Sets the correction of stresses and the sum of edges, with walls that the fluid clings to. */
OOZE_DEVICE void add_walls(const CauchyView &s, uint32_t i, const CauchySums &t)
{
    const float4 here = s.x0[i];
    float4 sum = t.edge;
    OozeSym3 moment = t.moment;
    unsigned count = s.fluid.count[i];
    each_wall(s, i, [&](uint32_t b) {
        const Delta d = delta<true>(s, here, s.walls.position[b]);
        const float f = wall_weight(s, d.r2, b);
        count += s.walls.no_slip[b] ? 1u : 0u;
        add_edge(&sum, d, f);
        add_moment(&moment, d, f);
    });
    s.edge_sum[i] = sum;
    s.correction[i] = ooze_gradient_correction(moment, count);
}

template <int LANES, bool WRAPS> static void gather_loop(CauchyStep *step)
{
    const CauchyView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const CauchySums t = sum_fluid<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            add_walls(s, i, t);
            const OozeSym3 all = ooze_sym3_add(t.mps_moment, s.wall[i].moment);
            const float number = t.fluid / s.k.number_density + s.wall[i].number;
            s.fluid_edge_sum[i] = t.edge;
            s.mps_sum[i] = t.mps;
            s.pressure_correction[i] = ooze_cauchy_pressure_correction(&s.k, all, s.fluid.count[i]);
            s.number[i] = number;
            s.density[i] = s.k.inverse_density * (1.0f + t.density) + s.wall[i].density;
            const float4 inward = inward_of(s, i);
            s.air[i] = ooze_cauchy_air(&s.k, number, sqrtf(dot(inward, inward)));
            s.divergence_target[i] = ooze_cauchy_divergence_target(&s.k, s.density[i]);
        });
}

void cauchy_gather(CauchyStep *step)
{
#define CAUCHY_GATHER(lanes, wraps) gather_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, CAUCHY_GATHER);
    ooze_timer_lap(step->context->timer, "gather");
}

} // namespace ooze
