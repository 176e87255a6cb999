/* Skins: looks with every number filled in, and how light scatters on them.

   A surface is seen in a local frame whose z axis is the shading normal, on the side of the ray. All
   skins keep energy: what comes in leaves, but for what a colour below one takes away. */
#ifndef OOZE_RENDER_SKIN_H
#define OOZE_RENDER_SKIN_H

#include "ooze/look.h"
#include "render/float3.h"
#include "render/sampler.h"

enum { OOZE_SKIN_ANGLES = 32 };

typedef struct OozeSkin {
    OozeLookKind kind;
    OozeF3 color;      /* of the body; of metals, reflectance at normal incidence */
    OozeF3 absorption; /* 1/m, of clear and translucent bodies */
    float scattering;  /* 1/m, of clear bodies */
    float refraction;
    float alpha; /* width of the microfacets' slopes; below OOZE_SKIN_MIRROR: a mirror */
    float coat;
    float translucency;
    bool vertex_color; /* the body takes the colour of the point instead */
    /* Share of the light that the coat (of metals: a white metal) reflects, by cosine of the angle, and
       its mean over the hemisphere: what is left over is the body's. */
    float reflected[OOZE_SKIN_ANGLES];
    float mean_reflected;
} OozeSkin;

#define OOZE_SKIN_MIRROR 0.002f

/* `extent`: of the fluid, m, for depths given as a share of it. `color`: of the material or solid.
   `fallback`: name of the row that "auto" means when `name` is that of no row. */
OozeSkin ooze_skin_make(const OozeLookDef *def, const char *name, const char *fallback,
                        const float color[3], double extent);
/* The colour that stands for the whole body where no light is sent through it. */
OozeF3 ooze_skin_plain_color(const OozeSkin *skin);
/* An opaque skin in that colour, for particles and previews. */
OozeSkin ooze_skin_opaque(const OozeSkin *skin);

/* Unpolarised reflectance of a smooth interface; `ratio`: index behind it over index in front. */
float ooze_fresnel(float cosine, float ratio);
/* Direction behind the interface, or false for total reflection; `in` points away from it, normal z. */
bool ooze_refract(OozeF3 in, OozeF3 normal, float ratio, OozeF3 *out);
/* A microfacet's normal seen from `view` (z > 0), all in the local frame. */
OozeF3 ooze_facet(OozeF3 view, float alpha, OozePair random);

/* Opaque, metal and the outside of translucent skins. `view` and `light` local, view.z > 0. */
typedef struct OozeScatter {
    OozeF3 direction; /* local */
    OozeF3 weight;    /* value times cosine over density */
    float density;    /* per steradian; 0: a mirror */
    bool enters;      /* went into a translucent body */
} OozeScatter;

/* Value times cosine, and the density with which `ooze_skin_sample` would take `light`. */
OozeF3 ooze_skin_value(const OozeSkin *skin, OozeF3 color, OozeF3 view, OozeF3 light,
                       float *density);
OozeScatter ooze_skin_sample(const OozeSkin *skin, OozeF3 color, OozeF3 view, OozePair random,
                             OozePair choice);

OozeF3 ooze_sample_cosine(OozePair random);

#endif
