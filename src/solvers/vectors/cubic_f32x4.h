/* The cubic spline of physics/cubic.h for four distances at once. */
#ifndef OOZE_SOLVERS_VECTORS_CUBIC_F32X4_H
#define OOZE_SOLVERS_VECTORS_CUBIC_F32X4_H

#include "base/f32x4.h"
#include "physics/cubic.h"

/* Adds W/(volume s) to `value`; returns -dW/dr times the volume. */
static inline OozeF32x4 ooze_cubic_f32x4_slope(const OozeCubic *cubic, OozeF32x4 r,
                                               OozeF32x4 *value)
{
    OozeF32x4 zero = {0}, q = cubic->inverse * r;
    OozeF32x4 a = ooze_f32x4_max(1.0f - q, zero), b = ooze_f32x4_max(1.0f - (q + q), zero);
    OozeF32x4 aa = a * a, bb = b * b;
    *value += (a + a) * aa - b * bb;
    return cubic->slope * (aa - bb);
}

#endif
