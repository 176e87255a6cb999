/* Places in few bytes. A coordinate is a number that goes round like the hand of a clock, once in a
   period of some supports, or in a whole part of a periodic box. Differences go round likewise, so
   that they are those of nearest images with a box and without; for pairs nearer than half a period
   they are right.

   Differences come in units of the fixed_point: m, or, where all axes have the same period, one of
   its 2^32 parts, which saves a product each. */
#ifndef OOZE_CUDA_FIXED_POINT_CUH
#define OOZE_CUDA_FIXED_POINT_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* Half a period in supports, at least: neighbours are within one, and each may move by one more. */
enum { HALF_TURN = 3 };

struct FixedPoint {
    double turn[3]; /* 2^32 over the period, 1/m */
    float metre[3]; /* m in one of 2^32 */
    float unit;     /* m */
};

/* `open`: no axis wraps. */
static inline FixedPoint make_fixed_point(const OozePeriodic *periodic, double support, bool open)
{
    FixedPoint fixed_point;
    for (int k = 0; k < 3; k++) {
        double period = 2.0 * HALF_TURN * support, length = (double)periodic->length[k];
        if (length > 0.0) {
            period = length / fmax(1.0, floor(length / period));
        }
        fixed_point.turn[k] = 0x1p32 / period;
        fixed_point.metre[k] = (float)(period * 0x1p-32);
    }
    fixed_point.unit = open ? fixed_point.metre[0] : 1.0f;
    return fixed_point;
}

OOZE_DEVICE uint32_t hand(double x, double turn)
{
    return (uint32_t)llrint(x * turn);
}

/* A difference of hands, in units. */
template <bool OPEN> OOZE_DEVICE float angle(uint32_t difference, float metre)
{
    float turned = (float)(int32_t)difference;
    return OPEN ? turned : metre * turned;
}

/* ---- 21 bits a coordinate and one for a mark: eight bytes ------------------------------- */

/* The first two are in the upper bits of a word each. Both words together, shifted, are the third:
   see delta_between, which does it with differences. */
OOZE_DEVICE uint32_t third_of(uint32_t x, uint32_t y)
{
    return (x << 21) + (y << 10);
}

/* A word with these eleven bits below that is nearest to `hand`: they need not be masked. */
OOZE_DEVICE uint32_t above(uint32_t hand, uint32_t below)
{
    return ((hand - below + 0x400u) & ~0x7ffu) | below;
}

OOZE_DEVICE uint2 make_place(const FixedPoint &fixed_point, double x, double y, double z,
                             uint32_t mark)
{
    uint32_t third = (hand(z, fixed_point.turn[2]) + 0x400u) >> 11;
    uint2 place;
    place.y = above(hand(y, fixed_point.turn[1]), (third & 0x3ffu) << 1 | mark);
    place.x = above(hand(x, fixed_point.turn[0]), ((third >> 10) - (place.y >> 11)) & 0x7ffu);
    return place;
}

OOZE_DEVICE uint32_t mark_of(uint2 place)
{
    return place.y & 1u;
}

/* From b to a: of (b, a) exactly the opposite. */
template <bool OPEN>
OOZE_DEVICE float4 delta_between(const FixedPoint &fixed_point, uint2 a, uint2 b)
{
    uint32_t x = a.x - b.x, y = a.y - b.y;
    return f32x4(angle<OPEN>(x, fixed_point.metre[0]), angle<OPEN>(y, fixed_point.metre[1]),
                 angle<OPEN>(third_of(x, y), fixed_point.metre[2]));
}

/* ---- 32 bits a coordinate and a number beside them -------------------------------------- */

/* Where nothing wraps, coordinates stay as they are. */
OOZE_DEVICE uint4 make_arrow(const FixedPoint &fixed_point, bool open, float4 x)
{
    return open ? make_uint4(float_to_bits(x.x), float_to_bits(x.y), float_to_bits(x.z), 0)
                : make_uint4(hand((double)x.x, fixed_point.turn[0]),
                             hand((double)x.y, fixed_point.turn[1]),
                             hand((double)x.z, fixed_point.turn[2]), 0);
}

/* From b to a, m: of (b, a) exactly the opposite. */
template <bool OPEN>
OOZE_DEVICE float4 arrow_between(const FixedPoint &fixed_point, uint4 a, uint4 b)
{
    if (OPEN) {
        return f32x4(bits_to_float(a.x) - bits_to_float(b.x),
                     bits_to_float(a.y) - bits_to_float(b.y),
                     bits_to_float(a.z) - bits_to_float(b.z));
    }
    return f32x4(angle<false>(a.x - b.x, fixed_point.metre[0]),
                 angle<false>(a.y - b.y, fixed_point.metre[1]),
                 angle<false>(a.z - b.z, fixed_point.metre[2]));
}

/* ---- roots ------------------------------------------------------------------------------ */

/* Of a > 0, neither tiny nor huge; the last bits may be wrong. */
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

/* Of a >= 0, likewise. */
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
