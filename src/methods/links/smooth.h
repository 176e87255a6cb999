/* The inner loops of smoothing velocities, in chunks of OOZE_LINKS_GRAIN. */
#ifndef OOZE_METHODS_LINKS_SMOOTH_H
#define OOZE_METHODS_LINKS_SMOOTH_H

#include "base/isa.h"
#include "methods/links/step.h"

/* In the order of the store. */
typedef struct OozeLinksSmooth {
    const OozeLinksStep *s;
    float *inverse_mass; /* local + 1 */
    OozeF32x4 *moving;   /* local + 1: velocity, and the density in the last lane */
    float *value;        /* per entry of the lists: V W */
    OozeF32x4 *next;     /* sum over solids, then the smoothed velocities */
    float fluid, walls;  /* eps_a and eps_b */
} OozeLinksSmooth;

typedef struct OozeLinksSmoothLoops {
    OozeRangeBody densities; /* moving, value, and the sum over solids in next */
    OozeRangeBody smooth;    /* next */
} OozeLinksSmoothLoops;
OOZE_LOOPS_DECLARE(OozeLinksSmoothLoops, ooze_links_smooth_loops);

#endif
