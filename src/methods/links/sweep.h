/* The inner loops of the links method, of an OozeLinksStep in chunks of OOZE_LINKS_GRAIN. */
#ifndef OOZE_METHODS_LINKS_SWEEP_H
#define OOZE_METHODS_LINKS_SWEEP_H

#include "base/machine.h"
#include "methods/links/workspace.h"

/* Where the particle stands that fills up lists, along the fourth axis: beyond everything, and light enough to square. */
#define OOZE_LINKS_FAR 1e18f

typedef struct OozeLinksLoops {
    OozeRangeBody look; /* lambda, excess, busy, and taut links into the spare rows of the table */
    OozeRangeBody correct; /* change */
} OozeLinksLoops;
OOZE_LOOPS_DECLARE(OozeLinksLoops, ooze_links_loops);

#endif
