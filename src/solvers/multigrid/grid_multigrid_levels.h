/* The grids of grid_multigrid.h on the processor, for its parts. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_LEVELS_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_LEVELS_H

#include "base/isa.h"
#include "solvers/multigrid/cpu/levels.h"
#include "solvers/multigrid/grid_multigrid.h"
#include "solvers/multigrid/grid_multigrid_rows.h"

struct OozeGridMultigrid {
    OozeHierarchy grids;                 /* first: see find_first */
    const OozeGridMultigridInput *input; /* during a build */
    struct OozeMultigridShared *shared;  /* NULL: one process */
    OozeHalo *halo;
    uint64_t all;       /* particles of all processes */
    float *corner_sums; /* 8 per cell of the first level */
    OozePressureRows rows[OOZE_MULTIGRID_LEVELS];
    double *dense;      /* inverse of the coarsest matrix; NULL: that is only smoothed */
    bool singular;      /* no particle is coupled to pressure 0: the mean is left out */
    float *node_weight; /* P^T 1 of the first level, where it is singular */
    float *correction;  /* likewise, per particle: P x */
    double *partial;    /* likewise: sums of blocks of particles */
};

/* Grain of loops over cells and nodes. Loops over fewer run on the calling thread. */
enum { OOZE_MULTIGRID_CELL_GRAIN = 128, OOZE_MULTIGRID_NODE_GRAIN = 512 };

/* b of the first level: P^T r. */
void ooze_multigrid_restrict(const OozeGridMultigrid *mg, const float *r);

/* A loop over cells or nodes of a level. */
typedef struct OozeMultigridSweep {
    const OozeGridMultigrid *mg;
    const OozeMultigridLevel *level, *fine; /* fine: of coarse_elements */
    const OozePressureRows *rows, *fine_rows;
    const float *stiffness, *mass; /* of the input */
    const uint8_t *held;           /* likewise */
    const float *from;             /* vector that is read: of particles, or x */
    float *to;                     /* that is written */
} OozeMultigridSweep;

typedef struct OozeMultigridLoops {
    OozeRangeBody elements; /* element matrices of cells of the first level */
    OozeRangeBody coarse_elements;
    OozeRangeBody restricts; /* particles to corner sums, by cells */
    OozeRangeBody prolongs;  /* to += P x, by cells */
    OozeRangeBody smooth;    /* to = a step of the smoother from x, by nodes */
    OozeRangeBody residual;  /* to = b - A x, by nodes */
} OozeMultigridLoops;
/* P^T of a vector of the finer level, at node i. */
static inline float ooze_multigrid_restricted(const OozePressureRows *rows, uint64_t i,
                                              const float *from)
{
    const uint32_t *node = rows->fine_node + OOZE_MULTIGRID_STENCIL * i;
    float sum = 0.0f;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        float row = from[node[3 * k + 1]] + 0.5f * (from[node[3 * k]] + from[node[3 * k + 2]]);
        sum += ooze_multigrid_fine_weight(3 * k + 1) * row;
    }
    return sum;
}

OOZE_LOOPS_DECLARE(OozeMultigridLoops, ooze_multigrid_loops);

#endif
