/* Stickiness of solids, for the processor and the GPU. */
#ifndef OOZE_METHODS_BALLISTIC_PARTICLE_FORMULA_H
#define OOZE_METHODS_BALLISTIC_PARTICLE_FORMULA_H

#include "solids/sweep_formula.h"

/* The motion of a particle in a step, which collisions change. */
typedef struct OozeBallisticMotion {
    OozeVec3 from, position, velocity; /* from: at the beginning of the step */
} OozeBallisticMotion;

/* A pull of solid k, which acts from the beginning of the step on. */
OOZE_FORMULA void ooze_ballistic_stick(OozeBallisticMotion *m, int k, OozeVec3 pull, double dt,
                                       OozeTouches *touches)
{
    m->velocity = vec3_add(m->velocity, pull);
    m->position = vec3_madd(m->position, dt, pull);
    (void)ooze_touches_record(touches, k, m->from, pull);
}

#endif
