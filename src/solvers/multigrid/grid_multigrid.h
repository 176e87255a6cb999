/* Multigrid preconditioner for pressure equations on scattered particles.

   The operator A on the particles belongs to the caller. It is symmetric and positive and is close
   to   p.Ap = sum_i [ stiffness_i |grad p|^2(x_i) + mass_i p_i^2 ]   over the particles. The
   preconditioner is   z = omega D^-1 r + P V(P^T r)   with the diagonal D of A: V is one cycle of
   multigrid on background grids of spacing 2d, 4d, 8d, ..., and P interpolates trilinearly from the
   nodes of the first grid to the particles. Nodes exist only at the corners of cells with
   particles. On a periodic axis the grids are periodic too. A correction costs about 80
   flops and 140 bytes of memory traffic per particle, a build about four products of MPS. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_H

#include "base/f32x4.h"
#include "base/threads.h"
#include "ooze/status.h"
#include "particles/halo.h"
#include "solvers/multigrid/grid_multigrid_formula.h"

/* Memory that is kept from step to step. Results depend on the input of the last build only. */
typedef struct OozeGridMultigrid OozeGridMultigrid;
OozeGridMultigrid *ooze_grid_multigrid_create(void); /* NULL: out of memory */
void ooze_grid_multigrid_destroy(OozeGridMultigrid *mg);
uint64_t ooze_grid_multigrid_bytes(const OozeGridMultigrid *mg);

typedef struct OozeGridMultigridInput {
    uint64_t n;
    const OozeF32x4 *x;           /* positions; the fourth lane is not used */
    double spacing;               /* of the particles, in metres */
    const OozePeriodic *periodic; /* NULL: no axis is periodic */
    /* Per particle, > 0; gradients are per metre. Where the coefficients k of neighbours differ
       and A_ij = -w_ij (k_i + k_j) / 2, the larger of k_i and the mean of (k_i + k_j) / 2 over the
       neighbours, weighted by w_ij: 1000 : 1 needs twice the iterations then, not ten times. */
    const float *stiffness;
    const float *mass;    /* per particle, >= 0: coupling to pressure 0 */
    const uint8_t *held;  /* per node of the first grid: not 0: its pressure is 0; NULL: none is */
    OozeHalo *halo;       /* of several processes, which share the grids; NULL: there is one */
    OozeThreads *threads; /* must outlive the calls of apply; NULL: the calling thread */
} OozeGridMultigridInput;

/* The two halves of a build: cells and nodes, which do not depend on stiffness, mass and held; then
   the matrices. */
OozeStatus ooze_grid_multigrid_place(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                     OozeError *error);
OozeStatus ooze_grid_multigrid_fill(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                    OozeError *error);
/* Builds the grids and their matrices. The arrays of the input are not used after the return. */
OozeStatus ooze_grid_multigrid_build(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                     OozeError *error);

/* Where no particle is coupled to pressure 0 the correction has mean 0, so that errors of the mean
   of r do not grow; A p should then be summed as w_ij (p_i - p_j), which is exact for constants.

   z += P V(P^T r). The caller has set z = omega r / diagonal; OOZE_GRID_MULTIGRID_OMEGA suits the
   diagonal of A. The map from r to the sum is symmetric and positive semidefinite. */
void ooze_grid_multigrid_apply(OozeGridMultigrid *mg, const float *r, float *z);

/* x = V(b) on the nodes of the first grid. */
void ooze_grid_multigrid_cycle(OozeGridMultigrid *mg, const float *b, float *x);

#endif
