/* Looks into skins: numbers filled in, and the table of what the coat reflects. */
#include "render/skin.h"

#include <string.h>

#include "render/skin_lobes.h"

static float or_row(double given, double row)
{
    return (float)(isnan(given) ? row : given);
}

static const OozeLookInfo *find_row(const OozeLookDef *def, const char *name, const char *fallback)
{
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    if (def->type > 0 && def->type < count) {
        return &looks[def->type];
    }
    const OozeLookInfo *found = &looks[0];
    for (int i = 1; i < count; i++) {
        if (strcmp(looks[i].name, name) == 0) {
            return &looks[i];
        }
        found = strcmp(looks[i].name, fallback) == 0 ? &looks[i] : found;
    }
    return found;
}

/* Beer's law: white light has taken on `color` after `depth`. */
static OozeF3 absorption_of(OozeF3 color, float depth)
{
    const float least = 1e-4f;
    return f3(-logf(fmaxf(color.x, least)) / depth, -logf(fmaxf(color.y, least)) / depth,
              -logf(fmaxf(color.z, least)) / depth);
}

/* Mean over facet normals, by a fixed set of points: share of the light of one direction that a
   microfacet coat sends back up. */
static float reflected_at(const OozeSkin *skin, float cosine)
{
    enum { POINTS = 256 };
    OozeF3 view = f3(sqrtf(fmaxf(0.0f, 1.0f - cosine * cosine)), 0.0f, cosine);
    if (skin->alpha < OOZE_SKIN_MIRROR) {
        return skin->kind == OOZE_LOOK_METAL ? 1.0f
                                             : skin->coat * ooze_fresnel(cosine, skin->refraction);
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < POINTS; i++) {
        OozePair random = {((float)i + 0.5f) / POINTS, (float)reverse_bits(i) * 0x1p-32f};
        OozeF3 facet = ooze_facet(view, skin->alpha, random);
        float along = f3_dot(view, facet);
        OozeF3 light = f3_sub(f3_scale(facet, 2.0f * along), view);
        if (light.z > 0.0f) {
            float f = skin->kind == OOZE_LOOK_METAL
                          ? 1.0f
                          : skin->coat * ooze_fresnel(along, skin->refraction);
            sum += (double)(f * ooze_facet_masked(light.z, skin->alpha));
        }
    }
    return (float)(sum / POINTS);
}

static void fill_reflected(OozeSkin *skin)
{
    double mean = 0.0, weight = 0.0;
    for (int i = 0; i < OOZE_SKIN_ANGLES; i++) {
        float cosine = fmaxf((float)i / (OOZE_SKIN_ANGLES - 1), 1e-3f);
        skin->reflected[i] = reflected_at(skin, cosine);
    }
    /* The mean of what is looked up between the entries, weighted by the cosine. */
    enum { STEPS = 512 };
    for (int i = 0; i < STEPS; i++) {
        float cosine = ((float)i + 0.5f) / STEPS;
        mean += (double)(cosine * ooze_skin_reflected(skin, cosine));
        weight += (double)cosine;
    }
    skin->mean_reflected = (float)(mean / weight);
}

OozeSkin ooze_skin_make(const OozeLookDef *def, const char *name, const char *fallback,
                        const float color[3], double extent)
{
    const OozeLookInfo *row = find_row(def, name, fallback);
    OozeSkin skin = {.kind = row->kind,
                     .color = !isnan(def->color[0]) ? f3_load(def->color)
                              : row->has_color      ? f3_load(row->color)
                                                    : f3_load(color),
                     .refraction = or_row(def->refraction, row->refraction),
                     .coat = or_row(def->coat, row->coat),
                     .translucency = or_row(def->translucency, row->translucency)};
    skin.translucency = skin.kind == OOZE_LOOK_TRANSLUCENT ? skin.translucency : 0.0f;
    float roughness = or_row(def->roughness, row->roughness);
    skin.alpha = roughness * roughness;
    float depth = (float)fmax(isnan(def->depth) ? row->depth * extent : def->depth, 1e-9);
    if (skin.kind == OOZE_LOOK_CLEAR || skin.kind == OOZE_LOOK_TRANSLUCENT) {
        skin.absorption = absorption_of(skin.color, depth);
        skin.scattering = or_row(def->cloudiness, row->cloudiness) / depth;
    }
    fill_reflected(&skin);
    return skin;
}

OozeF3 ooze_skin_plain_color(const OozeSkin *skin)
{
    return skin->color;
}

OozeSkin ooze_skin_opaque(const OozeSkin *skin)
{
    OozeSkin opaque = *skin;
    opaque.color = ooze_skin_plain_color(skin);
    if (skin->kind == OOZE_LOOK_CLEAR || skin->kind == OOZE_LOOK_TRANSLUCENT) {
        opaque.kind = OOZE_LOOK_OPAQUE;
        opaque.translucency = 0.0f;
        opaque.alpha = fmaxf(skin->alpha, 0.03f);
        opaque.scattering = 0.0f;
        opaque.absorption = f3_all(0.0f);
        fill_reflected(&opaque);
    }
    return opaque;
}
