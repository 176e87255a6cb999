/* What a rheometer should see of a material, from its numbers: Maxwell modes beside a solvent,
   viscosity that follows the rate, yielding. Shear stress in any history of shear; the rest
   where there is a formula. */
#ifndef OOZE_RHEOLOGY_THEORY_H
#define OOZE_RHEOLOGY_THEORY_H

#include "ooze/world.h"
#include "physics/thinning.h"
#include "rheology/model.h"

typedef struct OozeTheory {
    int modes;
    double modulus[OOZE_MODES_MAX], time[OOZE_MODES_MAX]; /* Pa, s; a time may be infinite */
    double viscosity;                                     /* without memory, thins, Pa s */
    double solvent; /* Pa s; thins only beside a yield strain */
    double yield;   /* elastic strain; infinite: none */
    OozeThinning thinning;
} OozeTheory;

/* As the methods understand the numbers; spacing and time step tell what compliance 0 means. */
OozeTheory ooze_theory(const OozeMaterialDef *material, double spacing, double time_step);

double ooze_theory_modulus(const OozeTheory *t);      /* of all modes, Pa */
double ooze_theory_yield_stress(const OozeTheory *t); /* Pa; infinite: none */
/* The longest relaxation time that is finite, s; 0: none. */
double ooze_theory_time(const OozeTheory *t);
/* What a step resists shear by: viscosities, and of each mode its modulus times the part of the
   step that it remembers, Pa s. */
double ooze_theory_resistance(const OozeTheory *t, double dt);
/* Springs back for ever: steady flow has no meaning. */
bool ooze_theory_is_solid(const OozeTheory *t);

/* Small strain. */
double ooze_theory_storage(const OozeTheory *t, double omega);
double ooze_theory_loss(const OozeTheory *t, double omega);
double ooze_theory_relaxation(const OozeTheory *t, double time);

/* After a rate has acted from rest for some time: normal stress difference and pull of a stretch,
   Pa; NaN where the material yields. */
double ooze_theory_normal(const OozeTheory *t, double rate, double time);
double ooze_theory_stretch(const OozeTheory *t, double rate, double time);

/* Shear stress step by step, at constant rate within each. */
typedef struct OozeShearPath {
    double stress[OOZE_MODES_MAX]; /* elastic, not thinned */
} OozeShearPath;
/* Returns the stress at the end of the step. */
double ooze_theory_shear(const OozeTheory *t, OozeShearPath *path, double rate, double dt);
/* Stress over rate after that time at the rate, from rest, Pa s. */
double ooze_theory_viscosity(const OozeTheory *t, double rate, double seconds);
/* The rate at which the next step ends at that stress. */
double ooze_theory_rate_for(const OozeTheory *t, const OozeShearPath *path, double stress,
                            double dt);

#endif
