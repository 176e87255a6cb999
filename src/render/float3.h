/* Single-precision vectors and colours of the renderer. */
#ifndef OOZE_RENDER_FLOAT3_H
#define OOZE_RENDER_FLOAT3_H

#include <math.h>

#include "ooze/types.h"

typedef struct OozeF3 {
    float x, y, z;
} OozeF3;

#define OOZE_PI_F 3.14159265358979f

static inline OozeF3 f3(float x, float y, float z)
{
    return (OozeF3){x, y, z};
}

static inline OozeF3 f3_all(float s)
{
    return f3(s, s, s);
}

static inline OozeF3 f3_of(OozeVec3 v)
{
    return f3((float)v.x, (float)v.y, (float)v.z);
}

static inline OozeF3 f3_load(const float *v)
{
    return f3(v[0], v[1], v[2]);
}

static inline OozeF3 f3_add(OozeF3 a, OozeF3 b)
{
    return f3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline OozeF3 f3_sub(OozeF3 a, OozeF3 b)
{
    return f3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline OozeF3 f3_mul(OozeF3 a, OozeF3 b)
{
    return f3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline OozeF3 f3_scale(OozeF3 a, float s)
{
    return f3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
static inline OozeF3 f3_madd(OozeF3 a, float s, OozeF3 b)
{
    return f3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* a at 0, b at 1 */
static inline OozeF3 f3_mix(OozeF3 a, OozeF3 b, float share)
{
    return f3_add(f3_scale(a, 1.0f - share), f3_scale(b, share));
}

static inline float f3_dot(OozeF3 a, OozeF3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline OozeF3 f3_cross(OozeF3 a, OozeF3 b)
{
    return f3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float f3_length(OozeF3 a)
{
    return sqrtf(f3_dot(a, a));
}

/* a / |a|; the y axis for zero. */
static inline OozeF3 f3_unit(OozeF3 a)
{
    float length = f3_length(a);
    return length > 0.0f ? f3_scale(a, 1.0f / length) : f3(0, 1, 0);
}

static inline OozeF3 f3_exp(OozeF3 a)
{
    return f3(expf(a.x), expf(a.y), expf(a.z));
}

/* One instruction each, where fmaxf and fminf are calls. `b` where a number is not a number. */
static inline float maxf(float a, float b)
{
    return a > b ? a : b;
}

static inline float minf(float a, float b)
{
    return a < b ? a : b;
}

/* The floor of a number that an int can hold; floorf is a call. */
static inline int floor_of(float x)
{
    int down = (int)x;
    return down - ((float)down > x);
}

static inline float f3_max(OozeF3 a)
{
    return maxf(a.x, maxf(a.y, a.z));
}

/* ITU-R BT.709 luminance. */
static inline float f3_luminance(OozeF3 a)
{
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

static inline float clampf(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* 0 up to `low`, 1 from `high` on, smooth between. */
static inline float smoothstepf(float low, float high, float x)
{
    float t = clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

/* Two directions that make a right-handed frame with unit n (Duff and others 2017). */
static inline void f3_frame(OozeF3 n, OozeF3 *s, OozeF3 *t)
{
    float sign = copysignf(1.0f, n.z);
    float a = -1.0f / (sign + n.z), b = n.x * n.y * a;
    *s = f3(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *t = f3(b, sign + n.y * n.y * a, -n.y);
}

/* v rotated by an axis times an angle (Rodrigues). */
static inline OozeF3 f3_rotate(OozeF3 turn, OozeF3 v)
{
    float angle = f3_length(turn), c = cosf(angle), s = sinf(angle);
    OozeF3 axis = f3_unit(turn);
    OozeF3 turned = f3_madd(f3_scale(v, c), s, f3_cross(axis, v));
    return f3_madd(turned, (1.0f - c) * f3_dot(axis, v), axis);
}

/* Local (x, y, z along n) to world. */
static inline OozeF3 f3_from_frame(OozeF3 n, OozeF3 local)
{
    OozeF3 s, t;
    f3_frame(n, &s, &t);
    return f3_madd(f3_madd(f3_scale(s, local.x), local.y, t), local.z, n);
}

#endif
