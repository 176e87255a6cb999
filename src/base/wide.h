/* Vectors of 4, 8 or 16 floats, the register width of the instruction set compiled for. Arithmetic
   and comparison use the operators of the compilers' vector extensions; all other operations are
   here. */
#ifndef OOZE_BASE_WIDE_H
#define OOZE_BASE_WIDE_H

#include <stdint.h>
#include <string.h>

/* Defining OOZE_WIDE_PLAIN leaves all intrinsics out. */
#if defined(OOZE_WIDE_PLAIN)
enum { OOZE_WIDE_LANES = 4 };
#elif defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define OOZE_WIDE_AVX512
enum { OOZE_WIDE_LANES = 16 };
#elif defined(__AVX2__)
#include <immintrin.h>
#define OOZE_WIDE_AVX2
enum { OOZE_WIDE_LANES = 8 };
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define OOZE_WIDE_NEON
enum { OOZE_WIDE_LANES = 4 };
#elif defined(__SSE2__)
#include <emmintrin.h>
#define OOZE_WIDE_SSE2
enum { OOZE_WIDE_LANES = 4 };
#else
enum { OOZE_WIDE_LANES = 4 };
#endif

typedef float OozeWide __attribute__((vector_size(OOZE_WIDE_LANES * 4)));
typedef int32_t OozeWideMask __attribute__((vector_size(OOZE_WIDE_LANES * 4))); /* 0 or -1 */
typedef uint32_t OozeWideUint __attribute__((vector_size(OOZE_WIDE_LANES * 4)));

/* ---- loads and arithmetic ---- */

/* Addresses need not be aligned. */
static inline OozeWide ooze_wide_load(const float *from)
{
    OozeWide wide;
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static inline OozeWideUint ooze_wide_load_uint(const uint32_t *from)
{
    OozeWideUint wide;
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static inline OozeWide ooze_wide_splat(float value)
{
#if defined(OOZE_WIDE_AVX512)
    return (OozeWide)_mm512_set1_ps(value);
#elif defined(OOZE_WIDE_AVX2)
    return (OozeWide)_mm256_set1_ps(value);
#elif defined(OOZE_WIDE_NEON)
    return (OozeWide)vdupq_n_f32(value);
#else
    return (OozeWide){value, value, value, value};
#endif
}

/* first, first + 1, ... */
static inline OozeWideUint ooze_wide_iota(uint32_t first)
{
    static const uint32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return ooze_wide_load_uint(lanes) + first;
}

/* Minimum and maximum; b where a is NaN. */
static inline OozeWide ooze_wide_min(OozeWide a, OozeWide b)
{
#if defined(OOZE_WIDE_AVX512)
    return (OozeWide)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(OOZE_WIDE_AVX2)
    return (OozeWide)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(OOZE_WIDE_NEON)
    return (OozeWide)vminnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(OOZE_WIDE_SSE2)
    return (OozeWide)_mm_min_ps((__m128)a, (__m128)b);
#else
    OozeWideMask less = a < b;
    return (OozeWide)((less & (OozeWideMask)a) | (~less & (OozeWideMask)b));
#endif
}

static inline OozeWide ooze_wide_max(OozeWide a, OozeWide b)
{
#if defined(OOZE_WIDE_AVX512)
    return (OozeWide)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(OOZE_WIDE_AVX2)
    return (OozeWide)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(OOZE_WIDE_NEON)
    return (OozeWide)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(OOZE_WIDE_SSE2)
    return (OozeWide)_mm_max_ps((__m128)a, (__m128)b);
#else
    OozeWideMask more = a > b;
    return (OozeWide)((more & (OozeWideMask)a) | (~more & (OozeWideMask)b));
#endif
}

/* rintf for |a| < 2^22: adding and subtracting 1.5 * 2^23 removes the fraction bits. */
static inline OozeWide ooze_wide_rint(OozeWide a)
{
    return (a + 0x1.8p23f) - 0x1.8p23f;
}

/* ---- records of four floats ---- */

#if defined(OOZE_WIDE_AVX512) || defined(OOZE_WIDE_AVX2) || defined(OOZE_WIDE_SSE2)
static inline void ooze_wide_load_xyz_4(const float *records, __m128 xyz[3])
{
    __m128 a = _mm_loadu_ps(records), b = _mm_loadu_ps(records + 4);
    __m128 c = _mm_loadu_ps(records + 8), d = _mm_loadu_ps(records + 12);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    xyz[0] = a;
    xyz[1] = b;
    xyz[2] = c;
}
#endif

/* x, y and z of OOZE_WIDE_LANES consecutive records (x, y, z, w): an array of structures becomes a
   structure of arrays. */
static inline void ooze_wide_load_xyz(const float *records, OozeWide xyz[3])
{
#if defined(OOZE_WIDE_AVX512)
    __m128 part[4][3];
    for (int i = 0; i < 4; i++) {
        ooze_wide_load_xyz_4(records + 16 * i, part[i]);
    }
    for (int k = 0; k < 3; k++) {
        __m256 low = _mm256_set_m128(part[1][k], part[0][k]);
        __m256 high = _mm256_set_m128(part[3][k], part[2][k]);
        xyz[k] = (OozeWide)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    }
#elif defined(OOZE_WIDE_AVX2)
    __m128 part[2][3];
    ooze_wide_load_xyz_4(records, part[0]);
    ooze_wide_load_xyz_4(records + 16, part[1]);
    for (int k = 0; k < 3; k++) {
        xyz[k] = (OozeWide)_mm256_set_m128(part[1][k], part[0][k]);
    }
#elif defined(OOZE_WIDE_NEON)
    /* vld4q does the same more slowly. */
    float32x4_t a = vld1q_f32(records), b = vld1q_f32(records + 4);
    float32x4_t c = vld1q_f32(records + 8), d = vld1q_f32(records + 12);
    float32x4_t ac = vzip1q_f32(a, c), bd = vzip1q_f32(b, d);
    xyz[0] = (OozeWide)vzip1q_f32(ac, bd);
    xyz[1] = (OozeWide)vzip2q_f32(ac, bd);
    xyz[2] = (OozeWide)vzip1q_f32(vzip2q_f32(a, c), vzip2q_f32(b, d));
#elif defined(OOZE_WIDE_SSE2)
    __m128 part[3];
    ooze_wide_load_xyz_4(records, part);
    for (int k = 0; k < 3; k++) {
        xyz[k] = (OozeWide)part[k];
    }
#else
    for (int k = 0; k < 3; k++) {
        xyz[k] = (OozeWide){records[k], records[4 + k], records[8 + k], records[12 + k]};
    }
#endif
}

/* ---- masks as bits: one per lane, the first lane lowest ---- */

static inline uint32_t ooze_wide_bits(OozeWideMask mask)
{
#if defined(OOZE_WIDE_AVX512)
    return (uint32_t)_mm512_movepi32_mask((__m512i)mask);
#elif defined(OOZE_WIDE_AVX2)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(OOZE_WIDE_NEON)
    static const uint32_t weights[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)mask, vld1q_u32(weights)));
#elif defined(OOZE_WIDE_SSE2)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/* The same for a block of several vectors. */
enum { OOZE_WIDE_BLOCK = OOZE_WIDE_LANES == 4 ? 16 : 32 };
static inline uint32_t
ooze_wide_block_bits(const OozeWideMask mask[OOZE_WIDE_BLOCK / OOZE_WIDE_LANES])
{
#if defined(OOZE_WIDE_NEON)
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint16x8_t low = vuzp1q_u16((uint16x8_t)mask[0], (uint16x8_t)mask[1]);
    uint16x8_t high = vuzp1q_u16((uint16x8_t)mask[2], (uint16x8_t)mask[3]);
    uint8x16_t bytes = vuzp1q_u8((uint8x16_t)low, (uint8x16_t)high);
    uint8x16_t sum = vandq_u8(bytes, vld1q_u8(weights));
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u16((uint16x8_t)sum, 0);
#else
    uint32_t bits = 0;
    for (int i = 0; i < OOZE_WIDE_BLOCK / OOZE_WIDE_LANES; i++) {
        bits |= ooze_wide_bits(mask[i]) << (OOZE_WIDE_LANES * i);
    }
    return bits;
#endif
}

/* ---- compaction: the lanes whose bit is set move to the front ---- */

/* For every pattern of bits, how many are set and, where a shuffle does the work, its lanes. */
enum { OOZE_WIDE_PATTERNS = OOZE_WIDE_LANES == 4 ? 16 : 256 };
typedef struct OozeWideCompact {
    uint32_t shuffle[OOZE_WIDE_PATTERNS][OOZE_WIDE_LANES == 4 ? 4 : 8];
    uint8_t count[OOZE_WIDE_PATTERNS];
} OozeWideCompact;

static inline void ooze_wide_compact_fill(OozeWideCompact *table)
{
    memset(table, 0, sizeof *table);
    for (uint32_t bits = 0; bits < OOZE_WIDE_PATTERNS; bits++) {
        for (uint32_t lane = 0; bits >> lane; lane++) {
            if (bits >> lane & 1) {
#if defined(OOZE_WIDE_NEON) /* a shuffle of bytes: four of each lane */
                uint32_t entry = lane * 0x04040404u + 0x03020100u;
#else
                uint32_t entry = lane;
#endif
                table->shuffle[bits][table->count[bits]++] = entry;
            }
        }
    }
}

static inline uint32_t ooze_wide_count(const OozeWideCompact *table, uint32_t bits)
{
#if defined(OOZE_WIDE_AVX512)
    (void)table;
    return (uint32_t)__builtin_popcount(bits);
#else
    return table->count[bits];
#endif
}

/* Writes OOZE_WIDE_LANES values, of which only the first ooze_wide_count(bits) are defined. */
static inline void ooze_wide_compact(const OozeWideCompact *table, uint32_t bits,
                                     OozeWideUint values, uint32_t *to)
{
#if defined(OOZE_WIDE_AVX512)
    (void)table;
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)values));
#elif defined(OOZE_WIDE_AVX2)
    __m256i shuffle = _mm256_loadu_si256((const __m256i *)table->shuffle[bits]);
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32((__m256i)values, shuffle));
#elif defined(OOZE_WIDE_NEON)
    uint8x16_t shuffle = (uint8x16_t)vld1q_u32(table->shuffle[bits]);
    vst1q_u32(to, (uint32x4_t)vqtbl1q_u8((uint8x16_t)values, shuffle));
#else
    const uint32_t *shuffle = table->shuffle[bits];
    uint32_t all[4];
    memcpy(all, &values, sizeof all);
    for (int i = 0; i < 4; i++) {
        to[i] = all[shuffle[i]];
    }
#endif
}

#endif
