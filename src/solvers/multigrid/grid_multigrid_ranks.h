/* The grids of several processes.

   The cells of the first level are divided among the processes in groups, those of one cell of the
   second level. Particles are sent to the process of their cell, in the order of all particles. A
   process also has copies of the cells at most two groups away from its own, its ghost cells: with
   these it finds all that its particles need of the first level, and its part of the right side of
   the second. The second level and those above it are the same on every process. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_RANKS_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_RANKS_H

#include "solvers/multigrid/grid_multigrid_levels.h"
#include "solvers/multigrid/rank_exchange.h"

enum { OOZE_MULTIGRID_CORNERS = 8 }; /* of a cell */

struct OozeMultigridShared {
    OozeHalo *halo;
    OozeRanks *ranks;
    uint64_t *bytes; /* working memory: per rank */
    uint64_t *split; /* per rank: its least group; ranks are of ascending groups */
    /* particles */
    OozeRankExchange move;   /* to the processes of their cells */
    float *there, *here;     /* numbers of particles: by process of their cells; of own cells */
    float *stiffness, *mass; /* of the particles of own cells */
    /* cells of the first level */
    OozeMultigridLevel own;    /* cells of this process: numbers, particles, corners */
    OozePressureRows own_rows; /* their matrices */
    uint32_t *place;           /* of own cells, then of ghost cells, among the cells of the level */
    float *sums;               /* 8 per own cell, then per ghost cell */
    float *sent_sums;
    OozeRankExchange cells; /* own cells that are ghost cells elsewhere */
    /* second level */
    uint64_t *coarse_first; /* per rank and one more: cells */
    uint32_t *coarse_node;  /* nodes by rank: that of the first of their cells */
    uint64_t *node_first;   /* per rank and one more: of coarse_node */
    float *own_b, *all_b;   /* right side of these nodes */
};

/* Of ooze_multigrid_find_levels, on several processes. Failures are recorded by the arenas. */
void ooze_multigrid_share(OozeGridMultigrid *mg, const OozeGridMultigridInput *input);
void ooze_multigrid_share_coarser(OozeGridMultigrid *mg);
/* Nodes of the second level by process, after they are found; memory of all messages. */
void ooze_multigrid_share_nodes(OozeGridMultigrid *mg);

/* Of a build: element matrices of the first and of the second level. */
void ooze_multigrid_share_elements(OozeGridMultigrid *mg);
void ooze_multigrid_share_coarse_elements(OozeGridMultigrid *mg);

/* Of a correction: corner sums of all cells of the first level, by particles; right side of the
   second level; z += P x. */
void ooze_multigrid_shared_restrict(const OozeGridMultigrid *mg, const float *r);
void ooze_multigrid_shared_right_side(const OozeGridMultigrid *mg);
void ooze_multigrid_shared_prolong(const OozeGridMultigrid *mg, const float *x, float *z);

#endif
