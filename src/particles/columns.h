/* Arrays of elements of any size that are read or written in another order. */
#ifndef OOZE_PARTICLES_COLUMNS_H
#define OOZE_PARTICLES_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/threads.h"

/* Elements of `size` bytes and the places of one side. */
typedef struct OozeColumnCopy {
    void *to;
    const void *from;
    size_t size;
    const uint32_t *order; /* NULL: 0, 1, 2 ... */
    uint64_t count;
} OozeColumnCopy;

/* to[i] = from[order[i]] */
void ooze_column_gather(OozeThreads *threads, const OozeColumnCopy *copy);
/* to[order[i]] = from[i]; every place occurs once. */
void ooze_column_scatter(OozeThreads *threads, const OozeColumnCopy *copy);

#endif
