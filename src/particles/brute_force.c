/* Neighbour lists by comparing all pairs. Slow and plain: what the fast path is held to. */
#include "base/fail.h"
#include "particles/neighbours.h"

static bool is_near(OozeFloat4 a, OozeFloat4 b, float radius, const OozePeriodic *periodic)
{
    float d[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    for (int k = 0; periodic && k < 3; k++) {
        d[k] = ooze_periodic_delta(d[k], periodic->length[k], periodic->inverse[k]);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius;
}

OozeStatus ooze_neighbours_brute_force(OozeNeighbours *lists, const OozeFloat4 *points, uint64_t n,
                                       const OozeFloat4 *candidates, uint64_t candidate_count,
                                       double radius, const OozePeriodic *periodic, bool skip_self,
                                       OozeError *error)
{
    ooze_neighbours_free(lists);
    lists->first = ooze_alloc(n + 1, sizeof *lists->first);
    lists->count = ooze_alloc(n, sizeof *lists->count);
    if (!lists->first || !lists->count) {
        ooze_neighbours_free(lists);
        return ooze_fail_memory(error, "neighbour lists", n * 12);
    }
    lists->capacity_n = n;
    lists->dummy = (uint32_t)candidate_count;
    lists->first[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = lists->first[i];
        if (at + candidate_count + OOZE_LIST_PAD > lists->capacity_index) {
            uint64_t wanted = 2 * (at + candidate_count + OOZE_LIST_PAD);
            uint32_t *grown = ooze_grow(lists->index, at, wanted, sizeof *grown);
            if (!grown) {
                ooze_neighbours_free(lists);
                return ooze_fail_memory(error, "neighbour lists", wanted * sizeof *grown);
            }
            lists->index = grown;
            lists->capacity_index = wanted;
        }
        uint32_t found = 0;
        for (uint64_t k = 0; k < candidate_count; k++) {
            if (is_near(points[i], candidates[k], (float)radius, periodic) &&
                !(skip_self && k == i)) {
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
    lists->n = n;
    return OOZE_OK;
}
