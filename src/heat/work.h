/* Working memory of the heat stage, in the step arena. */
#ifndef OOZE_HEAT_WORK_H
#define OOZE_HEAT_WORK_H

#include "heat/heat.h"

enum { OOZE_HEAT_GRAIN = 1024 };

typedef struct OozeHeatWork {
    const OozeHeatJob *job;
    uint64_t n;
    const OozeFloat4 *x;
    const uint16_t *material;
    OozeHeatMaterial *materials;
    float *weight;     /* per list entry: conductance, W/K */
    double *bath;      /* per particle: conductance to solids and air of given temperatures, W/K */
    double *bath_heat; /* sum of these conductances times their temperatures, and of sources, W */
    uint8_t *held;     /* per particle: a source prescribes its temperature */
    double *load;      /* per chunk of OOZE_HEAT_GRAIN: largest dt sum G / C */
    bool open;         /* free surfaces lose heat to the air */
} OozeHeatWork;

/* Add the exchange of the particles of one chunk with solids and air to `bath` and `bath_heat`;
   `inward` is sum lap W x of each, or NULL. */
void ooze_heat_exchange_solids(OozeHeatWork *work, uint64_t begin, uint64_t end,
                               double (*inward)[3]);
void ooze_heat_exchange_surfaces(OozeHeatWork *work, uint64_t begin, uint64_t end,
                                 double (*inward)[3]);
/* Add the power of sources to `bath_heat`, and set the temperatures that sources prescribe. */
void ooze_heat_exchange_sources(OozeHeatWork *work, uint64_t begin, uint64_t end);

#endif
