/* As many multiplications and additions as a core can do in a second: what measured speeds are compared with. */
#ifndef OOZE_BASE_PEAK_H
#define OOZE_BASE_PEAK_H

#include "base/machine.h"
#include "base/threads.h"

/* Per element of the range. */
typedef struct OozePeakJob {
    double *seconds; /* that it took */
    float *sink;     /* what came out of it: else the compiler would leave it out */
} OozePeakJob;

typedef struct OozePeakLoops {
    OozeRangeBody four, wide;      /* over an OozePeakJob, one element at a time */
    double four_flops, wide_flops; /* of an element */
} OozePeakLoops;
OOZE_LOOPS_DECLARE(OozePeakLoops, ooze_peak_loops);

#endif
