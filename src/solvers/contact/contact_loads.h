/* Reaction of dynamic solids to particles that collide with them, for methods that first collide
   particles with solids of infinite mass. */
#ifndef OOZE_SOLVERS_CONTACT_CONTACT_LOADS_H
#define OOZE_SOLVERS_CONTACT_CONTACT_LOADS_H

#include "solvers/contact/contact_loads_formula.h"
#include "step/context.h"

/* kg of a particle of a material. */
double ooze_impulses_particle_mass(const OozeStepContext *context, int material);

/* Particles that touch a solid share its mass: each gives back part of its velocity change so that
   the relative velocity after the collision is that of a wall, and the solid gets the momentum that
   the particles lose. `impulses` has one entry per particle. */
OozeStatus ooze_impulses_share(const OozeStepContext *context, const OozeSolidImpulses *impulses,
                               OozeFloat4 *velocities, OozeError *error);

#endif
