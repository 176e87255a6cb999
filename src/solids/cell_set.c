#include "solids/cell_set.h"

#include <stdlib.h>

#include "base/memory.h"

void ooze_cell_set_free(OozeCellSet *set)
{
    ooze_free(set->keys);
    *set = (OozeCellSet){0};
}

OozeStatus ooze_cell_set_reserve(OozeCellSet *set, uint64_t count, OozeError *error)
{
    if (count <= set->capacity) {
        return OOZE_OK;
    }
    uint64_t capacity = count + count / 2 + 64;
    uint64_t *grown = ooze_grow(set->keys, set->count, capacity, sizeof *grown);
    if (!grown) {
        return ooze_fail_memory(error, "the cells of boundary particles", capacity * sizeof *grown);
    }
    set->keys = grown;
    set->capacity = capacity;
    return OOZE_OK;
}

OozeStatus ooze_cell_set_add(OozeCellSet *set, uint64_t key, OozeError *error)
{
    OozeStatus status = ooze_cell_set_reserve(set, set->count + 1, error);
    if (!status) {
        set->keys[set->count++] = key;
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void ooze_cell_set_sort(OozeCellSet *set)
{
    uint64_t unique = 0;
    if (set->count > 0) {
        qsort(set->keys, set->count, sizeof *set->keys, compare);
    }
    for (uint64_t i = 0; i < set->count; i++) {
        if (i == 0 || set->keys[i] != set->keys[unique - 1]) {
            set->keys[unique++] = set->keys[i];
        }
    }
    set->count = unique;
}

int64_t ooze_cell_set_find(const OozeCellSet *set, uint64_t key)
{
    uint64_t low = 0, high = set->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (set->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < set->count && set->keys[low] == key ? (int64_t)low : -1;
}

bool ooze_cell_set_has(const OozeCellSet *set, uint64_t key)
{
    return ooze_cell_set_find(set, key) >= 0;
}
