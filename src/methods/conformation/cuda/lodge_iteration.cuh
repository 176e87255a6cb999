/* The loops of an iteration of the velocity solve, as bodies for a particle: a product of the
   operator in two of them, in full precision or on rounded directions, and the advance. They are
   launched one by one, or repeated within a launch. See methods/conformation/cpu/lodge_loops.c. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_LODGE_ITERATION_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_LODGE_ITERATION_CUH

#include "cuda/repeat.cuh"
#include "methods/conformation/cuda/lodge.cuh"

namespace ooze
{

/* ---- operator ---- */

/* The flux of C[D(input)], with S0 where `explicit_terms`. */
OOZE_DEVICE StressFlux flux_of(const StepView &s, const LodgeView &v, uint32_t i,
                               const RawRows &rows, float4 input, bool explicit_terms)
{
    OozeSym3 correction = s.correction[i];
    OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, correction);
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), v.stiffness[i], v.bulk[i]);
    if (explicit_terms) {
        stress = ooze_sym3_add(stress, v.explicit_stress[i]);
    }
    return stress_flux(stress, correction, l, v.hourglass[i], input);
}

OOZE_DEVICE float4 base_of(const StepView &s, const LodgeView &v, uint32_t i, const RawRows &rows,
                           const StressFlux &flux, float4 input)
{
    return stress_flux_base(flux, s.edge_sum[i], rows, v.hourglass[i], v.edge_hourglass[i], input);
}

/* Fluxes of the input, and in ap the part of the force that needs no second gather. */
template <int LANES, bool WRAPS> struct StressBody {
    StepView s;
    LodgeView v;
    Product product;

    __device__ void operator()(uint32_t i, uint32_t lane) const
    {
        const float4 *input = product.input;
        RawRows rows = raw_rows_with<LANES, WRAPS>(
            s, input, i, lane, product.explicit_terms ? s.walls.velocity : s.direction_velocity);
        if (lane == 0) {
            StressFlux flux = flux_of(s, v, i, rows, input[i], product.explicit_terms);
            flux_set(v.rows, i, flux);
            v.ap[i] = base_of(s, v, i, rows, flux, input[i]);
        }
    }
};

/* ap = rho input - dt a, projected. Returns input . ap, and in an iteration z . ap and ap . M^-1
   ap. */
OOZE_DEVICE Sum3 complete(const StepView &s, const LodgeView &v, uint32_t i, float4 force,
                          const Product &product, bool iteration)
{
    const OozeRheology *m = &s.rheology[s.material[i]];
    float4 input = product.input[i];
    float4 out = m->relative_mass * input - s.dt * (force + v.ap[i]);
    out = product.unprojected ? out : project(s, i, out);
    out.w = 0.0f;
    v.ap[i] = out;
    Sum3 sum = {(double)dot(out, input), 0.0, 0.0};
    if (iteration) {
        const float4 z = precondition_by(v, i, m->preconditioner_mass, out);
        sum.b = (double)dot(z, v.r[i]);
        sum.c = (double)dot(z, out);
    }
    return sum;
}

/* Gathers the fluxes: ap = A input, with the sums of `complete`. */
template <int LANES, bool WRAPS> struct ProductBody {
    StepView s;
    LodgeView v;
    Product product;

    __device__ Sum3 operator()(uint32_t i, uint32_t lane) const
    {
        float4 force = edges_flux<LANES, WRAPS>(s, v.rows, i, lane);
        Sum3 sum = {0.0, 0.0, 0.0};
        if (lane == 0) {
            sum = complete(s, v, i, force, product, product.off == &v.state->off);
        }
        return sum;
    }
};

/* Sums over the particles; with dynamic solids, the sums over these follow. */
struct MeasureProduct {
    CgMeasure measure;
    Sum3 *record; /* NULL: no solid is dynamic */
    __device__ void operator()(Sum3 sum) const
    {
        if (record) {
            *record = sum;
        } else {
            measure(sum);
        }
    }
};

static inline MeasureProduct measure_product(const StepView &s, const LodgeView &v,
                                             const Product &product)
{
    return {{v.state, product.off, product.off == &v.state->off},
            s.dynamic_of ? &v.state->particle_product : nullptr};
}

/* ---- operator on rounded directions ---- */

struct PackedStressBody {
    StepView s;
    LodgeView v;

    __device__ void operator()(uint32_t i, uint32_t) const
    {
        float damped[3];
        RawRows rows = packed_rows(s, v.pack, v.hourglass, i, damped);
        float4 p = v.p[i];
        StressFlux flux = flux_of(s, v, i, rows, p, false);
        coarse_flux_set(coarse_flux(v.rows, s.n), i, flux.row);
        float4 base = base_of(s, v, i, rows, flux, p);
        v.ap[i] = f32x4(base.x + damped[0], base.y + damped[1], base.z + damped[2]);
    }
};

struct PackedProductBody {
    StepView s;
    LodgeView v;
    Product product;

    __device__ Sum3 operator()(uint32_t i, uint32_t) const
    {
        float4 force = coarse_edges_flux(s, v.pack, coarse_flux(v.rows, s.n), i);
        return complete(s, v, i, force, product, product.off == &v.state->off);
    }
};

/* ---- advance ---- */

/* z + beta p, by the diagonal preconditioner */
OOZE_DEVICE float4 next_direction(const StepView &s, const LodgeView &v, uint32_t i, float4 r,
                                  float4 p)
{
    float beta = (float)v.state->beta;
    float per = 1.0f / s.rheology[s.material[i]].preconditioner_mass;
    return f32x4(per * r.x + beta * p.x, per * r.y + beta * p.y, per * r.z + beta * p.z);
}

/* u, r and the next direction; returns r.z. */
struct AdvanceBody {
    StepView s;
    LodgeView v;

    __device__ Sum1 operator()(uint32_t i, uint32_t) const
    {
        float alpha = (float)v.state->alpha;
        float per = 1.0f / s.rheology[s.material[i]].preconditioner_mass;
        float4 p = v.p[i], r = v.r[i] - alpha * v.ap[i];
        s.u[i] = s.u[i] + alpha * p;
        v.r[i] = r;
        v.p[i] = direction_set(v, i, next_direction(s, v, i, r, p));
        return {(double)(per * dot(r, r))};
    }
};

/* The same with blocks. The residual is measured by the masses. */
struct BlocksAdvanceBody {
    StepView s;
    LodgeView v;

    __device__ CgSums operator()(uint32_t i, uint32_t) const
    {
        const float alpha = (float)v.state->alpha, beta = (float)v.state->beta;
        const float mass = s.rheology[s.material[i]].preconditioner_mass;
        const float4 p = v.p[i], r = v.r[i] - alpha * v.ap[i];
        const float4 z = precondition_by(v, i, mass, r);
        s.u[i] = s.u[i] + alpha * p;
        v.r[i] = r;
        v.p[i] = direction_set(v, i, f32x4(z.x + beta * p.x, z.y + beta * p.y, z.z + beta * p.z));
        return {(double)dot(z, r), (double)(dot(r, r) / mass)};
    }
};

/* At most `iterations` of them, by masses or blocks, in one launch. False: the solve
   has other loops as well, or too many particles for this to save time. */
bool repeat_iterations(Lodge *solve, int iterations);

} // namespace ooze

#endif
