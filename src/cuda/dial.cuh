/* Places in few bytes. A coordinate is a number that goes round like the hand of a clock, once in a period of some
   supports, or in a whole part of a periodic box. Differences go round likewise, so that they are those of nearest
   images with a box and without; for pairs nearer than half a period they are right. */
#ifndef OOZE_CUDA_DIAL_CUH
#define OOZE_CUDA_DIAL_CUH

#include "cuda/machine.cuh"

namespace ooze
{

/* Half a period in supports, at least: neighbours are within one, and each may move by one more. */
enum { HALF_TURN = 3 };

struct Dial {
    double turn[3]; /* 2^32 over the period, 1/m */
    float metre[3]; /* m in one of 2^32 */
    float part[3];  /* the same in supports */
};

static inline Dial make_dial(const OozePeriodic *periodic, double support)
{
    Dial dial;
    for (int k = 0; k < 3; k++) {
        double period = 2.0 * HALF_TURN * support, length = (double)periodic->length[k];
        if (length > 0.0) {
            period = length / fmax(1.0, floor(length / period));
        }
        dial.turn[k] = 0x1p32 / period;
        dial.metre[k] = (float)(period * 0x1p-32);
        dial.part[k] = (float)(period / support * 0x1p-32);
    }
    return dial;
}

OOZE_DEVICE uint32_t hand(double x, double turn)
{
    return (uint32_t)llrint(x * turn);
}

OOZE_DEVICE float angle(uint32_t a, uint32_t b)
{
    return (float)(int32_t)(a - b);
}

/* ---- 21 bits a coordinate and one for a mark: eight bytes --------------------------------------------- */

/* Rounded so that with the foreign bits below it is as near as can be: they need not be masked. */
OOZE_DEVICE uint32_t above(uint32_t hand, uint32_t below)
{
    return ((hand - below + 0x400u) & ~0x7ffu) | below;
}

/* The third coordinate fills the bits that the others leave: eleven, then ten. */
OOZE_DEVICE uint2 make_place(const Dial &dial, double x, double y, double z, uint32_t mark)
{
    uint32_t third = (hand(z, dial.turn[2]) + 0x400u) >> 11;
    uint2 place;
    place.x = above(hand(x, dial.turn[0]), third >> 10);
    place.y = above(hand(y, dial.turn[1]), (third & 0x3ffu) << 1 | mark);
    return place;
}

OOZE_DEVICE uint32_t mark_of(uint2 place)
{
    return place.y & 1u;
}

OOZE_DEVICE uint32_t third_of(uint2 place)
{
    return place.x << 21 | (place.y << 21) >> 11;
}

/* From b to a, in supports: of (b, a) exactly the opposite. */
OOZE_DEVICE float4 way_between(const Dial &dial, uint2 a, uint2 b)
{
    return four(dial.part[0] * angle(a.x, b.x), dial.part[1] * angle(a.y, b.y),
                dial.part[2] * angle(third_of(a), third_of(b)));
}

/* ---- 32 bits a coordinate and a number beside them ------------------------------------------------------ */

OOZE_DEVICE float number_of(uint32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

OOZE_DEVICE uint32_t bits_of(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

OOZE_DEVICE uint4 make_arrow(const Dial &dial, float4 x, float number)
{
    return make_uint4(hand((double)x.x, dial.turn[0]), hand((double)x.y, dial.turn[1]),
                      hand((double)x.z, dial.turn[2]), bits_of(number));
}

/* From b to a, m: of (b, a) exactly the opposite. */
OOZE_DEVICE float4 arrow_between(const Dial &dial, uint4 a, uint4 b)
{
    return four(dial.metre[0] * angle(a.x, b.x), dial.metre[1] * angle(a.y, b.y),
                dial.metre[2] * angle(a.z, b.z));
}

/* ---- roots ------------------------------------------------------------------------------------------------ */

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
