/* Microfacets with the GGX distribution, isotropic, in the local frame. */
#ifndef OOZE_RENDER_SKIN_LOBES_H
#define OOZE_RENDER_SKIN_LOBES_H

#include "render/skin.h"

/* Smith's masking of one direction. */
static inline float ooze_facet_masked(float cosine, float alpha)
{
    float c2 = cosine * cosine;
    return 2.0f * cosine / (cosine + sqrtf(alpha * alpha * (1.0f - c2) + c2));
}

static inline float ooze_facet_density(float cosine, float alpha)
{
    float a2 = alpha * alpha, d = cosine * cosine * (a2 - 1.0f) + 1.0f;
    return a2 / (OOZE_PI_F * d * d);
}

/* Share that the coat reflects from this direction, between the entries of the table. */
static inline float ooze_skin_reflected(const OozeSkin *skin, float cosine)
{
    float at = clampf(cosine, 0.0f, 1.0f) * (OOZE_SKIN_ANGLES - 1);
    int i = (int)at;
    i = i > OOZE_SKIN_ANGLES - 2 ? OOZE_SKIN_ANGLES - 2 : i;
    float share = at - (float)i;
    return skin->reflected[i] * (1.0f - share) + skin->reflected[i + 1] * share;
}

#endif
