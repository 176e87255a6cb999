/* Positions as fixed-point numbers modulo a period. The period is a few supports, or a periodic box
   over a whole number; unsigned overflow wraps differences, so that they are those of nearest
   images, with a periodic box and without. They are correct for pairs closer than half a period.

   Differences are in units of `unit`: m, or, where all axes have the same period, 2^-32 of it,
   which saves a product each. */
#ifndef OOZE_CUDA_FIXED_POINT_CUH
#define OOZE_CUDA_FIXED_POINT_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* Smallest half period, in supports: neighbours are within one, and each may move by one more. */
enum { HALF_PERIOD = 3 };

struct FixedPoint {
    double scale[3]; /* 2^32 over the period, 1/m */
    float metres[3]; /* period over 2^32, m */
    float unit;      /* m */
};

/* `open`: no axis wraps. */
static inline FixedPoint make_fixed_point(const OozePeriodic *periodic, double support, bool open)
{
    FixedPoint fixed_point;
    for (int k = 0; k < 3; k++) {
        double period = 2.0 * HALF_PERIOD * support, length = (double)periodic->length[k];
        if (length > 0.0) {
            period = length / fmax(1.0, floor(length / period));
        }
        fixed_point.scale[k] = 0x1p32 / period;
        fixed_point.metres[k] = (float)(period * 0x1p-32);
    }
    fixed_point.unit = open ? fixed_point.metres[0] : 1.0f;
    return fixed_point;
}

OOZE_DEVICE uint32_t to_fixed(double x, double scale)
{
    return (uint32_t)llrint(x * scale);
}

/* A fixed-point difference, in units. */
template <bool OPEN> OOZE_DEVICE float to_units(uint32_t difference, float metres)
{
    float signed_difference = (float)(int32_t)difference;
    return OPEN ? signed_difference : metres * signed_difference;
}

/* ---- 21 bits a coordinate and one for a mark: eight bytes ------------------------------- */

/* x and y are the upper 21 bits of a word each; z is a linear combination of both words, so that
   delta_between applies it to differences. */
OOZE_DEVICE uint32_t z_of(uint32_t x, uint32_t y)
{
    return (x << 21) + (y << 10);
}

/* The word nearest to `word` with these lower eleven bits, which need no mask then. */
OOZE_DEVICE uint32_t with_low_bits(uint32_t word, uint32_t below)
{
    return ((word - below + 0x400u) & ~0x7ffu) | below;
}

OOZE_DEVICE uint2 make_place(const FixedPoint &fixed_point, double x, double y, double z,
                             uint32_t mark)
{
    uint32_t z21 = (to_fixed(z, fixed_point.scale[2]) + 0x400u) >> 11;
    uint2 place;
    place.y = with_low_bits(to_fixed(y, fixed_point.scale[1]), (z21 & 0x3ffu) << 1 | mark);
    place.x =
        with_low_bits(to_fixed(x, fixed_point.scale[0]), ((z21 >> 10) - (place.y >> 11)) & 0x7ffu);
    return place;
}

OOZE_DEVICE uint32_t mark_of(uint2 place)
{
    return place.y & 1u;
}

/* a - b, exactly the opposite of b - a. */
template <bool OPEN>
OOZE_DEVICE float4 delta_between(const FixedPoint &fixed_point, uint2 a, uint2 b)
{
    uint32_t x = a.x - b.x, y = a.y - b.y;
    return f32x4(to_units<OPEN>(x, fixed_point.metres[0]), to_units<OPEN>(y, fixed_point.metres[1]),
                 to_units<OPEN>(z_of(x, y), fixed_point.metres[2]));
}

/* ---- 32 bits a coordinate and a float -------------------------------------- */

/* In an open box coordinates stay floats. */
OOZE_DEVICE uint4 pack_x0(const FixedPoint &fixed_point, bool open, float4 x)
{
    return open ? make_uint4(float_to_bits(x.x), float_to_bits(x.y), float_to_bits(x.z), 0)
                : make_uint4(to_fixed((double)x.x, fixed_point.scale[0]),
                             to_fixed((double)x.y, fixed_point.scale[1]),
                             to_fixed((double)x.z, fixed_point.scale[2]), 0);
}

/* a - b, m, exactly the opposite of b - a. */
template <bool OPEN> OOZE_DEVICE float4 x0_between(const FixedPoint &fixed_point, uint4 a, uint4 b)
{
    if (OPEN) {
        return f32x4(bits_to_float(a.x) - bits_to_float(b.x),
                     bits_to_float(a.y) - bits_to_float(b.y),
                     bits_to_float(a.z) - bits_to_float(b.z));
    }
    return f32x4(to_units<false>(a.x - b.x, fixed_point.metres[0]),
                 to_units<false>(a.y - b.y, fixed_point.metres[1]),
                 to_units<false>(a.z - b.z, fixed_point.metres[2]));
}

/* ---- roots ------------------------------------------------------------------------------ */

/* 1/sqrt(a), approximate; a is a normal number. */
OOZE_DEVICE float inverse_root(float a)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
#else
    return 1.0f / sqrtf(a);
#endif
}

/* sqrt(a), approximate. */
OOZE_DEVICE float root(float a)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
#else
    return sqrtf(a);
#endif
}

} // namespace ooze

#endif
