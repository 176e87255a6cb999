/* Isotropic GGX microfacets, in the local frame of the surface. */
#ifndef OOZE_RENDER_MICROFACET_H
#define OOZE_RENDER_MICROFACET_H

#include "render/bsdf.h"

/* Smith's masking function of one direction. */
static inline float ooze_microfacet_masking(float cosine, float alpha)
{
    float c2 = cosine * cosine;
    return 2.0f * cosine / (cosine + sqrtf(alpha * alpha * (1.0f - c2) + c2));
}

/* The GGX distribution of normals. */
static inline float ooze_microfacet_distribution(float cosine, float alpha)
{
    float a2 = alpha * alpha, d = cosine * cosine * (a2 - 1.0f) + 1.0f;
    return a2 / (OOZE_PI_F * d * d);
}

/* Directional albedo of the coat, interpolated in the table. */
static inline float ooze_bsdf_coat_albedo(const OozeBsdf *bsdf, float cosine)
{
    float at = clampf(cosine, 0.0f, 1.0f) * (OOZE_BSDF_ANGLES - 1);
    int i = (int)at;
    i = i > OOZE_BSDF_ANGLES - 2 ? OOZE_BSDF_ANGLES - 2 : i;
    float weight = at - (float)i;
    return bsdf->coat_albedo[i] * (1.0f - weight) + bsdf->coat_albedo[i + 1] * weight;
}

#endif
