/* Caustics: photons from the lights that clear fluid and glass have focused or spread, stored where
   they arrive. Direct light does not pass clear media at surfaces that gather photons. */
#ifndef OOZE_RENDER_PHOTON_MAP_H
#define OOZE_RENDER_PHOTON_MAP_H

#include "base/threads.h"
#include "render/integrator.h"

typedef struct OozePhoton {
    OozeF3 position;
    OozeF3 direction; /* of flight */
    OozeF3 flux;
} OozePhoton;

/* Photons that are spread over one radius, in the cells of a hash table. */
typedef struct OozePhotonGrid {
    OozePhoton *photons; /* sorted by bucket, in the order of emission within one */
    uint32_t *starts;    /* of the buckets; one more than buckets */
    uint32_t mask;       /* number of buckets less one: a power of two less one */
    uint64_t count;
    float radius;     /* m */
    OozeF3 low, high; /* of the points that photons light */
} OozePhotonGrid;

struct OozePhotonMap {
    OozePhotonGrid sharp; /* of suns */
    OozePhotonGrid soft;  /* of larger lights */
};

typedef struct OozePhotonJob {
    const OozeTracer *tracer;
    uint64_t emitted; /* number of photons that leave the lights */
    uint64_t seed;
    OozeThreads *threads;
} OozePhotonJob;

/* Most memory that the map of so many photons takes while it is made. */
uint64_t ooze_photon_map_bytes(uint64_t emitted);

/* Traces photons at the clear geometry of the scene; the map does not depend on the number of
   threads. */
OozeStatus ooze_photon_map_create(OozePhotonMap *map, const OozePhotonJob *job, OozeError *error);
void ooze_photon_map_free(OozePhotonMap *map);

/* A path asks one of `stride` soft photons only, from `first` < stride on: there are hundreds
   around a point, and what they differ is less than the noise of the path. The choice is even
   if `first` is. */
typedef struct OozePhotonShare {
    uint32_t stride, first;
} OozePhotonShare;

/* Irradiance that photons bring to a surface with this normal, and their mean direction of arrival,
   away from the surface. */
OozeF3 ooze_photon_map_irradiance(const OozePhotonMap *map, OozeF3 point, OozeF3 normal,
                                  OozePhotonShare share, OozeF3 *towards);

#endif
