/* A pool of worker threads with one primitive: run a range in parallel.

   Determinism: a body must compute element i from read-only input and write only element i (gather,
   never scatter); sums go through ooze_parallel_sum, whose result does not depend on the number of
   threads because the blocks that are added up are fixed by the range alone. */
#ifndef OOZE_BASE_THREADS_H
#define OOZE_BASE_THREADS_H

#include <stdint.h>

#include "ooze/status.h"

typedef struct OozeThreads OozeThreads;

/* count 0: one per core. */
OozeStatus ooze_threads_create(int count, OozeThreads **threads, OozeError *error);
void ooze_threads_destroy(OozeThreads *threads);
int ooze_threads_count(const OozeThreads *threads);

/* Processes [begin, end). `worker` is 0..count-1 and selects the scratch memory to use. */
typedef void (*OozeRangeBody)(void *context, uint64_t begin, uint64_t end, int worker);

/* Splits [0, count) into chunks of `grain` (0: one equal share for each worker). Every worker has a
   share of consecutive chunks and takes chunks of other shares once its own are done. Chunks begin
   at multiples of grain, so that a body may own the output of chunk begin / grain. threads NULL
   runs on the calling thread. Must not be nested. */
void ooze_parallel_for(OozeThreads *threads, uint64_t count, uint64_t grain, OozeRangeBody body,
                       void *context);

/* Sums body(begin, end) into `width` doubles over fixed blocks of 4096 elements, added in order. */
enum { OOZE_SUM_BLOCK = 4096, OOZE_SUM_WIDTH_MAX = 32 };
typedef void (*OozeSumBody)(void *context, uint64_t begin, uint64_t end, double *sums);
OozeStatus ooze_parallel_sum(OozeThreads *threads, uint64_t count, int width, OozeSumBody body,
                             void *context, double *sums, OozeError *error);

#endif
