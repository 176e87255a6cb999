/* What a rheometer sees of one Maxwell mode, modulus g and relaxation time tau, in small strain (Ferry 1980,
   chapter 3); modes add up, and a solvent adds its viscosity times omega to the loss. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_SPECTRUM_H
#define OOZE_PHYSICS_SPECTRUM_H

#include "physics/power.h"

/* G'(omega) */
OOZE_FORMULA OOZE_REAL ooze_mode_storage(OOZE_REAL g, OOZE_REAL tau, OOZE_REAL omega)
{
    OOZE_REAL x = omega * tau;
    return g * x * x / (1 + x * x);
}

/* G''(omega) */
OOZE_FORMULA OOZE_REAL ooze_mode_loss(OOZE_REAL g, OOZE_REAL tau, OOZE_REAL omega)
{
    OOZE_REAL x = omega * tau;
    return g * x / (1 + x * x);
}

/* G(t) after a step strain at t = 0 */
OOZE_FORMULA OOZE_REAL ooze_mode_relaxation(OOZE_REAL g, OOZE_REAL tau, OOZE_REAL time)
{
    return g * ooze_exp(-time / tau);
}

#endif
