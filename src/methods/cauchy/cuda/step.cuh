/* What loops of the method cauchy on the GPU share. */
#ifndef OOZE_METHODS_CAUCHY_CUDA_STEP_CUH
#define OOZE_METHODS_CAUCHY_CUDA_STEP_CUH

#include "cuda/conjugate_gradients.cuh"
#include "cuda/contact_loads.cuh"
#include "cuda/edges.cuh"
#include "cuda/grid_multigrid.cuh"
#include "cuda/machine.cuh"
#include "cuda/method.cuh"
#include "cuda/rank_sums.cuh"

extern "C" {
#include "methods/cauchy/particle_formula.h"
#include "methods/cauchy/stages.h"
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
    float4 *mps_weight, *coefficient; /* see OozeCauchyOwn */
};

CauchyView view_of(const OozeCauchyStep *step);

#define CAUCHY_EACH_KIND(step, CALL)                                                               \
    OOZE_EACH_KIND_OF(ooze_periodic_any(&(step)->machine->context->periodic),                      \
                      (step)->machine->all, CALL)

static inline Gpu *gpu_of(const OozeCauchyStep *step)
{
    return gpu_of(step->machine);
}

extern const OozeCauchyVelocityStages cauchy_velocity_stages;
extern const OozeCauchyPressureStages cauchy_pressure_stages;
extern const OozeCauchyMotionStages cauchy_motion_stages;

/* Velocity gradient of u with no-slip walls; returned to all lanes. */
template <int LANES, bool WRAPS>
OOZE_DEVICE OozeMat3 velocity_gradient(const CauchyView &s, uint32_t i, uint32_t lane)
{
    RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
    return ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
}

} // namespace ooze

#endif
