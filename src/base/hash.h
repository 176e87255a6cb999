/* A 64-bit hash for comparing states and detecting damaged files; not cryptographic. */
#ifndef OOZE_BASE_HASH_H
#define OOZE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/formula.h"

#define OOZE_HASH_START 0x9e3779b97f4a7c15ull

/* Continues `hash` over bytes; splitting the input differently gives a different hash. */
uint64_t ooze_hash_bytes(uint64_t hash, const void *data, size_t bytes);
uint64_t ooze_hash_text(uint64_t hash, const char *text);

OOZE_FORMULA uint64_t ooze_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* A random number in [0, 1) that depends on (seed, element, draw) only. */
static inline double ooze_random01(uint64_t seed, uint64_t element, uint64_t draw)
{
    uint64_t bits = ooze_mix(ooze_mix(ooze_mix(seed + OOZE_HASH_START) ^ element) + draw);
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
