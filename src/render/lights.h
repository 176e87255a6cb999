/* Lights: the backdrop all around, squares that shine, and a sun. */
#ifndef OOZE_RENDER_LIGHTS_H
#define OOZE_RENDER_LIGHTS_H

#include "ooze/render.h"
#include "render/float3.h"
#include "render/sampler.h"

enum { OOZE_LIGHTS_MAX = 64 };

typedef struct OozeLight {
    bool is_sun;
    OozeF3 centre, facing, right, up; /* square: half edges right and up; sun: `facing` from it */
    OozeF3 radiance;
    float area;       /* m2 of a square; steradians of a sun */
    float cosine;     /* sun: of its angular radius */
    float cumulative; /* share of this and all lights before it when one is chosen */
    float chance;
} OozeLight;

typedef struct OozeLights {
    OozeBackdrop backdrop;
    OozeF3 up, forward; /* forward: level, from the camera */
    OozeF3 even;        /* where `is_even`: the same radiance from everywhere, for tests */
    bool is_even;
    OozeLight lights[OOZE_LIGHTS_MAX];
    int count;
} OozeLights;

/* Where the lights of a backdrop stand: around `centre`, relative to the camera. */
typedef struct OozeLightPlace {
    OozeF3 centre, up, forward; /* forward: level, from the camera */
    float size;                 /* radius of what is looked at */
} OozeLightPlace;

void ooze_lights_make(OozeLights *lights, const OozeRenderDef *def, const OozeLightPlace *place);
/* Only an even glow, for tests. */
void ooze_lights_make_even(OozeLights *lights, OozeF3 radiance);
/* Adds a square; chances are anew for all. */
void ooze_lights_add_square(OozeLights *lights, OozeF3 centre, OozeF3 target, OozeF3 up, float size,
                            OozeF3 color, float strength);

/* Radiance of the backdrop in a direction, sun left out. */
OozeF3 ooze_lights_backdrop(const OozeLights *lights, OozeF3 direction);

typedef struct OozeLightSample {
    OozeF3 direction, radiance;
    float distance;
    float density; /* per steradian, with the choice of the light in it; 0: no light */
} OozeLightSample;
OozeLightSample ooze_lights_sample(const OozeLights *lights, OozeF3 from, OozePair random,
                                   float choice);

/* The light met within `far`: its radiance, and the density with which sampling takes that direction.
   False where there is none. */
bool ooze_lights_hit(const OozeLights *lights, OozeF3 from, OozeF3 direction, float far,
                     OozeF3 *radiance, float *density);

#endif
