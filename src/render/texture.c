#include "render/texture.h"

#include <stdint.h>

#include "base/hash.h"

/* ---- noise ----------------------------------------------------------------------------------- */

/* A random number from 0 to 1 of a cell of the integer lattice. */
static float lattice(int x, int y, int z)
{
    uint64_t key = (uint64_t)(uint32_t)x * 0x9e3779b1u;
    key = ooze_mix(key ^ (uint64_t)(uint32_t)y << 32);
    key = ooze_mix(key ^ (uint64_t)(uint32_t)z);
    return (float)(key >> 40) * 0x1p-24f;
}

static float smooth(float t)
{
    return t * t * t * (t * (6.0f * t - 15.0f) + 10.0f);
}

static float mix(float a, float b, float share)
{
    return a + (b - a) * share;
}

/* Far from the origin single precision has no fractions left; the pattern is repeated there. */
static float wrap(float x)
{
    const float period = 65536.0f;
    return fabsf(x) < 0.5f * period ? x : remainderf(x, period);
}

static OozeF3 wrapped(OozeF3 p)
{
    return f3(wrap(p.x), wrap(p.y), wrap(p.z));
}

/* Smooth noise from 0 to 1, with features of length 1 (Perlin 1985, of values). */
static float noise(OozeF3 p)
{
    p = wrapped(p);
    int x = floor_of(p.x), y = floor_of(p.y), z = floor_of(p.z);
    float u = smooth(p.x - (float)x), v = smooth(p.y - (float)y), w = smooth(p.z - (float)z);
    float near = mix(mix(lattice(x, y, z), lattice(x + 1, y, z), u),
                     mix(lattice(x, y + 1, z), lattice(x + 1, y + 1, z), u), v);
    float far = mix(mix(lattice(x, y, z + 1), lattice(x + 1, y, z + 1), u),
                    mix(lattice(x, y + 1, z + 1), lattice(x + 1, y + 1, z + 1), u), v);
    return mix(near, far, w);
}

/* Noise of four octaves, from 0 to 1. */
static float fractal_noise(OozeF3 p)
{
    float sum = 0.0f, weight = 0.5f;
    for (int i = 0; i < 4; i++, weight *= 0.5f) {
        sum += weight * noise(p);
        p = f3_add(f3_scale(p, 2.03f), f3(5.3f, 1.7f, 9.1f));
    }
    return sum / 0.9375f;
}

/* ---- textures -------------------------------------------------------------------------------- */

/* Planks of width 1 along x, cut from logs with annual rings. */
static OozeF3 wood(OozeF3 base, OozeF3 p)
{
    p = wrapped(p);
    int row = floor_of(p.z);
    float offset = lattice(row, 1, 0) * 7.0f, length = 7.0f;
    int plank = floor_of((p.x + offset) / length);
    /* The axis of the log is somewhere below the plank. */
    float dy = p.y + 0.6f + 0.8f * lattice(row, plank, 2);
    float dz = p.z - (float)row - 0.5f + 0.9f * (lattice(row, plank, 3) - 0.5f);
    OozeF3 bent = f3(0.25f * p.x, p.y, p.z + 13.0f * (float)(row + 3 * plank));
    float rings = 9.0f * sqrtf(dy * dy + dz * dz) + 1.6f * fractal_noise(bent);
    float phase = rings - (float)floor_of(rings);
    float late = smoothstepf(0.25f, 0.85f, phase) * (1.0f - smoothstepf(0.9f, 1.0f, phase));
    float fibre = noise(f3(2.5f * p.x, 40.0f * p.y, 40.0f * p.z));
    float tone = 0.72f + 0.18f * lattice(row, plank, 4) - 0.28f * late - 0.12f * fibre;
    float to_seam = minf(p.z - (float)row, 1.0f - (p.z - (float)row));
    float to_end = fabsf(p.x + offset - length * rintf((p.x + offset) / length));
    float seam = smoothstepf(0.004f, 0.018f, minf(to_seam, to_end));
    tone = clampf(tone / 0.72f, 0.0f, 1.25f) * mix(0.35f, 1.0f, seam);
    OozeF3 color = f3_scale(base, tone);
    color.z *= 1.0f - 0.15f * late; /* late wood is redder */
    return color;
}

/* Veins where a bent sine is zero, thick and thin ones. */
static OozeF3 marble(OozeF3 base, OozeF3 p)
{
    float bend = fractal_noise(f3_scale(p, 1.3f));
    float along = p.x + 0.6f * p.z + 0.8f * p.y + 3.2f * bend;
    float vein = 1.0f - fabsf(sinf(OOZE_PI_F * along));
    float thick = vein * vein * vein * vein * vein * vein;
    float fine_along = 2.3f * p.z - 1.1f * p.x + 4.0f * fractal_noise(f3_scale(p, 2.9f));
    float fine = 1.0f - fabsf(sinf(OOZE_PI_F * fine_along));
    fine = fine * fine * fine * fine;
    fine *= fine * fine;
    float strength =
        0.95f * thick * smoothstepf(0.25f, 0.6f, noise(f3_scale(p, 0.9f))) + 0.3f * fine;
    OozeF3 dark = f3_mul(base, f3(0.30f, 0.31f, 0.35f));
    OozeF3 cloudy = f3_scale(base, 0.90f + 0.10f * bend);
    return f3_mix(cloudy, dark, minf(strength, 1.0f));
}

/* Two painted rings below the glaze; the length of the pattern is the radius of the plate. */
static OozeF3 plate(OozeF3 base, OozeF3 p)
{
    const OozeF3 paint = {0.05f, 0.13f, 0.36f};
    float r = sqrtf(p.x * p.x + p.z * p.z);
    float wide = smoothstepf(0.895f, 0.90f, r) * (1.0f - smoothstepf(0.935f, 0.94f, r));
    float thin = smoothstepf(0.868f, 0.872f, r) * (1.0f - smoothstepf(0.876f, 0.88f, r));
    float speckle = smoothstepf(0.86f, 0.92f, noise(f3_scale(p, 55.0f)));
    OozeF3 glazed =
        f3_scale(base, 1.0f - 0.06f * fractal_noise(f3_scale(p, 3.0f)) - 0.10f * speckle);
    return f3_mix(glazed, f3_mul(base, paint), maxf(wide, 0.85f * thin));
}

/* Checks of coloured and white threads in plain weave. */
static OozeF3 cloth(OozeF3 base, OozeF3 p, OozeF3 normal)
{
    const float threads = 28.0f; /* per check */
    p = wrapped(p);
    /* Coordinates across the face: the two axes that the normal is farthest from. */
    float x = fabsf(normal.x), y = fabsf(normal.y), z = fabsf(normal.z);
    float u = x >= y && x >= z ? p.z : p.x, v = y >= x && y >= z ? p.z : p.y;
    float warp = u - floorf(u) < 0.5f ? 1.0f : 0.0f, weft = v - floorf(v) < 0.5f ? 1.0f : 0.0f;
    float a = threads * u, b = threads * v;
    bool warp_above = (((int)floorf(a) + (int)floorf(b)) & 1) == 0;
    float across = warp_above ? a - floorf(a) : b - floorf(b);
    float along = warp_above ? b - floorf(b) : a - floorf(a);
    float round = 1.0f - (2.0f * across - 1.0f) * (2.0f * across - 1.0f);
    float shade = 0.62f + 0.30f * round + 0.08f * sinf(OOZE_PI_F * along);
    OozeF3 white = f3_all(0.82f * maxf(f3_max(base), 0.6f));
    return f3_scale(f3_mix(white, base, warp_above ? warp : weft), shade);
}

OozeF3 ooze_texture_color(OozeTexture texture, OozeF3 base, float scale, OozeF3 point,
                          OozeF3 normal)
{
    OozeF3 p = f3_scale(point, 1.0f / scale), color = base;
    switch (texture) {
    case OOZE_TEXTURE_WOOD:
        color = wood(base, p);
        break;
    case OOZE_TEXTURE_MARBLE:
        color = marble(base, p);
        break;
    case OOZE_TEXTURE_PLATE:
        color = plate(base, p);
        break;
    case OOZE_TEXTURE_CLOTH:
        color = cloth(base, p, normal);
        break;
    case OOZE_TEXTURE_NONE:
    case OOZE_TEXTURE_COUNT:
        break;
    }
    return f3(clampf(color.x, 0.0f, 1.0f), clampf(color.y, 0.0f, 1.0f),
              clampf(color.z, 0.0f, 1.0f));
}

float ooze_texture_default_scale(OozeTexture texture, float size)
{
    static const float shares[OOZE_TEXTURE_COUNT] = {
        [OOZE_TEXTURE_WOOD] = 0.55f, [OOZE_TEXTURE_MARBLE] = 0.8f, [OOZE_TEXTURE_CLOTH] = 0.3f};
    return shares[texture] * size;
}
