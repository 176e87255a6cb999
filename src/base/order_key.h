/* Order of numbers and percentiles. Valid C17 and CUDA. */
#ifndef OOZE_BASE_ORDER_KEY_H
#define OOZE_BASE_ORDER_KEY_H

#include <stdint.h>
#include <string.h>

#include "base/formula.h"

/* Unsigned integers in the order of the numbers: the bits of a negative number are inverted. */
OOZE_FORMULA uint64_t ooze_order_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

OOZE_FORMULA double ooze_order_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & 0x7fffffffffffffffull : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A percentile of n values lies between those of ranks `low` and low + 1, counted from 0. */
typedef struct OozeRank {
    uint64_t low;
    double fraction; /* 0: it is that of rank `low`, which may be the last one */
} OozeRank;

/* p in 0..100, n > 0. */
OOZE_FORMULA OozeRank ooze_percentile_rank(uint64_t n, double p)
{
    OozeRank rank;
    double place = p / 100.0 * (double)(n - 1);
    rank.low = (uint64_t)place < n ? (uint64_t)place : n - 1;
    rank.fraction = rank.low + 1 < n && place > (double)rank.low ? place - (double)rank.low : 0.0;
    return rank;
}

OOZE_FORMULA double ooze_percentile_between(OozeRank rank, double low, double high)
{
    return high > low ? low + rank.fraction * (high - low) : low; /* inf - inf would be NaN */
}

#endif
