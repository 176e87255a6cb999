/* Stages of the pressure solve on the GPU: see methods/cauchy/pressure.c. */
#include "methods/cauchy/cuda/step.cuh"

namespace ooze
{

/* ---- operator and right side ---- */

/* Coefficients of pairs, the diagonal, and those of the coarse grids: the energy of the pressure p
   is sum k |grad p|^2 + m p^2 with k = 1 / relative mass. */
template <int LANES, bool WRAPS> static void coefficients(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    for_lanes<LANES>(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
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
                s.coefficient[e] = c;
                sum += c.x + c.y + c.z + c.w;
            }
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                const float air = k * s.air[i];
                v.diagonal[i] = sum + air;
                v.mass[i] = ooze_cauchy_at_surface(&s, i) ? v.diagonal[i] : air;
            }
        });
}

static OozeStatus build_grids(OozeCauchyPressure *solve, OozeError *error)
{
    const OozeCauchyStep *step = solve->step;
    const OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(step);
    step->own->coefficient = scratch<float4>(gpu, engine_of(machine)->fluid.quads);
    /* padding of lists */
    clear(gpu, solve->q + machine->n, sizeof *solve->q);
    clear(gpu, solve->p + machine->n, sizeof *solve->p);
#define COEFFICIENTS(lanes, wraps) coefficients<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(step, COEFFICIENTS);
    const OozeStepContext *c = machine->context;
    Mark mark = scratch_mark(gpu);
    GridMultigridInput input = {
        machine->all, gather_elements(gpu, step->x),        c->spacing,
        &c->periodic, gather_elements(gpu, step->mobility), gather_elements(gpu, solve->mass)};
    OozeStatus result =
        grid_multigrid_build(gpu, static_cast<GridMultigrid *>(step->memory), &input, error);
    scratch_rewind(gpu, mark);
    return result;
}

/* Divergence of u: sum (u_j - u_i) . B h over fluid and walls. Valid in lane 0. */
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
    const float4 sum = s.mps_sum[i] + ooze_cauchy_wall_edge(&s, i);
    const float own[3] = {u.x, u.y, u.z}, h[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 9; k++) {
        m[k] = lanes_sum<LANES>(m[k]) + s.wall[i].flux.m[k] - own[k / 3] * h[k % 3];
    }
    const OozeSym3 b = s.pressure_correction[i];
    return m[0] * b.xx + m[4] * b.yy + m[8] * b.zz + (m[1] + m[3]) * b.xy + (m[2] + m[6]) * b.xz +
           (m[5] + m[7]) * b.yz;
}

struct SetMean {
    float *mean;
    __device__ void operator()(Sum3 sum) const { *mean = ooze_cauchy_mean(sum.a, sum.b, sum.c); }
};

/* r = b = (s - D u)/dt, and its mean. */
template <int LANES, bool WRAPS> static void right_sides(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    Sum3 none = {0.0, 0.0, 0.0};
    SetMean then = {v.mean};
    sum_particles_lanes<LANES>(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 sum = {0.0, 0.0, 0.0};
            const float divergence = divergence_of<LANES, WRAPS>(s, i, lane);
            if (lane == 0) {
                ooze_cauchy_set_right_side(&s, &v, i, divergence);
                sum = {(double)v.r[i], ooze_cauchy_is_open(&s, i) ? 1.0 : 0.0,
                       v.diagonal[i] > 0.0f ? 1.0 : 0.0};
            }
            return sum;
        },
        then);
}

static void find_right_side(OozeCauchyPressure *solve)
{
#define RIGHT_SIDES(lanes, wraps) right_sides<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, RIGHT_SIDES);
}

/* ap = L p: (L p)_i = sum c w (k_i + k_j)/2 (p_i - p_j) + k_i air p_i. */
template <int LANES, bool WRAPS> static void products(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    Sum1 none = {0.0};
    CgStepLength then = {v.cg};
    sum_particles_lanes<LANES>(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 product = {0.0};
            if (v.cg->off) {
                return product;
            }
            const float own = v.p[i];
            float sum = 0.0f;
            each_weighted<LANES>(s.fluid, s.coefficient, i, lane,
                                 [&](uint32_t j, float c) { sum += c * (own - v.p[j]); });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                sum = ooze_cauchy_at_surface(&s, i) ? 0.0f : sum + s.mobility[i] * s.air[i] * own;
                v.ap[i] = sum;
                product.a = (double)sum * (double)own;
            }
            return product;
        },
        then);
}

static void multiply(OozeCauchyPressure *solve)
{
#define PRODUCTS(lanes, wraps) products<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, PRODUCTS);
}

/* ---- preconditioned conjugate gradients ---- */

/* z += P V(P^T r). Every GPU has the grids of all particles. */
static void add_coarse(OozeCauchyPressure *solve, const int32_t *off)
{
    const OozeMachine *machine = solve->step->machine;
    Gpu *gpu = gpu_of(machine);
    const GridMultigrid *grids = static_cast<GridMultigrid *>(solve->step->memory);
    if (!machine->ranks) {
        grid_multigrid_apply(gpu, grids, solve->r, solve->z, off);
        return;
    }
    const OwnRange own = own_range(gpu, machine->n);
    const size_t size = own.count * sizeof(float);
    Mark mark = scratch_mark(gpu);
    const float *r = gather_elements(gpu, solve->r);
    float *z = scratch<float>(gpu, machine->all), *own_z = z + machine->first;
    clear(gpu, z, machine->all * sizeof *z);
    copy(gpu, own_z, solve->z + own.begin, size);
    grid_multigrid_apply(gpu, grids, r, z, off);
    copy(gpu, solve->z + own.begin, own_z, size);
    scratch_rewind(gpu, mark);
}

/* Adds the coarse part of z and sums r.z and r.r. */
template <class Then>
static void precondition(OozeCauchyPressure *solve, const int32_t *off, Then then)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    CgSums none = {0.0, 0.0};
    add_coarse(solve, off);
    sum_particles(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i) {
            CgSums sums = {0.0, 0.0};
            if (!(off && *off)) {
                const float r = v.r[i], z = ooze_cauchy_is_free(&s, &v, i) ? v.z[i] : 0.0f;
                v.z[i] = z;
                sums.rz = (double)r * (double)z;
                sums.square = (double)r * (double)r;
            }
            return sums;
        },
        then);
}

/* Takes the mean out; q = 0, and the diagonal part of z. */
static void start(OozeCauchyPressure *solve)
{
    Gpu *gpu = gpu_of(solve->step);
    const uint64_t n = solve->step->machine->n;
    const OozeCauchyPressure v = *solve;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            const float r = v.r[i] - (v.diagonal[i] > 0.0f ? *v.mean : 0.0f);
            v.r[i] = r;
            v.q[i] = 0.0f;
            v.z[i] = ooze_cauchy_smooth(r, v.diagonal[i]);
        });
    CgStart begin = {v.cg, solve->step->k.pressure_tolerance};
    precondition(solve, nullptr, begin);
    copy(gpu, v.p, v.z, n * sizeof *v.p);
}

static void advance(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    CgIterated then = {v.cg};
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                const float alpha = (float)v.cg->alpha, r = v.r[i] - alpha * v.ap[i];
                v.q[i] += alpha * v.p[i];
                v.r[i] = r;
                v.z[i] = ooze_cauchy_smooth(r, v.diagonal[i]);
            }
        });
    precondition(solve, &v.cg->off, then);
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
            if (!v.cg->off) {
                v.p[i] = v.z[i] + (float)v.cg->beta * v.p[i];
            }
        });
}

/* ---- velocities and pressures ---- */

static void clamp(OozeCauchyPressure *solve)
{
    float *q = solve->q;
    for_each(
        gpu_of(solve->step), solve->step->machine->n,
        OOZE_BODY(uint32_t i) { q[i] = fmaxf(q[i], 0.0f); });
}

/* Gradient of MPS: see classic_gradient_range. */
template <int LANES, bool WRAPS> static void classic_gradients(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    const float scale = 6.0f / (s.k.number_density * s.k.laplacian);
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
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
            sum = sum + (v.q[i] - least) * ooze_cauchy_wall_edge(&s, i);
            v.acceleration[i] = -s.mobility[i] * sum;
        });
}

static void find_classic_gradient(OozeCauchyPressure *solve)
{
#define CLASSIC_GRADIENTS(lanes, wraps) classic_gradients<lanes, wraps>(solve)
    CAUCHY_EACH_KIND(solve->step, CLASSIC_GRADIENTS);
}

struct SetShare {
    float *share;
    double dt;
    __device__ void operator()(Sum3 sum) const
    {
        *share = ooze_cauchy_damped_share(sum.a, sum.b, dt);
    }
};

/* Sums q.(D u - s) and a.M a of the acceleration a by q. */
static void find_share(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    Sum3 none = {0.0, 0.0, 0.0};
    SetShare then = {v.share, (double)s.k.dt};
    sum_particles(
        gpu_of(solve->step), s.n, none,
        OOZE_BODY(uint32_t i) {
            const float mass = ooze_cauchy_material_of(&s, i)->relative_mass;
            const float4 a = v.acceleration[i];
            const float removed = v.divergence[i] - s.divergence_target[i];
            Sum3 sum = {(double)(v.q[i] * removed), (double)(mass * dot(a, a)), 0.0};
            return sum;
        },
        then);
}

static void apply(OozeCauchyPressure *solve)
{
    const CauchyView s = view_of(solve->step);
    const OozeCauchyPressure v = *solve;
    const float reference = 1.0f / s.inverse_reference;
    for_each(
        gpu_of(solve->step), s.n, OOZE_BODY(uint32_t i) {
            const float share = *v.share, removed = v.divergence[i] - s.divergence_target[i];
            s.u[i] = s.u[i] + (s.k.dt * share) * v.acceleration[i];
            const float first = ooze_cauchy_next_pressure(s.last_pressure[i], share * v.q[i],
                                                          s.viscosity[i], removed);
            s.next_pressure[i] = reference * (v.pass == 0 ? first : share * v.q[i]) +
                                 (v.pass == 0 ? 0.0f : s.next_pressure[i]);
            s.last_pressure[i] += share * v.q[i]; /* presses dynamic solids */
        });
}

extern const OozeCauchyPressureStages cauchy_pressure_stages = {
    build_grids, find_right_side,       start,      multiply, advance,
    clamp,       find_classic_gradient, find_share, apply,
};

} // namespace ooze
