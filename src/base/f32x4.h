/* Vectors of four floats, in one register on every instruction set: a record (x, y, z, w), or one
   number of each of four neighbours. */
#ifndef OOZE_BASE_F32X4_H
#define OOZE_BASE_F32X4_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/wide.h"

typedef float OozeF32x4 __attribute__((vector_size(16)));
typedef int32_t OozeF32x4Mask __attribute__((vector_size(16))); /* 0 or -1 */

static inline OozeF32x4 ooze_f32x4(float x, float y, float z, float w)
{
    return (OozeF32x4){x, y, z, w};
}

static inline OozeF32x4 ooze_f32x4_splat(float value)
{
    return (OozeF32x4){value, value, value, value};
}

/* Addresses need not be aligned. */
static inline OozeF32x4 ooze_f32x4_load(const float *from)
{
#if defined(OOZE_WIDE_NEON)
    /* memcpy would use scalar registers where lanes are read one by one */
    return (OozeF32x4)vld1q_f32(from);
#else
    OozeF32x4 v;
    memcpy(&v, from, sizeof v);
    return v;
#endif
}

static inline void ooze_f32x4_store(OozeF32x4 v, float *to)
{
#if defined(OOZE_WIDE_NEON)
    vst1q_f32(to, (float32x4_t)v);
#else
    memcpy(to, &v, sizeof v);
#endif
}

/* bfloat16 in memory: sign, exponent and seven bits of fraction, a relative error of 0.4 %. */
typedef uint16_t OozeBf16x4 __attribute__((vector_size(8)));
typedef uint32_t OozeF32x4Bits __attribute__((vector_size(16)));

static inline OozeF32x4 ooze_f32x4_load_bf16(const uint16_t *from)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vshll_n_u16(vld1_u16(from), 16);
#else
    OozeBf16x4 v;
    memcpy(&v, from, sizeof v);
    return (OozeF32x4)(__builtin_convertvector(v, OozeF32x4Bits) << 16);
#endif
}

static inline void ooze_f32x4_store_bf16(OozeF32x4 v, uint16_t *to)
{
    OozeF32x4Bits bits = ((OozeF32x4Bits)v + 0x8000u) >> 16;
    OozeBf16x4 rounded = __builtin_convertvector(bits, OozeBf16x4);
    memcpy(to, &rounded, sizeof rounded);
}

static inline OozeF32x4 ooze_f32x4_select(OozeF32x4Mask mask, OozeF32x4 yes, OozeF32x4 no)
{
    return (OozeF32x4)((mask & (OozeF32x4Mask)yes) | (~mask & (OozeF32x4Mask)no));
}

/* Minimum and maximum; b where a is NaN. */
static inline OozeF32x4 ooze_f32x4_min(OozeF32x4 a, OozeF32x4 b)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vminnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(__wasm_simd128__)
    return __builtin_wasm_pmin_f32x4(b, a);
#else
    return ooze_f32x4_select(a < b, a, b);
#endif
}

static inline OozeF32x4 ooze_f32x4_max(OozeF32x4 a, OozeF32x4 b)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(__wasm_simd128__)
    return __builtin_wasm_pmax_f32x4(b, a);
#else
    return ooze_f32x4_select(a > b, a, b);
#endif
}

static inline OozeF32x4 ooze_f32x4_sqrt(OozeF32x4 a)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vsqrtq_f32((float32x4_t)a);
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    return (OozeF32x4)_mm_sqrt_ps((__m128)a);
#else
    return (OozeF32x4){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

/* a b + c, rounded once where the instruction set has FMA. */
static inline OozeF32x4 ooze_f32x4_fma(OozeF32x4 a, OozeF32x4 b, OozeF32x4 c)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__FMA__)
    return (OozeF32x4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    return a * b + c;
#endif
}

/* a[lane] b + c; `lane` is a constant. */
#if defined(OOZE_WIDE_NEON)
#define OOZE_F32X4_FMA_LANE(a, lane, b, c)                                                         \
    ((OozeF32x4)vfmaq_laneq_f32((float32x4_t)(c), (float32x4_t)(b), (float32x4_t)(a), (lane)))
#else
#define OOZE_F32X4_FMA_LANE(a, lane, b, c) ooze_f32x4_fma(ooze_f32x4_splat((a)[lane]), (b), (c))
#endif

/* Lanes of a (0 to 3) and b (4 to 7) by constant numbers. */
#if defined(__clang__) || __GNUC__ >= 12
#define OOZE_F32X4_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector((a), (b), i, j, k, l)
#else
#define OOZE_F32X4_SHUFFLE(a, b, i, j, k, l)                                                       \
    __builtin_shuffle((a), (b), (OozeF32x4Mask){i, j, k, l})
#endif

static inline float ooze_f32x4_dot3(OozeF32x4 a, OozeF32x4 b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* (a0 + a1) + (a2 + a3) */
static inline float ooze_f32x4_sum(OozeF32x4 a)
{
#if defined(OOZE_WIDE_NEON)
    return vaddvq_f32((float32x4_t)a);
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    return (a[0] + a[2]) + (a[1] + a[3]); /* in the order of ooze_f32x4_row_sums there */
#else
    return (a[0] + a[1]) + (a[2] + a[3]);
#endif
}

/* The sums over all lanes of four records, one a lane. */
static inline OozeF32x4 ooze_f32x4_row_sums(OozeF32x4 a, OozeF32x4 b, OozeF32x4 c, OozeF32x4 d)
{
#if defined(OOZE_WIDE_NEON)
    return (OozeF32x4)vpaddq_f32(vpaddq_f32((float32x4_t)a, (float32x4_t)b),
                                 vpaddq_f32((float32x4_t)c, (float32x4_t)d));
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    /* Adds the halves of each record, then two records at a time: fewer shuffles than a transpose.
       */
    __m128 ab =
        _mm_add_ps(_mm_unpacklo_ps((__m128)a, (__m128)b), _mm_unpackhi_ps((__m128)a, (__m128)b));
    __m128 cd =
        _mm_add_ps(_mm_unpacklo_ps((__m128)c, (__m128)d), _mm_unpackhi_ps((__m128)c, (__m128)d));
    return (OozeF32x4)_mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
#else
    OozeF32x4 ab = OOZE_F32X4_SHUFFLE(a, b, 0, 2, 4, 6) + OOZE_F32X4_SHUFFLE(a, b, 1, 3, 5, 7);
    OozeF32x4 cd = OOZE_F32X4_SHUFFLE(c, d, 0, 2, 4, 6) + OOZE_F32X4_SHUFFLE(c, d, 1, 3, 5, 7);
    return OOZE_F32X4_SHUFFLE(ab, cd, 0, 2, 4, 6) + OOZE_F32X4_SHUFFLE(ab, cd, 1, 3, 5, 7);
#endif
}

/* Lane k of record j becomes lane j of record k. */
static inline void ooze_f32x4_transpose(OozeF32x4 a, OozeF32x4 b, OozeF32x4 c, OozeF32x4 d,
                                        OozeF32x4 to[4])
{
    OozeF32x4 ac = OOZE_F32X4_SHUFFLE(a, c, 0, 4, 1, 5), bd = OOZE_F32X4_SHUFFLE(b, d, 0, 4, 1, 5);
    OozeF32x4 ac2 = OOZE_F32X4_SHUFFLE(a, c, 2, 6, 3, 7),
              bd2 = OOZE_F32X4_SHUFFLE(b, d, 2, 6, 3, 7);
    to[0] = OOZE_F32X4_SHUFFLE(ac, bd, 0, 4, 1, 5);
    to[1] = OOZE_F32X4_SHUFFLE(ac, bd, 2, 6, 3, 7);
    to[2] = OOZE_F32X4_SHUFFLE(ac2, bd2, 0, 4, 1, 5);
    to[3] = OOZE_F32X4_SHUFFLE(ac2, bd2, 2, 6, 3, 7);
}

/* Lane 3 of four records. */
static inline OozeF32x4 ooze_f32x4_last_lanes(OozeF32x4 a, OozeF32x4 b, OozeF32x4 c, OozeF32x4 d)
{
#if defined(OOZE_WIDE_NEON)
    float32x4_t ab = vuzp2q_f32((float32x4_t)a, (float32x4_t)b);
    return (OozeF32x4)vuzp2q_f32(ab, vuzp2q_f32((float32x4_t)c, (float32x4_t)d));
#elif defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
    __m128 ab = _mm_unpackhi_ps((__m128)a, (__m128)b), cd = _mm_unpackhi_ps((__m128)c, (__m128)d);
    return (OozeF32x4)_mm_movehl_ps(cd, ab);
#else
    return ooze_f32x4(a[3], b[3], c[3], d[3]);
#endif
}

#endif
