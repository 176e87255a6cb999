/* The velocity solve of `lodge` with the preconditioner of velocity_multigrid.h. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_LODGE_MULTIGRID_H
#define OOZE_METHODS_CONFORMATION_CPU_LODGE_MULTIGRID_H

#include "methods/conformation/cpu/lodge.h"
#include "solvers/multigrid/velocity_multigrid.h"

/* Arrays have one element a particle, unless said otherwise. */
typedef struct OozeLodgeMultigrid {
    OozeLodge *solve;
    OozeVelocityMultigrid *grids;
    OozeVelocityMultigridInput input;
    bool built, filled;   /* grids: in this step; with the coefficients of the blocks */
    OozeF32x4 *z;         /* preconditioned residual; n + 4 */
    OozeSym3 *correction; /* B, with that of ghosts */
    OozeSym3 *diagonal;   /* D: 3 x 3 blocks of the operator */
    OozeSym3 *inverse;    /* omega D^-1 in the directions that are not held, 0 in others */
    float *mass;          /* of the grids, and the next two: times dt */
    OozeSym3 *stiffness;  /* A, at least that of the neighbours */
    float *bulk;
    float *shear;                   /* dt tr A / 3; n + 4 */
    float rigid_shear;              /* the same of rigid particle bodies */
    OozeF32x4 *isotropic;           /* tr A / 3, bulk, n, 0; n + 4 */
    bool anisotropic;               /* stiffness depends on direction somewhere */
    uint32_t *boundary_particle_of; /* see OozeVelocityMultigridInput */
    OozeVelocityBoundaryParticle *boundary_particle;
    uint64_t *boundary_particle_count; /* per chunk: then the sum of those before */
    /* of rigid particle bodies; NULL: there are none */
    OozeF32x4 *response; /* to the residual */
    OozeF32x4 *spread;   /* residual, that of rigid bodies as their response times masses */
    OozeSym3 *around;    /* stiffness against motions of rigid bodies, of the particle's gradient */
    float *around_weight;  /* sum of the weights of the edges that these motions enter by */
    OozeSym3 *slot_around; /* per rigid slot: see ooze_rigid_set_smoothers */
    OozeTwistMatrix *solid_inverse; /* per dynamic solid: of mass and wall block */
    double rz;                      /* r.z */
} OozeLodgeMultigrid;

typedef struct OozeLodgeMultigridLoops {
    OozeRangeBody diagonal;     /* D */
    OozeRangeBody stiffness;    /* stiffness and bulk from those of the neighbours */
    OozeRangeBody precondition; /* z += omega D^-1 r, projected; sums r.z */
    OozeRangeBody update;       /* p = z + beta p */
} OozeLodgeMultigridLoops;
OOZE_LOOPS_DECLARE(OozeLodgeMultigridLoops, ooze_lodge_multigrid_loops);

/* Stages of the solve: see lodge.h. */
OozeLodgeExtent ooze_lodge_multigrid_find_extent(OozeLodge *solve);
bool ooze_lodge_multigrid_saves_time(const OozeLodge *solve, double diffusion, double layers);
bool ooze_lodge_multigrid_is_possible(const OozeLodge *solve);
OozeStatus ooze_lodge_multigrid_save(OozeLodge *solve, OozeError *error);
void ooze_lodge_multigrid_restore(OozeLodge *solve);
void ooze_lodge_multigrid_start(OozeLodge *solve);
/* Makes the preconditioner of a pass, solve->grids and solve->multigrid: blocks, and grids where
   solve->uses_grids. Needs the coefficients and contacts of the pass. */
OozeStatus ooze_lodge_multigrid_begin(OozeLodge *solve, OozeError *error);
/* z from r; p = z + beta p. Returns r.z. */
double ooze_lodge_multigrid_precondition(OozeLodge *solve);
void ooze_lodge_multigrid_update(OozeLodge *solve);
/* Smoothers of rigid bodies. */
void ooze_lodge_multigrid_find_bodies(OozeLodgeMultigrid *mg);
/* Mass and wall blocks of dynamic solids. */
OozeStatus ooze_lodge_multigrid_find_solids(OozeLodgeMultigrid *mg, OozeError *error);
/* Response of dynamic solid k to its residual. */
OozeTwist ooze_lodge_multigrid_solid_response(const OozeLodgeMultigrid *mg, int k);

/* After the solve, restores the linear and angular momentum of every free component of fluid by a
   rigid motion. Iterates of this preconditioner do not conserve them. */
OozeStatus ooze_lodge_restore_momentum(OozeLodge *solve, OozeError *error);

#endif
