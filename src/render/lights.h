/* Lights: the backdrop in all directions, square area lights, and a sun. */
#ifndef OOZE_RENDER_LIGHTS_H
#define OOZE_RENDER_LIGHTS_H

#include "ooze/render.h"
#include "render/environment.h"
#include "render/float3.h"
#include "render/sampler.h"

enum { OOZE_LIGHTS_MAX = 64 };

typedef struct OozeLight {
    bool is_sun;
    OozeF3 axis; /* square: the normal of its emitting side; sun: the direction towards it */
    OozeF3 centre, right, up; /* of a square; half edges right and up */
    OozeF3 radiance;
    float area;        /* m2 of a square; steradians of a sun */
    float cosine;      /* sun: of its angular radius */
    float cumulative;  /* of the probabilities, this light included */
    float probability; /* of emitting a photon */
} OozeLight;

typedef struct OozeLights {
    OozeBackdrop backdrop;
    OozeF3 up, forward; /* forward: horizontal, from the camera */
    OozeF3 uniform;     /* where is_uniform: constant radiance instead of that of the backdrop */
    bool is_uniform;
    const OozeEnvironment *environment; /* instead of the backdrop; NULL: none */
    float environment_probability;      /* of emitting a photon */
    OozeLight lights[OOZE_LIGHTS_MAX];
    int count;
} OozeLights;

/* The lights of a backdrop are placed around `centre`, relative to the camera. */
typedef struct OozeLightPlace {
    OozeF3 centre, up, forward; /* forward: horizontal, from the camera */
    float size;                 /* radius of what is in view */
} OozeLightPlace;

/* `environment`: NULL for the lights of the backdrop. */
void ooze_lights_make(OozeLights *lights, const OozeRenderDef *def, const OozeLightPlace *place,
                      const OozeEnvironment *environment);
/* Adds a square and updates the probabilities of all lights. */
void ooze_lights_add_square(OozeLights *lights, OozeF3 centre, OozeF3 target, OozeF3 up, float size,
                            OozeF3 color, float strength);

/* Radiance of the backdrop or environment in a direction, without the sun. The camera sees the
   backdrop of an environment. */
OozeF3 ooze_lights_backdrop(const OozeLights *lights, OozeF3 direction, bool from_camera);
/* Pdf with which sampling takes a direction of the environment; 0: there is none. */
float ooze_lights_environment_pdf(const OozeLights *lights, OozeF3 direction);

typedef struct OozeLightSample {
    OozeF3 direction, radiance;
    float distance;
    float pdf; /* per steradian, of the samples of that light; 0: no light */
    bool is_environment;
} OozeLightSample;
/* Index of the light that a random number chooses; -1: the environment. */
int ooze_lights_choose(const OozeLights *lights, float choice);
/* Samples a direction of the sun of that index, or of the environment: -1. */
OozeLightSample ooze_lights_sample_direction(const OozeLights *lights, int index, OozePair random);
/* Samples that light, or the environment: -1. */
OozeLightSample ooze_lights_sample(const OozeLights *lights, int index, OozeF3 from,
                                   OozePair random);

/* The light hit within `far`; its pdf is that with which sampling takes the direction. False for
   none. */
bool ooze_lights_hit(const OozeLights *lights, OozeF3 from, OozeF3 direction, float far,
                     OozeLightSample *hit);

#endif
