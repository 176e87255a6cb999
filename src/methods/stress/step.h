/* What the files of the stress method share. */
#ifndef OOZE_METHODS_STRESS_STEP_H
#define OOZE_METHODS_STRESS_STEP_H

#include "methods/stress/method.h"

/* Settings, in the order of the table in stress.c. */
enum {
    OOZE_STRESS_DENSITY_ITERATIONS,
    OOZE_STRESS_DENSITY_TIME,
    OOZE_STRESS_HOURGLASS,
    OOZE_STRESS_CONTACT_DISTANCE,
    OOZE_STRESS_PARAM_COUNT
};

/* A material as the solver sees it: kinematic units over the reference density. */
typedef struct OozeStressMaterial {
    double weight;    /* density over the reference density */
    double modulus;   /* m2/s2 */
    double rate;      /* 1 / tau, 1/s */
    double viscosity; /* of the solvent, m2/s */
    double hourglass; /* m2/s, of what a linear field does not describe */
} OozeStressMaterial;

OozeStressMaterial ooze_stress_material(const OozeStepContext *context, int index);

/* The longest stable step for the materials at rest; see docs/methods/stress.md. */
double ooze_stress_stable_step(const OozeStepContext *context);

#endif
