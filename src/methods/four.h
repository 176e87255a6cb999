/* Differences of positions, four floats at a time. */
#ifndef OOZE_METHODS_FOUR_H
#define OOZE_METHODS_FOUR_H

#include "base/four.h"
#include "physics/periodic.h"

/* Nearest image of a difference of positions. */
static inline OozeFour ooze_four_nearest(OozeFour d, const OozePeriodic *p)
{
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = ooze_periodic_delta(d[axis], p->length[axis], p->inverse[axis]);
    }
    return d;
}

#endif
