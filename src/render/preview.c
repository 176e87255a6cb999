#include "render/preview.h"

/* Light of the backdrop on a surface, as if nothing stood in its way: that of the direction halfway
   between the normal and up. */
static OozeF3 ambient(const OozeLights *lights, OozeF3 normal)
{
    OozeF3 way = f3_unit(f3_add(normal, f3_scale(lights->up, 0.8f)));
    return f3_scale(ooze_lights_backdrop(lights, way), 0.8f);
}

/* The strongest light with its shadow, the others without. */
static OozeF3 direct(const OozeTracer *tracer, const OozeHit *hit, OozeF3 normal)
{
    const OozeLights *lights = tracer->lights;
    OozeF3 sum = f3_all(0.0f), point = f3_madd(hit->point, ooze_stage_hair(tracer->stage), normal);
    for (int i = 0; i < lights->count; i++) {
        const OozeLight *light = &lights->lights[i];
        OozeF3 way = light->is_sun ? light->facing : f3_sub(light->centre, point);
        float distance = light->is_sun ? INFINITY : f3_length(way);
        way = f3_unit(way);
        float cosine = f3_dot(way, normal);
        float share = light->is_sun ? light->area
                                    : light->area * fmaxf(-f3_dot(way, light->facing), 0.0f) /
                                          (distance * distance);
        if (cosine <= 0.0f) {
            continue;
        }
        OozeF3 light_here = f3_scale(light->radiance, share * cosine / OOZE_PI_F);
        OozeHit block;
        if (i == 0 && ooze_stage_hit(tracer->stage, point, way, 0.0f, distance, &block)) {
            light_here = f3_scale(light_here, 0.15f);
        }
        sum = f3_add(sum, light_here);
    }
    return sum;
}

OozeF3 ooze_preview(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, OozeSampler *sampler,
                    OozeFeatures *features)
{
    (void)sampler;
    OozeHit hit;
    OozeF3 behind = ooze_lights_backdrop(tracer->lights, direction);
    if (!ooze_stage_hit(tracer->stage, origin, direction, 0.0f, INFINITY, &hit)) {
        return behind;
    }
    OozeF3 normal = f3_scale(hit.normal, hit.front ? 1.0f : -1.0f);
    OozeF3 light = f3_add(direct(tracer, &hit, normal), ambient(tracer->lights, normal));
    OozeF3 color = f3_mul(hit.color, light);
    *features = (OozeFeatures){hit.color, normal, hit.distance};
    float gone = hit.is_plane && tracer->fade_to > 0.0f
                     ? smoothstepf(tracer->fade_from, tracer->fade_to,
                                   f3_length(f3_sub(hit.point, tracer->centre)))
                     : 0.0f;
    return f3_mix(color, behind, gone);
}
