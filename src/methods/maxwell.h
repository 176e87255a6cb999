/* A material of the shared table as a Maxwell fluid, in kinematic units: the same numbers mean the
   same in every method. */
#ifndef OOZE_METHODS_MAXWELL_H
#define OOZE_METHODS_MAXWELL_H

#include "methods/method.h"
#include "physics/thinning.h"

typedef struct OozeMaxwell {
    double modulus;    /* G over the reference density, m2/s2 */
    double relaxation; /* tau, s; may be infinite; 0: no memory, the modulus is 0 too */
    double viscosity;  /* of the solvent, and of a fluid without memory, m2/s */
    double solvent;    /* of the solvent alone, m2/s: it does not thin */
} OozeMaxwell;

/* The stiffest elasticity that is meant by compliance 0: a shear wave crosses this many spacings a
   step. */
#define OOZE_STIFFEST_WAVE 20.0

/* Any two of viscosity, modulus and relaxation time, or the relaxation time and the compliance;
   viscosity alone is Newtonian, modulus alone elastic. No elasticity is stiffer than one whose
   shear wave crosses `stiffest` spacings a step: that is what compliance 0 means. */
OozeMaxwell ooze_maxwell(const OozeStepContext *context, const OozeMaterial *material,
                         double reference_density, double stiffest);

typedef struct OozeMaxwellMode {
    double modulus;    /* as above; 0: there is no such mode */
    double relaxation; /* likewise */
} OozeMaxwellMode;

/* The mode `k` of those beside the first, 0 to OOZE_MORE_MODES - 1. */
OozeMaxwellMode ooze_maxwell_mode(const OozeMaterial *material, int k, double reference_density);

/* What a step of length dt resists shear by: viscosity, and of each mode its modulus times the part
   of the step that it remembers; m2/s. */
double ooze_maxwell_resistance(const OozeStepContext *context, const OozeMaterial *material,
                               double reference_density, double stiffest);

/* How its viscosity follows the rate of shear. */
OozeThinning ooze_material_thinning(const OozeMaterial *material);

#endif
