/* Four floats that the compiler keeps in one register: what the inner loops of the methods work on. */
#ifndef OOZE_METHODS_FOUR_H
#define OOZE_METHODS_FOUR_H

#include "physics/periodic.h"

typedef float OozeFour __attribute__((vector_size(16)));

static inline OozeFour ooze_four(float x, float y, float z, float w)
{
    return (OozeFour){x, y, z, w};
}

static inline float ooze_four_dot3(OozeFour a, OozeFour b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Nearest image of a difference of positions. */
static inline OozeFour ooze_four_nearest(OozeFour d, const OozePeriodic *p)
{
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = ooze_periodic_delta(d[axis], p->length[axis], p->inverse[axis]);
    }
    return d;
}

#endif
