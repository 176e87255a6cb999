/* The implicit velocity solve of `lodge` on the device: see methods/conformation/lodge.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_LODGE_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_LODGE_CUH

#include "cuda/conjugate_gradients.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"
#include "methods/conformation/cuda/packed.cuh"

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
struct LodgeView {
    OozeSym3 *stiffness, *explicit_stress; /* A and S0 */
    float *bulk, *hourglass, *edge_hourglass;
    /* Second order: see OozeLodge; nullptr: first order. */
    float4 *deferred;
    float4 *flux; /* three a particle, or two packed ones */
    PackView pack;
    float4 *u_star, *r, *p, *ap;
    float *pressure; /* of the passes so far, m2/s2; nullptr: the step is not long */
    SolveState *state;
};

/* When a solve changes from the diagonal preconditioner to multigrid: see OozeMultigridUse. */
enum MultigridUse { MULTIGRID_NEVER, MULTIGRID_IF_LATE, MULTIGRID_IF_SLOW, MULTIGRID_AT_ONCE };

struct Lodge {
    Step *step;
    LodgeView view;
    int passes;            /* of this step */
    bool fresh_direction;  /* ghosts have the direction of their owners */
    struct Impact *impact; /* of long steps; NULL: the step is not long */
    /* of multigrid */
    MultigridUse multigrid_use;
    struct LodgeMultigrid *multigrid;      /* NULL: the preconditioner is diagonal at present */
    struct LodgeMultigrid *multigrid_data; /* memory of the next two */
    struct LodgeMultigrid *grids;          /* that were built in this step; NULL: none yet */
    float4 *first_u;                       /* velocities before the iterations of the pass */
};

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

/* Coefficients of a pass: lodge_material.cu. `later_pass`: Q rotates with the velocity of the
   first, or the second stage. */
void prepare(Lodge *solve, bool later_pass);
/* The operator of the second stage's iterations is half of that of its first residual. */
void scale_second_stage(Lodge *solve, float factor);
void finish_lodge(Step *step); /* Q at the end of the step */

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
void warm_start(Lodge *solve, int pass);
void warm_start_record(Lodge *solve);

/* root[i] = lowest index in the connected component of i, of one row of rheology unless
   `across_materials`: components.cu. */
void find_components(Step *step, bool across_rows, uint32_t *root, const int32_t *off);

} // namespace ooze

#endif
