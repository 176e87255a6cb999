/* The velocity solve of `lodge` with the preconditioner of velocity_multigrid.cuh: see
   methods/conformation/cpu/lodge_multigrid.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_LODGE_MULTIGRID_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_LODGE_MULTIGRID_CUH

#include "cuda/velocity_multigrid.cuh"
#include "methods/conformation/cuda/lodge.cuh"

namespace ooze
{

/* Arrays have one element a particle, in scratch memory of the solve. */
struct LodgeMultigrid {
    VelocityMultigrid *grids;
    float4 *z;          /* preconditioned residual */
    OozeSym3 *diagonal; /* D: 3 x 3 blocks of the operator */
    OozeSym3 *inverse;  /* omega D^-1 in the directions that are not held, 0 in others */
    float *shear;       /* tr A / 3 when the matrices were computed */
    /* of rigid particle bodies; NULL: there are none */
    float4 *response; /* to the residual */
    float4 *spread;   /* residual, that of rigid bodies as their response times masses */
};

/* Decides, after the coefficients of the first pass are known, whether the solve may use it: sets
   solve->multigrid_use. May wait. */
void multigrid_plan(Lodge *solve);
/* The preconditioner of a pass, after its coefficients and contacts are known: solve->grids and
   solve->multigrid, NULL where `auto` has no memory for them. Waits. */
OozeStatus multigrid_begin(Lodge *solve, OozeError *error);
/* Of multigrid_begin: smoothers of rigid bodies. */
void multigrid_find_bodies(const Lodge *solve);
/* z from the residual r. */
void multigrid_precondition(Lodge *solve);
/* Continues from the present residual: p = z. */
void multigrid_start(Lodge *solve);
/* After an advance: z, r.z, and p = z + beta p. */
void multigrid_update(Lodge *solve);
/* The solve has reached its tolerance, or a residual that is a tenth of the velocities. */
bool multigrid_succeeded(const SolveState *state, double speed_square);

/* After the solve: see ooze_lodge_restore_momentum. */
void restore_momentum(Lodge *solve);

} // namespace ooze

#endif
