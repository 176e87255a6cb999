/* How light scatters on opaque, metal and translucent skins.

   A coat of microfacets over a body: the body gets what the coat leaves, on the way in and on the way
   out, so that a white body under any coat reflects all there is (Kelemen and Szirmay-Kalos 2001).
   Metals are scaled by what single scattering between facets loses (Turquin 2019). */
#include "render/skin.h"
#include "render/skin_lobes.h"

float ooze_fresnel(float cosine, float ratio)
{
    float sine2 = (1.0f - cosine * cosine) / (ratio * ratio);
    if (sine2 >= 1.0f) {
        return 1.0f;
    }
    float behind = sqrtf(1.0f - sine2);
    float parallel = (ratio * cosine - behind) / (ratio * cosine + behind);
    float across = (cosine - ratio * behind) / (cosine + ratio * behind);
    return 0.5f * (parallel * parallel + across * across);
}

bool ooze_refract(OozeF3 in, OozeF3 normal, float ratio, OozeF3 *out)
{
    float cosine = f3_dot(in, normal);
    float behind2 = 1.0f - (1.0f - cosine * cosine) / (ratio * ratio);
    if (behind2 <= 0.0f) {
        return false;
    }
    *out = f3_unit(f3_madd(f3_scale(in, -1.0f / ratio), cosine / ratio - sqrtf(behind2), normal));
    return true;
}

/* Heitz 2018: the facets that `view` sees, each as often as it sees it. */
OozeF3 ooze_facet(OozeF3 view, float alpha, OozePair random)
{
    OozeF3 v = f3_unit(f3(alpha * view.x, alpha * view.y, view.z));
    float across2 = v.x * v.x + v.y * v.y;
    OozeF3 s = across2 > 0.0f ? f3_scale(f3(-v.y, v.x, 0.0f), 1.0f / sqrtf(across2)) : f3(1, 0, 0);
    OozeF3 t = f3_cross(v, s);
    float r = sqrtf(random.u), phi = 2.0f * OOZE_PI_F * random.v;
    float a = r * cosf(phi), b = r * sinf(phi), share = 0.5f * (1.0f + v.z);
    b = (1.0f - share) * sqrtf(fmaxf(0.0f, 1.0f - a * a)) + share * b;
    float c = sqrtf(fmaxf(0.0f, 1.0f - a * a - b * b));
    OozeF3 n = f3_madd(f3_madd(f3_scale(s, a), b, t), c, v);
    return f3_unit(f3(alpha * n.x, alpha * n.y, fmaxf(n.z, 1e-6f)));
}

OozeF3 ooze_sample_cosine(OozePair random)
{
    float r = sqrtf(random.u), phi = 2.0f * OOZE_PI_F * random.v;
    return f3(r * cosf(phi), r * sinf(phi), sqrtf(fmaxf(0.0f, 1.0f - random.u)));
}

/* Schlick's metal: its colour head-on, white at grazing. */
static OozeF3 metal_color(OozeF3 color, float cosine)
{
    float m = clampf(1.0f - cosine, 0.0f, 1.0f), m5 = m * m * m * m * m;
    return f3_add(color, f3_scale(f3_sub(f3_all(1.0f), color), m5));
}

/* How often sampling takes the coat. */
static float coat_share(const OozeSkin *skin, OozeF3 color, OozeF3 view)
{
    if (skin->kind == OOZE_LOOK_METAL) {
        return 1.0f;
    }
    float coat = ooze_skin_reflected(skin, view.z);
    float body = (1.0f - coat) * f3_max(color);
    return coat > 0.0f ? clampf(coat / (coat + body), 0.1f, 0.9f) : 0.0f;
}

/* Share of the body's light that comes out as seen from both directions, times cosine over pi. */
static float body_share(const OozeSkin *skin, float view_z, float light_z)
{
    float left = 1.0f - skin->mean_reflected;
    return (1.0f - ooze_skin_reflected(skin, view_z)) *
           (1.0f - ooze_skin_reflected(skin, light_z)) / fmaxf(left, 1e-4f);
}

static OozeF3 coat_color(const OozeSkin *skin, OozeF3 color, float along, float view_z)
{
    if (skin->kind != OOZE_LOOK_METAL) {
        return f3_all(skin->coat * ooze_fresnel(along, skin->refraction));
    }
    float kept = fmaxf(ooze_skin_reflected(skin, view_z), 1e-3f);
    OozeF3 f = metal_color(color, along);
    return f3_mul(f, f3_add(f3_all(1.0f), f3_scale(f, (1.0f - kept) / kept)));
}

OozeF3 ooze_skin_value(const OozeSkin *skin, OozeF3 color, OozeF3 view, OozeF3 light,
                       float *density)
{
    *density = 0.0f;
    if (light.z <= 0.0f || view.z <= 0.0f) {
        return f3_all(0.0f);
    }
    float share = coat_share(skin, color, view), keeps = 1.0f - skin->translucency;
    OozeF3 value = f3_all(0.0f);
    if (share > 0.0f && skin->alpha >= OOZE_SKIN_MIRROR) {
        OozeF3 facet = f3_unit(f3_add(view, light));
        float along = f3_dot(view, facet), d = ooze_facet_density(facet.z, skin->alpha);
        float seen = ooze_facet_masked(view.z, skin->alpha);
        float lit = ooze_facet_masked(light.z, skin->alpha);
        value = f3_scale(coat_color(skin, color, along, view.z), d * seen * lit / (4.0f * view.z));
        *density += share * seen * d / (4.0f * view.z);
    }
    if (skin->kind != OOZE_LOOK_METAL) {
        float diffuse = body_share(skin, view.z, light.z) * keeps * light.z / OOZE_PI_F;
        value = f3_madd(value, diffuse, color);
        *density += (1.0f - share) * keeps * light.z / OOZE_PI_F;
    }
    return value;
}

static OozeScatter sample_coat(const OozeSkin *skin, OozeF3 color, OozeF3 view, float share,
                               OozePair random)
{
    OozeScatter scatter = {.weight = f3_all(0.0f)};
    if (skin->alpha < OOZE_SKIN_MIRROR) {
        scatter.direction = f3(-view.x, -view.y, view.z);
        scatter.weight = f3_scale(coat_color(skin, color, view.z, view.z), 1.0f / share);
        return scatter;
    }
    OozeF3 facet = ooze_facet(view, skin->alpha, random);
    scatter.direction = f3_sub(f3_scale(facet, 2.0f * f3_dot(view, facet)), view);
    OozeF3 value = ooze_skin_value(skin, color, view, scatter.direction, &scatter.density);
    if (scatter.density > 0.0f) {
        scatter.weight = f3_scale(value, 1.0f / scatter.density);
    }
    return scatter;
}

OozeScatter ooze_skin_sample(const OozeSkin *skin, OozeF3 color, OozeF3 view, OozePair random,
                             OozePair choice)
{
    float share = coat_share(skin, color, view), keeps = 1.0f - skin->translucency;
    if (choice.u < share) {
        return sample_coat(skin, color, view, share, random);
    }
    OozeScatter scatter = {.direction = ooze_sample_cosine(random)};
    if (skin->kind == OOZE_LOOK_TRANSLUCENT && choice.v >= keeps) {
        /* What enters takes its colour on its way through. */
        float in = body_share(skin, view.z, scatter.direction.z) / (1.0f - share);
        scatter.weight = f3_all(in);
        scatter.direction.z = -scatter.direction.z;
        scatter.enters = true;
        return scatter;
    }
    OozeF3 value = ooze_skin_value(skin, color, view, scatter.direction, &scatter.density);
    scatter.weight =
        scatter.density > 0.0f ? f3_scale(value, 1.0f / scatter.density) : f3_all(0.0f);
    return scatter;
}
