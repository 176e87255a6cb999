/* The position stage as printed: see methods/conformation/constraint_position.c. Gradients are those of the kernel
   of the density, at the positions of the sweep. */
#include "cuda/conformation/constraint.cuh"

namespace ooze
{

/* What one gather over the neighbourhood gives. An edge g is parallel to its x_ji, so that sum V x_ji g^T is
   symmetric. */
struct Around {
    OozeSym3 moved;      /* sum V x_ji g^T */
    OozeMat3 resting;    /* sum V x0_ji g^T */
    OozeMat3 covariance; /* sum x_ji x0_ji^T */
    float centre[3], centre0[3];
    float edges[3];   /* sum V g */
    float squares[3]; /* of edges, over the masses of their far ends */
    float count;
};
enum { AROUND = sizeof(Around) / sizeof(float) };

OOZE_DEVICE void see(Around *a, Way d, Way d0, float f)
{
    float x[3] = {d.x, d.y, d.z}, x0[3] = {d0.x, d0.y, d0.z}, g[3];
    for (int k = 0; k < 3; k++) {
        g[k] = f * x[k];
        a->centre[k] += x[k];
        a->centre0[k] += x0[k];
        a->edges[k] += g[k];
    }
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            a->resting.m[3 * k + l] += x0[k] * g[l];
            a->covariance.m[3 * k + l] += x[k] * x0[l];
        }
    }
    a->moved.xx += x[0] * g[0];
    a->moved.yy += x[1] * g[1];
    a->moved.zz += x[2] * g[2];
    a->moved.xy += x[0] * g[1];
    a->moved.xz += x[0] * g[2];
    a->moved.yz += x[1] * g[2];
    a->count += 1.0f;
}

/* Samples of walls, of which only those count that the fluid clings to. */
OOZE_DEVICE void see_samples(const StepView &s, uint32_t i, float4 here, Around *a)
{
    const float4 here0 = s.x0[i];
    each_wall(s, i, [&](uint32_t b) {
        float4 end = s.walls.position[b], v = s.walls.velocity[b];
        if (wall_weight(s, way<true>(s, here0, end).r2, b) == 0.0f) {
            return;
        }
        Way d = way<true>(s, here, end), d0 = way<true>(s, here0, end - s.dt * v);
        see(a, d, d0, s.wall_scale / s.volume * s.walls.volume[b] * kernel_weight(s, d.r2));
    });
}

OOZE_DEVICE Around nothing_around()
{
    Around a;
    float *all = &a.moved.xx;
    for (int k = 0; k < AROUND; k++) {
        all[k] = 0.0f;
    }
    return a;
}

/* One more neighbour, which gives way by its mobility. */
OOZE_DEVICE void see_fluid(const StepView &s, Around *a, Way d, Way d0, float mobility)
{
    float f = kernel_weight(s, d.r2), g2 = f * f * mobility;
    a->squares[0] += g2 * d.x * d.x;
    a->squares[1] += g2 * d.y * d.y;
    a->squares[2] += g2 * d.z * d.z;
    see(a, d, d0, f);
}

/* Both gathers of a sweep, in full. What fills up lists would count as one more point. */
template <int L, bool WRAPS> struct PrintedFull {
    static const int LANES = L;
    static __device__ Around around(const StepView &s, const Printed &job, uint32_t i,
                                    uint32_t lane)
    {
        Around a = nothing_around();
        const float4 here = job.x[i], here0 = s.x0[i];
        each_neighbour<L>(s.fluid, i, lane, [&](uint32_t j) {
            if (j != s.fluid.dummy) {
                float4 there = job.x[j];
                float mobility = there.w;
                there.w = 0.0f;
                see_fluid(s, &a, way<WRAPS>(s, here, there), way<WRAPS>(s, here0, s.x0[j]),
                          mobility);
            }
        });
        float *all = &a.moved.xx;
        for (int k = 0; k < AROUND; k++) {
            all[k] = lanes_sum<L>(all[k]);
        }
        return a;
    }
    static __device__ OozeSym3 hand(const Printed &job, uint32_t i, OozeSym3 t)
    {
        job.flux[2 * (uint64_t)i] = make_float4(t.xx, t.yy, t.zz, t.xy);
        job.flux[2 * (uint64_t)i + 1] = make_float4(t.xz, t.yz, 0, 0);
        return t;
    }
    static __device__ float4 flux(const StepView &s, const Printed &job, uint32_t i, uint32_t lane)
    {
        const float4 here = job.x[i];
        float px = 0.0f, py = 0.0f, pz = 0.0f;
        each_neighbour<L>(s.fluid, i, lane, [&](uint32_t j) {
            float4 there = job.x[j], a = job.flux[2 * (uint64_t)j];
            const float4 *second = job.flux + 2 * (uint64_t)j + 1;
            float xz = second->x, yz = second->y;
            there.w = 0.0f;
            Way d = way<WRAPS>(s, here, there);
            float f = kernel_weight(s, d.r2);
            px += f * (a.x * d.x + a.w * d.y + xz * d.z);
            py += f * (a.w * d.x + a.y * d.y + yz * d.z);
            pz += f * (xz * d.x + yz * d.y + a.z * d.z);
        });
        return four(lanes_sum<L>(px), lanes_sum<L>(py), lanes_sum<L>(pz));
    }
};

/* The same of rounded numbers. */
struct PrintedRounded {
    static const int LANES = 1;
    static __device__ Way way_to(float4 from, float4 to, float step)
    {
        Way d = {step * (to.x - from.x), step * (to.y - from.y), step * (to.z - from.z), 0.0f};
        d.r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        return d;
    }
    static __device__ float4 place_of(uint32_t low, uint32_t high)
    {
        uint2 place = {low, high};
        return place_get(place);
    }
    static __device__ Around around(const StepView &s, const Printed &job, uint32_t i, uint32_t)
    {
        Around a = nothing_around();
        const uint4 own = job.places[i];
        const float4 here = place_of(own.x, own.y), here0 = place_of(own.z, own.w);
        each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
            if (j != s.fluid.dummy) {
                uint4 p = job.places[j];
                float mobility = job.even ? job.mobility : s.mobility[j];
                see_fluid(s, &a, way_to(here, place_of(p.x, p.y), job.step_length),
                          way_to(here0, place_of(p.z, p.w), job.step_length), mobility);
            }
        });
        return a;
    }
    static __device__ OozeSym3 hand(const Printed &job, uint32_t i, OozeSym3 t)
    {
        float rounded[6];
        uint4 packed = six_pack(&t.xx);
        job.packed[i] = packed;
        float unit = six_get(packed, rounded);
        return ooze_sym3(unit * rounded[0], unit * rounded[1], unit * rounded[2], unit * rounded[3],
                         unit * rounded[4], unit * rounded[5]);
    }
    static __device__ float4 flux(const StepView &s, const Printed &job, uint32_t i, uint32_t)
    {
        const uint4 own = job.places[i];
        const float4 here = place_of(own.x, own.y);
        float px = 0.0f, py = 0.0f, pz = 0.0f;
        each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
            const uint2 *place = reinterpret_cast<const uint2 *>(job.places + j);
            float t[6], unit = six_get(job.packed[j], t);
            Way d = way_to(here, place_get(*place), job.step_length);
            float f = unit * kernel_weight(s, d.r2);
            px += f * (t[0] * d.x + t[3] * d.y + t[4] * d.z);
            py += f * (t[3] * d.x + t[1] * d.y + t[5] * d.z);
            pz += f * (t[4] * d.x + t[5] * d.y + t[2] * d.z);
        });
        return four(px, py, pz);
    }
};

/* Eq 14, with the sum over j that it lacks in print. */
OOZE_DEVICE OozeMat3 best_rotation(const Around &a)
{
    OozeMat3 covariance = a.covariance;
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            covariance.m[3 * k + l] += a.centre[k] / -a.count * a.centre0[l];
        }
    }
    return ooze_polar_rotation(covariance);
}

OOZE_DEVICE OozeSym3 printed_rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                  const Around &a)
{
    OozeMat3 r = c.corotation && a.count > 0.0f ? best_rotation(a) : ooze_mat3_identity();
    OozeMat3 rest = ooze_mat3_scale(ooze_mat3_mul(r, a.resting), -1);
    OozeMat3 beyond = ooze_mat3_add(ooze_mat3_from_sym3(a.moved), rest);
    return limited(c, ooze_sym3_add(ooze_constraint_strain(beyond), strain_beyond_rest(s, i)));
}

template <class GATHER>
OOZE_DEVICE void printed_particle(const StepView &s, const ConstraintView &c, const Printed &job,
                                  uint32_t i, const Around &a)
{
    const OozeConstraintMaterial m = c.materials[s.material[i]];
    OozeSym3 diagonal = ooze_sym3_identity(0), lambda = sym3_at(job.lambda, i);
    ooze_constraint_add_squares(&diagonal, a.squares[0], a.squares[1], a.squares[2]);
    ooze_constraint_add_square(&diagonal, a.edges, s.mobility[i]);
    /* alpha / dt^2: the velocity stage's alpha / dt once more over dt */
    OozeSym3 change = ooze_multiplier_steps(printed_rows(s, c, i, a), lambda, diagonal,
                                            m.normal / s.dt, m.shear / s.dt);
    sym3_to(job.lambda, i, ooze_sym3_add(lambda, change));
    OozeSym3 t = ooze_sym3_scale(ooze_constraint_transpose(limited(c, change)), -1);
    t = GATHER::hand(job, i, t);
    float x = a.edges[0], y = a.edges[1], z = a.edges[2];
    c.base[i] = four(t.xx * x + t.xy * y + t.xz * z, t.xy * x + t.yy * y + t.yz * z,
                     t.xz * x + t.yz * y + t.zz * z);
}

template <class GATHER> static void printed_loop(const Printed *printed, const float4 *shift)
{
    StepView s = printed->step->view;
    ConstraintView c = *printed->step->constraint;
    Printed job = *printed;
    for_lanes<GATHER::LANES>(
        printed->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            Around a = GATHER::around(s, job, i, lane);
            if (lane == 0) {
                float4 here = job.start[i] + shift[i];
                see_samples(s, i, here, &a);
                printed_particle<GATHER>(s, c, job, i, a);
            }
        });
}

template <class GATHER> static void printed_shift_loop(const Printed *printed, float4 *shift)
{
    StepView s = printed->step->view;
    ConstraintView c = *printed->step->constraint;
    Printed job = *printed;
    for_lanes<GATHER::LANES>(
        printed->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = GATHER::flux(s, job, i, lane);
            if (lane == 0) {
                float factor = receiver_of(s, i) * s.mobility[i];
                shift[i] = shift[i] + factor * (push + c.base[i]);
            }
        });
}

/* ---- the sweep ---- */

static bool all_alike(const Step *step)
{
    const OozeConformationPlan *plan = &step->plan;
    bool alike = !step->view.led;
    for (int k = 1; k < plan->row_count; k++) {
        alike = alike && plan->rheology[k].weight == plan->rheology[0].weight;
    }
    return alike;
}

void printed_begin(Printed *job, Step *step, const float4 *start)
{
    Machine *m = step->m;
    uint64_t n = step->view.n;
    memset(job, 0, sizeof *job);
    job->step = step;
    job->start = start;
    job->lambda = scratch<OozeSym3>(m, n);
    job->even = all_alike(step);
    job->mobility = 1.0f / step->plan.rheology[0].weight;
    memcpy(job->low, step->engine->grid.low, sizeof job->low);
    memcpy(job->high, step->engine->grid.high, sizeof job->high);
    clear(m, job->lambda, n * sizeof *job->lambda);
    if (packs(step)) {
        job->places = scratch<uint4>(m, n);
        job->packed = scratch<uint4>(m, n);
        clear(m, job->places + n, sizeof *job->places); /* what fills up lists */
        clear(m, job->packed + n, sizeof *job->packed);
        return;
    }
    job->x = scratch<float4>(m, n);
    job->flux = scratch<float4>(m, 2 * (n + 1));
    clear(m, job->x + n, sizeof *job->x);
    clear(m, job->flux + 2 * n, 2 * sizeof *job->flux);
}

/* A box around all places of the step: those of its beginning, and those that the density stage has sorted by now,
   where velocities lead to. Nothing is corrected by more than a support. */
static PackView places_view(const Printed *printed)
{
    const Grid *grid = &printed->step->engine->grid;
    float margin = printed->step->view.support, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = fminf(printed->low[k], grid->low[k]) - margin;
        high[k] = fmaxf(printed->high[k], grid->high[k]) + margin;
    }
    return pack_view(low, high, margin);
}

static void round_places(Printed *printed, const float4 *shift)
{
    StepView s = printed->step->view;
    PackView p = places_view(printed);
    const float4 *start = printed->start;
    uint4 *places = printed->places;
    printed->step_length = p.step;
    for_each(
        printed->step->m, s.n, OOZE_BODY(uint32_t i) {
            uint2 now = place_pack(p, start[i] + shift[i]), then = place_pack(p, s.x0[i]);
            places[i] = make_uint4(now.x, now.y, then.x, then.y);
        });
}

void printed_sweep(void *user, float4 *shift)
{
    Printed *printed = static_cast<Printed *>(user);
    Step *step = printed->step;
    StepView s = step->view;
    if (printed->places) {
        round_places(printed, shift);
        printed_loop<PrintedRounded>(printed, shift);
        printed_shift_loop<PrintedRounded>(printed, shift);
        return;
    }
    const float4 *start = printed->start;
    float4 *x = printed->x;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            float4 at = start[i] + shift[i];
            x[i] = make_float4(at.x, at.y, at.z, s.mobility[i]);
        });
#define PRINTED(lanes, wraps)       printed_loop<PrintedFull<lanes, wraps>>(printed, shift)
#define PRINTED_SHIFT(lanes, wraps) printed_shift_loop<PrintedFull<lanes, wraps>>(printed, shift)
    OOZE_EACH_KIND(step, PRINTED);
    OOZE_EACH_KIND(step, PRINTED_SHIFT);
}

} // namespace ooze
