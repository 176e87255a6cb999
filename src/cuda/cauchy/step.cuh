/* Data of one substep of the cauchy method on the device: see methods/cauchy/step.h. */
#ifndef OOZE_CUDA_CAUCHY_STEP_CUH
#define OOZE_CUDA_CAUCHY_STEP_CUH

#include "cuda/conjugate_gradients.cuh"
#include "cuda/contact_loads.cuh"
#include "cuda/edges.cuh"
#include "cuda/grid_multigrid.cuh"
#include "cuda/method.cuh"

extern "C" {
#include "methods/cauchy/gather_formula.h"
#include "methods/cauchy/move_formula.h"
#include "methods/cauchy/pressure_formula.h"
#include "methods/cauchy/stress_formula.h"
#include "methods/cauchy/tension_formula.h"
}

namespace ooze
{

/* Lives as long as the engine. */
struct CauchyData {
    GridMultigrid multigrid;
};

/* Captured by loop bodies. Arrays have n + 1 elements; element n is the padding of lists, and is
   finite in arrays that loops over neighbours read. Members of the View of edges.cuh first. */
struct CauchyView {
    uint32_t n;
    const float4 *x0; /* last lane 0, of element n OOZE_DUMMY_FAR */
    ListView fluid, near_walls;
    WallView walls;
    OozePeriodic periodic;
    float inverse2, strain, wall_strain;
    float4 *edge_sum;

    OozeCauchyConstants k;
    double dt, spacing;
    float4 gravity;
    float inverse_reference; /* 1 / reference density, m3/kg */
    SolidsView solids;
    const OozeCauchyMaterial *materials;
    const uint16_t *material, *prescribed; /* the last may be NULL: 0 for all */
    const float4 *velocity;                /* at the beginning of the step */
    /* fields */
    float *elastic_strain; /* eight floats a particle, see ooze_cauchy_strain */
    float *pressure;       /* Pa */
    float *density;        /* number density over n0 */
    /* scratch */
    float4 *u;
    float4 *mps_weight;     /* c w / 2 of MPS, four as fluid.index */
    float4 *fluid_edge_sum; /* sum g over fluid neighbours */
    float4 *mps_sum;        /* sum h over fluid neighbours */
    OozeCauchyWall *wall;
    float *number, *air, *mobility, *divergence_target, *viscosity, *rate, *last_pressure;
    OozeSym3 *correction, *pressure_correction, *stiffness, *explicit_stress;
    float4 *force, *next_x;
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
    float *next_pressure;
};

struct CauchyStep {
    Engine *engine;
    Gpu *gpu;
    CauchyData *data;
    OozeStepContext *context;
    CauchyView view;
    bool wraps; /* some axis is periodic */
    /* device; zero at the beginning */
    OozeConjugateGradients *velocity_solve, *pressure_solve;
};

/* ---- stages, in the order of methods/cauchy/step.h ---- */

void cauchy_find_walls(CauchyStep *step);
void cauchy_gather(CauchyStep *step);
/* Adds surface tension to view.force, as a stress or by the potential. */
void cauchy_tension(CauchyStep *step);
void cauchy_potential(CauchyStep *step);
/* to[i] = M^-1 D^T p; p[n] is finite. */
void cauchy_accelerate(CauchyStep *step, const float *p, float4 *to);
void cauchy_solve_velocities(CauchyStep *step);
OozeStatus cauchy_project(CauchyStep *step, OozeError *error);
/* New positions and velocities into view.next_x and view.u; fills the report and the loads of
   dynamic solids. Waits. */
OozeStatus cauchy_move(CauchyStep *step, OozeError *error);
void cauchy_update_strain(CauchyStep *step);

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

OOZE_DEVICE OozeSym3 elastic_strain_at(const CauchyView &s, uint32_t i)
{
    const float *e = s.elastic_strain + 8 * (uint64_t)i;
    return ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
}

/* Velocity gradient of view.u with walls that the fluid clings to; returned to all lanes. */
template <int LANES, bool WRAPS>
OOZE_DEVICE OozeMat3 velocity_gradient(const CauchyView &s, uint32_t i, uint32_t lane)
{
    RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
    return ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
}

} // namespace ooze

#endif
