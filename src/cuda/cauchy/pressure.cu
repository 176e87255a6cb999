/* The pressure solve on the device: see methods/cauchy/pressure.c. */
#include "cuda/cauchy/step.cuh"

namespace ooze
{

/* Captured by loop bodies, with the step's view. */
struct PressureView {
    float *q, *r, *z, *p, *ap;
    float *diagonal;      /* of the operator */
    float *mass;          /* of the coarse grids: see coefficients_loop */
    float4 *coefficient;  /* c w (k_i + k_j) / 2, four as fluid.index */
    float4 *acceleration; /* M^-1 D^T q */
    float *divergence;    /* of the velocities before the solve, 1/s */
    float *share;         /* one: of q that acts */
    float *mean;          /* one: of the right side, see SetMean */
    OozeConjugateGradients *cg;
};

struct PressureSolve {
    CauchyStep *step;
    PressureView view;
};

/* In the classic scheme the pressure of the free surface is 0. */
OOZE_DEVICE bool at_surface(const CauchyView &s, uint32_t i)
{
    return s.k.classic && s.density[i] < OOZE_CAUCHY_CLASSIC_SURFACE;
}

OOZE_DEVICE bool is_free(const CauchyView &s, const PressureView &v, uint32_t i)
{
    return v.diagonal[i] > 0.0f && !at_surface(s, i);
}

/* ---- forces ---- */

template <int LANES, bool WRAPS>
static void accelerate_loop(CauchyStep *step, const float *p, float4 *to)
{
    const CauchyView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float4 force = f32x4(0, 0, 0);
            each_weighted<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j, float w) {
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                force = force + apply(ooze_sym3_scale(s.pressure_correction[j], p[j]),
                                      f32x4(w * d.x, w * d.y, w * d.z));
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                const OozeSym3 own = ooze_sym3_scale(s.pressure_correction[i], p[i]);
                to[i] = -s.mobility[i] * (force + apply(own, s.mps_sum[i] + wall_edge(s, i)));
            }
        });
}

void cauchy_accelerate(CauchyStep *step, const float *p, float4 *to)
{
#define CAUCHY_ACCELERATE(lanes, wraps) accelerate_loop<lanes, wraps>(step, p, to)
    OOZE_EACH_KIND(step, CAUCHY_ACCELERATE);
}

/* Gradient of MPS: see classic_gradient_range. */
template <int LANES, bool WRAPS> static void classic_gradient_loop(PressureSolve *solve)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    const float scale = 6.0f / (s.k.number_density * s.k.laplacian);
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float4 here = s.x0[i];
            const float nearest2 = 1e-6f * s.k.support * s.k.support;
            float least = v.q[i];
            float4 sum = f32x4(0, 0, 0);
            each_true_neighbour(s.fluid, i, [&](uint32_t j) { least = fminf(least, v.q[j]); });
            each_weighted<1>(s.fluid, s.mps_weight, i, 0, [&](uint32_t j, float w) {
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                const float pull = scale * w * (v.q[j] - least) / fmaxf(d.r2, nearest2);
                sum = sum + pull * f32x4(d.x, d.y, d.z);
            });
            sum = sum + (v.q[i] - least) * wall_edge(s, i);
            v.acceleration[i] = -s.mobility[i] * sum;
        });
}

/* ---- operator and right side ---- */

/* Coefficients of pairs, the diagonal, and those of the coarse grids: the energy of the pressure p
   is sum k |grad p|^2 + m p^2 with k = 1 / relative mass. */
template <int LANES, bool WRAPS> static void coefficients_loop(PressureSolve *solve)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float k = s.mobility[i];
            const Slice slice = slice_of(s.fluid.begin[i / SLICE]);
            float sum = 0.0f;
            for (uint32_t q = lane; q < slice.quads; q += LANES) {
                const uint64_t e = slice.first + i % SLICE + (uint64_t)q * SLICE;
                const uint4 j = s.fluid.index[e];
                const float4 w = s.mps_weight[e];
                const float4 c =
                    make_float4((k + s.mobility[j.x]) * w.x, (k + s.mobility[j.y]) * w.y,
                                (k + s.mobility[j.z]) * w.z, (k + s.mobility[j.w]) * w.w);
                v.coefficient[e] = c;
                sum += c.x + c.y + c.z + c.w;
            }
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                const float air = k * s.air[i];
                v.diagonal[i] = sum + air;
                v.mass[i] = at_surface(s, i) ? v.diagonal[i] : air;
            }
        });
}

/* Divergence of view.u: sum (u_j - u_i) . B h over fluid and walls. Valid in lane 0. */
template <int LANES, bool WRAPS>
OOZE_DEVICE float divergence_of(const CauchyView &s, uint32_t i, uint32_t lane)
{
    const float4 here = s.x0[i], u = s.u[i];
    float m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    each_weighted<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j, float w) {
        const Delta d = delta<WRAPS>(s, here, s.x0[j]);
        const float4 v = s.u[j];
        const float x = w * d.x, y = w * d.y, z = w * d.z;
        m[0] += v.x * x;
        m[1] += v.x * y;
        m[2] += v.x * z;
        m[3] += v.y * x;
        m[4] += v.y * y;
        m[5] += v.y * z;
        m[6] += v.z * x;
        m[7] += v.z * y;
        m[8] += v.z * z;
    });
    const float4 sum = s.mps_sum[i] + wall_edge(s, i);
    const float own[3] = {u.x, u.y, u.z}, h[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 9; k++) {
        m[k] = lanes_sum<LANES>(m[k]) + s.wall[i].flux.m[k] - own[k / 3] * h[k % 3];
    }
    const OozeSym3 b = s.pressure_correction[i];
    return m[0] * b.xx + m[4] * b.yy + m[8] * b.zz + (m[1] + m[3]) * b.xy + (m[2] + m[6]) * b.xz +
           (m[5] + m[7]) * b.yz;
}

/* Mean of the right side over `rows`, where no particle is coupled to pressure 0; else 0: see
   close_right_side of methods/cauchy/pressure.c. */
struct SetMean {
    float *mean;
    __device__ void operator()(Sum3 sum) const
    {
        const double open = sum.b, rows = sum.c;
        *mean = open == 0.0 && rows > 0.0 ? (float)(sum.a / rows) : 0.0f;
    }
};

/* r = b = (s - D u)/dt, and its mean. */
template <int LANES, bool WRAPS> static void right_side_loop(PressureSolve *solve)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    Sum3 none = {0.0, 0.0, 0.0};
    SetMean then = {v.mean};
    sum_lanes<LANES>(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 sum = {0.0, 0.0, 0.0};
            const float divergence = divergence_of<LANES, WRAPS>(s, i, lane);
            if (lane == 0) {
                const float b = (s.divergence_target[i] - divergence) / s.k.dt;
                const float r = is_free(s, v, i) ? b : 0.0f;
                v.divergence[i] = divergence;
                v.r[i] = r;
                const bool open = at_surface(s, i) || s.mobility[i] * s.air[i] > 0.0f;
                sum = {(double)r, open ? 1.0 : 0.0, v.diagonal[i] > 0.0f ? 1.0 : 0.0};
            }
            return sum;
        },
        then);
}

/* Takes the mean out; q = 0, and the diagonal part of z. */
static void begin_solution(PressureSolve *solve)
{
    const PressureView v = solve->view;
    for_each(
        solve->step->gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
            const float r = v.r[i] - (v.diagonal[i] > 0.0f ? *v.mean : 0.0f);
            v.r[i] = r;
            v.q[i] = 0.0f;
            v.z[i] = ooze_cauchy_smooth(r, v.diagonal[i]);
        });
}

/* ap = L p: (L p)_i = sum c w (k_i + k_j)/2 (p_i - p_j) + k_i air p_i. */
template <int LANES, bool WRAPS> static void multiply_loop(PressureSolve *solve)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    Sum1 none = {0.0};
    CgStepLength then = {v.cg};
    sum_lanes<LANES>(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 product = {0.0};
            if (v.cg->off) {
                return product;
            }
            const float own = v.p[i];
            float sum = 0.0f;
            each_weighted<LANES>(s.fluid, v.coefficient, i, lane,
                                 [&](uint32_t j, float c) { sum += c * (own - v.p[j]); });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                sum = at_surface(s, i) ? 0.0f : sum + s.mobility[i] * s.air[i] * own;
                v.ap[i] = sum;
                product.a = (double)sum * (double)own;
            }
            return product;
        },
        then);
}

/* ---- preconditioned conjugate gradients ---- */

/* Adds the coarse part of z and sums r.z and r.r. */
template <class Then> static void precondition(PressureSolve *solve, const int32_t *off, Then then)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    CgSums none = {0.0, 0.0};
    grid_multigrid_apply(solve->step->gpu, &solve->step->data->multigrid, v.r, v.z, off);
    sum_each(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            CgSums sums = {0.0, 0.0};
            if (!(off && *off)) {
                const float r = v.r[i], z = is_free(s, v, i) ? v.z[i] : 0.0f;
                v.z[i] = z;
                sums.rz = (double)r * (double)z;
                sums.square = (double)r * (double)r;
            }
            return sums;
        },
        then);
}

static void advance(PressureSolve *solve)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    CgIterated then = {v.cg};
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                const float alpha = (float)v.cg->alpha, r = v.r[i] - alpha * v.ap[i];
                v.q[i] += alpha * v.p[i];
                v.r[i] = r;
                v.z[i] = ooze_cauchy_smooth(r, v.diagonal[i]);
            }
        });
    precondition(solve, &v.cg->off, then);
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                v.p[i] = v.z[i] + (float)v.cg->beta * v.p[i];
            }
        });
    ooze_timer_lap(solve->step->context->timer, "pressure_multigrid");
}

static void iterate(PressureSolve *solve)
{
    CauchyStep *step = solve->step;
    const CauchyView &s = step->view;
    const PressureView &v = solve->view;
#define CAUCHY_RIGHT_SIDE(lanes, wraps) right_side_loop<lanes, wraps>(solve)
#define CAUCHY_MULTIPLY(lanes, wraps)   multiply_loop<lanes, wraps>(solve)
    OOZE_EACH_KIND(step, CAUCHY_RIGHT_SIDE);
    begin_solution(solve);
    CgStart begin = {v.cg, s.k.pressure_tolerance};
    precondition(solve, nullptr, begin);
    copy(step->gpu, v.p, v.z, s.n * sizeof *v.p);
    conjugate_gradients(step->gpu, v.cg, s.k.pressure_iterations, [&]() {
        OOZE_EACH_KIND(step, CAUCHY_MULTIPLY);
        ooze_timer_lap(step->context->timer, "pressure_operator");
        advance(solve);
    });
}

/* ---- velocities and pressures ---- */

/* q.(D u - s) and a.M a of the acceleration a by q. */
struct Work {
    double along, square;
    __device__ void operator+=(const Work &o)
    {
        along += o.along;
        square += o.square;
    }
};

struct SetShare {
    float *share;
    double dt;
    __device__ void operator()(Work work) const
    {
        *share = ooze_cauchy_damped_share(work.along, work.square, dt);
    }
};

static void finish(PressureSolve *solve, int pass)
{
    const CauchyView s = solve->step->view;
    const PressureView v = solve->view;
    Work none = {0.0, 0.0};
    SetShare then = {v.share, (double)s.k.dt};
    sum_each(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            const float mass = material_of(s, i).relative_mass;
            const float4 a = v.acceleration[i];
            const float removed = v.divergence[i] - s.divergence_target[i];
            Work work = {(double)(v.q[i] * removed), (double)(mass * dot(a, a))};
            return work;
        },
        then);
    const float reference = 1.0f / s.inverse_reference;
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float share = *v.share, removed = v.divergence[i] - s.divergence_target[i];
            s.u[i] = s.u[i] + (s.k.dt * share) * v.acceleration[i];
            const float first = ooze_cauchy_next_pressure(s.last_pressure[i], share * v.q[i],
                                                          s.viscosity[i], removed);
            s.next_pressure[i] = reference * (pass == 0 ? first : share * v.q[i]) +
                                 (pass == 0 ? 0.0f : s.next_pressure[i]);
            s.last_pressure[i] += share * v.q[i]; /* presses dynamic solids */
        });
}

/* ---- the solve ---- */

static void allocate(PressureSolve *solve)
{
    Gpu *gpu = solve->step->gpu;
    const uint64_t n = solve->step->view.n;
    PressureView *v = &solve->view;
    v->cg = solve->step->pressure_solve;
    v->q = scratch<float>(gpu, n);
    v->r = scratch<float>(gpu, n);
    v->z = scratch<float>(gpu, n);
    v->p = scratch<float>(gpu, n);
    v->ap = scratch<float>(gpu, n);
    v->diagonal = scratch<float>(gpu, n);
    v->mass = scratch<float>(gpu, n);
    v->divergence = scratch<float>(gpu, n);
    v->acceleration = scratch<float4>(gpu, n);
    v->coefficient = scratch<float4>(gpu, solve->step->engine->fluid.quads);
    v->share = scratch<float>(gpu, 1);
    v->mean = scratch<float>(gpu, 1);
    /* padding of lists */
    clear(gpu, v->q + n, sizeof *v->q);
    clear(gpu, v->p + n, sizeof *v->p);
}

static OozeStatus build_grids(PressureSolve *solve, OozeError *error)
{
    CauchyStep *step = solve->step;
    const CauchyView &s = step->view;
#define CAUCHY_COEFFICIENTS(lanes, wraps) coefficients_loop<lanes, wraps>(solve)
    OOZE_EACH_KIND(step, CAUCHY_COEFFICIENTS);
    GridMultigridInput input = {
        s.n, s.x0, s.spacing, &step->context->periodic, s.mobility, solve->view.mass};
    OozeStatus result = grid_multigrid_build(step->gpu, &step->data->multigrid, &input, error);
    ooze_timer_lap(step->context->timer, "pressure_grids");
    return result;
}

/* Classic pressures are never negative. */
static void accelerate_classic(PressureSolve *solve)
{
    const PressureView v = solve->view;
    for_each(
        solve->step->gpu, solve->step->view.n,
        OOZE_BODY(uint32_t i) { v.q[i] = fmaxf(v.q[i], 0.0f); });
#define CAUCHY_CLASSIC(lanes, wraps) classic_gradient_loop<lanes, wraps>(solve)
    OOZE_EACH_KIND(solve->step, CAUCHY_CLASSIC);
}

OozeStatus cauchy_project(CauchyStep *step, OozeError *error)
{
    Mark mark = scratch_mark(step->gpu);
    PressureSolve solve = {step, {}};
    allocate(&solve);
    OozeStatus result = build_grids(&solve, error);
    if (result) {
        return result;
    }
    for (int pass = 0; pass < step->view.k.pressure_passes; pass++) {
        iterate(&solve);
        if (step->view.k.classic) {
            accelerate_classic(&solve);
        } else {
            cauchy_accelerate(step, solve.view.q, solve.view.acceleration);
        }
        finish(&solve, pass);
    }
    scratch_rewind(step->gpu, mark);
    ooze_timer_lap(step->context->timer, "pressure");
    return OOZE_OK;
}

} // namespace ooze
