/* The velocity solve on the device: see methods/cauchy/velocity.c. */
#include "cuda/cauchy/step.cuh"

namespace ooze
{

/* Captured by loop bodies, with the step's view. */
struct VelocityView {
    float *hourglass, *edge_hourglass;
    float4 *flux; /* three a particle */
    float4 *u_star, *r, *p, *ap;
    OozeConjugateGradients *cg;
};

struct VelocitySolve {
    CauchyStep *step;
    VelocityView view;
};

/* ap = A input; nothing where *off. */
struct VelocityProduct {
    const float4 *input;
    bool explicit_terms; /* with S0 and moving walls */
    const int32_t *off;  /* NULL: never */
};

OOZE_DEVICE bool is_off(const int32_t *off)
{
    return off && *off;
}

/* ---- coefficients ---- */

template <int LANES, bool WRAPS> static void coefficients_loop(VelocitySolve *solve)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = velocity_gradient<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            const OozeCauchyStress c =
                ooze_cauchy_stress(&material_of(s, i), elastic_strain_at(s, i), l, s.k.dt);
            const bool singular = s.correction[i].xx == 0.0f;
            s.rate[i] = ooze_shear_rate(ooze_mat3_symmetric(l));
            s.stiffness[i] = c.stiffness;
            s.explicit_stress[i] = c.explicit_stress;
            s.viscosity[i] = c.viscosity;
            v.hourglass[i] = singular ? 0.0f : s.k.hourglass * c.hourglass;
            v.u_star[i] = s.u[i];
        });
}

template <int LANES, bool WRAPS> static void edge_hourglass_loop(VelocitySolve *solve)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
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

/* ---- operator ---- */

/* First gather: gradient, stress and flux. */
template <int LANES, bool WRAPS>
static void stress_loop(VelocitySolve *solve, VelocityProduct product)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (is_off(product.off)) {
                return;
            }
            const RawRows rows =
                raw_rows<LANES, WRAPS>(s, product.input, i, lane, product.explicit_terms);
            if (lane != 0) {
                return;
            }
            const float4 input = product.input[i];
            const OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
            OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), s.stiffness[i], 0.0f);
            if (product.explicit_terms) {
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
template <int LANES, bool WRAPS>
static void product_loop(VelocitySolve *solve, VelocityProduct product)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    Sum1 none = {0.0};
    CgStepLength then = {v.cg};
    sum_lanes<LANES>(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (is_off(product.off)) {
                return sum;
            }
            const float4 force = edges_flux<LANES, WRAPS>(s, v.flux, i, lane);
            if (lane == 0) {
                const float4 input = product.input[i];
                float4 out = material_of(s, i).relative_mass * input - s.k.dt * (v.ap[i] + force);
                out = s.mobility[i] > 0.0f ? out : f32x4(0, 0, 0);
                out.w = 0.0f;
                v.ap[i] = out;
                sum.a = (double)dot(out, input);
            }
            return sum;
        },
        then);
}

static void multiply(VelocitySolve *solve, const VelocityProduct &product)
{
#define CAUCHY_STRESS(lanes, wraps)  stress_loop<lanes, wraps>(solve, product)
#define CAUCHY_PRODUCT(lanes, wraps) product_loop<lanes, wraps>(solve, product)
    OOZE_EACH_KIND(solve->step, CAUCHY_STRESS);
    OOZE_EACH_KIND(solve->step, CAUCHY_PRODUCT);
}

/* ---- conjugate gradients ---- */

/* r = M u* - A u, p = M^-1 r */
static void start(VelocitySolve *solve)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    CgSums none = {0.0, 0.0};
    CgStart then = {v.cg, s.k.velocity_tolerance};
    sum_each(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            const float mass = material_of(s, i).relative_mass;
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

static void advance(VelocitySolve *solve)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    CgSums none = {0.0, 0.0};
    CgIterated then = {v.cg};
    sum_each(
        solve->step->gpu, s.n, none,
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
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                v.p[i] = s.mobility[i] * v.r[i] + (float)v.cg->beta * v.p[i];
            }
        });
}

/* u = u* + dt M^-1 div S(u) */
static void step_explicitly(VelocitySolve *solve)
{
    const CauchyView s = solve->step->view;
    const VelocityView v = solve->view;
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float mass = material_of(s, i).relative_mass;
            if (s.mobility[i] > 0.0f) {
                const float4 a = v.ap[i];
                s.u[i] = v.u_star[i] + (s.u[i] - f32x4(a.x / mass, a.y / mass, a.z / mass));
            }
        });
}

static void allocate(VelocitySolve *solve)
{
    Gpu *gpu = solve->step->gpu;
    const uint64_t n = solve->step->view.n;
    VelocityView *v = &solve->view;
    v->cg = solve->step->velocity_solve;
    v->hourglass = scratch<float>(gpu, n);
    v->edge_hourglass = scratch<float>(gpu, n);
    v->flux = scratch<float4>(gpu, 3 * (n + 1));
    v->u_star = scratch<float4>(gpu, n);
    v->r = scratch<float4>(gpu, n);
    v->p = scratch<float4>(gpu, n);
    v->ap = scratch<float4>(gpu, n);
    /* padding of lists */
    clear(gpu, v->hourglass + n, sizeof *v->hourglass);
    clear(gpu, v->flux + 3 * n, 3 * sizeof *v->flux);
    clear(gpu, v->p + n, sizeof *v->p);
}

void cauchy_solve_velocities(CauchyStep *step)
{
    const CauchyView &s = step->view;
    Mark mark = scratch_mark(step->gpu);
    VelocitySolve solve = {step, {}};
    allocate(&solve);
#define CAUCHY_COEFFICIENTS(lanes, wraps)   coefficients_loop<lanes, wraps>(&solve)
#define CAUCHY_EDGE_HOURGLASS(lanes, wraps) edge_hourglass_loop<lanes, wraps>(&solve)
    OOZE_EACH_KIND(step, CAUCHY_COEFFICIENTS);
    OOZE_EACH_KIND(step, CAUCHY_EDGE_HOURGLASS);
    ooze_timer_lap(step->context->timer, "stress");
    multiply(&solve, {s.u, true, nullptr});
    if (s.k.explicit_viscosity) {
        step_explicitly(&solve);
    } else {
        start(&solve);
        conjugate_gradients(step->gpu, solve.view.cg, s.k.velocity_iterations, [&]() {
            multiply(&solve, {solve.view.p, false, &solve.view.cg->off});
            advance(&solve);
        });
    }
    scratch_rewind(step->gpu, mark);
    ooze_timer_lap(step->context->timer, "velocities");
}

template <int LANES, bool WRAPS> static void strain_loop(CauchyStep *step)
{
    const CauchyView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = velocity_gradient<LANES, WRAPS>(s, i, lane);
            if (lane == 0) {
                float *e = s.elastic_strain + 8 * (uint64_t)i;
                const OozeSym3 strain =
                    ooze_cauchy_strain(&material_of(s, i), elastic_strain_at(s, i), l, s.k.dt);
                e[0] = strain.xx;
                e[1] = strain.yy;
                e[2] = strain.zz;
                e[3] = strain.xy;
                e[4] = strain.xz;
                e[5] = strain.yz;
            }
        });
}

void cauchy_update_strain(CauchyStep *step)
{
#define CAUCHY_STRAIN(lanes, wraps) strain_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, CAUCHY_STRAIN);
    ooze_timer_lap(step->context->timer, "strain");
}

} // namespace ooze
