/* BSDFs made from the looks of materials and solids, and the table of the coat's albedo. */
#include "render/bsdf.h"

#include <string.h>

#include "render/microfacet.h"
#include "solids/look.h"

static float or_default(double given, double row)
{
    return (float)(isnan(given) ? row : given);
}

/* Beer's law: white light has the colour `color` after the distance `depth`. */
static OozeF3 absorption_of(OozeF3 color, float depth)
{
    const float min = 1e-4f;
    return f3(-logf(fmaxf(color.x, min)) / depth, -logf(fmaxf(color.y, min)) / depth,
              -logf(fmaxf(color.z, min)) / depth);
}

/* Directional albedo of the coat, by quadrature over microfacet normals with a fixed set of points.
   */
static float coat_albedo_at(const OozeBsdf *bsdf, float cosine)
{
    enum { POINTS = 256 };
    OozeF3 view = f3(sqrtf(fmaxf(0.0f, 1.0f - cosine * cosine)), 0.0f, cosine);
    if (bsdf->alpha < OOZE_BSDF_MIRROR) {
        return bsdf->kind == OOZE_LOOK_METAL ? 1.0f
                                             : bsdf->coat * ooze_fresnel(cosine, bsdf->refraction);
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < POINTS; i++) {
        OozePair random = {((float)i + 0.5f) / POINTS, (float)reverse_bits(i) * 0x1p-32f};
        OozeF3 facet = ooze_microfacet_sample(view, bsdf->alpha, random);
        float facet_cosine = f3_dot(view, facet);
        OozeF3 light = f3_sub(f3_scale(facet, 2.0f * facet_cosine), view);
        if (light.z > 0.0f) {
            float f = bsdf->kind == OOZE_LOOK_METAL
                          ? 1.0f
                          : bsdf->coat * ooze_fresnel(facet_cosine, bsdf->refraction);
            sum += (double)(f * ooze_microfacet_masking(light.z, bsdf->alpha));
        }
    }
    return (float)(sum / POINTS);
}

static void fill_coat_albedo(OozeBsdf *bsdf)
{
    double mean = 0.0, weight = 0.0;
    for (int i = 0; i < OOZE_BSDF_ANGLES; i++) {
        float cosine = fmaxf((float)i / (OOZE_BSDF_ANGLES - 1), 1e-3f);
        bsdf->coat_albedo[i] = coat_albedo_at(bsdf, cosine);
    }
    /* The cosine-weighted mean of the interpolated table. */
    enum { STEPS = 512 };
    for (int i = 0; i < STEPS; i++) {
        float cosine = ((float)i + 0.5f) / STEPS;
        mean += (double)(cosine * ooze_bsdf_coat_albedo(bsdf, cosine));
        weight += (double)cosine;
    }
    bsdf->mean_coat_albedo = (float)(mean / weight);
}

OozeBsdf ooze_bsdf_make(const OozeLookDef *def, const char *name, const char *fallback,
                        const float color[3], double extent)
{
    const OozeLookInfo *row = ooze_look_find_row(def, name, fallback);
    OozeBsdf bsdf = {.kind = row->kind,
                     .color = !isnan(def->color[0]) ? f3_load(def->color)
                              : row->has_color      ? f3_load(row->color)
                                                    : f3_load(color),
                     .refraction = or_default(def->refraction, row->refraction),
                     .coat = or_default(def->coat, row->coat),
                     .translucency = or_default(def->translucency, row->translucency)};
    bsdf.translucency = bsdf.kind == OOZE_LOOK_TRANSLUCENT ? bsdf.translucency : 0.0f;
    float roughness = or_default(def->roughness, row->roughness);
    bsdf.alpha = roughness * roughness;
    float depth = (float)fmax(isnan(def->depth) ? row->depth * extent : def->depth, 1e-9);
    if (bsdf.kind == OOZE_LOOK_CLEAR || bsdf.kind == OOZE_LOOK_TRANSLUCENT) {
        bsdf.absorption = absorption_of(bsdf.color, depth);
        bsdf.scattering = or_default(def->cloudiness, row->cloudiness) / depth;
    }
    bsdf.texture = row->texture;
    bsdf.texture_scale = row->texture && !isnan(def->scale) ? (float)def->scale : 0.0f;
    bsdf.glow = or_default(def->glow, row->glow);
    bsdf.glow_temperature = or_default(def->glow_temperature, OOZE_GLOW_TEMPERATURE);
    fill_coat_albedo(&bsdf);
    return bsdf;
}

OozeF3 ooze_bsdf_glow(const OozeBsdf *bsdf, float temperature)
{
    /* Wien's law, exp(-c2/(lambda T)), at one wavelength of each primary, relative to daylight of
       6500 K, which is white. */
    static const double c2 = 14388.0, white = 6500.0, zero = 273.15; /* um K, K, K */
    static const double wavelength[3] = {0.610, 0.550, 0.465};       /* um */
    double kelvin = fmax((double)temperature + zero, 1.0), value[3];
    double at = (double)bsdf->glow_temperature + zero;
    for (int k = 0; k < 3; k++) {
        value[k] = exp(-c2 / wavelength[k] * (1.0 / kelvin - 1.0 / white) +
                       c2 / wavelength[0] * (1.0 / at - 1.0 / white));
    }
    return f3_scale(f3((float)value[0], (float)value[1], (float)value[2]), bsdf->glow);
}

OozeBsdf ooze_bsdf_opaque(const OozeBsdf *bsdf)
{
    OozeBsdf opaque = *bsdf;
    if (bsdf->kind == OOZE_LOOK_CLEAR || bsdf->kind == OOZE_LOOK_TRANSLUCENT) {
        opaque.kind = OOZE_LOOK_OPAQUE;
        opaque.translucency = 0.0f;
        opaque.alpha = fmaxf(bsdf->alpha, 0.03f);
        opaque.scattering = 0.0f;
        opaque.absorption = f3_all(0.0f);
        fill_coat_albedo(&opaque);
    }
    return opaque;
}
