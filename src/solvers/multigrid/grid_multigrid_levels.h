/* The grids of grid_multigrid.h on the processor, for its parts. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_LEVELS_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_LEVELS_H

#include "base/isa.h"
#include "base/memory.h"
#include "solvers/multigrid/grid_multigrid.h"
#include "solvers/multigrid/grid_multigrid_formula.h"

/* Zeros behind vectors of nodes, so that runs of four and the node that stands for a missing one
   can be read. */
enum { OOZE_MULTIGRID_PAD = 4 };

typedef struct OozeMultigridLevel {
    OozeMultigridShape shape;
    uint64_t cells, nodes;
    /* cells, by ascending number */
    uint64_t *cell;        /* numbers */
    uint32_t *corner_node; /* 8 per cell */
    uint32_t *child_first; /* cells + 1: children in `child`; particles in the first level */
    uint32_t *child;       /* cells of the finer level, or particles, by parent */
    uint32_t *parent;      /* cell of the coarser level, or OOZE_MULTIGRID_NONE */
    uint8_t *place;        /* in the parent: see ooze_multigrid_parent */
    /* nodes, by ascending number */
    uint64_t *node;        /* numbers */
    uint32_t *node_first;  /* nodes + 1: corners in node_corner */
    uint32_t *node_corner; /* 8 cell + corner, by node */
    uint32_t *fine_node;   /* 27 per node: of the finer level, or its zero; not in the first */
    uint32_t *coarse_cell; /* that contains the node, or OOZE_MULTIGRID_NONE */
    uint8_t *coarse_place; /* of the node in it: see ooze_multigrid_halves */
    /* matrix; see OozeMultigridRuns */
    float *elements;    /* 64 per cell; only during a build */
    uint32_t *run;      /* 9 per node */
    float *coefficient; /* 36 per node: 9 runs of three and a zero */
    uint32_t *across; /* 9 per node, or NULL; the first is OOZE_MULTIGRID_NONE where none crosses */
    float *across_coefficient;
    float *inverse; /* see ooze_multigrid_inverse */
    /* vectors, with OOZE_MULTIGRID_PAD */
    float *b, *r, *x[2];
} OozeMultigridLevel;

struct OozeGridMultigrid {
    OozeArena *kept, *temporary;
    OozeMultigridChild child[OOZE_MULTIGRID_PLACES];
    OozeThreads *threads;
    struct OozeMultigridShared *shared; /* NULL: one process */
    OozeHalo *halo;
    uint64_t n, all;           /* particles; of all processes */
    OozeMultigridAxis axis[3]; /* of the first level; of one process */
    float inverse[3];          /* 1 / edge of a cell of the first level */
    OozeF32x4 *into;           /* per particle of cells, by cell: see ooze_multigrid_cell */
    float *corner_sums;        /* 8 per cell of the first level */
    int levels;
    OozeMultigridLevel level[OOZE_MULTIGRID_LEVELS];
    double *dense;      /* inverse of the coarsest matrix; NULL: that is only smoothed */
    bool singular;      /* no particle is coupled to pressure 0: the mean is left out */
    float *node_weight; /* P^T 1 of the first level, where it is singular */
    float *correction;  /* likewise, per particle: P x */
    double *partial;    /* likewise: sums of blocks of particles */
};

/* Grain of loops over cells and nodes. Loops over fewer run on the calling thread. */
enum { OOZE_MULTIGRID_CELL_GRAIN = 128, OOZE_MULTIGRID_NODE_GRAIN = 512 };

/* Finds cells, nodes and their relations for all levels. */
OozeStatus ooze_multigrid_find_levels(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                      OozeError *error);

/* Whether an arena is out of memory. */
static inline bool ooze_multigrid_failed(const OozeGridMultigrid *mg)
{
    return ooze_arena_failed(mg->kept) || ooze_arena_failed(mg->temporary);
}

/* Whether a level has few nodes, so that it is solved directly. */
bool ooze_multigrid_is_coarsest(const OozeGridMultigrid *mg, int level);

/* b of the first level: P^T r. */
void ooze_multigrid_restrict(const OozeGridMultigrid *mg, const float *r);

/* A loop over cells or nodes of a level. */
typedef struct OozeMultigridSweep {
    const OozeGridMultigrid *mg;
    const OozeMultigridLevel *level, *fine; /* fine: of coarse_elements */
    const float *stiffness, *mass;          /* of the input */
    const uint8_t *held;                    /* likewise */
    const float *from;                      /* vector that is read: of particles, or x */
    float *to;                              /* that is written */
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
static inline float ooze_multigrid_restricted(const OozeMultigridLevel *level, uint64_t i,
                                              const float *from)
{
    const uint32_t *node = level->fine_node + OOZE_MULTIGRID_STENCIL * i;
    float sum = 0.0f;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        float row = from[node[3 * k + 1]] + 0.5f * (from[node[3 * k]] + from[node[3 * k + 2]]);
        sum += ooze_multigrid_fine_weight(3 * k + 1) * row;
    }
    return sum;
}

OOZE_LOOPS_DECLARE(OozeMultigridLoops, ooze_multigrid_loops);

#endif
