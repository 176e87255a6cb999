/* BSDFs: the optical properties of surfaces and of the media behind them, and how they scatter
   light.

   Directions are in a local frame whose z axis is the shading normal on the side of the ray. Every
   BSDF conserves energy: a white one reflects or transmits all light. */
#ifndef OOZE_RENDER_BSDF_H
#define OOZE_RENDER_BSDF_H

#include "ooze/look.h"
#include "render/float3.h"
#include "render/sampler.h"

enum { OOZE_BSDF_ANGLES = 32 };

typedef struct OozeBsdf {
    OozeLookKind kind;
    OozeF3 color;       /* of the base or medium; of metals, reflectance at normal incidence */
    OozeF3 absorption;  /* 1/m, of clear and translucent media */
    float scattering;   /* 1/m, of clear media */
    float refraction;   /* refractive index */
    float alpha;        /* GGX roughness; below OOZE_BSDF_MIRROR: specular */
    float coat;         /* factor of its reflectance */
    float translucency; /* share of the light at the base that enters the medium */
    bool vertex_color;  /* the colour of the hit replaces that of the base */
    OozeTexture texture;
    float texture_scale;    /* m; 0: the plain colour */
    float glow;             /* radiance of the red light emitted at `glow_temperature` */
    float glow_temperature; /* degC */
    /* Directional albedo of the coat (of metals: of a white metal) by cosine, and its mean over the
       hemisphere; the rest of the light reaches the base. */
    float coat_albedo[OOZE_BSDF_ANGLES];
    float mean_coat_albedo;
} OozeBsdf;

#define OOZE_BSDF_MIRROR 0.002f

/* `name`, `color`: of the material or solid; a look without a type is the one called `name`, or
   `fallback`. `extent`: of the fluid, m; the unit of depths that the look does not give. */
OozeBsdf ooze_bsdf_make(const OozeLookDef *def, const char *name, const char *fallback,
                        const float color[3], double extent);
/* The same as an opaque surface, for particles and previews. */
OozeBsdf ooze_bsdf_opaque(const OozeBsdf *bsdf);

/* Unpolarised reflectance of a smooth interface; `ratio`: refractive index behind over that in
   front. */
float ooze_fresnel(float cosine, float ratio);
/* Refracted direction; false for total reflection. `in` points away from the interface. */
bool ooze_refract(OozeF3 in, OozeF3 normal, float ratio, OozeF3 *out);
/* A microfacet normal that is visible from `view` (z > 0), in the local frame. */
OozeF3 ooze_microfacet_sample(OozeF3 view, float alpha, OozePair random);

typedef struct OozeBsdfSample {
    OozeF3 direction; /* local */
    OozeF3 weight;    /* value times cosine over pdf */
    float pdf;        /* per steradian; 0: specular */
    bool enters;      /* into a translucent medium */
} OozeBsdfSample;

/* Parts of a BSDF that are sampled together, by chance, or one by one. */
typedef enum OozeLobe { OOZE_LOBE_ALL, OOZE_LOBE_COAT, OOZE_LOBE_BASE } OozeLobe;

/* Whether it has a coat and a base. */
bool ooze_bsdf_has_lobes(const OozeBsdf *bsdf);
/* Value times cosine and the pdf with which ooze_bsdf_sample samples `light`. Opaque, metal and the
   outside of translucent BSDFs; `view` and `light` are local, view.z > 0. */
OozeF3 ooze_bsdf_evaluate(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view,
                          OozeF3 light, float *pdf);
OozeBsdfSample ooze_bsdf_sample(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view,
                                OozePair random, OozePair choice);

/* Light that a body of this temperature (degC) emits, alike in all directions. */
OozeF3 ooze_bsdf_glow(const OozeBsdf *bsdf, float temperature);

OozeF3 ooze_sample_cosine(OozePair random);

#endif
