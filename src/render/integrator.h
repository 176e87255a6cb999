/* The path tracer: paths from the camera to the lights.

   Clear media refract paths that come from the camera, a mirror or another clear medium. After any
   other scattering a path crosses clear media straight, attenuated by absorption and reflection:
   shadows of honey are amber without the noise of caustics, and lights can be sampled through it.

   Walls of containers cast no shadows: light from outside reaches the fluid through them. Clear
   walls are thin panes, which reflect and do not refract. */
#ifndef OOZE_RENDER_INTEGRATOR_H
#define OOZE_RENDER_INTEGRATOR_H

#include "render/lights.h"
#include "render/ray_scene.h"

typedef struct OozePhotonMap OozePhotonMap;

typedef struct OozeTracer {
    const OozeRayScene *scene;
    const OozeLights *lights;
    const OozePhotonMap *photons; /* light that clear media focus; NULL: it passes them straight */
    OozeF3 centre;                /* of what is in view */
    float fade_from; /* distance from the centre at which planes begin to fade into the backdrop */
    float fade_to;   /* distance at which planes end; 0: no fading */
    float
        contact_gap; /* a clear fluid closer than this to a solid is in contact with it; 0: never */
    float radiance_max; /* clamp of a contribution after the first scattering; 0: none */
} OozeTracer;

/* Auxiliary features of a pixel for the denoiser. */
typedef struct OozeFeatures {
    OozeF3 albedo, normal;
    float distance;
} OozeFeatures;

/* How far a plane has faded into the backdrop at this hit, 0 to 1. */
float ooze_plane_fade(const OozeTracer *tracer, const OozeHit *hit);

/* Radiance of one path; fills `features` for its first scattering. */
OozeF3 ooze_trace(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                  OozeFeatures *features);

/* What stops light on a straight segment besides opaque surfaces. */
typedef enum OozeShadow {
    OOZE_SHADOW_PLAIN = 0,
    OOZE_SHADOW_FADES = 1, /* planes let light of the environment pass where they have faded */
    OOZE_SHADOW_CLEAR = 2, /* clear media stop it: photons bring the light that passes them */
} OozeShadow;

/* Transmittance along a straight segment; 0 where an opaque surface is hit. `shadow`: a combination
   of OozeShadow. */
OozeF3 ooze_trace_transmittance(const OozeTracer *tracer, const OozeRay *ray, float distance,
                                unsigned shadow);

#endif
