/* The vector of per-particle formulas: x, y, z and a fourth lane, loaded at once. Valid C17 and
   CUDA. */
#ifndef OOZE_SOLVERS_VECTORS_VECTOR_FORMULA_H
#define OOZE_SOLVERS_VECTORS_VECTOR_FORMULA_H

#include "physics/formula.h"

#ifdef __cplusplus

typedef float4 OozeVector;

OOZE_FORMULA OozeVector ooze_vector_zero(void)
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

OOZE_FORMULA OozeVector ooze_vector(float x, float y, float z, float w)
{
    return make_float4(x, y, z, w);
}

/* Of all four lanes. */
OOZE_FORMULA OozeVector ooze_vector_add(OozeVector a, OozeVector b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

OOZE_FORMULA OozeVector ooze_vector_scale(float s, OozeVector a)
{
    return make_float4(s * a.x, s * a.y, s * a.z, s * a.w);
}

OOZE_FORMULA float ooze_vector_dot(OozeVector a, OozeVector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + s b; the fourth lane is that of a. */
OOZE_FORMULA OozeVector ooze_vector_madd(OozeVector a, float s, OozeVector b)
{
    return make_float4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w);
}

/* a / s. The GPU multiplies by 1/s: it divides slowly. */
OOZE_FORMULA OozeVector ooze_vector_over(OozeVector a, float s)
{
    return ooze_vector_scale(1.0f / s, a);
}

/* x, y or z. */
OOZE_FORMULA float ooze_vector_lane(OozeVector a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

OOZE_FORMULA float ooze_vector_last(OozeVector a)
{
    return a.w;
}

OOZE_FORMULA OozeVector ooze_vector_with_last(OozeVector a, float last)
{
    a.w = last;
    return a;
}

#else

#include "base/f32x4.h"

typedef OozeF32x4 OozeVector;

OOZE_FORMULA OozeVector ooze_vector_zero(void)
{
    return ooze_f32x4(0, 0, 0, 0);
}

OOZE_FORMULA OozeVector ooze_vector(float x, float y, float z, float w)
{
    return ooze_f32x4(x, y, z, w);
}

OOZE_FORMULA OozeVector ooze_vector_add(OozeVector a, OozeVector b)
{
    return a + b;
}

OOZE_FORMULA OozeVector ooze_vector_scale(float s, OozeVector a)
{
    return s * a;
}

OOZE_FORMULA float ooze_vector_dot(OozeVector a, OozeVector b)
{
    return ooze_f32x4_dot3(a, b);
}

OOZE_FORMULA OozeVector ooze_vector_madd(OozeVector a, float s, OozeVector b)
{
    return a + s * b;
}

OOZE_FORMULA OozeVector ooze_vector_over(OozeVector a, float s)
{
    return a / s;
}

OOZE_FORMULA float ooze_vector_lane(OozeVector a, int k)
{
    return a[k];
}

OOZE_FORMULA float ooze_vector_last(OozeVector a)
{
    return a[3];
}

OOZE_FORMULA OozeVector ooze_vector_with_last(OozeVector a, float last)
{
    a[3] = last;
    return a;
}

#endif

/* Their last lane is 0. */
OOZE_FORMULA OozeVector ooze_vector_cross(OozeVector a, OozeVector b)
{
    float ax = ooze_vector_lane(a, 0), ay = ooze_vector_lane(a, 1), az = ooze_vector_lane(a, 2);
    float bx = ooze_vector_lane(b, 0), by = ooze_vector_lane(b, 1), bz = ooze_vector_lane(b, 2);
    return ooze_vector(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx, 0.0f);
}

#endif
