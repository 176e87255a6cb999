/* What a rheometer sees of one Maxwell mode, modulus g and relaxation time tau, which may be infinite, in small
   strain (Ferry 1980, chapter 3); modes add up, and a solvent adds its viscosity times omega to the loss. In double: fits see past
   single precision. */
#ifndef OOZE_PHYSICS_SPECTRUM_H
#define OOZE_PHYSICS_SPECTRUM_H

#include <math.h>

#include "base/formula.h"

/* G'(omega) */
OOZE_FORMULA double ooze_mode_storage(double g, double tau, double omega)
{
    double x = omega * tau;
    return isfinite(x) ? g * x * x / (1.0 + x * x) : g;
}

/* G''(omega) */
OOZE_FORMULA double ooze_mode_loss(double g, double tau, double omega)
{
    double x = omega * tau;
    return isfinite(x) ? g * x / (1.0 + x * x) : 0.0;
}

/* G(t) after a step strain at t = 0 */
OOZE_FORMULA double ooze_mode_relaxation(double g, double tau, double time)
{
    return g * exp(-time / tau);
}

/* What a step of length dt resists shear by, Pa s: the modulus times the part of the step that it remembers. */
OOZE_FORMULA double ooze_mode_resistance(double g, double tau, double dt)
{
    return g * fmin(tau, dt);
}

#endif
