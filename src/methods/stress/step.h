/* Settings and materials of the stress method, and the data of its step. */
#ifndef OOZE_METHODS_STRESS_STEP_H
#define OOZE_METHODS_STRESS_STEP_H

#include "machine/machine.h"
#include "methods/stress/method.h"
#include "physics/tensor.h"
#include "solids/contact.h"
#include "solvers/vectors/vector_formula.h"

/* Settings, in the order of the table in method.c. */
enum {
    OOZE_STRESS_DENSITY_ITERATIONS,
    OOZE_STRESS_DENSITY_TIME,
    OOZE_STRESS_HOURGLASS,
    OOZE_STRESS_CONTACT_DISTANCE,
    OOZE_STRESS_PARAM_COUNT
};

/* Coefficients of a material, over the density of the first material. */
typedef struct OozeStressMaterial {
    double relative_mass; /* density over that of the first material */
    double modulus;       /* m2/s2 */
    double rate;          /* 1 / tau, 1/s */
    double viscosity;     /* of the solvent, m2/s */
    double hourglass;     /* m2/s: damping of motion that a linear field does not describe */
} OozeStressMaterial;

/* F of ooze_stress_flux by rows; last lane of the first: n of the hourglass term. */
typedef struct OozeStressFlux {
    OozeVector row[3];
} OozeStressFlux;

/* A substep. Arrays have one element a particle, in the memory of the machine. */
typedef struct OozeStressStep {
    OozeMachine *machine;
    void *memory;                      /* of the density stage, beyond the step; of the processor */
    struct OozeGather *gather;         /* edges; of the processor */
    float support, volume, wall_scale; /* see OozeGather */
    double dt;
    OozeContactRule contact;
    const OozeStressMaterial *materials;
    const uint16_t *material;
    float *strain;               /* Q - I, eight floats a particle */
    OozeVector *x, *u;           /* at the beginning of the step */
    OozeVector *next_x, *next_u; /* at its end */
    OozeSym3 *correction;        /* B of gradients */
    OozeVector *edge_sum;
    float *density;   /* relative to rest */
    float *stiffness; /* w of the stability bound */
    float *load;      /* left side of the stability bound, without relaxation */
    OozeStressFlux *flux;
    OozeVector *shift;     /* of the density stage */
    float *density_target; /* of the density stage */
} OozeStressStep;

/* Of a substep: materials are those of the whole step. */
OozeStressMaterial ooze_stress_substep_material(const OozeStepContext *context, int index);
OozeStressMaterial ooze_stress_material(const OozeStepContext *context, int index);

/* Contacts of particles with solids. */
OozeContactRule ooze_stress_contact_rule(const OozeStepContext *context);
/* Share of the compression that the density stage leaves in this step. */
float ooze_stress_kept_share(const OozeStepContext *context);
/* Whether a step is longer than the bound of the present state; `worst` is the largest row. */
bool ooze_stress_exceeds_bound(const OozeStepContext *context, float worst);

/* A step that is stable for a block at rest with its free surfaces; see docs/methods/stress.md. */
double ooze_stress_stable_step(const OozeStepContext *context);

#endif
