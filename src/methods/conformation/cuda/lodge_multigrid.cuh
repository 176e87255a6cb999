/* The velocity solve of `lodge` with the preconditioner of velocity_multigrid.cuh: see
   methods/conformation/cpu/lodge_multigrid.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_LODGE_MULTIGRID_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_LODGE_MULTIGRID_CUH

#include "cuda/velocity_multigrid.cuh"
#include "methods/conformation/cuda/lodge.cuh"

/* Arrays have one element a particle, in scratch memory of the solve. */
struct OozeLodgeMultigrid {
    ooze::VelocityMultigrid *grids;
    float4 *z;          /* preconditioned residual */
    OozeSym3 *diagonal; /* D: 3 x 3 blocks of the operator */
    OozeSym3 *inverse;  /* omega D^-1 in the directions that are not held, 0 in others */
    float *shear;       /* tr A / 3 when the blocks were computed */
    bool built, filled; /* grids: in this step; with the coefficients of the blocks */
    /* of rigid particle bodies; NULL: there are none */
    float4 *response; /* to the residual */
    float4 *spread;   /* residual, that of rigid bodies as their response times masses */
    /* Every rank has the grids of the particles of all; the own particle i has the number i +
       offset there, modulo 2^32. */
    uint32_t offset;
};

namespace ooze
{

using LodgeMultigrid = ::OozeLodgeMultigrid;

/* Stages, see methods/conformation/lodge.h. */
bool takes_blocks(const OozeLodge *solve);
OozeLodgeExtent find_extent_of_solve(OozeLodge *solve);
bool grids_save_time(const OozeLodge *solve, double diffusion, double layers);
OozeStatus multigrid_begin(OozeLodge *solve, OozeError *error);
void multigrid_start(OozeLodge *solve);
OozeStatus restore_momentum(OozeLodge *solve, OozeError *error);

/* Neighbours of all particles, of several ranks; memory that outlives a step, starts as zero. */
struct AllLists {
    Grid grid;
    Lists near;
};
void all_lists_free(Gpu *gpu, AllLists *lists);
/* Those of the particles that the input has, in scratch. Waits. */
OozeStatus multigrid_list_all(Step *step, VelocityMultigridInput *input, OozeError *error);

/* Of multigrid_begin: smoothers of rigid bodies. */
void multigrid_find_bodies(const Lodge *solve);
/* z from the residual r. */
void multigrid_precondition(Lodge *solve);
/* After an advance: z, r.z, and p = z + beta p. */
void multigrid_update(Lodge *solve);

} // namespace ooze

#endif
