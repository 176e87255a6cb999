/* The inner loops of the density stage: one sweep finds the multipliers, the next the
   corrections. */
#ifndef OOZE_SOLVERS_DENSITY_DENSITY_SWEEP_H
#define OOZE_SOLVERS_DENSITY_DENSITY_SWEEP_H

#include "base/isa.h"
#include "solvers/density/density.h"
#include "solvers/density/projected_jacobi.h"
#include "solvers/vectors/cubic_f32x4.h"

/* Flags of a particle. ROTATED: the line of one of its pairs has rotated by more than 45 degrees.
   UNEVEN: the effective inverse mass of a neighbour is not 1. */
enum { OOZE_DENSITY_ROTATED = 1, OOZE_DENSITY_UNEVEN = 2 };

/* Particles of a chunk of parallel work. */
enum { OOZE_DENSITY_GRAIN = 256 };

/* Arrays are in the order of the grid of this stage. Lists are padded to multiples of four with
   particle n, whose distance along the fourth axis makes its weight 0. */
typedef struct OozeDensitySweep {
    const OozeDensityJob *job;
    const OozeNeighbours *list, *walls;
    OozeCubic cubic;
    OozeF32x4 *x; /* n + 1; last lane 0 */
    /* n + 1: positions whose differences are the lines of pairs: at the beginning of the step, or
       x without a start; last lane: change of the multiplier */
    OozeF32x4 *x0_lambda;
    const OozeF32x4 *first;        /* x at the beginning of the stage, in the order of the caller */
    const uint32_t *order;         /* index of each particle in it; ghosts follow the particles */
    OozeF32x4 *shift;              /* sum of all corrections */
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
    uint8_t *pair_flags;  /* per particle, see above; only with lines */
    float *push;          /* per edge: slope of the kernel over the length in `x0_lambda` */
    OozeF32x4 *wall_push; /* per particle: sum of kernel gradients of boundary samples */
    OozeProjectedMultiplier *multiplier; /* per particle; not of a plain job */
    float momentum;                      /* of the present sweep */
    OozeF32x4 *position_only_shift;      /* of the relief of overlaps */
    float *relief_target;                /* density targets of the relief of overlaps */
    uint8_t *chunk_flags;                /* per chunk: flags, see density.c */
    uint8_t *inside;                     /* per chunk: a particle stayed inside a solid */
    bool relieving; /* the iterations relieve overlaps, by position-only shifts */
    /* Per particle: added to the diagonal for dynamic solids; NULL: nothing. */
    float *solid_diagonal;
    float solids_moved; /* m: largest travel of a dynamic solid since the stage began */
    float *excess;      /* per chunk: largest density beyond rest */
    double *sum;        /* per chunk: all density beyond rest */
    double *unfinished; /* per chunk: sum of ooze_density_unfinished */
} OozeDensitySweep;

/* Contacts of rigid particle bodies with solids are solved elsewhere. */
static inline bool ooze_density_is_rigid(const OozeDensitySweep *s, uint64_t i)
{
    return s->rigid && s->rigid[i];
}

/* Bodies of parallel loops over an OozeDensitySweep, in chunks of OOZE_DENSITY_GRAIN. */
typedef struct OozeDensityLoops {
    /* Measures the lines between the particles at the start of the step, once for all
       iterations. */
    OozeRangeBody lines;
    /* Changes of the multipliers, into the last lane of x0_lambda: ooze_projected_step of C / (sum
       |grad C|^2 + eps) with C = density - density_target. */
    OozeRangeBody multipliers;
    /* x_i += sum (lambda_i + lambda_j) |grad W| along the pair's line. */
    OozeRangeBody corrections;
} OozeDensityLoops;
OOZE_LOOPS_DECLARE(OozeDensityLoops, ooze_density_loops);

/* The stage for the particles that this rank has in it, which are those of the job, near the ghosts
   of the context's halo. */
OozeStatus ooze_density_solve_part(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                                   OozeError *error);
/* The stage of several ranks: particles are divided among them by their predicted positions, and
   the results brought back. */
OozeStatus ooze_density_solve_on_ranks(const OozeDensityJob *job, OozeF32x4 *x, OozeF32x4 *shift,
                                       OozeError *error);

/* Position of the padding of lists along the fourth axis: larger than any distance, and its square
   is finite. */
#define OOZE_DENSITY_FAR 1e18f

#endif
