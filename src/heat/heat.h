/* Heat, for every method: conduction between particles, exchange with solids and the air, sources,
   phases. One stage of a step; formulas in physics/heat.h. */
#ifndef OOZE_HEAT_HEAT_H
#define OOZE_HEAT_HEAT_H

#include "methods/method.h"

typedef struct OozeHeatSource {
    char *name;
    OozeShape *shape;
    OozePose pose;
    double power;       /* W/m3 */
    double temperature; /* degC; NAN: the source has a power */
    double start, stop; /* s */
} OozeHeatSource;

OozeStatus ooze_heat_source_create(OozeHeatSource *source, const OozeHeatSourceDef *def,
                                   OozeAxis up, double spacing, OozeError *error);
void ooze_heat_source_free(OozeHeatSource *source);

/* A solid as the heat stage sees it. */
typedef struct OozeHeatWall {
    double temperature;  /* degC; NAN: it exchanges no heat */
    double conductivity; /* W/(m K); NAN: that of the particle */
    bool collides;       /* it borders the fluid: there is no air where it is */
} OozeHeatWall;
OozeHeatWall ooze_heat_wall(const OozeSolid *solid);

/* A material as the heat stage sees it. */
typedef struct OozeHeatMaterial {
    double conductivity, capacity; /* W/(m K), J/K of a particle */
    double melting, freezing;      /* degC, freezing <= melting; NAN: it has no phases */
} OozeHeatMaterial;
OozeHeatMaterial ooze_heat_material(const OozeMaterial *material, double spacing);

/* Constants of a spacing and support. */
enum { OOZE_HEAT_DISTANCES = 256 };
/* More stages of conduction in a step than this are refused. */
enum { OOZE_HEAT_STAGES_MAX = 9999 };
typedef struct OozeHeatConstants {
    double spacing, support; /* m */
    double scale;            /* see ooze_heat_scale */
    double area;             /* see ooze_heat_area_scale */
    double border;           /* |sum lap W x| above which a particle is at a surface */
    /* ooze_heat_half_space at distances up to the support */
    double half_space[OOZE_HEAT_DISTANCES + 1];
} OozeHeatConstants;
OozeHeatConstants ooze_heat_constants(double spacing, double support);

/* W/(m K), and J/K of one particle. */
double ooze_heat_conductivity(const OozeMaterial *material);
double ooze_heat_capacity(const OozeMaterial *material, double spacing);

typedef struct OozeHeatJob {
    /* With the neighbour lists of the substep, built before the particles moved. */
    const OozeStepContext *context;
    const OozeHeatConstants *rule;
    /* per particle; of an engine with its own memory they may be outdated */
    double *temperature;
    uint8_t *phase; /* NULL: nothing melts */
    const OozeHeatSource *sources;
    int source_count;
    double air_temperature, air_transfer;
    int stages; /* output: stages that the step took */
} OozeHeatJob;

/* Temperatures and phases at the end of the step, from those at its beginning. */
OozeStatus ooze_heat_step(OozeHeatJob *job, OozeError *error);
/* Stages for a step of that load, the largest dt sum G / C of a particle: see ooze_heat_stages. */
OozeStatus ooze_heat_choose_stages(OozeHeatJob *job, double load, OozeError *error);
/* Seconds of the step in which a source is on. */
double ooze_heat_source_time(const OozeHeatSource *source, const OozeStepContext *context);
/* W into a particle inside a source that is on for `seconds` of the step. */
double ooze_heat_source_power(const OozeHeatSource *source, const OozeStepContext *context,
                              double seconds);
/* Initial phases of the new particles first .. first + n. */
void ooze_heat_initial_phase(const OozeMaterial *materials, const uint16_t *material,
                             const double *temperature, uint8_t *phase, uint64_t first, uint64_t n);

#endif
