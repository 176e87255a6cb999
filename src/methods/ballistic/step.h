/* The data of a step of the ballistic method. */
#ifndef OOZE_METHODS_BALLISTIC_STEP_H
#define OOZE_METHODS_BALLISTIC_STEP_H

#include "machine/machine.h"
#include "methods/ballistic/method.h"
#include "physics/ballistic.h"
#include "solids/contact.h"
#include "solvers/contact/contact_loads.h"
#include "solvers/vectors/vector_formula.h"

/* Settings, in the order of the table in method.c. */
enum { OOZE_BALLISTIC_CONTACT_DISTANCE, OOZE_BALLISTIC_PARAM_COUNT };

/* A substep. Arrays have one element a particle, in the memory of the machine. */
typedef struct OozeBallisticStep {
    OozeMachine *machine;
    OozeContactRule contact;
    const OozeFlight *flights; /* per material, and one more: constant velocity */
    const uint16_t *material;
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
} OozeBallisticStep;

#endif
