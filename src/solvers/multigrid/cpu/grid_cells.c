#include "solvers/multigrid/grid_cells.h"

#include <float.h>
#include <string.h>

enum { BOUNDS_BLOCKS = 64 };

typedef struct Bounds {
    const OozeF32x4 *x;
    uint64_t block;
    float low[BOUNDS_BLOCKS][3], high[BOUNDS_BLOCKS][3];
} Bounds;

static void bounds_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Bounds *bounds = data;
    OozeF32x4 low = ooze_f32x4_splat(FLT_MAX), high = -low;
    for (uint64_t i = begin; i < end; i++) { /* NaN is skipped */
        low = ooze_f32x4_min(bounds->x[i], low);
        high = ooze_f32x4_max(bounds->x[i], high);
    }
    for (int k = 0; k < 3; k++) {
        bounds->low[begin / bounds->block][k] = low[k];
        bounds->high[begin / bounds->block][k] = high[k];
    }
}

void ooze_grid_find_axes(const OozeF32x4 *x, uint64_t n, double spacing,
                         const OozePeriodic *periodic, OozeThreads *threads, OozeHalo *halo,
                         OozeMultigridAxis axis[3])
{
    Bounds bounds = {.x = x, .block = n / BOUNDS_BLOCKS + 1};
    ooze_parallel_for(threads, n, bounds.block, bounds_range, &bounds);
    double ends[6]; /* highest of -x and x */
    for (int k = 0; k < 3; k++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (uint64_t b = 0; b * bounds.block < n; b++) {
            low = bounds.low[b][k] < low ? bounds.low[b][k] : low;
            high = bounds.high[b][k] > high ? bounds.high[b][k] : high;
        }
        ends[k] = -(double)low;
        ends[3 + k] = (double)high;
    }
    ooze_halo_max(halo, ends, 6);
    for (int k = 0; k < 3; k++) {
        axis[k] = ooze_multigrid_axis(spacing, (float)-ends[k], (float)ends[3 + k],
                                      periodic ? (double)periodic->min[k] : 0.0,
                                      periodic ? (double)periodic->length[k] : 0.0);
    }
}

/* Divides `count` sorted keys into groups of the same key. Returns the number of groups, whose keys
   and first places are written to `number` and `first`, each as long as the keys and one more. */
static uint64_t find_groups(const uint64_t *key, uint64_t count, uint64_t *number, uint32_t *first)
{
    uint64_t groups = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || key[i] != key[i - 1]) {
            number[groups] = key[i];
            first[groups++] = (uint32_t)i;
        }
    }
    first[groups] = (uint32_t)count;
    return groups;
}

OozeGridGroups ooze_grid_groups(OozeArena *kept, OozeArena *temporary, const OozeKeySort *sort,
                                uint64_t count)
{
    OozeGridGroups groups = {0};
    uint64_t *number = ooze_arena_alloc(temporary, count + 1, sizeof *number);
    uint32_t *first = ooze_arena_alloc(temporary, count + 1, sizeof *first);
    if (ooze_arena_failed(temporary)) {
        return groups;
    }
    groups.count = find_groups(sort->key[0], count, number, first);
    groups.number = ooze_arena_alloc(kept, groups.count, sizeof *number);
    groups.first = ooze_arena_alloc(kept, groups.count + 1, sizeof *first);
    if (!ooze_arena_failed(kept)) {
        memcpy(groups.number, number, groups.count * sizeof *number);
        memcpy(groups.first, first, (groups.count + 1) * sizeof *first);
    }
    return groups;
}
