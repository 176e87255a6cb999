/* Double density relaxation, plastic springs and viscosity impulses: Clavet, Beaudoin and Poulin
   2005. Valid C17 and CUDA.

   Units are the paper's: lengths in supports h, times in its time unit, all masses equal. q is a
   distance over h, from 0 to 1, and dt a step over the time unit. */
#ifndef OOZE_PHYSICS_SPRINGS_H
#define OOZE_PHYSICS_SPRINGS_H

#include "physics/formula.h"

/* ---- double density relaxation: eqs 1 to 6 -------------------------------------------------- */

/* Eq 2; eq 5 with rest = 0. */
OOZE_FORMULA OOZE_REAL ooze_double_pressure(OOZE_REAL stiffness, OOZE_REAL density, OOZE_REAL rest)
{
    return stiffness * (density - rest);
}

/* The fluid of the published constants at rest without other forces, from lattice sums of eqs 1 to
   6: spacing of its particles and square of its speed of sound. */
#define OOZE_SPRINGS_BULK_SPACING 0.372
#define OOZE_SPRINGS_SOUND2       0.1

/* ---- springs: algorithms 3 and 4, eqs 7 and 8 ----------------------------------------------- */

/* Distance by which a spring moves its ends apart; all lengths in the unit of `h`. */
OOZE_FORMULA OOZE_REAL ooze_spring_displacement(OOZE_REAL dt2, OOZE_REAL stiffness, OOZE_REAL rest,
                                                OOZE_REAL length, OOZE_REAL h)
{
    return dt2 * stiffness * (1 - rest / h) * (rest - length);
}

/* Coefficients of a spring for a step: plasticity times dt, and yield ratio, in stretch and in
   compression. */
typedef struct OozeSpringLaw {
    OOZE_REAL stretch, compress;
    OOZE_REAL stretch_yield, compress_yield;
} OozeSpringLaw;

/* Rest length after a step: the deformation beyond yield decays at a rate, and by no more than all
   of it. */
OOZE_FORMULA OOZE_REAL ooze_spring_rest(const OozeSpringLaw *law, OOZE_REAL rest, OOZE_REAL length)
{
    OOZE_REAL most = rest + law->stretch_yield * rest, least = rest - law->compress_yield * rest;
    if (length > most) {
        return rest + (law->stretch < 1 ? law->stretch : 1) * (length - most);
    }
    if (length < least) {
        return rest - (law->compress < 1 ? law->compress : 1) * (least - length);
    }
    return rest;
}

/* ---- viscosity: algorithm 5 ----------------------------------------------------------------- */

/* Speed that a pair approaching at u > 0 loses: at most u, so that impulses along the line between
   two equal masses never add energy. */
OOZE_FORMULA OOZE_REAL ooze_viscosity_impulse(OOZE_REAL dt, OOZE_REAL q, OOZE_REAL u,
                                              OOZE_REAL linear, OOZE_REAL quadratic)
{
    OOZE_REAL t = q < 1 ? 1 - q : 0;
    OOZE_REAL share = dt * t * (linear + quadratic * u);
    return u > 0 ? (share < 1 ? share : 1) * u : 0;
}

#endif
