/* What loops of the method cauchy on the GPU share. */
#ifndef OOZE_METHODS_CAUCHY_CUDA_STEP_CUH
#define OOZE_METHODS_CAUCHY_CUDA_STEP_CUH

#include "cuda/conjugate_gradients.cuh"
#include "cuda/contact_loads.cuh"
#include "cuda/edges.cuh"
#include "cuda/grid_multigrid.cuh"
#include "cuda/machine.cuh"
#include "cuda/method.cuh"

extern "C" {
#include "methods/cauchy/gather_formula.h"
#include "methods/cauchy/move_formula.h"
#include "methods/cauchy/pressure_formula.h"
#include "methods/cauchy/stages.h"
#include "methods/cauchy/stress_formula.h"
#include "methods/cauchy/tension_formula.h"
}

/* What only the GPU keeps during a step. OozeCauchyStep.memory is its GridMultigrid. */
struct OozeCauchyOwn {
    float4 *mps_weight;            /* c w / 2 of MPS, four as fluid.index */
    float4 *coefficient;           /* c w (k_i + k_j) / 2 of the pressure solve, likewise */
    double worst_error, sum_error; /* densities above rest: the largest, and their sum */
};

namespace ooze
{

/* Captured by loop bodies. Arrays have n + 1 elements; element n is the padding of lists, and is
   finite in arrays that loops over neighbours read. Has the members of the View of edges.cuh. */
struct CauchyView : OozeCauchyStep {
    uint32_t n;
    const float4 *x0; /* last lane 0, of element n OOZE_DUMMY_FAR */
    ListView fluid, near_walls;
    WallView walls;
    SolidsView solids;
    OozePeriodic periodic;
    float inverse2, strain, wall_strain;
    double dt, spacing;
    float4 *mps_weight, *coefficient; /* see OozeCauchyOwn */
};

CauchyView view_of(const OozeCauchyStep *step);

/* CALL(LANES, WRAPS): see OOZE_EACH_KIND. */
#define CAUCHY_EACH_KIND(step, CALL)                                                               \
    do {                                                                                           \
        if (ooze_periodic_any(&(step)->machine->context->periodic)) {                              \
            OOZE_EACH_KIND_WRAPPED((step)->machine->all, CALL, true);                              \
        } else {                                                                                   \
            OOZE_EACH_KIND_WRAPPED((step)->machine->all, CALL, false);                             \
        }                                                                                          \
    } while (0)

static inline Gpu *gpu_of(const OozeCauchyStep *step)
{
    return gpu_of(step->machine);
}

extern const OozeCauchyTensionStages cauchy_tension_stages;
extern const OozeCauchyVelocityStages cauchy_velocity_stages;
extern const OozeCauchyPressureStages cauchy_pressure_stages;
extern const OozeCauchyMotionStages cauchy_motion_stages;

/* ---- particles ---- */

OOZE_DEVICE const OozeCauchyMaterial &material_of(const CauchyView &s, uint32_t i)
{
    return s.materials[s.material[i]];
}

OOZE_DEVICE float4 wall_edge(const CauchyView &s, uint32_t i)
{
    const float *e = s.wall[i].edge;
    return f32x4(e[0], e[1], e[2]);
}

/* Sum h over fluid and half of that over walls: its length tells a surface from the inside. */
OOZE_DEVICE float4 inward_of(const CauchyView &s, uint32_t i)
{
    return s.mps_sum[i] + 0.5f * wall_edge(s, i);
}

OOZE_DEVICE float4 apply(OozeSym3 b, float4 v)
{
    return f32x4(b.xx * v.x + b.xy * v.y + b.xz * v.z, b.xy * v.x + b.yy * v.y + b.yz * v.z,
                 b.xz * v.x + b.yz * v.y + b.zz * v.z);
}

OOZE_DEVICE bool at_surface(const CauchyView &s, uint32_t i)
{
    return ooze_cauchy_at_surface(&s.k, s.density[i]);
}

OOZE_DEVICE OozeSym3 elastic_strain_at(const CauchyView &s, uint32_t i)
{
    const float *e = s.elastic_strain + 8 * (uint64_t)i;
    return ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
}

/* Velocity gradient of u with no-slip walls; returned to all lanes. */
template <int LANES, bool WRAPS>
OOZE_DEVICE OozeMat3 velocity_gradient(const CauchyView &s, uint32_t i, uint32_t lane)
{
    RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
    return ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
}

} // namespace ooze

#endif
