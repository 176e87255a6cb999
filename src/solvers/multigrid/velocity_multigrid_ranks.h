/* The grids of velocity_multigrid.h over several ranks.

   An element belongs to the first rank that has particles of it; other ranks send it what it needs
   of their particles, its migrants, so that sums over the particles of an element have the order of
   one process. Nodes of the first level are divided into ranges of their order, about as the
   elements are; a rank has the rows of its nodes, and gets the matrices of the elements at them and
   the values of nodes around them from the ranks that have these. Elements and nodes of the second
   level are divided likewise, computed and gathered on all ranks; coarser levels are computed by
   all of them. */
#ifndef OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_RANKS_H
#define OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_RANKS_H

#include "solvers/multigrid/velocity_multigrid_levels.h"

/* ---- building, in this order: failures are recorded by the arenas of the grids ---- */

/* mg->sharing of the next build. */
void ooze_velocity_share(OozeVelocityMultigrid *mg, OozeHalo *halo);
/* Elements and links of the first level. */
void ooze_velocity_share_elements(OozeVelocityMultigrid *mg,
                                  const OozeVelocityMultigridInput *input);
/* Ranges, and the elements of other ranks that this one needs, when all levels are known. */
void ooze_velocity_share_nodes(OozeVelocityMultigrid *mg);
/* The nodes of other ranks whose values this one needs, when rows and weights are known. */
void ooze_velocity_share_values(OozeVelocityMultigrid *mg);

/* Range of the nodes of a coarser level whose right side this rank computes. */
void ooze_velocity_coarse_range(const OozeVelocityMultigrid *mg, int level, uint64_t *begin,
                                uint64_t *end);

/* ---- matrices: memory is the temporary arena's ---- */

void ooze_velocity_fetch_migrants(OozeVelocityMultigrid *mg,
                                  const OozeVelocityMultigridInput *input);
/* Of elements of the first level that other ranks have computed. */
void ooze_velocity_fetch_matrices(OozeVelocityMultigrid *mg);
/* Of the second level, which ranks have computed parts of. */
OozeStatus ooze_velocity_gather_matrices(OozeVelocityMultigrid *mg, OozeError *error);

/* ---- cycles; all but the first have no effect on one process ---- */

/* Residuals of the migrants. */
void ooze_velocity_fetch_residuals(OozeVelocityMultigrid *mg, const OozeF32x4 *r);
/* corner_sums of elements that other ranks have. */
void ooze_velocity_fetch_sums(OozeVelocityMultigrid *mg);
/* Values of a vector at nodes of other ranks, where the level is shared. */
void ooze_velocity_fetch_nodes(const OozeVelocityMultigrid *mg, int level, OozeF32x4 *vector);
/* b of all ranks from the parts that each has written to r, of the second level. */
void ooze_velocity_gather_right_side(const OozeVelocityMultigrid *mg, int level);

/* Whether ranks have parts of this level. */
static inline bool ooze_velocity_is_shared(const OozeVelocityMultigrid *mg, int level)
{
    return mg->sharing && !mg->sharing->replicated && level == 0;
}

/* Whether ranks compute parts of this level and gather them. */
static inline bool ooze_velocity_is_gathered(const OozeVelocityMultigrid *mg, int level)
{
    return mg->sharing && !mg->sharing->replicated && level == 1;
}

#endif
