/* State of one substep of the conformation method on the device: the arrays of
   methods/conformation/step.h. */
#ifndef OOZE_CUDA_CONFORMATION_STEP_CUH
#define OOZE_CUDA_CONFORMATION_STEP_CUH

#include "cuda/engine.cuh"
#include "physics/kernels.h"
#include "physics/strain_weight.h"
extern "C" {
#include "methods/conformation/contact_formula.h"
#include "methods/conformation/stress_flux_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. Arrays have n + 1 elements; element n is the padding of lists. */
struct StepView {
    uint32_t n;
    float dt, support, spacing, inverse, inverse2; /* 1/h, 1/h^2 */
    float volume, wall_scale, flat_gradient;
    float strain;                /* V0 times the scale of the strain weight */
    float wall_strain;           /* the same of boundary samples, per volume of the sample */
    float value, slope, nearest; /* of the cubic spline: see OozeCubic */
    float bulk, void_closure, void_closure_cutoff, contact_distance;
    const OozeRheology *rheology;
    const uint16_t *material;   /* row of rheology */
    const uint16_t *prescribed; /* nozzle that prescribes its velocity; NULL: there are none */
    const uint16_t *film;       /* row of the fluid that wets it, or its own */
    /* see OozeBodies and OozeDensityJob; NULL without bodies, rigid_of without rigid ones */
    const uint16_t *body, *pin, *rigid_of;
    const float *own_density_target, *effective_inverse_mass;
    const uint8_t *ignores_boundary;
    const float4 *x0; /* positions; last lane 0, of element n OOZE_DUMMY_FAR: its weights are 0 */
    float4 *u;
    const float4 *velocity;     /* at the beginning of the step */
    float free_speed;           /* see OozeStepContext */
    ListView fluid, near_walls; /* near_walls.begin: NULL where there are no walls */
    WallView walls;
    OozePeriodic periodic;
    float4 *edge_sum;
    OozeSym3 *correction;
    float *density, *surface_indicator, *mobility, *stress;
    uint8_t *anchored; /* clings to a wall, or is prescribed */
    float *conformation, *expansion, *warm_start, *relief_progress; /* fields of the store */
    float *more[OOZE_MORE_MODES]; /* conformations of further modes */
    int more_modes;               /* see the plan */
    int32_t *contact_of;          /* NULL: there are no contacts */
    OozeContactSet *contact_sets;
    int32_t *intruder; /* NULL: no solids */
    SolidsView solids;
    float4 *next_warm_start, *drift, *position_only_shift;
    float *density_target, *load_excess;
};

struct Step {
    Engine *engine;
    Gpu *gpu;
    OozeStepContext *context;
    OozeConformationPlan plan;
    StepView view;
    struct Bodies *bodies;             /* NULL: all is fluid */
    struct ConstraintView *constraint; /* of the formulations that are constraints */
    bool wraps;                        /* some axis is periodic */
    bool any_contacts;                 /* some particle may be in contact */
    /* The density stage overwrites scratch memory from edges_mark on: edges, contacts and the
       velocity solve; edges are then gathered again. */
    bool regathers_edges;
    Mark edges_mark;
    struct SolveState *state; /* device; zero at the beginning */
};

/* Whether the GPU has the settings of method `conformation`; if not, `why` gets the reason. */
bool conformation_supports(const OozeStepContext *context, char *why, size_t size);
OozeStatus conformation_step(Engine *engine, OozeStepContext *context, OozeError *error);

/* One discretisation of the method: see OozeFormulation. */
struct Formulation {
    void (*solve_velocities)(Step *step);
    OozeStatus (*solve_positions)(Step *step, float4 *x, float4 *shift, OozeError *error);
    void (*finish)(Step *step);
};
extern const Formulation formulation_lodge, formulation_consistent;

/* Every loop over neighbours is compiled for one or several lanes a particle and for open or
   periodic boxes: CALL(LANES, WRAPS). */
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

/* Squared distance of the padding of lists, along a fourth axis. */
#define OOZE_DUMMY_FAR 1e30f

void gather(Step *step);          /* edges, corrections, densities at x0 */
void surface_tension(Step *step); /* adds the impulse of surface tension to u */
void find_contacts(Step *step);
void divergence(Step *step); /* removes compression from u */
/* to[i] = sum f a_j over the edges of i; a has an element n of 0. */
void sum_edges(Step *step, const float *a, float *to);
/* The density stage with the settings of this method. */
struct DensityJob density_job(Step *step);
OozeStatus solve_density(Step *step, float4 *x, float4 *shift, OozeError *error);
void set_density_targets(Step *step);
void update_relief(Step *step);

/* ---- edges ---------------------------------------------------------------------------------- */

struct Delta {
    float x, y, z, r2;
};

/* From one particle to another; r2 includes the fourth axis of the padding. */
template <bool WRAPS> OOZE_DEVICE Delta delta(const StepView &s, float4 from, float4 to)
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

/* -dW/dr times the volume; `value`: W over s.value. See physics/cubic.h. */
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
    return s.strain * fmaxf(1.0f - r2 * s.inverse2, 0.0f);
}

/* V f of an edge to sample b of a wall; 0 where the fluid does not cling. */
OOZE_DEVICE float wall_weight(const StepView &s, float r2, uint32_t b)
{
    float volume = s.walls.clings[b] ? s.walls.volume[b] : 0.0f;
    float w = fmaxf(1.0f - r2 * s.inverse2, 0.0f);
    return s.wall_strain * volume * OOZE_STRAIN_WALL_POWER(w);
}

/* f(b) for the boundary samples near particle i. */
template <class F> OOZE_DEVICE void each_wall(const StepView &s, uint32_t i, F f)
{
    if (s.near_walls.begin && s.near_walls.count[i] > 0) {
        each_true_neighbour(s.near_walls, i, f);
    }
}

/* sum (u_j - u_i) g^T before correction, and sum f (u_j - u_i): see ooze_raw_rows. Returned to all
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
    if (moving_walls) {
        each_wall(s, i, [&](uint32_t b) {
            Delta d = delta<true>(s, here, s.walls.position[b]);
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

/* sum f (F_j x_ji + last_j) over the edges; flux: three float4 a particle, rows of F with `last` in
   the fourth lane. Returned to all lanes. */
template <int LANES, bool WRAPS>
OOZE_DEVICE float4 edges_flux(const StepView &s, const float4 *flux, uint32_t i, uint32_t lane)
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
   methods/conformation/stress_flux_formula.h. */
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

/* ---- particles ------------------------------------------------------------------------------ */

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
    e[0] = f32x4(q.xx - 1, q.yy - 1, q.zz - 1, q.xy);
    e[1] = f32x4(q.xz, q.yz, 0.0f, 0.0f);
}

/* Of the first mode. */
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

/* Of all modes, `more` beyond the first. */
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

/* NULL: none. */
OOZE_DEVICE const OozeContactSet *contacts_of(const StepView &s, uint32_t i)
{
    return s.contact_of && s.contact_of[i] >= 0 ? &s.contact_sets[s.contact_of[i]] : nullptr;
}

/* Removes the contact directions of particle i from v. */
OOZE_DEVICE float4 project(const StepView &s, uint32_t i, float4 v)
{
    const OozeContactSet *set = contacts_of(s, i);
    return set ? ooze_contact_project(set, v, OOZE_CONTACT_ALL) : v;
}

} // namespace ooze

#endif
