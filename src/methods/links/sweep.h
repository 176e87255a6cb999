/* The inner loops of the links method, of an OozeLinksStep in chunks of OOZE_LINKS_GRAIN. */
#ifndef OOZE_METHODS_LINKS_SWEEP_H
#define OOZE_METHODS_LINKS_SWEEP_H

#include "base/machine.h"
#include "methods/links/workspace.h"

typedef struct OozeLinksLoops {
    OozeRangeBody look; /* arrow, share, excess, what pairs weigh, and what solids do into change */
    OozeRangeBody correct; /* x and shift */
} OozeLinksLoops;
OOZE_LOOPS_DECLARE(OozeLinksLoops, ooze_links_loops);

#endif
