/* Light that reaches a point from a light, and what paths have in common. */
#include "render/path.h"

enum { CROSSINGS_MAX = 32 };

void ooze_path_add_radiance(OozeTrace *trace, const OozePath *path, OozeF3 light)
{
    float limit = trace->tracer->radiance_max, largest = f3_max(light);
    if ((path->scattered || path->by_chance) && limit > 0.0f && largest > limit) {
        light = f3_scale(light, limit / largest);
    }
    trace->radiance = f3_add(trace->radiance, light);
}

void ooze_path_record_features(OozeTrace *trace, OozeF3 albedo, OozeF3 normal, float distance)
{
    if (trace->features) {
        OozeFeatures *features = trace->features;
        features->albedo = f3(minf(albedo.x, 1.0f), minf(albedo.y, 1.0f), minf(albedo.z, 1.0f));
        if (f3_dot(features->normal, features->normal) == 0.0f) {
            features->normal = normal;
            features->distance = distance;
        }
        trace->features = NULL;
    }
}

OozeShadingFrame ooze_shading_frame(const OozeHit *hit, OozeF3 direction)
{
    OozeShadingFrame frame;
    float side = hit->front ? 1.0f : -1.0f;
    frame.n = f3_scale(hit->normal, side);
    if (f3_dot(frame.n, direction) >= -1e-3f) {
        frame.n = f3_scale(hit->geometric_normal, side);
    }
    f3_frame(frame.n, &frame.s, &frame.t);
    return frame;
}

OozeF3 ooze_path_offset_point(const OozeTrace *trace, const OozeHit *hit, float side)
{
    return f3_madd(hit->point, side * ooze_ray_scene_epsilon(trace->tracer->scene),
                   hit->geometric_normal);
}

float ooze_straight_transmittance(const OozeHit *hit, OozeF3 direction)
{
    float cosine = fabsf(f3_dot(direction, hit->normal));
    return 1.0f - ooze_fresnel(cosine, hit->bsdf->refraction);
}

OozeF3 ooze_trace_transmittance(const OozeTracer *tracer, const OozeRay *ray, float distance,
                                unsigned shadow)
{
    float epsilon = ooze_ray_scene_epsilon(tracer->scene), at = 0.0f, near = epsilon;
    OozeF3 transmitted = f3_all(1.0f);
    for (int i = 0; i < CROSSINGS_MAX; i++) {
        OozeHit hit;
        if (!ooze_ray_scene_intersect(tracer->scene, ray, near, distance - epsilon, &hit)) {
            return transmitted;
        }
        near = hit.distance + epsilon;
        if (hit.is_wall) {
            continue;
        }
        if (hit.is_plane && (shadow & OOZE_SHADOW_FADES)) {
            return f3_scale(transmitted, ooze_plane_fade(tracer, &hit));
        }
        if (hit.bsdf->kind != OOZE_LOOK_CLEAR || (shadow & OOZE_SHADOW_CLEAR)) {
            return f3_all(0.0f);
        }
        transmitted = f3_scale(transmitted, ooze_straight_transmittance(&hit, ray->direction));
        if (!hit.front) { /* the segment up to here was inside */
            OozeF3 extinction = f3_add(hit.bsdf->absorption, f3_all(hit.bsdf->scattering));
            transmitted = f3_mul(transmitted, ooze_beer(extinction, hit.distance - at));
        }
        at = hit.distance;
    }
    return f3_all(0.0f);
}

/* What a sample of a light brings if nothing is in its way; 0 where it does not illuminate `point`.
   */
static OozeF3 unshadowed(const OozeTracer *tracer, const OozeResponse *response, OozeF3 point,
                         const OozeLightSample *light)
{
    OozeLightSample before; /* lights are in front of the environment */
    if (!(light->pdf > 0.0f) ||
        (light->is_environment && tracer->lights->count > 0 &&
         ooze_lights_hit(tracer->lights, point, light->direction, INFINITY, &before))) {
        return f3_all(0.0f);
    }
    OozeF3 value = response->weighted_value(response->context, light->direction, light->pdf);
    return f3_mul(value, f3_scale(light->radiance, 1.0f / light->pdf));
}

void ooze_path_add_direct_light(OozeTrace *trace, const OozePath *path, OozeF3 point,
                                unsigned shadow, const OozeResponse *response)
{
    const OozeTracer *tracer = trace->tracer;
    const OozeLights *lights = tracer->lights;
    OozePair place = ooze_sampler_pair(trace->sampler);
    float choice = ooze_sampler_pair(trace->sampler).u, total = 0.0f, share = 0.0f;
    OozeLightSample chosen = {.pdf = 0.0f};
    OozeF3 light = f3_all(0.0f);
    for (int i = lights->environment ? -1 : 0; i < lights->count; i++) {
        OozeLightSample sample = ooze_lights_sample(lights, i, point, place);
        OozeF3 brought = unshadowed(tracer, response, point, &sample);
        float luminance = f3_luminance(brought);
        if (!(luminance > 0.0f)) {
            continue;
        }
        /* One of them is kept, in proportion to its luminance; the rest of the random number
           decides about the next. */
        total += luminance;
        float keeps = luminance / total;
        if (choice < keeps) {
            choice /= keeps;
            chosen = sample;
            light = brought;
            share = luminance;
        } else {
            choice = (choice - keeps) / (1.0f - keeps);
        }
    }
    if (!(share > 0.0f)) {
        return;
    }
    shadow |= chosen.is_environment ? OOZE_SHADOW_FADES : OOZE_SHADOW_PLAIN;
    const OozeRay ray = {point, chosen.direction, path->ray.time};
    OozeF3 transmitted = ooze_trace_transmittance(tracer, &ray, chosen.distance, shadow);
    light = f3_scale(f3_mul(f3_mul(light, transmitted), path->throughput), total / share);
    ooze_path_add_radiance(trace, path, light);
}
