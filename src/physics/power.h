/* x to the power y from additions and multiplications alone, so that every processor and GPU gives
   the same bits. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_POWER_H
#define OOZE_PHYSICS_POWER_H

#include "physics/formula.h"

#define OOZE_LN2 0.69314718055994530942

/* Natural logarithm of x > 0: x is scaled by powers of 2 into [0.7, 1.4], then
   2 artanh((x - 1)/(x + 1)) by its series; the first neglected term is below 2e-10. */
OOZE_FORMULA OOZE_REAL ooze_log(OOZE_REAL x)
{
    int exponent = 0;
    for (; x > (OOZE_REAL)1.4142135 && exponent < 2000; exponent++) {
        x *= (OOZE_REAL)0.5;
    }
    for (; x < (OOZE_REAL)0.7071068 && exponent > -2000; exponent--) {
        x *= 2;
    }
    OOZE_REAL t = (x - 1) / (x + 1), t2 = t * t;
    OOZE_REAL series =
        1 +
        t2 * ((OOZE_REAL)(1.0 / 3.0) +
              t2 * ((OOZE_REAL)0.2 + t2 * ((OOZE_REAL)(1.0 / 7.0) + t2 * (OOZE_REAL)(1.0 / 9.0))));
    return (OOZE_REAL)exponent * (OOZE_REAL)OOZE_LN2 + 2 * t * series;
}

/* e to the power z, z clamped to +-80: a power of 2 times the Taylor series to the eighth power of
   the rest; the first neglected term is below 3e-10. */
OOZE_FORMULA OOZE_REAL ooze_exp(OOZE_REAL z)
{
    z = z > 80 ? 80 : z < -80 ? -80 : z;
    OOZE_REAL log2 = z * (OOZE_REAL)(1.0 / OOZE_LN2);
    int exponent = (int)(log2 + (log2 < 0 ? (OOZE_REAL)-0.5 : (OOZE_REAL)0.5));
    OOZE_REAL r = z - (OOZE_REAL)exponent * (OOZE_REAL)OOZE_LN2;
    OOZE_REAL e = 1;
    for (int k = 8; k > 0; k--) {
        e = 1 + e * r / (OOZE_REAL)k;
    }
    for (; exponent > 0; exponent--) {
        e *= 2;
    }
    for (; exponent < 0; exponent++) {
        e *= (OOZE_REAL)0.5;
    }
    return e;
}

/* x^y for x > 0, to a relative error of 1e-8 in double and some ulps in float; limited to e^+-80.
   */
OOZE_FORMULA OOZE_REAL ooze_power(OOZE_REAL x, OOZE_REAL y)
{
    return ooze_exp(y * ooze_log(x));
}

#endif
