/* Stable parallel radix sort of 64-bit keys with 32-bit values. The order is the same for any
   number of threads. */
#ifndef OOZE_SOLVERS_MULTIGRID_KEY_SORT_H
#define OOZE_SOLVERS_MULTIGRID_KEY_SORT_H

#include "base/memory.h"
#include "base/threads.h"

typedef struct OozeKeySort {
    uint64_t *key[2];
    uint32_t *value[2]; /* input and result are in key[0] and value[0]; the others are scratch */
    uint32_t *counts;   /* histogram of the digits of each block */
} OozeKeySort;

/* Arrays for n pairs, in `arena`. A failure is recorded by the arena. */
void ooze_key_sort_alloc(OozeKeySort *sort, OozeArena *arena, uint64_t n);
/* Sorts n pairs by the lowest `bits` of the keys. */
void ooze_key_sort(OozeKeySort *sort, OozeThreads *threads, uint64_t n, int bits);

#endif
