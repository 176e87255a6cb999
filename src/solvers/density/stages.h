/* What the density stage consists of, in order: loops of the processor or of the GPU, which store
   positions and pairs differently. Ghosts of other processes are refreshed in these loops, since
   the processor sums pairs while they travel, and the GPU decides with them whether to go on. Valid
   C17 and C++. */
#ifndef OOZE_SOLVERS_DENSITY_STAGES_H
#define OOZE_SOLVERS_DENSITY_STAGES_H

#include "solvers/density/step.h"

/* After the iterations, of all processes. Densities are those of the last sweep, before its
   correction. */
typedef struct OozeDensityFound {
    double worst, sum; /* the largest density beyond rest, and that of all particles */
    bool overlaps;     /* some are to be relieved */
    bool inside;       /* a particle stayed inside a solid */
} OozeDensityFound;

typedef struct OozeDensityStages {
    /* Wraps positions into the box; divides the processor's particles among processes. */
    OozeStatus (*enter)(OozeDensitySweep *sweep, OozeError *error);
    OozeStatus (*sort)(OozeDensitySweep *sweep, OozeError *error); /* order, x */
    OozeStatus (*find_pairs)(OozeDensitySweep *sweep, OozeError *error);
    /* The arrays of the machine, from those of the job; lines; what push_out needs. */
    OozeStatus (*load)(OozeDensitySweep *sweep, OozeError *error);
    /* With dynamic solids: the particles near them, solid_diagonal = 0. */
    void (*begin_solids)(OozeDensitySweep *sweep);
    /* Their compliance in the diagonals of particles near them: see cpu/solids.c. */
    void (*find_solid_diagonals)(OozeDensitySweep *sweep);
    /* Changes of the multipliers: ooze_projected_step of C / (sum |grad C|^2 + eps) with C =
       density - density_target. */
    void (*find_multipliers)(OozeDensitySweep *sweep);
    /* Moves dynamic solids by the reaction on their samples. */
    void (*push_solids)(OozeDensitySweep *sweep);
    /* x_i += sum (lambda_i + lambda_j) |grad W| along the pair's line. */
    void (*correct)(OozeDensitySweep *sweep);
    void (*call_between)(OozeDensitySweep *sweep); /* of the job; the new shifts move x */
    /* Moves particles inside solids onto their surface, and dynamic solids by the reaction. */
    void (*push_out)(OozeDensitySweep *sweep);
    /* The iterations after the first, `count` at most, at once: how many it has begun; 0: each is
       due by itself. Densities may be as wanted after fewer of them, and the rest do nothing. */
    int (*repeat)(OozeDensitySweep *sweep, int count);
    /* Whether densities are not yet as wanted. The GPU answers every eighth time, and late: its
       loops do nothing once they are. */
    bool (*continues)(OozeDensitySweep *sweep);
    void (*store_multipliers)(OozeDensitySweep *sweep);   /* in the job's */
    OozeDensityFound (*measure)(OozeDensitySweep *sweep); /* waits */
    /* Sweeps after this one have the targets of the relief, and multipliers of 0. */
    OozeStatus (*begin_relief)(OozeDensitySweep *sweep, OozeError *error);
    void (*end_relief)(OozeDensitySweep *sweep); /* the shift since then is position-only */
    void (*drift)(OozeDensitySweep *sweep);      /* of the job, or what becomes it */
    /* The results in the order of the caller, at the processes that have the particles. */
    OozeStatus (*leave)(OozeDensitySweep *sweep, OozeError *error);
} OozeDensityStages;

/* The sweep has a machine, stages, job, first, caller_shift and has_dynamic; the rest is zero. */
OozeStatus ooze_density_step(OozeDensitySweep *sweep, OozeError *error);

#endif
