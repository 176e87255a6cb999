/* The implicit velocity solve of `lodge` on the device: see methods/conformation/lodge.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_LODGE_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_LODGE_CUH

#include "cuda/conjugate_gradients.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"
#include "methods/conformation/cuda/packed.cuh"

extern "C" {
#include "methods/conformation/lodge.h"
}

namespace ooze
{

/* State of the velocity solve in device memory; loops return at once when their flag `off` is set.
   */
struct SolveState : OozeConjugateGradients {
    double particle_rz;     /* r.z of the diagonal preconditioner, without rigid bodies */
    double speed_square;    /* sum rho u*^2 */
    Sum3 particle_product;  /* of a product, without dynamic solids */
    int32_t warm_start_off; /* there is no initial guess */
    /* Skips the second product of the guess, which all components accept entirely; or, in sweeps,
       the update of velocities after the last one. */
    int32_t again_off;
    int32_t never; /* a flag that is never set */
};

/* Captured by loop bodies, with the step's view. */
struct LodgeView : OozeLodge {
    float4 *rows; /* of F: three a particle, or two packed ones */
    PackView pack;
    SolveState *state;
    /* omega D^-1, where one loop advances and applies it; NULL: masses, or the loop of
       multigrid_update. */
    const OozeSym3 *blocks;
};

/* OozeLodge.own. The solve of the programme is that of `view`. */
struct Lodge {
    LodgeView view;
    OozeConjugateGradients cg; /* view.cg */
    Step *step;
    bool fresh_direction;  /* ghosts have the direction of their owners */
    struct Impact *impact; /* of long steps; NULL: the step is not long */
};

static inline Lodge *lodge_of(const OozeLodge *solve)
{
    return reinterpret_cast<Lodge *>(solve->own);
}

OOZE_DEVICE float4 sym3_times(const OozeSym3 &a, float4 r)
{
    return f32x4(a.xx * r.x + a.xy * r.y + a.xz * r.z, a.xy * r.x + a.yy * r.y + a.yz * r.z,
                 a.xz * r.x + a.yz * r.y + a.zz * r.z);
}

/* A product of the operator, and its p.Ap in state->pap; nothing where *off. */
struct Product {
    const float4 *input;
    bool explicit_terms; /* with S0 and moving walls: A u - b, not A p */
    bool unprojected;    /* without contact projection: gives the contact forces */
    const int32_t *off;  /* &state->off: of an iteration, whose step length follows */
};
/* ap = A input. */
void multiply(Lodge *solve, const Product &product);
/* ap = A p, on rounded numbers where directions are packed. */
void multiply_direction(Lodge *solve, const int32_t *off);
/* u += alpha p, r -= alpha ap, state->rz, then p = z + beta p; z by the diagonal
   preconditioner. */
void advance(Lodge *solve, bool iteration, const int32_t *off);
/* Rounds p where directions are packed, after other loops have written it. */
void pack_direction(Lodge *solve, const int32_t *off);

/* Stages, see methods/conformation/lodge.h: lodge_material.cu. */
void prepare(OozeLodge *solve);
void scale_second_stage(OozeLodge *solve, float factor);
void finish_lodge(OozeConformationStep *step); /* Q at the end of the step */

/* The residual r of particle i by blocks or masses. */
OOZE_DEVICE float4 precondition_by(const LodgeView &v, uint32_t i, float mass, float4 r)
{
    const float per = 1.0f / mass;
    return v.blocks ? sym3_times(v.blocks[i], r) : f32x4(per * r.x, per * r.y, per * r.z);
}

/* Sets p of particle i; returns it as rounded. */
OOZE_DEVICE float4 direction_set(const LodgeView &v, uint32_t i, float4 p)
{
    if (v.pack.directions) {
        uint4 before = v.pack.directions[i];
        uint2 place = {before.x, before.y};
        uint4 packed = direction_pack(place, p, v.hourglass[i] > 0.0f);
        v.pack.directions[i] = packed;
        p = direction_vector(packed);
    }
    return p;
}

/* Finds density_multiplier and first_push, after the gather of edges: density_warm_start.cu. */
void density_warm_start_find(Step *step);

/* Initial guess of a pass, and its record at the end: warm_start.cu. */
OozeStatus warm_start(OozeLodge *solve, OozeError *error);
void warm_start_record(Lodge *solve);

extern const OozeLodgeStages lodge_stages;

/* root[i] = lowest index in the connected component of i, of one row of rheology unless
   `across_materials`: components.cu. */
void find_components(Step *step, bool across_rows, uint32_t *root, const int32_t *off);

} // namespace ooze

#endif
