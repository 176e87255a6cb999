/* The inner loops of the links method, of an OozeLinksStep in chunks of OOZE_LINKS_GRAIN. */
#ifndef OOZE_METHODS_LINKS_SWEEP_H
#define OOZE_METHODS_LINKS_SWEEP_H

#include "base/isa.h"
#include "methods/links/step.h"

typedef struct OozeLinksLoops {
    /* x_lambda, share, excess, push, pull, and the part of change that solids cause */
    OozeRangeBody multipliers;
    OozeRangeBody correct; /* x and shift */
} OozeLinksLoops;
OOZE_LOOPS_DECLARE(OozeLinksLoops, ooze_links_loops);

#endif
