/* The cubic spline of kernels.h without branches, for loops over many pairs: with q = r/h,
   a = max(1 - q, 0) and b = max(1 - 2q, 0),
     W = s (2 a^3 - b^3),  -dW/dr = (6 s/h)(a^2 - b^2),  s = 8/(pi h^3).
   Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_CUBIC_H
#define OOZE_PHYSICS_CUBIC_H

#include "physics/formula.h"
#include "physics/kernels.h"

typedef struct OozeCubic {
    float inverse;  /* 1/h */
    float value;    /* volume s */
    float slope;    /* volume 6 s/h */
    float smallest; /* shorter distances have no direction: see ooze_kernel_gradient_scale */
} OozeCubic;

/* Values and slopes are those of W times `volume`. */
OOZE_FORMULA OozeCubic ooze_cubic(float support, float volume)
{
    float s = volume * (float)(8.0 / OOZE_PI) / (support * support * support);
    OozeCubic cubic = {1.0f / support, s, 6.0f * s / support, support * (float)OOZE_KERNEL_NEAREST};
    return cubic;
}

/* x clamped to [0, 1]; 0 for NaN. */
OOZE_FORMULA float ooze_saturate(float x)
{
#ifdef __CUDA_ARCH__
    return __saturatef(x);
#else
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
#endif
}

/* -dW/dr over the `slope` of OozeCubic, of a distance r >= 0; `inverse` is 1/h in the units of r.
   */
OOZE_FORMULA float ooze_cubic_descent(float r, float inverse)
{
    float a = ooze_saturate(1.0f - inverse * r), b = ooze_saturate(1.0f - (inverse + inverse) * r);
    return a * a - b * b;
}

/* W over the `value` of OozeCubic, summed over distances, as the sums of a^3 and b^3. */
typedef struct OozeCubicSum {
    float outer, inner;
} OozeCubicSum;

OOZE_FORMULA float ooze_cubic_sum(OozeCubicSum sum)
{
    return 2.0f * sum.outer - sum.inner;
}

/* As ooze_cubic_descent; adds `weight` W to the sum. */
OOZE_FORMULA float ooze_cubic_add(OozeCubicSum *sum, float r, float inverse, float weight)
{
    float a = ooze_saturate(1.0f - inverse * r), b = ooze_saturate(1.0f - (inverse + inverse) * r);
    float aa = a * a, bb = b * b;
    sum->outer += weight * a * aa;
    sum->inner += weight * b * bb;
    return aa - bb;
}

#endif
