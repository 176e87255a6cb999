/* Double density relaxation, plastic springs and viscosity impulses: Clavet, Beaudoin and Poulin 2005. Valid C17 and CUDA.

   Numbers are the paper's: lengths in units of the support h, times in units of its time unit, masses all alike. q is a distance over
   h, from 0 to 1, and dt a step over the unit. */
#ifndef OOZE_PHYSICS_SPRINGS_H
#define OOZE_PHYSICS_SPRINGS_H

#include "physics/formula.h"

/* ---- double density relaxation: eqs 1 to 6 ------------------------------------------------------ */

/* Parts of the density and of the near density that a neighbour makes: eqs 1 and 4. */
OOZE_FORMULA OOZE_REAL ooze_double_density(OOZE_REAL q)
{
    OOZE_REAL t = q < 1 ? 1 - q : 0;
    return t * t;
}

OOZE_FORMULA OOZE_REAL ooze_near_density(OOZE_REAL q)
{
    OOZE_REAL t = q < 1 ? 1 - q : 0;
    return t * t * t;
}

/* Eqs 2 and 5. */
OOZE_FORMULA OOZE_REAL ooze_double_pressure(OOZE_REAL stiffness, OOZE_REAL density, OOZE_REAL rest)
{
    return stiffness * (density - rest);
}

/* Eq 6, its length: how far a pair is moved apart, each end by half of it. */
OOZE_FORMULA OOZE_REAL ooze_double_displacement(OOZE_REAL dt2, OOZE_REAL pressure, OOZE_REAL near,
                                                OOZE_REAL q)
{
    OOZE_REAL t = q < 1 ? 1 - q : 0;
    return dt2 * (pressure + near * t) * t;
}

/* Bulk of the published constants, free of other forces: densities of eqs 1 and 4, distance of neighbours and square of the
   speed of sound, all from sums over lattices. */
#define OOZE_SPRINGS_BULK_SPACING 0.372
#define OOZE_SPRINGS_SOUND2       0.1

/* ---- springs: algorithms 3 and 4, eqs 7 and 8 -------------------------------------------------- */

/* How far a spring moves its ends apart; lengths in any unit, `h` in the same. */
OOZE_FORMULA OOZE_REAL ooze_spring_displacement(OOZE_REAL dt2, OOZE_REAL stiffness, OOZE_REAL rest,
                                                OOZE_REAL length, OOZE_REAL h)
{
    return dt2 * stiffness * (1 - rest / h) * (rest - length);
}

/* Numbers of a spring for a step: plasticity times dt, and yield ratio, stretched and compressed. */
typedef struct OozeSpringLaw {
    OOZE_REAL stretch, compress;
    OOZE_REAL stretch_yield, compress_yield;
} OozeSpringLaw;

/* Rest length after a step: what is beyond the tolerable deformation is forgotten at a rate. Never more than all of it. */
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

/* ---- viscosity: algorithm 5 ---------------------------------------------------------------------- */

/* What a pair that approaches with the speed u > 0 loses of it. Never more than u: impulses along the line between two equal masses
   then never add energy. */
OOZE_FORMULA OOZE_REAL ooze_viscosity_impulse(OOZE_REAL dt, OOZE_REAL q, OOZE_REAL u,
                                              OOZE_REAL linear, OOZE_REAL quadratic)
{
    OOZE_REAL t = q < 1 ? 1 - q : 0;
    OOZE_REAL share = dt * t * (linear + quadratic * u);
    return u > 0 ? (share < 1 ? share : 1) * u : 0;
}

#endif
