/* Free flight under constant acceleration g and linear drag k: dv/dt = g - k v, solved exactly over a
   step, so that a trajectory does not depend on the time step. Valid C17 and CUDA. The exponential is not
   the same to the last bit on every machine: call it on the host, once a step and material, and hand
   the four numbers to the loops. */
#ifndef OOZE_PHYSICS_BALLISTIC_H
#define OOZE_PHYSICS_BALLISTIC_H

#include "physics/formula.h"

/* v1 = keep v0 + push g;  x1 = x0 + glide v0 + fall g */
typedef struct OozeFlight {
    float keep, push, glide, fall;
} OozeFlight;

/* With a = k dt: keep = e^-a, push = (1 - e^-a)/k, glide = push, fall = (dt - push)/k; for small a
   the differences cancel, so the Taylor series takes over. */
OOZE_FORMULA OozeFlight ooze_flight(double drag, double dt)
{
    double a = drag * dt;
    double keep = exp(-a);
    double push = a < 1e-4 ? dt * (1.0 - a * (0.5 - a / 6.0)) : (1.0 - keep) / drag;
    double fall = a < 1e-2 ? dt * dt * (0.5 - a * (1.0 / 6.0 - a * (1.0 / 24.0 - a / 120.0)))
                           : (dt - push) / drag;
    OozeFlight flight;
    flight.keep = (float)keep;
    flight.push = (float)push;
    flight.glide = (float)push;
    flight.fall = (float)fall;
    return flight;
}

#endif
