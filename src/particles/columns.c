#include "particles/columns.h"

#include <stdbool.h>
#include <string.h>

enum { GRAIN = 8192 };

/* Element i of one side is element order[i] of the other. With a constant size, elements become
   single loads and stores. */
static inline void copy_sized(const OozeColumnCopy *copy, uint64_t begin, uint64_t end,
                              bool scatters, size_t size)
{
    for (uint64_t i = begin; i < end; i++) {
        size_t here = i * size, there = copy->order[i] * size;
        memcpy((char *)copy->to + (scatters ? there : here),
               (const char *)copy->from + (scatters ? here : there), size);
    }
}

static inline void copy_elements(const OozeColumnCopy *copy, uint64_t begin, uint64_t end,
                                 bool scatters)
{
    switch (copy->size) {
    case 2:
        copy_sized(copy, begin, end, scatters, 2);
        break;
    case 4:
        copy_sized(copy, begin, end, scatters, 4);
        break;
    case 8:
        copy_sized(copy, begin, end, scatters, 8);
        break;
    case 16:
        copy_sized(copy, begin, end, scatters, 16);
        break;
    case 48:
        copy_sized(copy, begin, end, scatters, 48);
        break;
    default:
        copy_sized(copy, begin, end, scatters, copy->size);
    }
}

static void copy_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeColumnCopy *copy = data;
    size_t at = begin * copy->size;
    memcpy((char *)copy->to + at, (const char *)copy->from + at, (end - begin) * copy->size);
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    copy_elements(data, begin, end, false);
}

static void scatter_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    copy_elements(data, begin, end, true);
}

void ooze_column_gather(OozeThreads *threads, const OozeColumnCopy *copy)
{
    ooze_parallel_for(threads, copy->count, GRAIN, copy->order ? gather_range : copy_range,
                      (void *)copy);
}

void ooze_column_scatter(OozeThreads *threads, const OozeColumnCopy *copy)
{
    ooze_parallel_for(threads, copy->count, GRAIN, copy->order ? scatter_range : copy_range,
                      (void *)copy);
}
