#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t kind)
{
    struct timespec now;
    clock_gettime(kind, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ooze_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double ooze_clock_processor(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
