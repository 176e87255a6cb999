/* Multipliers that may push and never pull, by Jacobi sweeps that are projected and accelerated.

   The system J M^-1 J^T of densities, divided by its diagonal, has eigenvalues up to 3.2 on the
   lattice and 3.6 with particles shaken by 30%: a whole Jacobi step (1) makes errors grow that
   alternate from particle to particle, and since what was pushed too far is not pulled back, fluid
   that hits a floor bursts. A step of 0.3 is safe; Nesterov's momentum (1983) makes up for its
   shortness. Because the multipliers are kept, a sweep also takes back what an earlier one pushed
   too far, down to no push at all. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_DENSITY_PROJECTED_JACOBI_H
#define OOZE_SOLVERS_DENSITY_PROJECTED_JACOBI_H

#include "physics/formula.h"

#define OOZE_PROJECTED_STEP 0.3f

typedef struct OozeProjectedMultiplier {
    float projected;    /* by the last sweep, 0 or more */
    float extrapolated; /* the same with the momentum: the multiplier that acts now */
} OozeProjectedMultiplier;

/* Momentum of sweep k of `count`; 0 for the last one, whose result must be feasible. */
OOZE_FORMULA float ooze_projected_momentum(int k, int count)
{
    return k + 1 < count ? (float)k / (float)(k + 3) : 0.0f;
}

/* One projected step. `wanted` is the constraint over its diagonal; above 0 the push grows. Returns
   the change of the multiplier that acts. */
OOZE_FORMULA float ooze_projected_step(OozeProjectedMultiplier *multiplier, float wanted,
                                       float momentum)
{
    float before = multiplier->extrapolated, now = before + OOZE_PROJECTED_STEP * wanted;
    now = now > 0.0f ? now : 0.0f;
    multiplier->extrapolated = now + momentum * (now - multiplier->projected);
    multiplier->projected = now;
    return multiplier->extrapolated - before;
}

/* A whole Jacobi step without memory, as published. */
OOZE_FORMULA float ooze_plain_step(float wanted)
{
    return wanted > 0.0f ? wanted : 0.0f;
}

#endif
