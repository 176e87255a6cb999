/* The vector of per-particle formulas: x, y, z and a fourth lane, loaded at once. Valid C17 and
   CUDA. */
#ifndef OOZE_SOLVERS_VECTOR_FORMULA_H
#define OOZE_SOLVERS_VECTOR_FORMULA_H

#include "physics/formula.h"

#ifdef __cplusplus

typedef float4 OozeVector;

OOZE_FORMULA OozeVector ooze_vector_zero(void)
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
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

/* x, y or z. */
OOZE_FORMULA float ooze_vector_lane(OozeVector a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

#else

#include "base/f32x4.h"

typedef OozeF32x4 OozeVector;

OOZE_FORMULA OozeVector ooze_vector_zero(void)
{
    return ooze_f32x4(0, 0, 0, 0);
}

OOZE_FORMULA float ooze_vector_dot(OozeVector a, OozeVector b)
{
    return ooze_f32x4_dot3(a, b);
}

OOZE_FORMULA OozeVector ooze_vector_madd(OozeVector a, float s, OozeVector b)
{
    return a + s * b;
}

OOZE_FORMULA float ooze_vector_lane(OozeVector a, int k)
{
    return a[k];
}

#endif

#endif
