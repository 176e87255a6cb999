/* Reaction of dynamic solids to particles that collide with them, for methods that first collide
   particles with solids of infinite mass. */
#ifndef OOZE_SOLVERS_CONTACT_LOADS_H
#define OOZE_SOLVERS_CONTACT_LOADS_H

#include "solvers/step_context.h"

/* Velocity changes of a particle by dynamic solids: two solids at most, the second entry also holds
   the changes by any further solid. */
typedef struct OozeSolidImpulses {
    int count;
    int solid[2];
    OozeVec3 point[2], change[2]; /* m; m/s */
} OozeSolidImpulses;

void ooze_impulses_add(OozeSolidImpulses *impulses, int solid, OozeVec3 point, OozeVec3 change);

/* Particles that touch a solid share its mass: each gives back part of its velocity change so that
   the relative velocity after the collision is that of a wall, and the solid gets the momentum that
   the particles lose. `impulses` has one entry per particle. */
OozeStatus ooze_impulses_share(const OozeStepContext *context, const OozeSolidImpulses *impulses,
                               OozeFloat4 *velocities, OozeError *error);

#endif
