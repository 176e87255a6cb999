#include "particles/columns.h"

#include <string.h>

enum { GRAIN = 8192 };

/* With a constant size, elements become single loads and stores. */
static inline void gather_sized(const OozeColumnCopy *copy, uint64_t begin, uint64_t end,
                                size_t size)
{
    char *to = (char *)copy->to + begin * size;
    for (uint64_t i = begin; i < end; i++, to += size) {
        memcpy(to, (const char *)copy->from + copy->order[i] * size, size);
    }
}

static inline void scatter_sized(const OozeColumnCopy *copy, uint64_t begin, uint64_t end,
                                 size_t size)
{
    const char *from = (const char *)copy->from + begin * size;
    for (uint64_t i = begin; i < end; i++, from += size) {
        memcpy((char *)copy->to + copy->order[i] * size, from, size);
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
    const OozeColumnCopy *copy = data;
    switch (copy->size) {
    case 2:
        gather_sized(copy, begin, end, 2);
        break;
    case 4:
        gather_sized(copy, begin, end, 4);
        break;
    case 8:
        gather_sized(copy, begin, end, 8);
        break;
    case 16:
        gather_sized(copy, begin, end, 16);
        break;
    case 48:
        gather_sized(copy, begin, end, 48);
        break;
    default:
        gather_sized(copy, begin, end, copy->size);
    }
}

static void scatter_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeColumnCopy *copy = data;
    switch (copy->size) {
    case 4:
        scatter_sized(copy, begin, end, 4);
        break;
    case 16:
        scatter_sized(copy, begin, end, 16);
        break;
    default:
        scatter_sized(copy, begin, end, copy->size);
    }
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
