/* Stages of the velocity solve on the GPU: see methods/cauchy/velocity.c. */
#include "methods/cauchy/cuda/step.cuh"

namespace ooze
{

/* ---- coefficients ---- */

template <int LANES, bool WRAPS> static void coefficients(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    for_lanes<LANES>(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = velocity_gradient<LANES, WRAPS>(s, i, lane);
            if (lane == 0) {
                ooze_cauchy_set_coefficients(&s, &v, i, l);
            }
        });
}

template <int LANES, bool WRAPS> static void hourglasses(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    for_lanes<LANES>(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float sum = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                sum += edge_weight(s, delta<WRAPS>(s, here, s.x0[j]).r2) * v.hourglass[j];
            });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                v.edge_hourglass[i] = sum;
            }
        });
}

static void find_coefficients(OozeCauchyVelocity *solve)
{
    Gpu *gpu = gpu_of(solve->step);
    const uint64_t n = solve->step->machine->n;
    /* padding of lists */
    clear(gpu, solve->hourglass + n, sizeof *solve->hourglass);
    clear(gpu, solve->flux + 3 * n, 3 * sizeof *solve->flux);
    clear(gpu, solve->p + n, sizeof *solve->p);
#define COEFFICIENTS(lanes, wraps) coefficients<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, COEFFICIENTS);
}

static void sum_hourglass(OozeCauchyVelocity *solve)
{
#define HOURGLASSES(lanes, wraps) hourglasses<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, HOURGLASSES);
}

/* ---- operator ---- */

/* Before the iterations, when the scalars do not count yet, a product is always due. */
OOZE_DEVICE bool is_off(const OozeCauchyVelocity &v)
{
    return !v.explicit_terms && v.cg->off;
}

/* First gather: gradient, stress and flux. */
template <int LANES, bool WRAPS> static void fluxes(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    for_lanes<LANES>(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (is_off(v)) {
                return;
            }
            const RawRows rows = raw_rows<LANES, WRAPS>(s, v.input, i, lane, v.explicit_terms);
            if (lane != 0) {
                return;
            }
            const float4 input = v.input[i];
            const OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
            OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), s.stiffness[i], 0.0f);
            if (v.explicit_terms) {
                stress = ooze_sym3_add(stress, s.explicit_stress[i]);
            }
            const float n = v.hourglass[i];
            const StressFlux flux = stress_flux(stress, s.correction[i], l, n, input);
            flux_set(v.flux, i, flux);
            v.ap[i] = stress_flux_base(flux, s.edge_sum[i], rows, n, v.edge_hourglass[i], input);
        });
}

/* Second gather: ap = M input - dt force; input . ap sets the step length, which the product before
   the start of the iterations has no use for. */
template <int LANES, bool WRAPS> static void products(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    Sum1 none = {0.0};
    CgStepLength then = {v.cg};
    sum_particles_lanes<LANES>(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (is_off(v)) {
                return sum;
            }
            const float4 force = edges_flux<LANES, WRAPS>(s, v.flux, i, lane);
            if (lane == 0) {
                const float4 input = v.input[i];
                float4 out = ooze_cauchy_material_of(&s, i)->relative_mass * input -
                             s.k.dt * (v.ap[i] + force);
                out = s.mobility[i] > 0.0f ? out : f32x4(0, 0, 0);
                out.w = 0.0f;
                v.ap[i] = out;
                sum.a = (double)dot(out, input);
            }
            return sum;
        },
        then);
}

static void find_flux(OozeCauchyVelocity *solve)
{
#define FLUXES(lanes, wraps) fluxes<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, FLUXES);
}

static void apply_flux(OozeCauchyVelocity *solve)
{
#define PRODUCTS(lanes, wraps) products<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, PRODUCTS);
}

/* ---- conjugate gradients ---- */

/* r = M u* - A u, p = M^-1 r */
static void start(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    CgSums none = {0.0, 0.0};
    CgStart then = {v.cg, s.k.velocity_tolerance};
    sum_particles(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i) {
            const float mass = ooze_cauchy_material_of(&s, i)->relative_mass;
            float4 r = mass * v.u_star[i] - v.ap[i];
            r = s.mobility[i] > 0.0f ? r : f32x4(0, 0, 0);
            r.w = 0.0f;
            const float4 p = f32x4(r.x / mass, r.y / mass, r.z / mass);
            v.r[i] = r;
            v.p[i] = p;
            const double rz = (double)dot(r, p);
            CgSums sums = {rz, rz};
            return sums;
        },
        then);
}

static void advance(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    CgSums none = {0.0, 0.0};
    CgIterated then = {v.cg};
    sum_particles(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i) {
            CgSums sums = {0.0, 0.0};
            if (!v.cg->off) {
                const float alpha = (float)v.cg->alpha;
                const float4 r = v.r[i] - alpha * v.ap[i];
                s.u[i] = s.u[i] + alpha * v.p[i];
                v.r[i] = r;
                sums.rz = sums.square = (double)(dot(r, r) * s.mobility[i]);
            }
            return sums;
        },
        then);
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                v.p[i] = s.mobility[i] * v.r[i] + (float)v.cg->beta * v.p[i];
            }
        });
}

/* u = u* + dt M^-1 div S(u) */
static void step_explicitly(OozeCauchyVelocity *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyVelocity v = *solve;
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
            const float mass = ooze_cauchy_material_of(&s, i)->relative_mass;
            if (s.mobility[i] > 0.0f) {
                const float4 a = v.ap[i];
                s.u[i] = v.u_star[i] + (s.u[i] - f32x4(a.x / mass, a.y / mass, a.z / mass));
            }
        });
}

extern const OozeCauchyVelocityStages cauchy_velocity_stages = {
    find_coefficients, sum_hourglass, find_flux, apply_flux, step_explicitly, start, advance,
};

} // namespace ooze
