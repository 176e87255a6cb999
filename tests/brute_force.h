/* Neighbour lists by comparing all pairs: the reference for ooze_neighbours_build. Valid C and
   C++. */
#ifndef OOZE_TESTS_BRUTE_FORCE_H
#define OOZE_TESTS_BRUTE_FORCE_H

#include <stdlib.h>

#include "check.h"
#include "particles/neighbours.h"

static inline bool is_within(OozeFloat4 a, OozeFloat4 b, float radius, const OozePeriodic *periodic)
{
    float d[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    for (int k = 0; periodic && k < 3; k++) {
        d[k] = ooze_periodic_delta(d[k], periodic->length[k], periodic->inverse[k]);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius;
}

/* Fills empty lists; free them with ooze_neighbours_free. */
static inline void brute_force(OozeNeighbours *lists, const OozeNeighbourQuery *query,
                               uint64_t candidate_count, const OozePeriodic *periodic)
{
    uint64_t n = query->n, capacity = 0;
    ooze_neighbours_free(lists);
    lists->first = (uint64_t *)ooze_alloc(n + 1, sizeof *lists->first);
    lists->count = (uint32_t *)ooze_alloc(n, sizeof *lists->count);
    assert_true(lists->first && lists->count);
    lists->n = n;
    lists->dummy = (uint32_t)candidate_count;
    lists->first[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = lists->first[i];
        if (at + candidate_count + OOZE_LIST_PAD > capacity) {
            capacity = 2 * (at + candidate_count + OOZE_LIST_PAD);
            lists->index = (uint32_t *)ooze_grow(lists->index, at, capacity, sizeof *lists->index);
            assert_non_null(lists->index);
        }
        uint32_t found = 0;
        for (uint64_t k = 0; k < candidate_count; k++) {
            if (!(query->skip_self && k == i) &&
                is_within(query->points[i], query->candidates[k], (float)query->radius, periodic)) {
                lists->index[at + found++] = (uint32_t)k;
            }
        }
        lists->count[i] = found;
        lists->pairs += found;
        while (found % OOZE_LIST_PAD) {
            lists->index[at + found++] = lists->dummy;
        }
        lists->first[i + 1] = at + found;
    }
}

#endif
