/* Multigrid preconditioner for implicit velocity equations on scattered particles.

   The operator A on the particles belongs to the caller. It is symmetric and positive and is close
   to

     u.Au = sum_i [ mass_i u_i^2 + L:C_i[L] ],   C[L] = D A + A D + bulk tr(D) I,  D = (L + L^T)/2,

   L being the velocity gradient at the particle. The preconditioner is

     z = omega D^-1 r + Pi P W(P^T Pi r)

   with the 3 x 3 diagonal blocks D of the operator and the projection Pi onto directions that are
   not held, both the caller's: W is one cycle of multigrid on background grids of spacing 2d, 4d,
   8d, ..., and P interpolates trilinearly from the nodes of the first grid to the particles.

   A cell with particles is an element. Elements are linked where an edge of at least `link_weight`
   joins particles of both; corners at the same place of linked elements are one node, so that both
   sides of a gap have nodes of their own. Coarser elements are sets of elements in one cell that
   links connect. On a periodic axis the grids are periodic too.

   Several ranks share the first level, whose matrices take the most memory: each has the elements
   and nodes of its particles. All ranks have the elements and nodes of all levels without matrices,
   and the coarser levels. Results have the bits of one process. */
#ifndef OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_H
#define OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_H

#include "base/threads.h"
#include "ooze/status.h"
#include "particles/halo.h"
#include "solvers/multigrid/velocity_multigrid_formula.h"
#include "solvers/pairs/edges.h"

/* Memory that is kept from step to step. Results depend on the input of the last build only. */
typedef struct OozeVelocityMultigrid OozeVelocityMultigrid;
OozeVelocityMultigrid *ooze_velocity_multigrid_create(void); /* NULL: out of memory */
void ooze_velocity_multigrid_destroy(OozeVelocityMultigrid *mg);
uint64_t ooze_velocity_multigrid_bytes(const OozeVelocityMultigrid *mg);

typedef struct OozeVelocityMultigridInput {
    uint64_t n;
    double spacing;               /* of the particles, in metres */
    const OozePeriodic *periodic; /* NULL: no axis is periodic */
    const OozeEdges *edges;       /* of the particles at the positions edges->x */
    float link_weight;            /* of the longest edge that links elements */
    /* Per particle; gradients are per metre. Where the stiffness of neighbours differs, the larger
       of its own and the mean of theirs, weighted by the edges: the gradient of a stiff particle
       reaches into the soft side. */
    const float *mass;
    const OozeSym3 *stiffness;
    const float *bulk;
    /* per particle: index in `boundary_particle`, or OOZE_MULTIGRID_NONE */
    const uint32_t *boundary_particle_of;
    const OozeVelocityBoundaryParticle *boundary_particle;
    OozeHalo *halo; /* of edges, must outlive the calls of apply; NULL: there is one process */
    OozeThreads *threads; /* must outlive the calls of apply; NULL: the calling thread */
} OozeVelocityMultigridInput;

/* Builds the grids. The arrays of the input are not used after the return. */
OozeStatus ooze_velocity_multigrid_build(OozeVelocityMultigrid *mg,
                                         const OozeVelocityMultigridInput *input, OozeError *error);
/* Computes the matrices again for other coefficients of the same particles. */
OozeStatus ooze_velocity_multigrid_refill(OozeVelocityMultigrid *mg,
                                          const OozeVelocityMultigridInput *input,
                                          OozeError *error);

/* Products of a 3 x 3 block and a vector in one cycle: 18 flops and 40 bytes of matrix each. */
uint64_t ooze_velocity_multigrid_block_products(const OozeVelocityMultigrid *mg);

/* z = P W(P^T r), fourth lanes 0. The map is symmetric and positive semidefinite. */
void ooze_velocity_multigrid_apply(OozeVelocityMultigrid *mg, const OozeF32x4 *r, OozeF32x4 *z);

#endif
