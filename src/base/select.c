#include "base/select.h"

#include <math.h>
#include <string.h>

/* Unsigned integers in the order of the numbers: the bits of a negative number are inverted. */
static uint64_t to_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

static double from_key(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & 0x7fffffffffffffffull : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of rank k (from 0) of n > k values, none of which is NaN: a radix selection. Each pass
   fixes one byte of the result, from the top: the byte whose histogram bucket holds rank k among
   the values that share the bytes found so far. */
static double select_rank(const double *values, uint64_t n, uint64_t k)
{
    uint64_t found = 0, mask = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        uint64_t histogram[256] = {0};
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = to_key(values[i]);
            if ((key & mask) == found) {
                histogram[key >> shift & 0xff]++;
            }
        }
        uint64_t byte = 0;
        while (byte < 0xff && k >= histogram[byte]) {
            k -= histogram[byte++];
        }
        found |= byte << shift;
        mask |= (uint64_t)0xff << shift;
    }
    return from_key(found);
}

double ooze_percentile(const double *values, uint64_t n, double p)
{
    if (n == 0 || !(p >= 0.0 && p <= 100.0)) {
        return NAN;
    }
    double rank = p / 100.0 * (double)(n - 1);
    uint64_t k = (uint64_t)rank < n ? (uint64_t)rank : n - 1;
    for (uint64_t i = 0; i < n; i++) {
        if (isnan(values[i])) {
            return NAN;
        }
    }
    double low = select_rank(values, n, k);
    double fraction = rank - (double)k;
    if (!(fraction > 0.0) || k + 1 >= n) {
        return low;
    }
    double high = select_rank(values, n, k + 1);
    return high > low ? low + fraction * (high - low) : low; /* inf - inf would be NaN */
}
