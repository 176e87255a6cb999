/* What the pressure has at the cells and nodes of a level, on the processor and on the GPU. C17 and
   CUDA. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_ROWS_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_ROWS_H

#include <stdint.h>

/* Zeros behind vectors of nodes, so that runs of four and the node that stands for a missing one
   can be read. */
enum { OOZE_MULTIGRID_PAD = 4 };

/* The GPU orders arrays with several numbers per node by these first: number s of node i is at
   s * nodes + i. */
typedef struct OozePressureRows {
    float *element;      /* matrices, 64 per cell; only during a build */
    uint32_t *fine_node; /* 27 per node: of the finer level, or its zero; not in the first */
    /* matrix; see OozeMultigridRuns */
    uint32_t *run;      /* 9 per node */
    float *coefficient; /* 27 per node; on the processor each run of three has a zero behind it */
    uint32_t *across; /* 9 per node, or NULL; the first is OOZE_MULTIGRID_NONE where none crosses */
    float *across_coefficient;
    float *inverse; /* see ooze_multigrid_inverse */
    /* vectors, with OOZE_MULTIGRID_PAD */
    float *b, *r, *x[2];
} OozePressureRows;

#endif
