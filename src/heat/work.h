/* What the heat stage works on, in the step arena. */
#ifndef OOZE_HEAT_WORK_H
#define OOZE_HEAT_WORK_H

#include "heat/heat.h"

enum { OOZE_HEAT_GRAIN = 1024 };

typedef struct OozeHeatWork {
    const OozeHeatJob *job;
    uint64_t n;
    const OozeFloat4 *x;
    const uint16_t *material;
    double *conductivity, *capacity; /* per material: W/(m K), J/K of a particle */
    float *weight;                   /* per list entry: conductance, W/K */
    double *bath;      /* per particle: conductance to all that has a given temperature, W/K */
    double *bath_heat; /* the same, times that temperature, and what sources give, W */
    uint8_t *held;     /* per particle: a source holds its temperature */
    double *load;      /* per chunk of OOZE_HEAT_GRAIN: largest dt sum G / C */
    bool open;         /* free surfaces lose heat to the air */
} OozeHeatWork;

/* Solids and air, for particles of one chunk; `inward` holds sum lap W x of each, or is NULL. Both add to what is there. */
void ooze_heat_meet_solids(OozeHeatWork *work, uint64_t begin, uint64_t end, double (*inward)[3]);
void ooze_heat_meet_air(OozeHeatWork *work, uint64_t begin, uint64_t end, double (*inward)[3]);
/* Sources, for the same. */
void ooze_heat_meet_sources(OozeHeatWork *work, uint64_t begin, uint64_t end);

#endif
