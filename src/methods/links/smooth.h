/* The inner loops of smoothing velocities, in chunks of OOZE_LINKS_GRAIN. */
#ifndef OOZE_METHODS_LINKS_SMOOTH_H
#define OOZE_METHODS_LINKS_SMOOTH_H

#include "base/machine.h"
#include "methods/links/workspace.h"

/* In the order of the store. */
typedef struct OozeLinksSmooth {
    const OozeLinksStep *s;
    float *weight;      /* n + 1 */
    OozeFour *moving;   /* n + 1: velocity, and the density in the last lane */
    float *value;       /* per entry of the lists: V W */
    OozeFour *next;     /* what solids make of velocities, then the smoothed ones */
    float fluid, walls; /* eps_a and eps_b */
} OozeLinksSmooth;

typedef struct OozeLinksSmoothLoops {
    OozeRangeBody densities; /* moving, value, and what solids do into next */
    OozeRangeBody smooth;    /* next */
} OozeLinksSmoothLoops;
OOZE_LOOPS_DECLARE(OozeLinksSmoothLoops, ooze_links_smooth_loops);

#endif
