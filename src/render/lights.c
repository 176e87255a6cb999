#include "render/lights.h"

#include <string.h>

#define SUN_COSINE 0.9998f /* of an angular radius of one degree; that of the sun is 0.27 */

/* ---- placement ------------------------------------------------------------------------------- */

/* Lights are chosen in proportion to their irradiance at the target. */
static void normalise_probabilities(OozeLights *lights)
{
    float power = lights->environment ? lights->environment->mean_luminance : 0.0f;
    float total = power;
    for (int i = 0; i < lights->count; i++) {
        total += lights->lights[i].probability;
    }
    lights->environment_probability = total > 0.0f ? power / total : 0.0f;
    float sum = lights->environment_probability;
    for (int i = 0; i < lights->count; i++) {
        OozeLight *light = &lights->lights[i];
        light->probability = total > 0.0f ? light->probability / total : 0.0f;
        sum += light->probability;
        light->cumulative = sum;
    }
}

void ooze_lights_add_square(OozeLights *lights, OozeF3 centre, OozeF3 target, OozeF3 up, float size,
                            OozeF3 color, float strength)
{
    if (lights->count == OOZE_LIGHTS_MAX || !(strength > 0.0f)) {
        return;
    }
    OozeF3 to_target = f3_sub(target, centre);
    float distance = maxf(f3_length(to_target), 1e-6f);
    OozeLight *light = &lights->lights[lights->count++];
    *light = (OozeLight){.centre = centre, .axis = f3_unit(to_target), .area = size * size};
    OozeF3 side = f3_cross(light->axis, up);
    if (f3_length(side) < 1e-3f) {
        OozeF3 other;
        f3_frame(light->axis, &side, &other);
    }
    light->right = f3_scale(f3_unit(side), 0.5f * size);
    light->up = f3_scale(f3_unit(f3_cross(side, light->axis)), 0.5f * size);
    /* A white surface at the target, facing the light, has the radiance `strength`. */
    light->radiance = f3_scale(color, OOZE_PI_F * strength * distance * distance / light->area);
    light->probability = strength * f3_luminance(color);
    normalise_probabilities(lights);
}

static void add_sun(OozeLights *lights, OozeF3 from, OozeF3 color, float strength)
{
    OozeLight *light = &lights->lights[lights->count++];
    *light = (OozeLight){.is_sun = true, .axis = f3_unit(from), .cosine = SUN_COSINE};
    light->area = 2.0f * OOZE_PI_F * (1.0f - light->cosine);
    light->radiance = f3_scale(color, OOZE_PI_F * strength / light->area);
    light->probability = strength * f3_luminance(color);
    normalise_probabilities(lights);
}

/* A key light from the left, a back light through transparent media, and a weak cool fill light. */
static void add_studio(OozeLights *lights, const OozeLightPlace *place)
{
    static const struct {
        float right, up, forward; /* direction */
        float distance, size;     /* in radii of what is in view */
        OozeF3 color;
        float strength;
    } rows[] = {
        {-0.85f, 1.00f, -0.45f, 5.0f, 2.7f, {1.0f, 0.90f, 0.76f}, 0.75f},
        {0.60f, 0.85f, 1.00f, 5.0f, 2.6f, {1.0f, 0.94f, 0.86f}, 0.80f},
        {1.00f, 0.40f, -0.60f, 5.0f, 3.4f, {0.80f, 0.89f, 1.0f}, 0.12f},
    };
    OozeF3 right = f3_cross(place->forward, place->up);
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        OozeF3 offset = f3_madd(f3_madd(f3_scale(right, rows[i].right), rows[i].up, place->up),
                                rows[i].forward, place->forward);
        OozeF3 at = f3_madd(place->centre, rows[i].distance * place->size, f3_unit(offset));
        ooze_lights_add_square(lights, at, place->centre, place->up, rows[i].size * place->size,
                               rows[i].color, rows[i].strength);
    }
}

void ooze_lights_make(OozeLights *lights, const OozeRenderDef *def, const OozeLightPlace *place,
                      const OozeEnvironment *environment)
{
    memset(lights, 0, sizeof *lights);
    lights->backdrop = def->backdrop;
    lights->up = place->up;
    lights->forward = place->forward;
    lights->environment = environment;
    for (int i = 0; i < def->light_count; i++) {
        const OozeLightDef *light = &def->lights[i];
        ooze_lights_add_square(lights, f3_of(light->position), f3_of(light->target), place->up,
                               (float)light->size, f3_load(light->color), (float)light->strength);
    }
    OozeF3 sun, sun_radiance;
    if (environment && ooze_environment_sun(environment, &sun, &sun_radiance)) {
        add_sun(lights, sun, sun_radiance, 1.0f);
    }
    normalise_probabilities(lights);
    if (def->light_count > 0 || environment) {
        return;
    }
    if (def->backdrop == OOZE_BACKDROP_SKY) {
        OozeF3 right = f3_cross(place->forward, place->up);
        sun = f3_madd(f3_madd(f3_scale(right, -0.8f), 0.9f, place->up), 0.35f, place->forward);
        add_sun(lights, sun, f3(1.0f, 0.91f, 0.78f), 1.1f);
    } else {
        add_studio(lights, place);
    }
}

/* ---- evaluation and sampling ----------------------------------------------------------------- */

float ooze_lights_environment_pdf(const OozeLights *lights, OozeF3 direction)
{
    return lights->environment ? ooze_environment_pdf(lights->environment, direction) : 0.0f;
}

OozeF3 ooze_lights_backdrop(const OozeLights *lights, OozeF3 direction, bool from_camera)
{
    if (lights->is_uniform) {
        return lights->uniform;
    }
    if (lights->environment) {
        return from_camera ? ooze_environment_background(lights->environment, direction)
                           : ooze_environment_radiance(lights->environment, direction);
    }
    float height = f3_dot(direction, lights->up);
    if (lights->backdrop == OOZE_BACKDROP_SKY) {
        OozeF3 horizon = f3(0.62f, 0.70f, 0.78f), top = f3(0.10f, 0.24f, 0.55f);
        OozeF3 ground = f3(0.30f, 0.28f, 0.25f);
        float share = powf(clampf(height, 0.0f, 1.0f), 0.45f);
        return f3_mix(f3_mix(horizon, top, share), ground, smoothstepf(0.0f, 0.15f, -height));
    }
    /* A wall with a warm glow behind the scene, dark overhead. */
    OozeF3 dim = f3(0.23f, 0.22f, 0.22f), glow = f3(0.86f, 0.81f, 0.73f),
           top = f3(0.10f, 0.11f, 0.13f);
    OozeF3 middle = f3_unit(f3_madd(lights->forward, 0.04f, lights->up));
    float near = expf(-7.0f * (1.0f - f3_dot(direction, middle)));
    return f3_mix(f3_mix(dim, glow, near), top, smoothstepf(0.15f, 0.8f, height));
}

static bool hits_square(const OozeLight *light, OozeF3 from, OozeF3 direction, float far,
                        float *distance)
{
    float cosine = f3_dot(direction, light->axis);
    if (cosine >= 0.0f) { /* from behind */
        return false;
    }
    *distance = f3_dot(f3_sub(light->centre, from), light->axis) / cosine;
    if (!(*distance > 0.0f && *distance < far)) {
        return false;
    }
    OozeF3 at = f3_sub(f3_madd(from, *distance, direction), light->centre);
    return fabsf(f3_dot(at, light->right)) <= f3_dot(light->right, light->right) &&
           fabsf(f3_dot(at, light->up)) <= f3_dot(light->up, light->up);
}

static float square_pdf(const OozeLight *light, OozeF3 direction, float distance)
{
    float cosine = -f3_dot(direction, light->axis);
    return distance * distance / (light->area * maxf(cosine, 1e-6f));
}

int ooze_lights_choose(const OozeLights *lights, float choice)
{
    if (lights->environment && (choice < lights->environment_probability || lights->count == 0)) {
        return -1;
    }
    int i = 0;
    while (i < lights->count - 1 && choice >= lights->lights[i].cumulative) {
        i++;
    }
    return i;
}

OozeLightSample ooze_lights_sample_direction(const OozeLights *lights, int index, OozePair random)
{
    OozeLightSample sample = {.distance = INFINITY, .is_environment = index < 0};
    if (index < 0) {
        sample.direction = ooze_environment_sample(lights->environment, random, &sample.pdf);
        sample.radiance = ooze_environment_radiance(lights->environment, sample.direction);
        return sample;
    }
    const OozeLight *light = &lights->lights[index];
    float z = 1.0f - random.u * (1.0f - light->cosine), r = sqrtf(maxf(1.0f - z * z, 0.0f));
    float phi = 2.0f * OOZE_PI_F * random.v;
    sample.direction = f3_from_frame(light->axis, f3(r * cosf(phi), r * sinf(phi), z));
    sample.radiance = light->radiance;
    sample.pdf = 1.0f / light->area;
    return sample;
}

OozeLightSample ooze_lights_sample(const OozeLights *lights, int index, OozeF3 from,
                                   OozePair random)
{
    if (index < 0 || lights->lights[index].is_sun) {
        return ooze_lights_sample_direction(lights, index, random);
    }
    const OozeLight *light = &lights->lights[index];
    OozeLightSample sample = {.radiance = light->radiance};
    OozeF3 at = f3_madd(light->centre, 2.0f * random.u - 1.0f, light->right);
    OozeF3 to_light = f3_sub(f3_madd(at, 2.0f * random.v - 1.0f, light->up), from);
    sample.distance = f3_length(to_light);
    sample.direction = f3_unit(to_light);
    if (sample.distance > 0.0f && f3_dot(sample.direction, light->axis) < 0.0f) {
        sample.pdf = square_pdf(light, sample.direction, sample.distance);
    }
    return sample;
}

bool ooze_lights_hit(const OozeLights *lights, OozeF3 from, OozeF3 direction, float far,
                     OozeLightSample *hit)
{
    const OozeLight *found = NULL;
    for (int i = 0; i < lights->count; i++) {
        const OozeLight *light = &lights->lights[i];
        float distance;
        if (!light->is_sun && hits_square(light, from, direction, far, &distance)) {
            far = distance;
            found = light;
            hit->pdf = square_pdf(light, direction, distance);
        } else if (light->is_sun && isinf(far) && !found &&
                   f3_dot(direction, light->axis) > light->cosine) {
            found = light;
            hit->pdf = 1.0f / light->area;
        }
    }
    if (found) {
        hit->direction = direction;
        hit->radiance = found->radiance;
        hit->distance = far;
    }
    return found != NULL;
}
