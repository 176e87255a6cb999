#include "render/preview.h"

/* Unoccluded light of the backdrop, from the direction between the normal and up. */
static OozeF3 ambient(const OozeLights *lights, OozeF3 normal)
{
    OozeF3 direction = f3_unit(f3_add(normal, f3_scale(lights->up, 0.8f)));
    return f3_scale(ooze_lights_backdrop(lights, direction, false), 0.8f);
}

/* All lights; the first casts shadows. */
static OozeF3 direct(const OozeTracer *tracer, const OozeHit *hit, OozeF3 normal, float time)
{
    const OozeLights *lights = tracer->lights;
    OozeF3 sum = f3_all(0.0f),
           point = f3_madd(hit->point, ooze_ray_scene_epsilon(tracer->scene), normal);
    for (int i = 0; i < lights->count; i++) {
        const OozeLight *light = &lights->lights[i];
        OozeF3 direction = light->is_sun ? light->axis : f3_sub(light->centre, point);
        float distance = light->is_sun ? INFINITY : f3_length(direction);
        direction = f3_unit(direction);
        float cosine = f3_dot(direction, normal);
        float solid_angle =
            light->is_sun
                ? light->area
                : light->area * maxf(-f3_dot(direction, light->axis), 0.0f) / (distance * distance);
        if (cosine <= 0.0f) {
            continue;
        }
        OozeF3 irradiance = f3_scale(light->radiance, solid_angle * cosine / OOZE_PI_F);
        const OozeRay shadow = {point, direction, time};
        if (i == 0 && f3_max(ooze_trace_transmittance(tracer, &shadow, distance,
                                                      OOZE_SHADOW_PLAIN)) == 0.0f) {
            irradiance = f3_scale(irradiance, 0.15f);
        }
        sum = f3_add(sum, irradiance);
    }
    return sum;
}

OozeF3 ooze_preview(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                    OozeFeatures *features)
{
    (void)sampler;
    OozeHit hit;
    OozeF3 backdrop = ooze_lights_backdrop(tracer->lights, ray->direction, true);
    if (!ooze_ray_scene_intersect(tracer->scene, ray, 0.0f, INFINITY, &hit)) {
        return backdrop;
    }
    OozeF3 normal = f3_scale(hit.normal, hit.front ? 1.0f : -1.0f);
    OozeF3 light = f3_add(direct(tracer, &hit, normal, ray->time), ambient(tracer->lights, normal));
    OozeF3 color = f3_add(f3_mul(hit.color, light), hit.emission);
    *features = (OozeFeatures){hit.color, normal, hit.distance};
    return f3_mix(color, backdrop, ooze_plane_fade(tracer, &hit));
}
