/* The operator of the velocity solve, in full precision and on rounded directions: see
   methods/conformation/cpu/lodge_loops.c. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/impact.cuh"

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

template <int LANES, bool WRAPS> static void stress_loop(const Lodge *solve, Product product)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    const float4 *input = product.input;
    for_lanes<LANES>(
        solve->step->gpu, needed_particles(solve->step->gpu, s.n),
        OOZE_BODY(uint32_t i, uint32_t lane) {
            if (*product.off) {
                return;
            }
            RawRows rows = raw_rows_with<LANES, WRAPS>(
                s, input, i, lane,
                product.explicit_terms ? s.walls.velocity : s.direction_velocity);
            if (lane == 0) {
                StressFlux flux = flux_of(s, v, i, rows, input[i], product.explicit_terms);
                flux_set(v.rows, i, flux);
                v.ap[i] = base_of(s, v, i, rows, flux, input[i]);
            }
        });
}

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

template <int LANES, bool WRAPS> static void product_loop(const Lodge *solve, Product product)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    bool iteration = product.off == &v.state->off;
    Sum3 none = {0.0, 0.0, 0.0};
    MeasureProduct then = {{v.state, product.off, iteration},
                           s.dynamic_of ? &v.state->particle_product : nullptr};
    sum_particles_lanes<LANES>(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 sum = {0.0, 0.0, 0.0};
            if (*product.off) {
                return sum;
            }
            float4 force = edges_flux<LANES, WRAPS>(s, v.rows, i, lane);
            if (lane == 0) {
                sum = complete(s, v, i, force, product, iteration);
            }
            return sum;
        },
        then);
}

void multiply(Lodge *solve, const Product &product)
{
#define STRESS(lanes, wraps)  stress_loop<lanes, wraps>(solve, product)
#define PRODUCT(lanes, wraps) product_loop<lanes, wraps>(solve, product)
    Gpu *gpu = solve->step->gpu;
    if (product.input != solve->view.p || !solve->fresh_direction) {
        refresh(gpu, const_cast<float4 *>(product.input), sizeof *product.input);
    }
    dynamic_spread(solve->step, product.explicit_terms);
    OOZE_EACH_KIND(solve->step, STRESS);
    bonds_add(solve->step, product.input, solve->view.ap, product.explicit_terms, product.off);
    impact_pairs_add(solve, product.input, solve->view.ap, product.explicit_terms, product.off);
    refresh(gpu, solve->view.rows, 3 * sizeof *solve->view.rows);
    OOZE_EACH_KIND(solve->step, PRODUCT);
    dynamic_product(solve, product);
    ooze_timer_lap(solve->step->context->timer, "velocity_operator");
}

/* ---- operator on directions ---- */

static void packed_stress_loop(const Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_range(
        solve->step->gpu, needed_particles(solve->step->gpu, s.n), OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            float damped[3];
            RawRows rows = packed_rows(s, v.pack, v.hourglass, i, damped);
            float4 p = v.p[i];
            StressFlux flux = flux_of(s, v, i, rows, p, false);
            coarse_flux_set(coarse_flux(v.rows, s.n), i, flux.row);
            float4 base = base_of(s, v, i, rows, flux, p);
            v.ap[i] = f32x4(base.x + damped[0], base.y + damped[1], base.z + damped[2]);
        });
}

static void packed_product_loop(const Lodge *solve, Product product)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    const uint4 *flux = coarse_flux(v.rows, s.n);
    bool iteration = product.off == &v.state->off;
    Sum3 none = {0.0, 0.0, 0.0};
    CgMeasure then = {v.state, product.off, iteration};
    sum_particles(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum3 sum = {0.0, 0.0, 0.0};
            if (!*product.off) {
                float4 force = coarse_edges_flux(s, v.pack, flux, i);
                sum = complete(s, v, i, force, product, iteration);
            }
            return sum;
        },
        then);
}

/* The rounded directions of ghosts, and the same as vectors. */
static void refresh_directions(Lodge *solve)
{
    Gpu *gpu = solve->step->gpu;
    const LodgeView v = solve->view;
    if (!gpu->share) {
        return;
    }
    const OwnRange own = own_range(gpu, solve->step->view.n);
    if (!solve->fresh_direction) {
        refresh(gpu, v.pack.directions, sizeof *v.pack.directions);
    }
    for_each(
        gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
            if (!own.has(i)) {
                v.p[i] = direction_vector(v.pack.directions[i]);
            }
        });
}

void multiply_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    Product product = {v.p, false, false, off};
    if (!v.pack.directions) {
        multiply(solve, product);
        return;
    }
    refresh_directions(solve);
    packed_stress_loop(solve, off);
    bonds_add(solve->step, v.p, v.ap, false, off);
    impact_pairs_add(solve, v.p, v.ap, false, off);
    refresh(solve->step->gpu, coarse_flux(v.rows, solve->step->view.n), sizeof(uint4));
    packed_product_loop(solve, product);
    ooze_timer_lap(solve->step->context->timer, "velocity_operator");
}

void pack_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    if (v.pack.directions) {
        for_each(
            solve->step->gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
                if (!*off) {
                    v.p[i] = direction_set(v, i, v.p[i]);
                }
            });
    }
}

} // namespace ooze
