/* Heat, for every method: conduction between particles, exchange with solids and the air, sources, phases. One stage
   of a step; formulas in physics/heat.h. */
#ifndef OOZE_HEAT_HEAT_H
#define OOZE_HEAT_HEAT_H

#include "methods/method.h"

typedef struct OozeHeatSource {
    char *name;
    OozeShape *shape;
    OozePose pose;
    double power;       /* W/m3 */
    double temperature; /* degC; NAN: it has a power */
    double start, stop; /* s */
} OozeHeatSource;

OozeStatus ooze_heat_source_create(OozeHeatSource *source, const OozeHeatSourceDef *def,
                                   OozeAxis up, double spacing, OozeError *error);
void ooze_heat_source_free(OozeHeatSource *source);

/* What follows from spacing and support alone. */
enum { OOZE_HEAT_DISTANCES = 256 };
typedef struct OozeHeatRule {
    double scale;  /* see ooze_heat_scale */
    double area;   /* see ooze_heat_area_scale */
    double border; /* least |sum lap W x| of a surface */
    double missing[OOZE_HEAT_DISTANCES +
                   1]; /* see ooze_heat_missing: at distances up to the support */
} OozeHeatRule;
OozeHeatRule ooze_heat_rule(double spacing, double support);

/* W/(m K), and J/K of one particle. */
double ooze_heat_conductivity(const OozeMaterial *material);
double ooze_heat_capacity(const OozeMaterial *material, double spacing);

typedef struct OozeHeatJob {
    const OozeStepContext
        *context; /* with lists of fluid neighbours; particles may have moved a little since */
    const OozeHeatRule *rule;
    double *temperature; /* per particle */
    uint8_t *phase;      /* per particle; NULL: nothing melts */
    const OozeHeatSource *sources;
    int source_count;
    double air_temperature, air_transfer;
    int stages; /* is told: sweeps that the step took */
} OozeHeatJob;

/* Temperatures and phases at the end of the step, from those at its beginning. */
OozeStatus ooze_heat_step(OozeHeatJob *job, OozeError *error);
/* The phase of particles first .. first + n that come into the world. */
void ooze_heat_first_phase(const OozeMaterial *materials, const uint16_t *material,
                           const double *temperature, uint8_t *phase, uint64_t first, uint64_t n);

#endif
