/* Evaluation and sampling of opaque, metal and translucent BSDFs.

   A coat of microfacets covers a diffuse base. The base receives the light that the coat does not
   reflect, attenuated once more where it leaves, so that a white base under any coat reflects all
   light (Kelemen and Szirmay-Kalos 2001). Metals are scaled by the energy that single scattering
   between microfacets loses (Turquin 2019). */
#include "render/bsdf.h"
#include "render/microfacet.h"

float ooze_fresnel(float cosine, float ratio)
{
    float sine2 = (1.0f - cosine * cosine) / (ratio * ratio);
    if (sine2 >= 1.0f) {
        return 1.0f;
    }
    float cosine_behind = sqrtf(1.0f - sine2);
    float parallel = (ratio * cosine - cosine_behind) / (ratio * cosine + cosine_behind);
    float perpendicular = (cosine - ratio * cosine_behind) / (cosine + ratio * cosine_behind);
    return 0.5f * (parallel * parallel + perpendicular * perpendicular);
}

bool ooze_refract(OozeF3 in, OozeF3 normal, float ratio, OozeF3 *out)
{
    float cosine = f3_dot(in, normal);
    float cosine2_behind = 1.0f - (1.0f - cosine * cosine) / (ratio * ratio);
    if (cosine2_behind <= 0.0f) {
        return false;
    }
    *out = f3_unit(
        f3_madd(f3_scale(in, -1.0f / ratio), cosine / ratio - sqrtf(cosine2_behind), normal));
    return true;
}

/* Samples the distribution of visible normals (Heitz 2018). */
OozeF3 ooze_microfacet_sample(OozeF3 view, float alpha, OozePair random)
{
    OozeF3 v = f3_unit(f3(alpha * view.x, alpha * view.y, view.z));
    float length2 = v.x * v.x + v.y * v.y;
    OozeF3 s = length2 > 0.0f ? f3_scale(f3(-v.y, v.x, 0.0f), 1.0f / sqrtf(length2)) : f3(1, 0, 0);
    OozeF3 t = f3_cross(v, s);
    float r = sqrtf(random.u), phi = 2.0f * OOZE_PI_F * random.v;
    float a = r * cosf(phi), b = r * sinf(phi), blend = 0.5f * (1.0f + v.z);
    b = (1.0f - blend) * sqrtf(maxf(1.0f - a * a, 0.0f)) + blend * b;
    float c = sqrtf(maxf(1.0f - a * a - b * b, 0.0f));
    OozeF3 n = f3_madd(f3_madd(f3_scale(s, a), b, t), c, v);
    return f3_unit(f3(alpha * n.x, alpha * n.y, maxf(n.z, 1e-6f)));
}

OozeF3 ooze_sample_cosine(OozePair random)
{
    float r = sqrtf(random.u), phi = 2.0f * OOZE_PI_F * random.v;
    return f3(r * cosf(phi), r * sinf(phi), sqrtf(maxf(1.0f - random.u, 0.0f)));
}

/* Schlick's approximation: the metal's colour at normal incidence, white at grazing. */
static OozeF3 metal_fresnel(OozeF3 color, float cosine)
{
    float m = clampf(1.0f - cosine, 0.0f, 1.0f), m5 = m * m * m * m * m;
    return f3_add(color, f3_scale(f3_sub(f3_all(1.0f), color), m5));
}

bool ooze_bsdf_has_lobes(const OozeBsdf *bsdf)
{
    return bsdf->kind != OOZE_LOOK_METAL && bsdf->mean_coat_albedo > 0.0f;
}

/* Probability with which sampling chooses the coat. */
static float coat_probability(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view)
{
    if (bsdf->kind == OOZE_LOOK_METAL || lobe == OOZE_LOBE_COAT) {
        return 1.0f;
    }
    if (lobe == OOZE_LOBE_BASE) {
        return 0.0f;
    }
    float coat = ooze_bsdf_coat_albedo(bsdf, view.z);
    float base = (1.0f - coat) * f3_max(color);
    return coat > 0.0f ? clampf(coat / (coat + base), 0.1f, 0.9f) : 0.0f;
}

/* Attenuation of the base by the coat for light that enters and leaves in these directions,
   normalised so that a white base loses no energy. */
static float base_factor(const OozeBsdf *bsdf, float view_z, float light_z)
{
    float transmitted = 1.0f - bsdf->mean_coat_albedo;
    return (1.0f - ooze_bsdf_coat_albedo(bsdf, view_z)) *
           (1.0f - ooze_bsdf_coat_albedo(bsdf, light_z)) / maxf(transmitted, 1e-4f);
}

static OozeF3 coat_fresnel(const OozeBsdf *bsdf, OozeF3 color, float cosine, float view_z)
{
    if (bsdf->kind != OOZE_LOOK_METAL) {
        return f3_all(bsdf->coat * ooze_fresnel(cosine, bsdf->refraction));
    }
    float albedo = maxf(ooze_bsdf_coat_albedo(bsdf, view_z), 1e-3f);
    OozeF3 f = metal_fresnel(color, cosine);
    return f3_mul(f, f3_add(f3_all(1.0f), f3_scale(f, (1.0f - albedo) / albedo)));
}

OozeF3 ooze_bsdf_evaluate(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view,
                          OozeF3 light, float *pdf)
{
    *pdf = 0.0f;
    if (light.z <= 0.0f || view.z <= 0.0f) {
        return f3_all(0.0f);
    }
    float probability = coat_probability(bsdf, lobe, color, view),
          reflected = 1.0f - bsdf->translucency;
    OozeF3 value = f3_all(0.0f);
    if (probability > 0.0f && bsdf->alpha >= OOZE_BSDF_MIRROR) {
        OozeF3 facet = f3_unit(f3_add(view, light));
        float cosine = f3_dot(view, facet), d = ooze_microfacet_distribution(facet.z, bsdf->alpha);
        float view_masking = ooze_microfacet_masking(view.z, bsdf->alpha);
        float light_masking = ooze_microfacet_masking(light.z, bsdf->alpha);
        value = f3_scale(coat_fresnel(bsdf, color, cosine, view.z),
                         d * view_masking * light_masking / (4.0f * view.z));
        *pdf += probability * view_masking * d / (4.0f * view.z);
    }
    if (bsdf->kind != OOZE_LOOK_METAL && lobe != OOZE_LOBE_COAT) {
        float diffuse = base_factor(bsdf, view.z, light.z) * reflected * light.z / OOZE_PI_F;
        value = f3_madd(value, diffuse, color);
        *pdf += (1.0f - probability) * reflected * light.z / OOZE_PI_F;
    }
    return value;
}

static OozeBsdfSample sample_coat(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view,
                                  float probability, OozePair random)
{
    OozeBsdfSample sample = {.weight = f3_all(0.0f)};
    if (bsdf->alpha < OOZE_BSDF_MIRROR) {
        sample.direction = f3(-view.x, -view.y, view.z);
        sample.weight = f3_scale(coat_fresnel(bsdf, color, view.z, view.z), 1.0f / probability);
        return sample;
    }
    OozeF3 facet = ooze_microfacet_sample(view, bsdf->alpha, random);
    sample.direction = f3_sub(f3_scale(facet, 2.0f * f3_dot(view, facet)), view);
    OozeF3 value = ooze_bsdf_evaluate(bsdf, lobe, color, view, sample.direction, &sample.pdf);
    if (sample.pdf > 0.0f) {
        sample.weight = f3_scale(value, 1.0f / sample.pdf);
    }
    return sample;
}

OozeBsdfSample ooze_bsdf_sample(const OozeBsdf *bsdf, OozeLobe lobe, OozeF3 color, OozeF3 view,
                                OozePair random, OozePair choice)
{
    float probability = coat_probability(bsdf, lobe, color, view),
          reflected = 1.0f - bsdf->translucency;
    if (choice.u < probability) {
        return sample_coat(bsdf, lobe, color, view, probability, random);
    }
    OozeBsdfSample sample = {.direction = ooze_sample_cosine(random)};
    if (bsdf->kind == OOZE_LOOK_TRANSLUCENT && choice.v >= reflected) {
        /* Light that enters is coloured by absorption inside. */
        float entering = base_factor(bsdf, view.z, sample.direction.z) / (1.0f - probability);
        sample.weight = f3_all(entering);
        sample.direction.z = -sample.direction.z;
        sample.enters = true;
        return sample;
    }
    OozeF3 value = ooze_bsdf_evaluate(bsdf, lobe, color, view, sample.direction, &sample.pdf);
    sample.weight = sample.pdf > 0.0f ? f3_scale(value, 1.0f / sample.pdf) : f3_all(0.0f);
    return sample;
}
