/* Multipliers that may push and never pull, by Jacobi sweeps that are projected and accelerated.

   The system J M^-1 J^T of densities, divided by its diagonal, has eigenvalues up to 3.2 on the lattice and
   3.6 with particles shaken by 30%: a whole Jacobi step (1) makes errors grow that alternate from particle
   to particle, and since what was pushed too far is not pulled back, fluid that hits a floor bursts. A step
   of 0.3 is safe; Nesterov's momentum (1983) makes up for its shortness. Because the multipliers are kept,
   a sweep also takes back what an earlier one pushed too far, down to no push at all. Valid C17 and CUDA. */
#ifndef OOZE_METHODS_PROJECTED_H
#define OOZE_METHODS_PROJECTED_H

#include "physics/formula.h"

#define OOZE_PROJECTED_STEP 0.3f

typedef struct OozePush {
    float found;   /* by the last sweep, 0 or more */
    float carried; /* the same, taken further by the momentum: what acts now */
} OozePush;

/* How far sweep k of `count` is taken further; not the last one, which is the answer. */
OOZE_FORMULA float ooze_push_momentum(int k, int count)
{
    return k + 1 < count ? (float)k / (float)(k + 3) : 0.0f;
}

/* `wanted` is the constraint over its diagonal, above 0: more push. Returns the change of what acts. */
OOZE_FORMULA float ooze_push_sweep(OozePush *push, float wanted, float momentum)
{
    float before = push->carried, now = before + OOZE_PROJECTED_STEP * wanted;
    now = now > 0.0f ? now : 0.0f;
    push->carried = now + momentum * (now - push->found);
    push->found = now;
    return push->carried - before;
}

#endif
