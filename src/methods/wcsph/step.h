/* Settings of the wcsph method, the data of its step, and its limits. */
#ifndef OOZE_METHODS_WCSPH_STEP_H
#define OOZE_METHODS_WCSPH_STEP_H

#include "machine/machine.h"
#include "methods/wcsph/method.h"
#include "solids/contact.h"
#include "solvers/vectors/vector_formula.h"

/* Settings, in the order of the table in method.c. */
enum { OOZE_WCSPH_SOUND_SPEED, OOZE_WCSPH_CONTACT_DISTANCE, OOZE_WCSPH_PARAM_COUNT };

/* Numbers of a step. */
typedef struct OozeWcsphConstants {
    float dt, support, sound;
    float volume;       /* of a particle, such that the rest lattice has density 1 exactly */
    float wall_volume;  /* volume of a boundary sample over its Akinci volume: see OozeGather */
    float half_viscous; /* m3: half the volume of a particle in Laplacians, see ooze_wcsph_scale */
    float wall_viscous; /* the volume of a boundary sample there, over its Akinci volume */
} OozeWcsphConstants;

typedef struct OozeWcsphMaterial {
    float relative_mass; /* density over that of the first material */
    float viscosity;     /* Pa s over that density: m2/s */
} OozeWcsphMaterial;

/* A particle as its neighbours see it; read at once. */
typedef struct __attribute__((aligned(16))) OozeWcsphState {
    float inverse_density; /* 1 / density, relative to rest */
    float pressure_term;   /* p / d^2 over the density of the first material */
    float viscosity;       /* of its material */
} OozeWcsphState;

/* A substep. Arrays have one element a particle, in the memory of the machine. */
typedef struct OozeWcsphStep {
    OozeMachine *machine;
    OozeWcsphConstants constants;
    const OozeWcsphMaterial *materials;
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    OozeVector *x, *u;                     /* at the beginning of the step */
    OozeVector *next_x, *next_u;           /* at its end */
    float *density;                        /* relative to rest */
    OozeWcsphState *state;
    OozeVector *edge; /* of the processor, per list entry: x_ji, and its length in the last lane */
} OozeWcsphStep;

OozeWcsphConstants ooze_wcsph_constants(const OozeStepContext *context);
OozeWcsphMaterial ooze_wcsph_material(const OozeStepContext *context, int index);
/* Contacts of particles with solids. */
OozeContactRule ooze_wcsph_contact_rule(const OozeStepContext *context);

/* Pa s; 0 if not given. */
double ooze_wcsph_viscosity(const OozeMaterial *material);

/* The longest stable step on the rest lattice, without surfaces, walls or compression. */
double ooze_wcsph_lattice_step(const OozeStepContext *context);
/* A step that is stable in all flows; see docs/methods/wcsph.md. */
double ooze_wcsph_stable_step(const OozeStepContext *context);
/* Warns of a sound speed that is too low for falling fluid. */
void ooze_wcsph_advise(const OozeStepContext *context, const OozeAdvice *advice);

#endif
