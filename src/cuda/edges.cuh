/* Edges g = V f (x_ji, 1) of the neighbour lists with the strain weight, gradients and stress
   fluxes along them: see solvers/pairs/edges.h. A View is captured by loop bodies and has the
   members

     uint32_t n; const float4 *x0;         positions; last lane 0, of element n OOZE_DUMMY_FAR
     ListView fluid, near_walls; WallView walls; OozePeriodic periodic;
     float inverse2, strain, wall_strain;  1/h^2, V times the scale of the strain weight, and the
                                           same of boundary samples, per volume of the sample
     const float4 *edge_sum;               sum g over fluid and no-slip walls */
#ifndef OOZE_CUDA_EDGES_CUH
#define OOZE_CUDA_EDGES_CUH

#include "cuda/solids.cuh"
#include "physics/strain_weight.h"
extern "C" {
#include "solvers/pairs/stress_flux_formula.h"
}

namespace ooze
{

/* Squared distance of the padding of lists, along a fourth axis. */
#define OOZE_DUMMY_FAR 1e30f

/* Every loop over neighbours is compiled for one or several lanes a particle and for open or
   periodic boxes: CALL(LANES, WRAPS). */
#define OOZE_EACH_KIND(step, CALL)                                                                 \
    OOZE_EACH_KIND_OF((step)->wraps, all_particles((step)->gpu, (step)->view.n), CALL)
#define OOZE_EACH_KIND_OF(wraps, n, CALL)                                                          \
    do {                                                                                           \
        if (wraps) {                                                                               \
            OOZE_EACH_KIND_WRAPPED(n, CALL, true);                                                 \
        } else {                                                                                   \
            OOZE_EACH_KIND_WRAPPED(n, CALL, false);                                                \
        }                                                                                          \
    } while (0)
#ifdef __CUDACC__
#define OOZE_EACH_KIND_WRAPPED(n, CALL, wraps)                                                     \
    if ((n) < ooze::few_particles()) {                                                             \
        CALL(ooze::MANY_LANES, wraps);                                                             \
    } else {                                                                                       \
        CALL(1, wraps);                                                                            \
    }
#else
#define OOZE_EACH_KIND_WRAPPED(n, CALL, wraps) CALL(1, wraps)
#endif

struct Delta {
    float x, y, z, r2;
};

/* From one particle to another; r2 includes the fourth axis of the padding. */
template <bool WRAPS, class View> OOZE_DEVICE Delta delta(const View &s, float4 from, float4 to)
{
    Delta d = {to.x - from.x, to.y - from.y, to.z - from.z, 0.0f};
    if (WRAPS) {
        d.x = ooze_periodic_delta(d.x, s.periodic.length[0], s.periodic.inverse[0]);
        d.y = ooze_periodic_delta(d.y, s.periodic.length[1], s.periodic.inverse[1]);
        d.z = ooze_periodic_delta(d.z, s.periodic.length[2], s.periodic.inverse[2]);
    }
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z + to.w;
    return d;
}

/* V f of an edge. */
template <class View> OOZE_DEVICE float edge_weight(const View &s, float r2)
{
    return s.strain * fmaxf(1.0f - r2 * s.inverse2, 0.0f);
}

/* V f of an edge to sample b of a wall; 0 where it is not no-slip. */
template <class View> OOZE_DEVICE float wall_weight(const View &s, float r2, uint32_t b)
{
    float volume = s.walls.no_slip[b] ? s.walls.volume[b] : 0.0f;
    float w = fmaxf(1.0f - r2 * s.inverse2, 0.0f);
    return s.wall_strain * volume * OOZE_STRAIN_WALL_POWER(w);
}

/* f(b) for the boundary samples near particle i. */
template <class View, class F> OOZE_DEVICE void each_wall(const View &s, uint32_t i, F f)
{
    if (s.near_walls.begin && s.near_walls.count[i] > 0) {
        each_true_neighbour(s.near_walls, i, f);
    }
}

/* sum (u_j - u_i) g^T before correction, and sum f (u_j - u_i): see ooze_raw_rows. Samples of walls
   have the velocities `wall_velocity`, or are at rest (NULL). Returned to all lanes. */
struct RawRows {
    OozeMat3 gradient;
    float weighted[3];
};

template <int LANES, bool WRAPS, class View>
OOZE_DEVICE RawRows raw_rows_with(const View &s, const float4 *u, uint32_t i, uint32_t lane,
                                  const float4 *wall_velocity)
{
    float m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, w[3] = {0, 0, 0};
    const float4 *x = s.x0;
    const float4 here = x[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Delta d = delta<WRAPS>(s, here, x[j]);
        float4 v = u[j];
        float f = edge_weight(s, d.r2);
        float a = f * v.x, b = f * v.y, c = f * v.z;
        m[0] += a * d.x;
        m[1] += a * d.y;
        m[2] += a * d.z;
        m[3] += b * d.x;
        m[4] += b * d.y;
        m[5] += b * d.z;
        m[6] += c * d.x;
        m[7] += c * d.y;
        m[8] += c * d.z;
        w[0] += a;
        w[1] += b;
        w[2] += c;
    });
    RawRows rows;
    float4 sum = s.edge_sum[i], own = u[i];
    float v[3] = {own.x, own.y, own.z}, g[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            rows.gradient.m[3 * k + l] = lanes_sum<LANES>(m[3 * k + l]) - v[k] * g[l];
        }
        rows.weighted[k] = lanes_sum<LANES>(w[k]) - v[k] * sum.w;
    }
    if (wall_velocity) {
        each_wall(s, i, [&](uint32_t b) {
            Delta d = delta<true>(s, here, s.walls.position[b]);
            float f = wall_weight(s, d.r2, b);
            float4 vb = wall_velocity[b];
            float t[3] = {f * vb.x, f * vb.y, f * vb.z};
            for (int k = 0; k < 3; k++) {
                rows.gradient.m[3 * k] += t[k] * d.x;
                rows.gradient.m[3 * k + 1] += t[k] * d.y;
                rows.gradient.m[3 * k + 2] += t[k] * d.z;
                rows.weighted[k] += t[k];
            }
        });
    }
    return rows;
}

template <int LANES, bool WRAPS, class View>
OOZE_DEVICE RawRows raw_rows(const View &s, const float4 *u, uint32_t i, uint32_t lane,
                             bool moving_walls)
{
    return raw_rows_with<LANES, WRAPS>(s, u, i, lane, moving_walls ? s.walls.velocity : nullptr);
}

/* sum f (F_j x_ji + last_j) over the edges; flux: three float4 a particle, rows of F with `last` in
   the fourth lane. Returned to all lanes. */
template <int LANES, bool WRAPS, class View>
OOZE_DEVICE float4 edges_flux(const View &s, const float4 *flux, uint32_t i, uint32_t lane)
{
    const float4 *x = s.x0;
    const float4 here = x[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Delta d = delta<WRAPS>(s, here, x[j]);
        const float4 *row = flux + 3 * (uint64_t)j;
        float4 a = row[0], b = row[1], c = row[2];
        float f = edge_weight(s, d.r2);
        fx += f * (a.x * d.x + a.y * d.y + a.z * d.z + a.w);
        fy += f * (b.x * d.x + b.y * d.y + b.z * d.z + b.w);
        fz += f * (c.x * d.x + c.y * d.y + c.z * d.z + c.w);
    });
    return f32x4(lanes_sum<LANES>(fx), lanes_sum<LANES>(fy), lanes_sum<LANES>(fz));
}

/* The flux of a particle: rows of F = S B - n L, and n u. See
   solvers/pairs/stress_flux_formula.h. */
struct StressFlux {
    float row[9], last[3];
};

OOZE_DEVICE StressFlux stress_flux(OozeSym3 stress, OozeSym3 correction, OozeMat3 l, float n,
                                   float4 u)
{
    OozeMat3 f = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    StressFlux flux = {{}, {n * u.x, n * u.y, n * u.z}};
    ooze_flux_add_hourglass(f.m, n, l.m);
    for (int k = 0; k < 9; k++) {
        flux.row[k] = f.m[k];
    }
    return flux;
}

/* The part of the force that needs no second gather; edge_n: sum f n_j over the edges. */
OOZE_DEVICE float4 stress_flux_base(const StressFlux &flux, float4 edge_sum, const RawRows &rows,
                                    float n, float edge_n, float4 u)
{
    OozeFluxTerms terms = {n,
                           edge_n,
                           {u.x, u.y, u.z},
                           {rows.weighted[0], rows.weighted[1], rows.weighted[2]},
                           {edge_sum.x, edge_sum.y, edge_sum.z}};
    float base[3];
    ooze_flux_base(flux.row, &terms, base);
    return f32x4(base[0], base[1], base[2]);
}

OOZE_DEVICE void flux_set(float4 *flux, uint32_t i, const StressFlux &stress)
{
    for (int k = 0; k < 3; k++) {
        const float *row = stress.row + 3 * k;
        flux[3 * (uint64_t)i + k] = f32x4(row[0], row[1], row[2], stress.last[k]);
    }
}

template <int LANES> OOZE_DEVICE OozeSym3 lanes_sum_sym3(OozeSym3 a)
{
    return ooze_sym3(lanes_sum<LANES>(a.xx), lanes_sum<LANES>(a.yy), lanes_sum<LANES>(a.zz),
                     lanes_sum<LANES>(a.xy), lanes_sum<LANES>(a.xz), lanes_sum<LANES>(a.yz));
}

} // namespace ooze

#endif
