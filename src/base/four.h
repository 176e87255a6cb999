/* Four floats that the compiler keeps in one register, whatever the instruction set: a record (x, y, z
   and something more), or one number each of four neighbours. */
#ifndef OOZE_BASE_FOUR_H
#define OOZE_BASE_FOUR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/wide.h"

typedef float OozeFour __attribute__((vector_size(16)));
typedef int32_t OozeFourMask __attribute__((vector_size(16))); /* 0 or -1 */

static inline OozeFour ooze_four(float x, float y, float z, float w)
{
    return (OozeFour){x, y, z, w};
}

static inline OozeFour ooze_four_splat(float value)
{
    return (OozeFour){value, value, value, value};
}

/* Addresses need not be aligned. */
static inline OozeFour ooze_four_load(const float *from)
{
#if defined(                                                                                       \
    OOZE_WIDE_NEON) /* memcpy goes by way of scalar registers where lanes are used one by one */
    return (OozeFour)vld1q_f32(from);
#else
    OozeFour four;
    memcpy(&four, from, sizeof four);
    return four;
#endif
}

static inline void ooze_four_store(OozeFour four, float *to)
{
#if defined(OOZE_WIDE_NEON)
    vst1q_f32(to, (float32x4_t)four);
#else
    memcpy(to, &four, sizeof four);
#endif
}

/* Numbers kept in two bytes: sign, exponent and seven bits of fraction, rounded: right to 0.4%. */
typedef uint16_t OozeFourShort __attribute__((vector_size(8)));
typedef uint32_t OozeFourBits __attribute__((vector_size(16)));

static inline OozeFour ooze_four_load_short(const uint16_t *from)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vshll_n_u16(vld1_u16(from), 16);
#else
    OozeFourShort four;
    memcpy(&four, from, sizeof four);
    return (OozeFour)(__builtin_convertvector(four, OozeFourBits) << 16);
#endif
}

static inline void ooze_four_store_short(OozeFour four, uint16_t *to)
{
    OozeFourBits bits = ((OozeFourBits)four + 0x8000u) >> 16;
    OozeFourShort rounded = __builtin_convertvector(bits, OozeFourShort);
    memcpy(to, &rounded, sizeof rounded);
}

static inline OozeFour ooze_four_choose(OozeFourMask mask, OozeFour yes, OozeFour no)
{
    return (OozeFour)((mask & (OozeFourMask)yes) | (~mask & (OozeFourMask)no));
}

/* The lesser and the greater of two numbers; b where a is not a number. */
static inline OozeFour ooze_four_min(OozeFour a, OozeFour b)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vminnmq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return ooze_four_choose(a < b, a, b);
#endif
}

static inline OozeFour ooze_four_max(OozeFour a, OozeFour b)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return ooze_four_choose(a > b, a, b);
#endif
}

static inline OozeFour ooze_four_sqrt(OozeFour a)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vsqrtq_f32((float32x4_t)a);
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    return (OozeFour)_mm_sqrt_ps((__m128)a);
#else
    return (OozeFour){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

/* a b + c, rounded once where the machine can. */
static inline OozeFour ooze_four_fma(OozeFour a, OozeFour b, OozeFour c)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__FMA__)
    return (OozeFour)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    return a * b + c;
#endif
}

/* a[lane] b + c; `lane` is a constant. */
#if defined(OOZE_WIDE_NEON)
#define OOZE_FOUR_FMA_LANE(a, lane, b, c)                                                          \
    ((OozeFour)vfmaq_laneq_f32((float32x4_t)(c), (float32x4_t)(b), (float32x4_t)(a), (lane)))
#else
#define OOZE_FOUR_FMA_LANE(a, lane, b, c) ooze_four_fma(ooze_four_splat((a)[lane]), (b), (c))
#endif

/* Lanes of a (0 to 3) and b (4 to 7) by constant numbers. */
#if defined(__clang__) || __GNUC__ >= 12
#define OOZE_FOUR_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector((a), (b), i, j, k, l)
#else
#define OOZE_FOUR_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle((a), (b), (OozeFourMask){i, j, k, l})
#endif

static inline float ooze_four_dot3(OozeFour a, OozeFour b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* (a0 + a1) + (a2 + a3) */
static inline float ooze_four_sum(OozeFour a)
{
#if defined(OOZE_WIDE_NEON)
    return vaddvq_f32((float32x4_t)a);
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    return (a[0] + a[2]) + (a[1] + a[3]); /* in the order of ooze_four_sums there */
#else
    return (a[0] + a[1]) + (a[2] + a[3]);
#endif
}

/* The sums over all lanes of four records, one a lane. */
static inline OozeFour ooze_four_sums(OozeFour a, OozeFour b, OozeFour c, OozeFour d)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeFour)vpaddq_f32(vpaddq_f32((float32x4_t)a, (float32x4_t)b),
                                vpaddq_f32((float32x4_t)c, (float32x4_t)d));
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    /* first half of each plus the second, then what is left of two: fewer shuffles than a transpose has */
    __m128 ab =
        _mm_add_ps(_mm_unpacklo_ps((__m128)a, (__m128)b), _mm_unpackhi_ps((__m128)a, (__m128)b));
    __m128 cd =
        _mm_add_ps(_mm_unpacklo_ps((__m128)c, (__m128)d), _mm_unpackhi_ps((__m128)c, (__m128)d));
    return (OozeFour)_mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
#else
    return ooze_four(ooze_four_sum(a), ooze_four_sum(b), ooze_four_sum(c), ooze_four_sum(d));
#endif
}

/* Lane k of record j becomes lane j of record k. */
static inline void ooze_four_transpose(OozeFour a, OozeFour b, OozeFour c, OozeFour d,
                                       OozeFour to[4])
{
    OozeFour ac = OOZE_FOUR_SHUFFLE(a, c, 0, 4, 1, 5), bd = OOZE_FOUR_SHUFFLE(b, d, 0, 4, 1, 5);
    OozeFour ac2 = OOZE_FOUR_SHUFFLE(a, c, 2, 6, 3, 7), bd2 = OOZE_FOUR_SHUFFLE(b, d, 2, 6, 3, 7);
    to[0] = OOZE_FOUR_SHUFFLE(ac, bd, 0, 4, 1, 5);
    to[1] = OOZE_FOUR_SHUFFLE(ac, bd, 2, 6, 3, 7);
    to[2] = OOZE_FOUR_SHUFFLE(ac2, bd2, 0, 4, 1, 5);
    to[3] = OOZE_FOUR_SHUFFLE(ac2, bd2, 2, 6, 3, 7);
}

/* The last lanes of four records. */
static inline OozeFour ooze_four_lasts(OozeFour a, OozeFour b, OozeFour c, OozeFour d)
{
#if defined(OOZE_WIDE_NEON)
    float32x4_t ab = vuzp2q_f32((float32x4_t)a, (float32x4_t)b);
    return (OozeFour)vuzp2q_f32(ab, vuzp2q_f32((float32x4_t)c, (float32x4_t)d));
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    __m128 ab = _mm_unpackhi_ps((__m128)a, (__m128)b), cd = _mm_unpackhi_ps((__m128)c, (__m128)d);
    return (OozeFour)_mm_movehl_ps(cd, ab);
#else
    return ooze_four(a[3], b[3], c[3], d[3]);
#endif
}

#endif
