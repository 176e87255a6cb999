/* Wide floats: one vector of 4, 8 or 16 lanes, whatever the instruction set in use has. Arithmetic is
   written with the ordinary operators of the compilers' vector extensions; only what they cannot say
   stands here as intrinsics, and nowhere else. */
#ifndef OOZE_BASE_WIDE_H
#define OOZE_BASE_WIDE_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define OOZE_WIDE_BYTES 64
#elif defined(__AVX2__)
#include <immintrin.h>
#define OOZE_WIDE_BYTES 32
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define OOZE_WIDE_BYTES 16
#else
#define OOZE_WIDE_BYTES 16
#endif

enum { OOZE_WIDE_LANES = OOZE_WIDE_BYTES / 4, OOZE_WIDE_BLOCK = 32 };

typedef float OozeWide __attribute__((vector_size(OOZE_WIDE_BYTES)));
typedef int32_t OozeWideMask __attribute__((vector_size(OOZE_WIDE_BYTES))); /* a lane is 0 or -1 */

/* The address need not be aligned. */
static inline OozeWide ooze_wide_load(const float *from)
{
    OozeWide wide;
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static inline OozeWide ooze_wide_splat(float value)
{
    OozeWide zero = {0.0f};
    return zero + value;
}

/* Nearest whole number, halves to even, as rintf; for |a| < 2^22, where adding and taking away
   1.5 * 2^23 leaves no fraction bits. NaN and infinity do not come back whole. */
static inline OozeWide ooze_wide_rint(OozeWide a)
{
    return (a + 0x1.8p23f) - 0x1.8p23f;
}

/* One bit per lane of a block of 32 lanes, the first lane lowest. */
static inline uint32_t ooze_wide_bits(const OozeWideMask mask[OOZE_WIDE_BLOCK / OOZE_WIDE_LANES])
{
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (uint32_t)_mm512_movepi32_mask((__m512i)mask[0]) |
           (uint32_t)_mm512_movepi32_mask((__m512i)mask[1]) << 16;
#elif defined(__AVX2__)
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        bits |= (uint32_t)_mm256_movemask_ps((__m256)mask[i]) << (8 * i);
    }
    return bits;
#elif defined(__ARM_NEON) && defined(__aarch64__)
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t weight = vld1q_u8(weights), half[2];
    for (int i = 0; i < 2; i++) {
        const OozeWideMask *m = mask + 4 * i;
        uint16x8_t low = vuzp1q_u16((uint16x8_t)m[0], (uint16x8_t)m[1]);
        uint16x8_t high = vuzp1q_u16((uint16x8_t)m[2], (uint16x8_t)m[3]);
        half[i] = vandq_u8(vuzp1q_u8((uint8x16_t)low, (uint8x16_t)high), weight);
    }
    uint8x16_t sum = vpaddq_u8(half[0], half[1]);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u32((uint32x4_t)sum, 0);
#else
    uint32_t bits = 0;
    for (int i = 0; i < OOZE_WIDE_BLOCK; i++) {
        bits |= (uint32_t)(mask[i / OOZE_WIDE_LANES][i % OOZE_WIDE_LANES] & 1) << i;
    }
    return bits;
#endif
}

/* Compaction by look-up: the numbers of the set bits of a byte, lowest first, and how many. */
typedef struct OozeWideCompact {
    uint32_t lane[256][8];
    uint8_t count[256];
} OozeWideCompact;

static inline void ooze_wide_compact_fill(OozeWideCompact *table)
{
    memset(table, 0, sizeof *table);
    for (int bits = 0; bits < 256; bits++) {
        for (uint32_t lane = 0; lane < 8; lane++) {
            if (bits >> lane & 1) {
                table->lane[bits][table->count[bits]++] = lane;
            }
        }
    }
}

/* Writes base + number of each set bit; always stores eight values, gives how many count. */
static inline unsigned ooze_wide_compact(const OozeWideCompact *table, uint8_t bits, uint32_t base,
                                         uint32_t *to)
{
    typedef uint32_t Four __attribute__((vector_size(16)));
    Four low, high;
    memcpy(&low, table->lane[bits], 16);
    memcpy(&high, table->lane[bits] + 4, 16);
    low += base;
    high += base;
    memcpy(to, &low, 16);
    memcpy(to + 4, &high, 16);
    return table->count[bits];
}

#endif
