/* Viscosity as a function of the shear rate: Carreau 1972, and the power law of Ostwald and de
   Waele. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_THINNING_H
#define OOZE_PHYSICS_THINNING_H

#include "physics/power.h"
#include "physics/tensor.h"

typedef enum OozeThinningLaw {
    OOZE_THINNING_CARREAU,
    OOZE_THINNING_POWER_LAW,
    OOZE_THINNING_LAW_COUNT
} OozeThinningLaw;

typedef struct OozeThinning {
    OozeThinningLaw law;
    OOZE_REAL time;     /* 1 / the rate at which thinning begins, s; 0: no thinning */
    OOZE_REAL exponent; /* n: 1 Newtonian, below 1 thinning, above 1 thickening */
    OOZE_REAL floor;    /* lower bound of the viscosity over that of the table */
} OozeThinning;

/* A power law diverges at rest: upper bound of its viscosity over that at its reference rate. */
#define OOZE_THINNING_FACTOR_MAX 100

/* Shear rate of a strain rate D, 1/s: sqrt(2 D:D) of its deviatoric part. */
OOZE_FORMULA OOZE_REAL ooze_shear_rate(OozeSym3 d)
{
    OOZE_REAL mean = ooze_sym3_trace(d) / 3;
    OOZE_REAL xx = d.xx - mean, yy = d.yy - mean, zz = d.zz - mean;
    return OOZE_SQRT(2 * (xx * xx + yy * yy + zz * zz) +
                     4 * (d.xy * d.xy + d.xz * d.xz + d.yz * d.yz));
}

/* Viscosity over that of the material's table:
     Carreau    floor + (1 - floor) (1 + (time rate)^2)^((n - 1)/2)
     power law  (time rate)^(n - 1), not below the floor. */
OOZE_FORMULA OOZE_REAL ooze_thinning(OozeThinning law, OOZE_REAL rate)
{
    OOZE_REAL x = law.time * rate;
    if (!(law.time > 0)) {
        return 1;
    }
    if (law.law == OOZE_THINNING_CARREAU) {
        OOZE_REAL share = ooze_power(1 + x * x, (law.exponent - 1) / 2);
        return law.floor + (1 - law.floor) * share;
    }
    OOZE_REAL slow = (OOZE_REAL)1e-12; /* keeps the logarithm finite */
    OOZE_REAL factor = ooze_power(x > slow ? x : slow, law.exponent - 1);
    factor = ooze_min(factor, OOZE_THINNING_FACTOR_MAX);
    return ooze_max(factor, law.floor);
}

#endif
