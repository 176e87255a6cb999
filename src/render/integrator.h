/* Paths of light from the camera back to the lights.

   A clear body refracts what the camera, a mirror or another clear body sees through it. After light
   was scattered by anything else, rays cross clear bodies straight, tinted and weakened by reflection:
   shadows of honey are amber without a caustic's noise, and lights can be aimed at through it. */
#ifndef OOZE_RENDER_INTEGRATOR_H
#define OOZE_RENDER_INTEGRATOR_H

#include "render/lights.h"
#include "render/stage.h"

typedef struct OozeTracer {
    const OozeStage *stage;
    const OozeLights *lights;
    OozeF3 centre;   /* of what is looked at */
    float fade_from; /* distance from it at which planes begin to fade into the backdrop */
    float fade_to;   /* and are gone; 0: they do not */
    float wet;       /* a gap between a clear fluid and a solid below this is filled: they touch */
    float brightest; /* most that one path may bring after its first scattering; 0: any */
} OozeTracer;

/* What the denoiser is told about a pixel. */
typedef struct OozeFeatures {
    OozeF3 albedo, normal;
    float distance;
} OozeFeatures;

OozeF3 ooze_trace(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, OozeSampler *sampler,
                  OozeFeatures *features);

/* Share of light that comes straight through to `distance`. */
OozeF3 ooze_trace_clear(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, float distance);

#endif
