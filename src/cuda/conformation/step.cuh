/* What one stroke of the conformation method works on, on the device: see methods/conformation/workspace.h, whose
   arrays these are. */
#ifndef OOZE_CUDA_CONFORMATION_STEP_CUH
#define OOZE_CUDA_CONFORMATION_STEP_CUH

#include "cuda/engine.cuh"
#include "physics/kernels.h"

namespace ooze
{

/* Directions that a particle in contact does not choose, the speed along each in its last lane: see OozeHold. */
struct Hold {
    float4 direction[3];
    int32_t count, normals;
    float friction;
    int32_t released;
};

/* To be captured by bodies: numbers, and arrays of one element a particle and one more for what fills up lists. */
struct StepView {
    uint32_t n;
    float dt, support, spacing, inverse, inverse2; /* 1/h, 1/h^2 */
    float volume, wall_scale, flat_gradient;
    float
        strain; /* V0 times the scale of the strain weight; 0: edges weigh as the kernel of the density */
    float wall_strain;           /* the same for samples of walls, per volume of the sample */
    float value, slope, nearest; /* of the cubic spline: see OozeCubicFour */
    float bulk, tension, surface, contact;
    const OozeRheology *rheology;
    const uint16_t *material, *led; /* row of rheology; led: NULL where no nozzle leads any */
    const uint16_t *film;           /* row of the fluid that wets it, or its own */
    /* Of bodies, see OozeBodies and OozeDensityJob; all NULL where there are none, rigid_of where none is rigid. */
    const uint16_t *body, *pin, *rigid_of;
    const float *own_limit, *ease;
    const uint8_t *bare;
    const float4 *x0; /* positions; the last lane is 0, and of element n too large for any weight */
    float4 *u;
    ListView fluid, near_walls; /* near_walls.begin: NULL where there are no walls */
    WallView walls;
    OozePeriodic periodic;
    float4 *edge_sum;
    OozeSym3 *correction;
    float *density, *open, *mobility, *stress;
    uint8_t *anchored; /* clings to a wall, is led, or is held in all directions */
    float *conformation, *expansion, *push, *calm; /* of the store: see the method's fields */
    float *more[OOZE_MORE_MODES]; /* conformations of further modes, as many as follow */
    int more_modes;               /* see the plan */
    int32_t *hold_of;             /* NULL: nothing is held */
    Hold *holds;
    int32_t *intruder; /* NULL: no solids */
    SolidsView solids;
    float4 *pushed, *drift, *settled;
    float *limit, *borne;
};

struct Step {
    Engine *engine;
    Machine *m;
    OozeStepContext *context;
    OozeConformationPlan plan;
    StepView view;
    struct Bodies *bodies;             /* NULL: all is fluid */
    struct ConstraintView *constraint; /* of the formulations that are constraints */
    bool wraps;                        /* some axis is periodic */
    bool any_holds;                    /* some particle may be held */
    bool
        lends; /* the density stage works where edges, holds and the velocity solve stood; edges are
                   then gathered anew */
    Mark lent;
    struct SolveState *state; /* device; zero at the beginning */
};

/* A way to solve the same fluid: see OozeFormulation. What a step is given is in its plan. */
struct Formulation {
    void (*solve_velocities)(Step *step);
    OozeStatus (*solve_positions)(Step *step, float4 *x, float4 *shift, OozeError *error);
    void (*finish)(Step *step);
};
extern const Formulation formulation_lodge, formulation_consistent, formulation_paper;

/* Every loop over neighbours is compiled for one or several lanes a particle and for open or periodic boxes:
   CALL(LANES, WRAPS). */
#define OOZE_EACH_KIND(step, CALL)                                                                 \
    do {                                                                                           \
        if ((step)->wraps) {                                                                       \
            OOZE_EACH_KIND_WRAPPED((step)->view.n, CALL, true);                                    \
        } else {                                                                                   \
            OOZE_EACH_KIND_WRAPPED((step)->view.n, CALL, false);                                   \
        }                                                                                          \
    } while (0)
#ifdef __CUDACC__
#define OOZE_EACH_KIND_WRAPPED(n, CALL, wraps)                                                     \
    if ((n) < ooze::FEW) {                                                                         \
        CALL(ooze::MANY_LANES, wraps);                                                             \
    } else {                                                                                       \
        CALL(1, wraps);                                                                            \
    }
#else
#define OOZE_EACH_KIND_WRAPPED(n, CALL, wraps) CALL(1, wraps)
#endif

/* What fills up lists is so far away, squared, along an axis of its own. */
#define OOZE_DUMMY_FAR 1e30f

void gather(Step *step);  /* edges, corrections, densities at x0 */
void tension(Step *step); /* adds what surface tension does to u */
void find_holds(Step *step);
void divergence(Step *step); /* takes out of u what would compress the fluid */
/* to[i] = sum f a_j over the edges of i; a has an element n of 0. */
void sum_edges(Step *step, const float *a, float *to);
/* The density stage with the settings of this method. */
struct DensityJob density_job(Step *step);
OozeStatus solve_density(Step *step, float4 *x, float4 *shift, OozeError *error);
void set_limits(Step *step);
void find_strangers(Step *step);

/* ---- edges ----------------------------------------------------------------------------------------- */

struct Way {
    float x, y, z, r2;
};

/* From one particle to another; r2 includes the axis of the dummy. */
template <bool WRAPS> OOZE_DEVICE Way way(const StepView &s, float4 from, float4 to)
{
    Way d = {to.x - from.x, to.y - from.y, to.z - from.z, 0.0f};
    if (WRAPS) {
        d.x = ooze_periodic_delta(d.x, s.periodic.length[0], s.periodic.inverse[0]);
        d.y = ooze_periodic_delta(d.y, s.periodic.length[1], s.periodic.inverse[1]);
        d.z = ooze_periodic_delta(d.z, s.periodic.length[2], s.periodic.inverse[2]);
    }
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z + to.w;
    return d;
}

/* -dW/dr times the volume, and W over the volume's share: see methods/cubic_four.h. */
OOZE_DEVICE float cubic(const StepView &s, float r, float *value)
{
    float q = s.inverse * r, a = fmaxf(1.0f - q, 0.0f), b = fmaxf(1.0f - (q + q), 0.0f);
    float aa = a * a, bb = b * b;
    *value = (a + a) * aa - b * bb;
    return s.slope * (aa - bb);
}

OOZE_DEVICE float kernel_weight(const StepView &s, float r2)
{
    float r = sqrtf(r2), value, slope = cubic(s, r, &value);
    return r > s.nearest ? slope / r : 0.0f;
}

/* V f of an edge. */
OOZE_DEVICE float edge_weight(const StepView &s, float r2)
{
    return s.strain > 0.0f ? s.strain * fmaxf(1.0f - r2 * s.inverse2, 0.0f) : kernel_weight(s, r2);
}

/* V f of an edge to sample b of a wall; 0 where the fluid does not cling. */
OOZE_DEVICE float wall_weight(const StepView &s, float r2, uint32_t b)
{
    float volume = s.walls.clings[b] ? s.walls.volume[b] : 0.0f;
    if (s.strain > 0.0f) {
        float w = fmaxf(1.0f - r2 * s.inverse2, 0.0f), w3 = w * w * w;
        return s.wall_strain * volume * (w3 * w3);
    }
    return s.wall_scale / s.volume * volume * kernel_weight(s, r2);
}

/* f(b) for the samples of walls near particle i. */
template <class F> OOZE_DEVICE void each_wall(const StepView &s, uint32_t i, F f)
{
    if (s.near_walls.begin && s.near_walls.count[i] > 0) {
        each_true_neighbour(s.near_walls, i, f);
    }
}

/* sum V (u_j - u_i) g^T before correction, and the same with the weight for g: see ooze_raw_rows. The same for all
   lanes. */
struct RawRows {
    OozeMat3 gradient;
    float weighted[3];
};

template <int LANES, bool WRAPS>
OOZE_DEVICE RawRows raw_rows(const StepView &s, const float4 *u, uint32_t i, uint32_t lane,
                             bool moving_walls)
{
    float m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, w[3] = {0, 0, 0};
    const float4 *x = s.x0;
    const float4 here = x[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Way d = way<WRAPS>(s, here, x[j]);
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
    if (moving_walls) {
        each_wall(s, i, [&](uint32_t b) {
            Way d = way<true>(s, here, s.walls.position[b]);
            float f = wall_weight(s, d.r2, b);
            float4 vb = s.walls.velocity[b];
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

/* What neighbours hand on along edges: rows of a flux with what meets the weight alone in the last lane, three
   float4 a particle. sum f (F_j x_ji + last_j), the same for all lanes. */
template <int LANES, bool WRAPS>
OOZE_DEVICE float4 edges_flux(const StepView &s, const float4 *flux, uint32_t i, uint32_t lane)
{
    const float4 *x = s.x0;
    const float4 here = x[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Way d = way<WRAPS>(s, here, x[j]);
        const float4 *row = flux + 3 * (uint64_t)j;
        float4 a = row[0], b = row[1], c = row[2];
        float f = edge_weight(s, d.r2);
        fx += f * (a.x * d.x + a.y * d.y + a.z * d.z + a.w);
        fy += f * (b.x * d.x + b.y * d.y + b.z * d.z + b.w);
        fz += f * (c.x * d.x + c.y * d.y + c.z * d.z + c.w);
    });
    return four(lanes_sum<LANES>(fx), lanes_sum<LANES>(fy), lanes_sum<LANES>(fz));
}

/* What a particle hands on along its edges once its stress is known, with the hourglass term of coefficient n: rows
   of a flux and what goes with them. See methods/conformation/hand_on.h. */
struct Handed {
    float row[9], last[3];
};

OOZE_DEVICE Handed hand_on(OozeSym3 stress, OozeSym3 correction, OozeMat3 l, float n, float4 input)
{
    OozeMat3 f = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    Handed handed;
    for (int k = 0; k < 9; k++) {
        handed.row[k] = f.m[k] - n * l.m[k];
    }
    handed.last[0] = n * input.x;
    handed.last[1] = n * input.y;
    handed.last[2] = n * input.z;
    return handed;
}

/* The part of the force that takes no second gather; edge_n: the sum over edges of f n_j. */
OOZE_DEVICE float4 handed_base(const Handed &handed, float4 edge_sum, const RawRows &rows, float n,
                               float edge_n, float4 input)
{
    float u[3] = {input.x, input.y, input.z}, rest[3];
    for (int k = 0; k < 3; k++) {
        const float *row = handed.row + 3 * k;
        rest[k] = n * rows.weighted[k] - edge_n * u[k] + row[0] * edge_sum.x + row[1] * edge_sum.y +
                  row[2] * edge_sum.z;
    }
    return four(rest[0], rest[1], rest[2]);
}

OOZE_DEVICE void flux_set(float4 *flux, uint32_t i, const Handed &handed)
{
    for (int k = 0; k < 3; k++) {
        const float *row = handed.row + 3 * k;
        flux[3 * (uint64_t)i + k] = four(row[0], row[1], row[2], handed.last[k]);
    }
}

template <int LANES> OOZE_DEVICE OozeSym3 lanes_sum_sym3(OozeSym3 a)
{
    return ooze_sym3(lanes_sum<LANES>(a.xx), lanes_sum<LANES>(a.yy), lanes_sum<LANES>(a.zz),
                     lanes_sum<LANES>(a.xy), lanes_sum<LANES>(a.xz), lanes_sum<LANES>(a.yz));
}

/* ---- particles ------------------------------------------------------------------------------------- */

/* A conformation Q, kept as its strain Q - I. */
OOZE_DEVICE OozeSym3 strain_at(const float *strain, uint32_t i)
{
    const float4 *e = reinterpret_cast<const float4 *>(strain + 8 * (uint64_t)i);
    float4 a = e[0], b = e[1];
    return ooze_sym3(a.x, a.y, a.z, a.w, b.x, b.y);
}

OOZE_DEVICE void strain_put(float *strain, uint32_t i, OozeSym3 q)
{
    float4 *e = reinterpret_cast<float4 *>(strain + 8 * (uint64_t)i);
    e[0] = four(q.xx - 1, q.yy - 1, q.zz - 1, q.xy);
    e[1] = four(q.xz, q.yz, 0.0f, 0.0f);
}

/* That of the first mode. */
OOZE_DEVICE OozeSym3 strain_beyond_rest(const StepView &s, uint32_t i)
{
    return strain_at(s.conformation, i);
}

OOZE_DEVICE OozeSym3 strain_get(const StepView &s, uint32_t i)
{
    return ooze_sym3_add(ooze_sym3_identity(1), strain_beyond_rest(s, i));
}

OOZE_DEVICE void strain_set(const StepView &s, uint32_t i, OozeSym3 q)
{
    strain_put(s.conformation, i, q);
}

/* Those of all modes, `more` beside the first. */
OOZE_DEVICE void modes_get(const StepView &s, uint32_t i, int more, OozeSym3 *q)
{
    q[0] = strain_get(s, i);
    for (int k = 0; k < more; k++) {
        q[k + 1] = ooze_sym3_add(ooze_sym3_identity(1), strain_at(s.more[k], i));
    }
}

OOZE_DEVICE void modes_set(const StepView &s, uint32_t i, int more, const OozeSym3 *q)
{
    strain_set(s, i, q[0]);
    for (int k = 0; k < more; k++) {
        strain_put(s.more[k], i, q[k + 1]);
    }
}

/* Takes out what a held particle cannot do. */
OOZE_DEVICE float4 project(const StepView &s, uint32_t i, float4 v)
{
    if (s.hold_of && s.hold_of[i] >= 0) {
        const Hold *hold = &s.holds[s.hold_of[i]];
        for (int k = 0; k < hold->count; k++) {
            float4 d = hold->direction[k];
            v = v - dot(v, d) * d;
        }
    }
    return v;
}

} // namespace ooze

#endif
