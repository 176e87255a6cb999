#include "particles/candidates.h"

enum { BYTES = 18 };

void ooze_candidates_free(OozeCandidates *candidates)
{
    ooze_free(candidates->x);
    *candidates = (OozeCandidates){0};
}

uint64_t ooze_candidates_bytes(const OozeCandidates *candidates)
{
    return candidates->capacity * BYTES;
}

bool ooze_candidates_reserve(OozeCandidates *candidates, uint64_t wanted)
{
    if (wanted <= candidates->capacity) {
        return true;
    }
    uint64_t capacity = (wanted + 63) / 64 * 64;
    float *block = ooze_alloc_zero(capacity, BYTES);
    if (!block) {
        return false;
    }
    ooze_free(candidates->x);
    candidates->capacity = capacity;
    candidates->x = block;
    candidates->y = block + capacity;
    candidates->z = block + 2 * capacity;
    candidates->index = (uint32_t *)(block + 3 * capacity);
    candidates->bits = candidates->index + capacity;
    return true;
}

uint64_t ooze_candidates_find(const OozeCandidates *candidates, uint32_t index)
{
    uint64_t low = 0, size = candidates->count;
    while (size > 0) {
        uint64_t half = size / 2;
        low += candidates->index[low + half] < index ? size - half : 0;
        size = half;
    }
    return low < candidates->count && candidates->index[low] == index ? low : UINT64_MAX;
}
