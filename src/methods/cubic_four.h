/* The cubic spline of physics/cubic.h for four distances at once. */
#ifndef OOZE_METHODS_CUBIC_FOUR_H
#define OOZE_METHODS_CUBIC_FOUR_H

#include "base/four.h"
#include "physics/cubic.h"

typedef OozeCubic OozeCubicFour;

/* Values and slopes come out times `volume`. */
static inline OozeCubicFour ooze_cubic_four(float support, float volume)
{
    return ooze_cubic(support, volume);
}

/* Adds W/(volume s) to `value`; returns -dW/dr times the volume. */
static inline OozeFour ooze_cubic_four_slope(const OozeCubicFour *cubic, OozeFour r,
                                             OozeFour *value)
{
    OozeFour zero = {0}, q = cubic->inverse * r;
    OozeFour a = ooze_four_max(1.0f - q, zero), b = ooze_four_max(1.0f - (q + q), zero);
    OozeFour aa = a * a, bb = b * b;
    *value += (a + a) * aa - b * bb;
    return cubic->slope * (aa - bb);
}

#endif
