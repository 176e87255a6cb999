/* Theoretical response of a material: Maxwell modes with a solvent, rate-dependent viscosity and
   yielding. Shear stress for any history of shear; other quantities where a formula exists. */
#ifndef OOZE_RHEOLOGY_THEORY_H
#define OOZE_RHEOLOGY_THEORY_H

#include "ooze/world.h"
#include "physics/thinning.h"
#include "rheology/model.h"

typedef struct OozeTheory {
    int modes;
    double modulus[OOZE_MODES_MAX], time[OOZE_MODES_MAX]; /* Pa, s; a time may be infinite */
    double viscosity;                                     /* Pa s, without relaxation; thins */
    double solvent; /* Pa s; thins only beside a yield strain */
    double yield;   /* elastic strain; infinite: none */
    OozeThinning thinning;
} OozeTheory;

/* As the methods interpret the material; spacing and time step determine compliance 0. */
OozeTheory ooze_theory(const OozeMaterialDef *material, double spacing, double time_step);

double ooze_theory_modulus(const OozeTheory *t);      /* of all modes, Pa */
double ooze_theory_yield_stress(const OozeTheory *t); /* Pa; infinite: none */
/* The longest finite relaxation time, s; 0: none. */
double ooze_theory_time(const OozeTheory *t);
/* Effective viscosity of a step, Pa s: viscosities, and the stress per rate that each mode builds
   up in a step. */
double ooze_theory_resistance(const OozeTheory *t, double dt);
/* A mode never relaxes: steady flow is not defined. */
bool ooze_theory_is_solid(const OozeTheory *t);

/* Small strain. */
double ooze_theory_storage(const OozeTheory *t, double omega);
double ooze_theory_loss(const OozeTheory *t, double omega);
double ooze_theory_relaxation(const OozeTheory *t, double time);

/* After `time` at a constant rate from rest, Pa: first normal stress difference, and tensile stress
   in extension; NaN for materials with a yield strain. */
double ooze_theory_normal(const OozeTheory *t, double rate, double time);
double ooze_theory_stretch(const OozeTheory *t, double rate, double time);

/* State of the shear stress, integrated step by step at constant rate within each. */
typedef struct OozeShearHistory {
    double stress[OOZE_MODES_MAX]; /* elastic, not thinned */
} OozeShearHistory;
/* Returns the stress at the end of the step. */
double ooze_theory_shear(const OozeTheory *t, OozeShearHistory *path, double rate, double dt);
/* Stress / rate after `seconds` at a constant rate from rest, Pa s. */
double ooze_theory_viscosity(const OozeTheory *t, double rate, double seconds);
/* The rate at which the next step ends at that stress. */
double ooze_theory_rate_for(const OozeTheory *t, const OozeShearHistory *path, double stress,
                            double dt);

#endif
