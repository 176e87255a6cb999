/* Photons on their way from the lights through clear fluid and glass. */
#ifndef OOZE_RENDER_PHOTONS_H
#define OOZE_RENDER_PHOTONS_H

#include "render/photon_map.h"

/* The box of all clear geometry, which photons are aimed at. */
typedef struct OozePhotonTarget {
    OozeF3 low, high;
    float area; /* m2, of its mean shadow: a quarter of its surface */
} OozePhotonTarget;

/* False where nothing is clear. */
bool ooze_photon_target(const OozeTracer *tracer, OozePhotonTarget *target);

/* Photons that passed clear media and arrived at other surfaces: the first `sharp` of `count` are
   those of suns; each kind is in the order of its emission. The caller frees them. */
OozeStatus ooze_photons_trace(const OozePhotonJob *job, const OozePhotonTarget *target,
                              OozePhoton **photons, uint64_t *sharp, uint64_t *count,
                              OozeError *error);

#endif
