/* The cubic spline of physics/kernels.h for four distances at once, without branches: with q = r/h,
   a = max(1 - q, 0) and b = max(1 - 2q, 0),
     W = s (2 a^3 - b^3),  -dW/dr = (6 s/h)(a^2 - b^2),  s = 8/(pi h^3). */
#ifndef OOZE_METHODS_CUBIC_FOUR_H
#define OOZE_METHODS_CUBIC_FOUR_H

#include "base/four.h"
#include "physics/formula.h"
#include "physics/kernels.h"

typedef struct OozeCubicFour {
    float inverse;  /* 1/h */
    float value;    /* volume s */
    float slope;    /* volume 6 s/h */
    float smallest; /* distances below have no direction: see ooze_kernel_gradient_scale */
} OozeCubicFour;

/* Values and slopes come out times `volume`. */
static inline OozeCubicFour ooze_cubic_four(float support, float volume)
{
    float s = volume * (float)(8.0 / OOZE_PI) / (support * support * support);
    OozeCubicFour cubic = {1.0f / support, s, 6.0f * s / support,
                           support * (float)OOZE_KERNEL_NEAREST};
    return cubic;
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
