/* Linear response of one Maxwell mode of modulus g (Pa) and relaxation time tau (s), which may be
   infinite (Ferry 1980, chapter 3); modes add up, and a solvent adds its viscosity times omega to
   the loss modulus. In double, as fits need. */
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

/* Resistance to the shear of a step of length dt, Pa s: the modulus times the time that it acts. */
OOZE_FORMULA double ooze_mode_resistance(double g, double tau, double dt)
{
    return g * fmin(tau, dt);
}

#endif
