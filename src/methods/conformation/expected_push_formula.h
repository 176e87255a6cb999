/* Pushes that the velocity solve expects, for the processor and the GPU. A push is the velocity
   that the density stage adds to a particle, its shift over dt. The solve expects that of the last
   step, P.

   Viscosity is solved before pressure. A solve without pressure slows down all flow that pressure
   drives. The density stage would then restore that flow evenly, also at walls. Here the solve
   starts from u* + P, and P is subtracted from its result before particles move:

       u = (1 + A)^-1 (u* + P),   x = x0 + dt (u - P) + shift,   u <- u - P + shift/dt.

   In steady flow shift/dt = P: viscosity and pressure act together, and fluid under its weight
   between walls has u = 0. Without viscosity A = 0 and nothing changes. Consider a mode of motion
   of which the solve keeps the part r, and the density stage removes the part f of its compression.
   The eigenvalues of the step are at most 1 for all r and f. */
#ifndef OOZE_METHODS_CONFORMATION_EXPECTED_PUSH_FORMULA_H
#define OOZE_METHODS_CONFORMATION_EXPECTED_PUSH_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/formula.h"

typedef struct OozePush {
    float x, y, z; /* m/s */
} OozePush;

/* From the field `push`, an acceleration in m/s2: steps may differ in length. */
OOZE_FORMULA OozePush ooze_push_expected(const float *acceleration, uint64_t i, float dt)
{
    const float *a = acceleration + 3 * i;
    OozePush push = {dt * a[0], dt * a[1], dt * a[2]};
    return push;
}

/* Viscosity times dt/d^2 at which half of a push is expected. In stiffer fluid pushes mostly
   correct errors of the velocity solve. */
#define OOZE_PUSH_STIFF 300.0f

/* Share of a push that a material expects. Elastic materials expect none: their stress would react
   to motion that is removed after the solve, and that would add energy. */
OOZE_FORMULA float ooze_push_share(float viscosity, bool elastic, float spacing, float dt)
{
    float stiff = viscosity * dt / (spacing * spacing) / OOZE_PUSH_STIFF;
    return elastic ? 0.0f : 1.0f / (1.0f + stiff);
}

/* Dynamic solids expect the push of the last step as well. In the narrow film between such a solid
   and another solid, neither the solid nor the particles near it expect any: the weight of a solid
   that falls in the velocity solve would squeeze the film out, and only the density stage would
   keep its last layers. Widths in spacings: nothing is expected below the first, everything above
   the second. */
#define OOZE_PUSH_NARROW 2.0
#define OOZE_PUSH_OPEN   4.0

/* Share of a push that is expected beside a gap of this width. */
OOZE_FORMULA double ooze_push_open_share(double gap)
{
    double share = (gap - OOZE_PUSH_NARROW) / (OOZE_PUSH_OPEN - OOZE_PUSH_NARROW);
    return share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
}

/* Stores the push of particle i after the density stage. */
OOZE_FORMULA void ooze_push_record(float *acceleration, uint64_t i, const float *shift, float share,
                                   float dt)
{
    float *a = acceleration + 3 * i, scale = share / (dt * dt);
    a[0] = scale * shift[0];
    a[1] = scale * shift[1];
    a[2] = scale * shift[2];
}

/* Where the next step finds the push from the multiplier instead. */
OOZE_FORMULA void ooze_push_forget(float *acceleration, uint64_t i)
{
    acceleration[3 * i] = acceleration[3 * i + 1] = acceleration[3 * i + 2] = 0.0f;
}

/* Ratio of the velocity that a solve expects to the shift that the density stage begins with, 1/s.
   */
OOZE_FORMULA float ooze_push_rate(bool expected, float share, float dt)
{
    return expected ? share / dt : 0.0f;
}

/* ---- the multipliers of the density stage, with `density_warm_start` ---- */

/* Above this viscosity times dt/d^2 a density stage begins with all of the last multipliers.
   Consider a mode of motion of which a solve keeps the part r, and the stage removes the part f of
   its compression. A stage that begins with the share k of the last multipliers is stable for all f
   up to k = 1, 0.8, 0.7 and 0.5 at r = 0.6, 0.8, 0.9 and 1. Some ten sweeps reach 20 spacings far,
   where r is 0.6 at this viscosity. */
#define OOZE_PUSH_KEPT 27.0f

OOZE_FORMULA float ooze_push_multiplier_share(float viscosity, float spacing, float dt)
{
    float stiff = viscosity * dt / (spacing * spacing) / OOZE_PUSH_KEPT;
    return stiff < 1.0f ? 0.5f + 0.5f * stiff : 1.0f;
}

/* Multiplier that the density stage begins with, m2, from the field `multiplier` of a particle. */
OOZE_FORMULA float ooze_push_multiplier(float stored, float share, float dt)
{
    return stored > 0.0f ? share * dt * dt * stored : 0.0f;
}

/* The number of that field after the density stage, m2/s2. */
OOZE_FORMULA float ooze_push_multiplier_stored(float multiplier, float dt)
{
    return multiplier > 0.0f ? multiplier / (dt * dt) : 0.0f;
}

#endif
