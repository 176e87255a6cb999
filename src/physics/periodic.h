/* Periodic axes. Valid C17 and CUDA. An axis that is not periodic has length and inverse 0, so that
   the same branch-free code serves open and periodic domains. */
#ifndef OOZE_PHYSICS_PERIODIC_H
#define OOZE_PHYSICS_PERIODIC_H

#include "physics/formula.h"

typedef struct OozePeriodic {
    float min[3];
    float length[3];  /* 0: the axis is not periodic */
    float inverse[3]; /* 1 / length, or 0 */
} OozePeriodic;

OOZE_FORMULA int ooze_periodic_any(const OozePeriodic *p)
{
    return p->length[0] > 0.0f || p->length[1] > 0.0f || p->length[2] > 0.0f;
}

/* Nearest image of a coordinate difference along one axis. */
OOZE_FORMULA float ooze_periodic_delta(float delta, float length, float inverse)
{
    return delta - length * rintf(delta * inverse);
}

/* The image of x inside [min, min + length). */
OOZE_FORMULA float ooze_periodic_wrap(float x, float min, float length, float inverse)
{
    float wrapped = x - length * floorf((x - min) * inverse);
    /* Rounding can give the upper end, which is the lower end, or a value just below the lower end.
       */
    return length > 0.0f && (wrapped < min || wrapped >= min + length) ? min : wrapped;
}

#endif
