/* Maxwell model of a material, in kinematic units: shared, so that a material has the same meaning
   in every method. */
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

/* Stiffest elasticity, for compliance 0: spacings that a shear wave crosses in a step. The velocity
   solve of conformation takes as many iterations for 500 of them. The bound is stability: with
   the second pass of `lodge`, jittered cubes that fall at steps of 15 and 30 ms (T25) eject corner
   particles by 1.2, 1.3, 3.5, 92 and 131 edges with 20, 35, 50, 70 and 100 spacings. */
#define OOZE_STIFFEST_WAVE 35.0

/* Any two of viscosity, modulus and relaxation time, or the relaxation time and the compliance;
   viscosity alone is Newtonian, modulus alone elastic. The shear wave crosses at
   most `stiffest` spacings a step, and just as many for compliance 0. */
OozeMaxwell ooze_maxwell(const OozeStepContext *context, const OozeMaterial *material,
                         double reference_density, double stiffest);

typedef struct OozeMaxwellMode {
    double modulus;    /* as above; 0: there is no such mode */
    double relaxation; /* likewise */
} OozeMaxwellMode;

/* The mode `k` of those beside the first, 0 to OOZE_MORE_MODES - 1. */
OozeMaxwellMode ooze_maxwell_mode(const OozeMaterial *material, int k, double reference_density);

/* All modes. */
typedef struct OozeMaxwellSum {
    double modulus; /* sum G, m2/s2 */
    double fading;  /* sum G/tau, m2/s3 */
    double longest; /* relaxation time, s */
} OozeMaxwellSum;

/* `first`: the first mode, of ooze_maxwell with the same reference density. */
OozeMaxwellSum ooze_maxwell_sum(const OozeMaxwell *first, const OozeMaterial *material,
                                double reference_density);

/* Whether a material is as stiff as the solver allows: compliance 0 and no modulus. */
bool ooze_material_is_stiffest(const OozeMaterial *material);

/* Resistance of a step of length dt to shear, m2/s: viscosity, and of each mode its modulus times
   the part of the step that it remembers. */
double ooze_maxwell_resistance(const OozeStepContext *context, const OozeMaterial *material,
                               double reference_density, double stiffest);

/* Duration for which a mode damps motion that velocity gradients miss, s: the step, or the travel
   time of an elastic wave. */
double ooze_damping_time(double relaxation, double dt, double travel);

/* Viscosity as a function of the rate of shear. */
OozeThinning ooze_material_thinning(const OozeMaterial *material);

#endif
