/* The grids of velocity_multigrid.h on the processor, for its parts. */
#ifndef OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_LEVELS_H
#define OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_LEVELS_H

#include "base/isa.h"
#include "solvers/multigrid/cpu/levels.h"
#include "solvers/multigrid/rank_exchange.h"
#include "solvers/multigrid/velocity_multigrid.h"

/* What the velocity has at the cells and nodes of a level. */
typedef struct OozeVelocityRows {
    uint64_t node_begin, node_end; /* nodes whose rows this rank has: all, but of a shared level */
    uint32_t *local; /* per cell: index of its matrix, OOZE_MULTIGRID_NONE: other ranks have it;
                        NULL: the number of the cell */
    float *isolated_inverse; /* 24 x 24 for each isolated cell: they are solved directly */
    uint32_t *fine_first;    /* nodes + 1: nodes of the finer level that this one is part of */
    uint32_t *fine_node;     /* these; not in the first level */
    float *fine_weight;      /* and their weights */
    /* matrix: rows of 3 x 3 blocks, each column by column */
    float *element;      /* matrices of elements; only during a build */
    uint32_t *row_first; /* nodes + 1 */
    uint8_t *regular;    /* 1: columns are the stencil of 27, in its order */
    uint32_t *column;
    float *block;
    OozeSym3 *inverse; /* of the block of the node itself */
    /* vectors, fourth lanes undefined */
    OozeF32x4 *b, *r, *x, *p[2];
} OozeVelocityRows;

/* A particle of an element of this rank that another rank has. */
typedef struct OozeVelocityMigrant {
    OozeVelocityParticle particle;
    bool is_boundary_particle;
    OozeVelocityBoundaryParticle boundary_particle;
} OozeVelocityMigrant;

/* The first level over several ranks: see velocity_multigrid_ranks.h. */
typedef struct OozeVelocitySharing {
    OozeRanks *ranks;
    bool replicated; /* every rank has all elements and nodes */
    uint32_t *owner; /* per element: its rank, the first that has particles of it */
    uint64_t owned_count, touched_count, local_count;
    uint32_t *owned;           /* elements of this rank, ascending */
    uint32_t *touched;         /* elements with particles of this rank, ascending */
    OozeRankExchange migrants; /* particles to the ranks of their elements; `send`: particles */
    OozeVelocityMigrant *migrant;
    OozeF32x4 *migrant_residual;
    OozeRankExchange elements; /* of other ranks, at nodes or in parents of this one */
    OozeRankExchange nodes;    /* of other ranks, whose values this one reads */
    uint32_t *node_place;      /* of those that are received */
    OozeF32x4 *node_value;
    uint64_t *parent_at, *coarse_at; /* elements and nodes of the second level, as node_at */
    uint64_t *node_at;               /* per rank and one more: nodes of the first level */
    uint64_t *bytes;                 /* working memory: per rank */
    char *buffer;                    /* of messages during a cycle */
} OozeVelocitySharing;

struct OozeVelocityMultigrid {
    OozeHierarchy grids;                     /* first: see find_first */
    const OozeVelocityMultigridInput *input; /* during a build */
    OozeVelocitySharing *sharing;            /* NULL: there is one process */
    OozeF32x4 *corner_sums;                  /* 8 per cell of the first level */
    OozeVelocityRows rows[OOZE_MULTIGRID_LEVELS];
    double *dense; /* factor of the coarsest matrix; NULL: that is only smoothed */
    double *dense_vector;
};

/* Index of the matrix of an element. */
static inline uint64_t ooze_velocity_local(const OozeVelocityRows *rows, uint64_t element)
{
    return rows->local ? rows->local[element] : element;
}

/* Grains of loops over elements and nodes. Loops over few run on the calling thread. */
enum { OOZE_VELOCITY_ELEMENT_GRAIN = 32, OOZE_VELOCITY_NODE_GRAIN = 128 };

/* Loops over a range, and over the elements of a list. */
void ooze_velocity_each_between(OozeThreads *threads, uint64_t begin, uint64_t end, uint64_t grain,
                                OozeRangeBody body, void *data);
void ooze_velocity_each_listed(OozeThreads *threads, const uint32_t *list, uint64_t count,
                               OozeRangeBody body, void *data);

/* Finds cells, nodes and their relations for all levels. */
OozeStatus ooze_velocity_find_levels(OozeVelocityMultigrid *mg, OozeError *error);
/* Rows of the matrix and weights from the finer level, without values. */
void ooze_velocity_find_rows(OozeVelocityMultigrid *mg, int level);
void ooze_velocity_find_weights(OozeVelocityMultigrid *mg, int level);

/* ---- direct solves ---- */

/* Factor U of a = U^T U with its diagonal raised, in the upper half; a direction without weight
   becomes 0. */
void ooze_velocity_factorise_level(const OozeVelocityMultigrid *mg, int level, double *a);
/* Loops over the isolated elements of a level: inverses of their matrices, and x = solutions. */
void ooze_velocity_invert_isolated(void *sweep, uint64_t begin, uint64_t end, int worker);
void ooze_velocity_solve_isolated(void *sweep, uint64_t begin, uint64_t end, int worker);

/* Symmetric matrix times vector; the last lane is undefined. */
static inline OozeF32x4 ooze_velocity_times_f32x4(OozeSym3 a, OozeF32x4 v)
{
    OozeF32x4 x = {a.xx, a.xy, a.xz, 0}, y = {a.xy, a.yy, a.yz, 0}, z = {a.xz, a.yz, a.zz, 0};
    return v[0] * x + v[1] * y + v[2] * z;
}

/* A loop over elements or nodes of a level. */
typedef struct OozeVelocitySweep {
    const OozeVelocityMultigrid *mg;
    const OozeVelocityMultigridInput *input;
    const OozeMultigridLevel *level;
    const OozeVelocityRows *rows; /* of the level */
    const OozeF32x4 *from;        /* vector that is read: of particles, or of nodes */
    OozeF32x4 *to;                /* that is written */
    OozeVelocityChebyshev chebyshev;
    bool first; /* the second direction: x lacks the first */
} OozeVelocitySweep;

typedef struct OozeVelocityLoops {
    OozeRangeBody elements; /* matrices of elements of the first level */
    OozeRangeBody coarse_elements;
    OozeRangeBody rows;      /* matrix rows of nodes from those of elements */
    OozeRangeBody restricts; /* particles to mg->corner_sums, by elements */
    OozeRangeBody prolongs;  /* to = P x, by elements */
    OozeRangeBody residual;  /* to = b - A x, by nodes */
    OozeRangeBody begin;     /* the same, and p[0] = step D^-1 r */
    OozeRangeBody step;      /* r -= A from, to = carry from + step D^-1 r, x += to */
} OozeVelocityLoops;
OOZE_LOOPS_DECLARE(OozeVelocityLoops, ooze_velocity_loops);

#endif
