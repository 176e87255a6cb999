/* Particles that fly and bounce, and do not feel each other. */
#ifndef OOZE_METHODS_BALLISTIC_H
#define OOZE_METHODS_BALLISTIC_H

#include "methods/method.h"
#include "physics/ballistic.h"
#include "solids/contact.h"

extern const OozeMethod ooze_method_ballistic;

/* Contacts of particles with solids. */
OozeContactRule ooze_ballistic_contact_rule(const OozeStepContext *context);
/* Fills one element per material, and one more: constant velocity, as nozzles prescribe it. */
void ooze_ballistic_flights(const OozeStepContext *context, OozeFlight *flights);

#endif
