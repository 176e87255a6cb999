#include "base/select.h"

#include <math.h>

#include "base/order_key.h"

/* The value of rank k (from 0) of n > k values, none of which is NaN: a radix selection. Each pass
   fixes one byte of the result, from the top: the byte whose histogram bucket holds rank k among
   the values that share the bytes found so far. */
static double select_rank(const double *values, uint64_t n, uint64_t k)
{
    uint64_t found = 0, mask = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        uint64_t histogram[256] = {0};
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = ooze_order_key(values[i]);
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
    return ooze_order_value(found);
}

double ooze_percentile(const double *values, uint64_t n, double p)
{
    if (n == 0 || !(p >= 0.0 && p <= 100.0)) {
        return NAN;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (isnan(values[i])) {
            return NAN;
        }
    }
    const OozeRank rank = ooze_percentile_rank(n, p);
    double low = select_rank(values, n, rank.low);
    return rank.fraction > 0.0
               ? ooze_percentile_between(rank, low, select_rank(values, n, rank.low + 1))
               : low;
}
