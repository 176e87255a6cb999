/* Free flight under constant acceleration g (m/s2) and linear drag k (1/s): dv/dt = g - k v, solved
   exactly over a step, so that a trajectory does not depend on the time step. Valid C17 and CUDA.
   The last bit of an exponential differs between processor and GPU: the host evaluates it once per
   step and material, and the loops use the four factors. */
#ifndef OOZE_PHYSICS_BALLISTIC_H
#define OOZE_PHYSICS_BALLISTIC_H

#include "physics/formula.h"

/* v1 = keep v0 + push g;  x1 = x0 + glide v0 + fall g */
typedef struct OozeFlight {
    float keep, push, glide, fall;
} OozeFlight;

/* With a = k dt: keep = e^-a, push = (1 - e^-a)/k, glide = push, fall = (dt - push)/k; the Taylor
   series where a is small and the differences would cancel. */
OOZE_FORMULA OozeFlight ooze_flight(double k, double dt)
{
    double a = k * dt;
    double keep = exp(-a);
    double push = a < 1e-4 ? dt * (1.0 - a * (0.5 - a / 6.0)) : (1.0 - keep) / k;
    double fall = a < 1e-2 ? dt * dt * (0.5 - a * (1.0 / 6.0 - a * (1.0 / 24.0 - a / 120.0)))
                           : (dt - push) / k;
    OozeFlight flight;
    flight.keep = (float)keep;
    flight.push = (float)push;
    flight.glide = (float)push;
    flight.fall = (float)fall;
    return flight;
}

/* One axis of a particle's position and velocity after the step. */
OOZE_FORMULA float ooze_flight_position(const OozeFlight *f, float x, float v, float g)
{
    return x + (f->glide * v + f->fall * g);
}

OOZE_FORMULA float ooze_flight_velocity(const OozeFlight *f, float v, float g)
{
    return f->keep * v + f->push * g;
}

#endif
