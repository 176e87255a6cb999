/* State of one substep of the conformation method on the device: the arrays of
   methods/conformation/step.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_STEP_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_STEP_CUH

#include "cuda/edges.cuh"
#include "cuda/engine.cuh"
#include "physics/kernels.h"
extern "C" {
#include "methods/conformation/expected_push_formula.h"
#include "methods/conformation/stages.h"
#include "methods/conformation/step_formula.h"
#include "solvers/contact/contact_set_formula.h"
#include "solvers/linear/conjugate_gradients_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. Arrays have n + 1 elements; element n is the padding of lists. The last
   lane of x0 is 0, of element n OOZE_DUMMY_FAR: its weights are 0. */
struct StepView : OozeConformationStep {
    float inverse, inverse2;     /* 1/h, 1/h^2 */
    float strain;                /* V0 times the scale of the strain weight */
    float wall_strain;           /* the same of boundary samples, per volume of the sample */
    float value, slope, nearest; /* of the cubic spline: see OozeCubic */
    const uint16_t *prescribed;  /* nozzle that prescribes its velocity; NULL: there are none */
    const uint16_t *pin;         /* see OozeStepContext; NULL without bodies */
    /* see OozeDensityJob; NULL without bodies */
    const float *own_density_target, *effective_inverse_mass;
    const uint8_t *ignores_boundary;
    ListView fluid, near_walls; /* near_walls.begin: NULL where there are no walls */
    WallView walls;             /* with dynamic solids, theirs are at the beginning of the step */
    /* per sample of `walls`: index of its dynamic solid or -1, and its velocity by a search
       direction; NULL: no solid is dynamic */
    const int32_t *dynamic_of;
    float4 *direction_velocity;
    OozePeriodic periodic;
    uint8_t *anchored;       /* near a no-slip wall, or prescribed */
    uint32_t *contact_count; /* device: contact sets in use */
    SolidsView solids;
};

/* OozeConformationStep.own. The step of the programme is that of `view`. */
struct Step {
    StepView view;
    Engine *engine;
    Gpu *gpu;
    OozeStepContext *context;
    struct Bodies *bodies;             /* NULL: all is fluid */
    struct StepDynamic *dynamic;       /* NULL: no solid is dynamic */
    struct ConstraintView *constraint; /* of the method constraint */
    struct GridPressure *pressure;     /* NULL without `pressure: grid` */
    bool wraps;                        /* some axis is periodic */
    /* The density stage overwrites scratch memory from edges_mark on: edges, contacts and the
       velocity solve. */
    Mark edges_mark;
    struct SolveState *state;               /* device; zero at the beginning */
    struct StepEnd *end;                    /* device */
    struct VelocityMultigrid *grids;        /* of the memory that outlives the step */
    struct AllLists *all_lists;             /* likewise */
    struct ImpactMemory *impact_memory;     /* likewise */
    struct SurfaceLists *surface;           /* likewise */
    struct PressureMemory *pressure_memory; /* likewise */
};

/* Memory of the host for the rest of the step, which starts as zero. */
template <class T> OozeStatus host_memory(const Step *step, T **to, OozeError *error)
{
    *to = static_cast<T *>(ooze_arena_alloc(step->context->arena, 1, sizeof(T)));
    if (!*to) {
        return ooze_fail_memory(error, "the conformation step", sizeof(T));
    }
    memset(static_cast<void *>(*to), 0, sizeof(T));
    return OOZE_OK;
}

static inline Step *step_of(const OozeConformationStep *step)
{
    return reinterpret_cast<Step *>(step->own);
}

double conformation_reach(const OozeStepContext *context); /* see DeviceMethod */
OozeStatus conformation_step(Engine *engine, void *data, OozeStepContext *context,
                             const OozeFormulation *formulation, OozeError *error);
/* Data that outlives a step; none of it is saved. */
OozeStatus conformation_create(Engine *engine, void **data, OozeError *error);
void conformation_destroy(Engine *engine, void *data);

extern const OozeFormulation formulation_lodge;

/* ---- stages: see methods/conformation/stages.h ---- */

OozeStatus gather(OozeConformationStep *step, OozeError *error);
OozeStatus apply_surface_tension(OozeConformationStep *step, OozeError *error);
OozeStatus find_contacts(OozeConformationStep *step, OozeError *error);
/* to[i] = sum f a_j over the edges of i; a has an element n of 0. */
void sum_edges(Step *step, const float *a, float *to);
/* The density stage with the settings of this method. */
OozeStatus set_density_targets(OozeConformationStep *step, OozeError *error);
OozeStatus end_relief(OozeConformationStep *step, OozeError *error);

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
        q[k + 1] = ooze_sym3_add(ooze_sym3_identity(1), strain_at(s.more_conformation[k], i));
    }
}

OOZE_DEVICE void modes_set(const StepView &s, uint32_t i, int more, const OozeSym3 *q)
{
    strain_set(s, i, q[0]);
    for (int k = 0; k < more; k++) {
        strain_put(s.more_conformation[k], i, q[k + 1]);
    }
}

/* Removes the contact directions of particle i from v. */
OOZE_DEVICE float4 project(const StepView &s, uint32_t i, float4 v)
{
    const OozeContactSet *set = ooze_step_contacts(&s, i);
    return set ? ooze_contact_project(set, v, OOZE_CONTACT_ALL) : v;
}

} // namespace ooze

#endif
