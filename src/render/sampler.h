/* The random numbers of one path: a two-dimensional Sobol sequence over the samples of a pixel,
   with its points shuffled and scrambled for every pair of dimensions (Burley 2020). They depend on
   (seed, pixel, sample) only, not on threads. */
#ifndef OOZE_RENDER_SAMPLER_H
#define OOZE_RENDER_SAMPLER_H

#include <stdint.h>

#include "base/hash.h"

typedef struct OozeSampler {
    uint64_t stream; /* of the pixel */
    uint32_t sample;
    uint32_t pair; /* next pair of dimensions */
} OozeSampler;

static inline OozeSampler ooze_sampler(uint64_t seed, uint64_t pixel, uint32_t sample)
{
    return (OozeSampler){ooze_mix(ooze_mix(seed + OOZE_HASH_START) ^ pixel), sample, 0};
}

static inline uint32_t reverse_bits(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

/* Nested uniform scrambling of the bits from the highest on (Laine and Karras 2011). */
static inline uint32_t scramble_bits(uint32_t x, uint32_t seed)
{
    x = reverse_bits(x);
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverse_bits(x);
}

/* Second dimension of the Sobol sequence; the first is the reversed index. Its matrix is Pascal's
   triangle modulo 2, a product of five steps (Ahmed 2024). */
static inline uint32_t sobol_second(uint32_t index)
{
    uint32_t x = reverse_bits(index);
    x ^= x << 16;
    x ^= (x & 0x00ff00ffu) << 8;
    x ^= (x & 0x0f0f0f0fu) << 4;
    x ^= (x & 0x33333333u) << 2;
    x ^= (x & 0x55555555u) << 1;
    return x;
}

typedef struct OozePair {
    float u, v; /* each in [0, 1) */
} OozePair;

static inline OozePair ooze_sampler_pair(OozeSampler *sampler)
{
    uint64_t key = ooze_mix(sampler->stream + 0x632be59bd9b4e019ull * ++sampler->pair);
    uint64_t more = ooze_mix(key);
    uint32_t index = scramble_bits(sampler->sample, (uint32_t)key);
    uint32_t u = scramble_bits(reverse_bits(index), (uint32_t)(key >> 32));
    uint32_t v = scramble_bits(sobol_second(index), (uint32_t)more);
    return (OozePair){(float)(u >> 8) * 0x1p-24f, (float)(v >> 8) * 0x1p-24f};
}

#endif
