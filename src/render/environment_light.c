/* Radiance of the environments. */
#include "render/environment.h"

/* Factors with which a white surface that faces up has a radiance of 1. */
#define STUDIO_LEVEL  0.58f
#define SKY_LEVEL     0.74f
#define KITCHEN_LEVEL 0.70f

/* A light of rectangular outline with soft edges, as seen from the scene. */
typedef struct Box {
    OozeF3 towards;   /* direction of its centre, local */
    float wide, high; /* tangents of half its angles */
    float edge;       /* width of the soft edge, as a share */
    OozeF3 radiance;
} Box;

static OozeF3 local_of(const OozeEnvironment *environment, OozeF3 direction)
{
    return f3(f3_dot(direction, environment->right), f3_dot(direction, environment->up),
              f3_dot(direction, environment->forward));
}

/* Coordinates on the box, -1 to 1 within it; false behind. */
static bool project_on_box(const Box *box, OozeF3 d, float *x, float *y)
{
    OozeF3 axis = f3_unit(box->towards);
    float depth = f3_dot(d, axis);
    if (depth <= 1e-3f) {
        return false;
    }
    OozeF3 side = f3_cross(f3(0, 1, 0), axis);
    side = f3_length(side) > 1e-3f ? f3_unit(side) : f3(1, 0, 0);
    OozeF3 top = f3_cross(axis, side);
    *x = f3_dot(d, side) / (depth * box->wide);
    *y = f3_dot(d, top) / (depth * box->high);
    return true;
}

/* How much of the light a direction sees, 0 to 1. */
static float box_share(const Box *box, OozeF3 d)
{
    float x, y;
    if (!project_on_box(box, d, &x, &y)) {
        return 0.0f;
    }
    return (1.0f - smoothstepf(1.0f - box->edge, 1.0f, fabsf(x))) *
           (1.0f - smoothstepf(1.0f - box->edge, 1.0f, fabsf(y)));
}

/* ---- studio ---------------------------------------------------------------------------------- */

static OozeF3 studio(OozeF3 d)
{
    static const Box boxes[] = {
        {{-0.85f, 0.85f, -0.35f}, 0.45f, 0.60f, 0.15f, {6.4f, 6.0f, 5.5f}}, /* key */
        {{0.75f, 0.55f, 0.80f}, 0.16f, 0.75f, 0.15f, {7.5f, 7.2f, 6.9f}},   /* rim */
        {{0.10f, 1.00f, 0.25f}, 0.55f, 0.40f, 0.30f, {2.2f, 2.2f, 2.2f}},   /* overhead */
        {{0.95f, 0.25f, -0.55f}, 0.40f, 0.40f, 0.50f, {0.7f, 0.8f, 1.0f}},  /* fill */
    };
    OozeF3 light =
        f3_mix(f3(0.20f, 0.20f, 0.21f), f3(0.07f, 0.07f, 0.08f), smoothstepf(0.0f, 0.8f, d.y));
    for (int i = 0; i < (int)(sizeof boxes / sizeof boxes[0]); i++) {
        light = f3_madd(light, box_share(&boxes[i], d), boxes[i].radiance);
    }
    return light;
}

/* ---- sky ------------------------------------------------------------------------------------- */

/* Half left, high, a little behind the scene. */
static OozeF3 sun_direction(void)
{
    return f3_unit(f3(-0.80f, 0.75f, 0.42f));
}

/* A clear sky: blue overhead, pale at the horizon, a glow around the sun; dull ground below. */
static OozeF3 sky(OozeF3 d)
{
    const OozeF3 horizon = {0.66f, 0.76f, 0.86f}, top = {0.13f, 0.29f, 0.66f},
                 ground = {0.17f, 0.155f, 0.135f}, glow = {1.0f, 0.86f, 0.62f};
    float height = clampf(d.y, 0.0f, 1.0f), to_sun = f3_dot(d, sun_direction());
    OozeF3 air = f3_mix(horizon, top, 1.0f - expf(-3.2f * height));
    /* Rayleigh's phase function, and haze that scatters forward. */
    air = f3_scale(air, 0.75f * (1.0f + 0.55f * to_sun * to_sun));
    float haze = expf(-9.0f * (1.0f - to_sun)), aureole = expf(-160.0f * (1.0f - to_sun));
    air = f3_madd(f3_madd(air, 0.45f * haze, glow), 2.5f * aureole, glow);
    return f3_mix(air, ground, smoothstepf(0.0f, 0.35f, -d.y));
}

/* ---- kitchen --------------------------------------------------------------------------------- */

/* A window with two bars on the left, a lamp over the right, and a warm room around. */
static OozeF3 kitchen(OozeF3 d)
{
    static const Box window = {{-0.95f, 0.42f, 0.35f}, 0.42f, 0.50f, 0.04f, {7.4f, 8.2f, 9.6f}};
    const OozeF3 lamp_axis = f3_unit(f3(0.55f, 0.75f, -0.10f)), lamp = {17.0f, 11.0f, 5.2f};
    const OozeF3 wall = {0.30f, 0.245f, 0.185f}, ceiling = {0.34f, 0.32f, 0.29f},
                 floor = {0.11f, 0.075f, 0.05f};
    OozeF3 room = f3_mix(wall, ceiling, smoothstepf(0.35f, 0.75f, d.y));
    room = f3_mix(room, floor, smoothstepf(0.05f, 0.45f, -d.y));
    /* A worktop and cupboards as bands, which reflections show. */
    float band = smoothstepf(0.10f, 0.12f, d.y) * (1.0f - smoothstepf(0.30f, 0.32f, d.y));
    room = f3_scale(room, 1.0f - 0.30f * band * smoothstepf(0.1f, 0.5f, d.z));
    float x, y, share = box_share(&window, d);
    if (share > 0.0f && project_on_box(&window, d, &x, &y)) {
        float bar = fminf(fabsf(x), fabsf(y - 0.15f));
        share *= smoothstepf(0.035f, 0.055f, bar);
        OozeF3 outside = f3_mix(f3(0.75f, 0.95f, 0.62f), f3_all(1.0f), smoothstepf(-0.6f, 0.1f, y));
        room = f3_mix(room, f3_mul(window.radiance, outside), share);
    }
    float cosine = f3_dot(d, lamp_axis);
    float shade = smoothstepf(0.966f, 0.974f, cosine), around = expf(-14.0f * (1.0f - cosine));
    room = f3_madd(room, 0.05f * around, lamp);
    return f3_mix(room, lamp, shade);
}

/* ---- all ------------------------------------------------------------------------------------- */

OozeF3 ooze_environment_radiance(const OozeEnvironment *environment, OozeF3 direction)
{
    OozeF3 d = local_of(environment, direction);
    OozeF3 light = environment->type == OOZE_ENVIRONMENT_STUDIO ? f3_scale(studio(d), STUDIO_LEVEL)
                   : environment->type == OOZE_ENVIRONMENT_SKY
                       ? f3_scale(sky(d), SKY_LEVEL)
                       : f3_scale(kitchen(d), KITCHEN_LEVEL);
    return f3_scale(light, environment->strength);
}

OozeF3 ooze_environment_background(const OozeEnvironment *environment, OozeF3 direction)
{
    OozeF3 d = local_of(environment, direction), light;
    if (environment->type == OOZE_ENVIRONMENT_SKY) {
        /* Haze hides the far ground. */
        light = f3_scale(sky(f3_unit(f3(d.x, fmaxf(d.y, 0.0f), d.z))), SKY_LEVEL);
    } else if (environment->type == OOZE_ENVIRONMENT_STUDIO) {
        float near = expf(-4.0f * (1.0f - f3_dot(d, f3_unit(f3(0, 0.05f, 1)))));
        light = f3_mix(f3(0.12f, 0.12f, 0.13f), f3(0.52f, 0.52f, 0.53f), near);
    } else {
        float from_window = expf(-2.2f * (1.0f + d.x));
        light = f3_mix(f3(0.33f, 0.25f, 0.17f), f3(0.72f, 0.68f, 0.60f), from_window);
        light = f3_mix(light, f3(0.24f, 0.19f, 0.15f), smoothstepf(0.10f, 0.6f, fabsf(d.y - 0.2f)));
    }
    return f3_scale(light, environment->strength);
}

bool ooze_environment_sun(const OozeEnvironment *environment, OozeF3 *direction, OozeF3 *radiance)
{
    OozeF3 sun = sun_direction();
    OozeF3 towards = f3_madd(f3_scale(environment->right, sun.x), sun.y, environment->up);
    *direction = f3_madd(towards, sun.z, environment->forward);
    *radiance = f3_scale(f3(1.7f, 1.5f, 1.22f), SKY_LEVEL * environment->strength);
    return environment->type == OOZE_ENVIRONMENT_SKY;
}
