/* The data of the density stage while it runs. Valid C17 and C++. */
#ifndef OOZE_SOLVERS_DENSITY_STEP_H
#define OOZE_SOLVERS_DENSITY_STEP_H

#include "machine/machine.h"
#include "physics/cubic.h"
#include "solvers/density/density_job.h"
#include "solvers/density/projected_jacobi.h"

/* Flags of a particle. ROTATED: the line of one of its pairs has rotated by more than 45 degrees.
   UNEVEN: the effective inverse mass of a neighbour is not 1; on the GPU also: its own is not 1, or
   it is part of a rigid particle body. */
enum { OOZE_DENSITY_ROTATED = 1, OOZE_DENSITY_UNEVEN = 2 };

/* Arrays are in the memory of the machine and, unless said otherwise, in the order of the grid of
   this stage. Particle n is the padding of lists: its pairs have weight 0. */
typedef struct OozeDensitySweep {
    OozeMachine *machine;
    const struct OozeDensityStages *stages;
    /* Between the stages `enter` and `leave` several processes divide the processor's particles in
       the order of this stage: job and machine are those of the divided particles. */
    const OozeDensityJob *job;
    OozeVector *first;        /* x at the beginning of the stage, in the order of the caller */
    OozeVector *caller_shift; /* where the shift goes, in that order */
    const uint32_t *order;    /* index of each particle in it; ghosts follow the particles */
    bool has_walls;           /* there are boundary samples */
    bool has_dynamic;         /* some solid is dynamic */
    OozeCubic cubic;
    /* ---- of the iterations ---- */
    int k;          /* the present one; after them, how many were begun */
    bool may_stop;  /* before the last one */
    float momentum; /* of the present sweep */
    bool relieving; /* the iterations relieve overlaps, by position-only shifts */
    /* Sum of all corrections. On the GPU in the order of the caller. */
    OozeVector *shift;
    OozeProjectedMultiplier *multiplier; /* per particle; not of a plain job */
    uint8_t *pair_flags;                 /* per particle, see above */
    OozeVector *wall_push; /* sum of kernel gradients of boundary samples; NULL: no samples */
    float *solid_diagonal; /* added to the diagonal for dynamic solids; NULL: nothing */
    /* Predicted positions. On the GPU until `load`, which stores them in fixed point. */
    OozeVector *x; /* n + 1; last lane 0 */
    /* ---- of the processor ---- */
    const OozeNeighbours *list, *walls;
    /* n + 1: positions whose differences are the lines of pairs: at the beginning of the step, or
       x without a start; last lane: change of the multiplier */
    OozeVector *x0_lambda;
    float *density_target;         /* or NULL */
    float *mobility;               /* n + 1 */
    float *effective_inverse_mass; /* n + 1 */
    uint16_t *rigid;               /* n + 1, or NULL */
    uint8_t *ignores_boundary;     /* or NULL */
    bool even;                     /* all mobilities and effective inverse masses are 1 */
    /* Per edge, bfloat16: 1 over its length in `x0_lambda`; negative: in `first`, for a pair whose
       line has rotated. It scales the push of both ends equally, so that its rounding conserves
       momentum. NULL without a start. */
    uint16_t *line;
    float *push;                     /* per edge: slope of the kernel over the length of the line */
    OozeVector *position_only_shift; /* of the relief of overlaps */
    float *relief_target;            /* density targets of the relief of overlaps */
    float solids_moved;   /* m: largest travel of a dynamic solid since the stage began */
    bool any_overlap;     /* of the own particles, to be relieved */
    uint8_t *chunk_flags; /* per chunk: flags, see cpu/load.c */
    uint8_t *inside;      /* per chunk: a particle stayed inside a solid */
    float *excess;        /* per chunk: largest density beyond rest */
    double *sum;          /* per chunk: all density beyond rest */
    double *unfinished;   /* per chunk: sum of ooze_density_unfinished */
    struct OozePushOut *contacts;
    struct OozeDensityRanks *ranks; /* NULL: one process */
} OozeDensitySweep;

#endif
