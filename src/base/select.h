/* Order statistics without sorting. */
#ifndef OOZE_BASE_SELECT_H
#define OOZE_BASE_SELECT_H

#include <stdint.h>

/* The value that would stand at place k (from 0) if the n > k values were sorted ascending; the
   values stay as they are. Time is linear in n for any input, and -0 counts as less than 0. NaN is
   not to be among the values. */
double ooze_select(const double *values, uint64_t n, uint64_t k);

/* The p-th percentile, p in 0..100, with straight lines between neighbouring order statistics: the
   sorted values stand at p = 100 i / (n - 1). NaN for no values or where any is NaN. */
double ooze_percentile(const double *values, uint64_t n, double p);

#endif
