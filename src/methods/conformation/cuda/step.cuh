/* State of one substep of the conformation method on the device: the arrays of
   methods/conformation/step.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_STEP_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_STEP_CUH

#include "cuda/edges.cuh"
#include "cuda/engine.cuh"
#include "physics/kernels.h"
extern "C" {
#include "methods/conformation/expected_push_formula.h"
#include "solvers/contact/contact_set_formula.h"
#include "solvers/linear/conjugate_gradients_formula.h"
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
    float bulk, void_closure, contact_distance;
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
    WallView walls;             /* with dynamic solids, theirs are at the beginning of the step */
    /* per sample of `walls`: index of its dynamic solid or -1, and its velocity by a search
       direction; NULL: no solid is dynamic */
    const int32_t *dynamic_of;
    float4 *direction_velocity;
    OozePeriodic periodic;
    float4 *edge_sum;
    OozeSym3 *correction;
    float *density, *surface_indicator, *mobility, *stress;
    uint8_t *anchored; /* near a no-slip wall, or prescribed */
    float *conformation, *expansion, *warm_start, *relief_progress; /* fields of the store */
    float *more[OOZE_MORE_MODES]; /* conformations of further modes */
    int more_modes;               /* see the plan */
    int32_t *contact_of;          /* NULL: there are no contacts */
    OozeContactSet *contact_sets;
    uint32_t *contact_count; /* device: contact sets in use */
    bool long_step;          /* see impact.cuh */
    int32_t *buried_in;      /* NULL: no solids */
    SolidsView solids;
    OozeSym3 *thread_regularisation; /* see OozeDensityJob; NULL: nothing is elastic */
    float4 *next_warm_start, *shift, *drift, *position_only_shift; /* shift: by the density stage */
    bool expects_pushes;                                           /* see the plan */
    float *density_target, *load_excess;
    float *density_multiplier; /* see OozeDensityJob; or NULL */
    /* What the density stage begins with, besides multipliers in density_multiplier: their shift,
       m, see density_warm_start.h; NULL: with nothing. */
    float4 *first_push;
    float4 *surface_impulse; /* velocity that surface tension adds; or NULL */
    const float *reached;    /* 1: the pressure grid holds it, else 0; NULL: there is no grid */
};

struct Step {
    Engine *engine;
    Gpu *gpu;
    OozeStepContext *context;
    OozeConformationPlan plan;
    StepView view;
    struct Bodies *bodies;             /* NULL: all is fluid */
    struct StepDynamic *dynamic;       /* NULL: no solid is dynamic */
    struct ConstraintView *constraint; /* of the method constraint */
    bool wraps;                        /* some axis is periodic */
    bool any_contacts;                 /* some particle may be in contact */
    uint64_t contact_room;             /* contact sets that there is room for */
    /* The density stage overwrites scratch memory from edges_mark on: edges, contacts and the
       velocity solve; edges are then gathered again. */
    bool regathers_edges;
    Mark edges_mark;
    struct SolveState *state;               /* device; zero at the beginning */
    struct VelocityMultigrid *grids;        /* of the memory that outlives the step */
    bool used_multigrid;                    /* the velocity solve */
    OozeSolveResidual residual;             /* of the velocity stage; set at the end of the step */
    struct ImpactMemory *impact_memory;     /* of the memory that outlives the step */
    struct SurfaceLists *surface;           /* likewise */
    struct PressureMemory *pressure_memory; /* likewise */
    struct GridPressure *pressure;          /* NULL without `pressure: grid` */
};

/* Whether the GPU has the settings of method `conformation`; if not, `why` gets the reason. */
bool conformation_supports(const OozeStepContext *context, char *why, size_t size);
/* Whether several processes can share such steps. */
bool conformation_supports_ranks(const OozeStepContext *context, char *why, size_t size);
double conformation_reach(const OozeStepContext *context); /* see DeviceMethod */
struct Formulation;
OozeStatus conformation_step(Engine *engine, struct ConformationData *data,
                             OozeStepContext *context, const Formulation *formulation,
                             OozeError *error);
/* Data that outlives a step; none of it is saved. */
OozeStatus conformation_create(Engine *engine, void **data, OozeError *error);
void conformation_destroy(Engine *engine, void *data);

/* One discretisation of the method: see OozeFormulation. */
struct Formulation {
    OozeStatus (*solve_velocities)(Step *step, OozeError *error);
    OozeStatus (*solve_positions)(Step *step, float4 *x, float4 *shift, OozeError *error);
    void (*finish)(Step *step);
};
extern const Formulation formulation_lodge;

void gather(Step *step); /* edges, corrections, densities at x0 */
/* Adds the impulse of surface tension to u. */
OozeStatus surface_tension(Step *step, OozeError *error);
void find_contacts(Step *step);
/* to[i] = sum f a_j over the edges of i; a has an element n of 0. */
void sum_edges(Step *step, const float *a, float *to);
/* The density stage with the settings of this method. */
struct DensityJob density_job(Step *step);
OozeStatus solve_density(Step *step, float4 *x, float4 *shift, OozeError *error);
void set_density_targets(Step *step);
/* largest_shift2: device, the largest square of a position-only shift. */
void update_relief(Step *step, const float *largest_shift2);

/* ---- kernel -------------------------------------------------------------------------------- */

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

/* Edges with the slope of the kernel for a weight, as `paper` has them: see OozeGather. The
   functions below replace those of edges.cuh for this view. */
struct KernelView : StepView {
};

OOZE_DEVICE float edge_weight(const KernelView &s, float r2)
{
    return kernel_weight(s, r2);
}

OOZE_DEVICE float wall_weight(const KernelView &s, float r2, uint32_t b)
{
    float volume = s.walls.no_slip[b] ? s.walls.volume[b] : 0.0f;
    return s.wall_scale / s.volume * volume * kernel_weight(s, r2);
}

/* The view of a step whose edges have the weights of VIEW. */
template <class VIEW> VIEW view_of(const Step *step)
{
    VIEW s;
    static_cast<StepView &>(s) = step->view;
    return s;
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
