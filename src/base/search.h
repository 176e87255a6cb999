/* Binary searches in ascending numbers. */
#ifndef OOZE_BASE_SEARCH_H
#define OOZE_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Index of the first of `count` ascending numbers that is at least `least`; count: none is. The
   numbers are `stride` bytes apart, so that they may be members of structs. */
static inline uint64_t ooze_lower_bound(const uint64_t *number, size_t stride, uint64_t count,
                                        uint64_t least)
{
    const char *numbers = (const char *)number;
    uint64_t low = 0;
    for (uint64_t size = count; size > 0;) {
        uint64_t half = size / 2;
        bool is_below = *(const uint64_t *)(const void *)(numbers + (low + half) * stride) < least;
        low += is_below ? size - half : 0;
        size = half;
    }
    return low;
}

/* Which of `count` consecutive parts has an element; first[k] is the first element of part k, and
   that of the next part where part k is empty. Elements before all parts belong to part 0, those
   after all to the last. */
static inline int ooze_part_of(const uint64_t *first, int count, uint64_t element)
{
    int low = 0;
    for (int size = count; size > 1;) {
        int half = size / 2;
        bool is_behind = first[low + half] <= element;
        low += is_behind ? half : 0;
        size = is_behind ? size - half : half;
    }
    return low;
}

#endif
