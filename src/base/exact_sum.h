/* Sums of doubles without rounding, after Kulisch: a fixed-point number that holds every finite
   double exactly, in digits of 32 bits. It is rounded once, at the end, so that the order of the
   additions does not matter, nor which process makes them. */
#ifndef OOZE_BASE_EXACT_SUM_H
#define OOZE_BASE_EXACT_SUM_H

#include <stdint.h>

#include "base/ranks.h"

/* The lowest bit is 2^-1074, the least double; 2098 bits hold the largest, and the digits above
   them 2^62 of it. */
enum { OOZE_EXACT_DIGITS = 68 };

/* Begins as zero. */
typedef struct OozeExactSum {
    int64_t digit[OOZE_EXACT_DIGITS]; /* of weight 2^(32 k - 1074); not carried, of either sign */
    int64_t not_finite;               /* numbers that are infinite or NaN */
    int64_t added;                    /* since the last carry */
} OozeExactSum;

/* Adds values[0], values[stride], ... */
void ooze_exact_add(OozeExactSum *sum, const double *values, uint64_t count, uint64_t stride);

/* The doubles nearest to `count` sums, each over all ranks, ties to even; infinite where that is
   too large, and NaN where one of the numbers was not finite. One call of all ranks; NULL: there is
   one process. The sums have no more use. */
void ooze_exact_round(OozeExactSum *sums, int count, OozeRanks *ranks, double *rounded);

#endif
