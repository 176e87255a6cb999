/* Order statistics without sorting. */
#ifndef OOZE_BASE_SELECT_H
#define OOZE_BASE_SELECT_H

#include <stdint.h>

/* The p-th percentile, p in 0..100, interpolated linearly between order statistics: sorted value i
   is the percentile 100 i / (n - 1). Time is linear in n for any input; the values are not changed.
   NaN where n is 0 or any value is NaN. */
double ooze_percentile(const double *values, uint64_t n, double p);

#endif
