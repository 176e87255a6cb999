#include "render/colour_map.h"

/* sRGB samples of the map "viridis" at equal distances (Smith and van der Walt 2015). */
static const unsigned char samples[][3] = {
    {68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
    {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static OozeF3 interpolate(float position)
{
    float at = isnan(position) ? 0.0f : clampf(position, 0.0f, 1.0f) * (SAMPLES - 1);
    int i = (int)at;
    i = i > SAMPLES - 2 ? SAMPLES - 2 : i;
    OozeF3 a = f3(samples[i][0], samples[i][1], samples[i][2]);
    OozeF3 b = f3(samples[i + 1][0], samples[i + 1][1], samples[i + 1][2]);
    return f3_mix(a, b, at - (float)i);
}

/* IEC 61966-2-1, from 0..255. */
static float linear_of(float byte)
{
    float c = byte / 255.0f;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

OozeF3 ooze_colour_map(float position)
{
    OozeF3 c = interpolate(position);
    return f3(linear_of(c.x), linear_of(c.y), linear_of(c.z));
}

uint32_t ooze_colour_map_srgb(float position)
{
    OozeF3 c = interpolate(position);
    return (uint32_t)(c.x + 0.5f) << 16 | (uint32_t)(c.y + 0.5f) << 8 | (uint32_t)(c.z + 0.5f);
}
