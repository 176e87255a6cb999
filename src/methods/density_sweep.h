/* The inner loops of the density stage: one sweep finds the multipliers, the next the corrections. */
#ifndef OOZE_METHODS_DENSITY_SWEEP_H
#define OOZE_METHODS_DENSITY_SWEEP_H

#include "base/machine.h"
#include "methods/cubic_four.h"
#include "methods/density.h"
#include "methods/projected.h"

/* A pair that has moved around itself; one that gives way unlike most. */
enum { OOZE_DENSITY_TURNED = 1, OOZE_DENSITY_UNEVEN = 2 };

/* Particles of a chunk of parallel work. */
enum { OOZE_DENSITY_GRAIN = 256 };

/* Arrays are in the order of the stage's own grid. Lists are padded to four with the particle n, which
   is so far away along the fourth axis that it weighs nothing. */
typedef struct OozeDensitySweep {
    const OozeDensityJob *job;
    const OozeNeighbours *list, *walls;
    OozeCubicFour cubic;
    OozeFour *x; /* n + 1; last lane 0 */
    OozeFour
        *arrow; /* n + 1: positions that pairs are pushed along, the multiplier in the last lane */
    const OozeFour *first; /* x as it was when the lines were drawn, in the caller's order */
    const uint32_t *order; /* which particle of the caller's each is */
    OozeFour *shift;       /* all corrections of a particle added up */
    float *limit;          /* or NULL */
    float *mobility;       /* n + 1 */
    float *ease;           /* n + 1 */
    uint16_t *rigid;       /* n + 1, or NULL */
    uint8_t *bare;         /* or NULL */
    bool even;             /* all mobilities are 1, and so is all ease */
    /* Per edge, in two bytes (see four.h): 1 over its length in `arrow`; negative: in `first`, for a pair that
       has moved around itself. It is how hard a pair is pushed, the same from both ends, so that what it lacks
       in digits is no error of momentum. NULL without a start. */
    uint16_t *line;
    uint8_t *turned;     /* per particle: what its neighbours have, as below; with lines alone */
    float *push;         /* per edge: slope of the kernel over the length in `arrow` */
    OozeFour *wall_push; /* slopes times directions of the samples of walls, where there are some */
    OozePush *pushed;    /* per particle: what its multiplier has come to; not of a plain job */
    float momentum;      /* of the present sweep */
    OozeFour *settled;   /* what settling has moved, once it runs */
    float *rest;         /* densities that settling lets be, likewise */
    uint8_t *seen;       /* per chunk: what it has, see density.c */
    uint8_t *inside;     /* per chunk: a solid has let something be */
    bool settles;        /* the settling runs */
    float *give;         /* per particle: what dynamic solids add to the diagonal; NULL: nothing */
    float solids_moved;  /* m, since the stage began: the farthest that a dynamic solid has */
    float *excess;       /* per chunk: largest density beyond rest */
    double *sum;         /* per chunk: all density beyond rest */
} OozeDensitySweep;

/* Solids push rigid bodies elsewhere. */
static inline bool ooze_density_is_rigid(const OozeDensitySweep *s, uint64_t i)
{
    return s->rigid && s->rigid[i];
}

/* Bodies of parallel loops over an OozeDensitySweep, in chunks of OOZE_DENSITY_GRAIN. */
typedef struct OozeDensityLoops {
    /* Measures the lines between the particles at the start of the step, once for all iterations. */
    OozeRangeBody lines;
    /* By how much the multipliers change, into the last lane of arrow: C / (sum |grad C|^2 + eps) with
       C = density - limit, as ooze_push_sweep takes it. */
    OozeRangeBody multipliers;
    /* x_i += sum (lambda_i + lambda_j) |grad W| along the pair's line. */
    OozeRangeBody corrections;
} OozeDensityLoops;
OOZE_LOOPS_DECLARE(OozeDensityLoops, ooze_density_loops);

/* What the particle that fills up lists stands at, along the fourth axis: heavier than any distance, light
   enough to square. */
#define OOZE_DENSITY_FAR 1e18f

#endif
