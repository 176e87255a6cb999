/* Ghosts that are asked for by their number in the order of all particles. */
#include <stdlib.h>

#include "base/fail.h"
#include "base/search.h"
#include "particles/halo_parts.h"

uint64_t ooze_halo_find_index(const OozeHalo *halo, uint64_t number)
{
    if (number >= halo->first && number - halo->first < halo->n) {
        return number - halo->first;
    }
    const uint64_t *ghosts = halo->ghost_index + halo->n;
    uint64_t count = halo->plan.receive_at[halo->plan.ranks->count],
             at = ooze_lower_bound(ghosts, sizeof *ghosts, count, number);
    return at < count && ghosts[at] == number ? halo->n + at : UINT64_MAX;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The numbers that are neither own particles nor ghosts, each once, ascending; their count. */
static uint64_t list_missing(const OozeHalo *halo, const uint64_t *wanted, uint64_t count,
                             uint64_t *missing)
{
    uint64_t found = 0, kept = 0;
    for (uint64_t k = 0; k < count; k++) {
        missing[found] = wanted[k];
        found += ooze_halo_find_index(halo, wanted[k]) == UINT64_MAX;
    }
    qsort(missing, found, sizeof *missing, compare_numbers);
    for (uint64_t k = 0; k < found; k++) {
        if (k == 0 || missing[k] != missing[k - 1]) {
            missing[kept++] = missing[k];
        }
    }
    return kept;
}

/* Where the numbers of each rank's particles begin among ascending ones. */
static void divide_by_rank(const OozeHalo *halo, const uint64_t *numbers, uint64_t count,
                           uint64_t *at)
{
    uint64_t end = 0, k = 0;
    for (int r = 0; r < halo->plan.ranks->count; r++) {
        at[r] = k;
        end += halo->range[r].n;
        while (k < count && numbers[k] < end) {
            k++;
        }
    }
    at[halo->plan.ranks->count] = k;
}

/* Merges own particles that ranks ask for by number into the lists of what they take. */
static OozeStatus extend_lists(OozeHalo *halo, const uint64_t *asked, const uint64_t *asked_at,
                               OozeError *error)
{
    int ranks = halo->plan.ranks->count;
    uint64_t total = halo->plan.send_at[ranks] + asked_at[ranks], at = 0;
    uint32_t *send = ooze_alloc(total, sizeof *send);
    if (!send) {
        return ooze_fail_memory(error, "particles of other processes", total * sizeof *send);
    }
    uint64_t first = 0;
    for (int r = 0; r < ranks; r++) {
        uint64_t k = first, end = halo->plan.send_at[r + 1], a = asked_at[r];
        first = end;
        halo->plan.send_at[r] = at;
        while (k < end || a < asked_at[r + 1]) {
            bool is_old =
                k < end && (a == asked_at[r + 1] || halo->first + halo->send[k] < asked[a]);
            send[at++] = is_old ? halo->send[k] : (uint32_t)(asked[a] - halo->first);
            k += is_old;
            a += !is_old;
        }
    }
    halo->plan.send_at[ranks] = at;
    halo->inner = halo->inner_end = 0; /* ghosts may be anywhere now */
    ooze_free(halo->send);
    halo->send = send;
    halo->send_capacity = total;
    return OOZE_OK;
}

OozeStatus ooze_halo_add(OozeHalo *halo, const uint64_t *wanted, uint64_t count, OozeError *error)
{
    OozeMessagePlan plan; /* of numbers */
    uint64_t *missing = ooze_alloc(count, sizeof *missing);
    if (!ooze_message_plan_create(&plan, halo->plan.ranks, NULL) || !missing) {
        ooze_free(missing);
        ooze_message_plan_free(&plan);
        return ooze_fail_memory(error, "particles of other processes", count * sizeof *missing);
    }
    uint64_t kept = list_missing(halo, wanted, count, missing);
    OozeStatus status = OOZE_OK;
    if (ooze_halo_any(halo, kept > 0)) {
        divide_by_rank(halo, missing, kept, plan.send_at);
        ooze_message_plan_complete(&plan);
        uint64_t *asked = ooze_alloc(ooze_message_plan_received(&plan), sizeof *asked);
        if (asked) {
            ooze_message_plan_exchange(&plan, missing, asked, sizeof *asked);
            status = extend_lists(halo, asked, plan.receive_at, error);
            status = status ? status : ooze_halo_number_ghosts(halo, error);
        } else {
            status = ooze_fail_memory(error, "particles of other processes", 0);
        }
        ooze_free(asked);
    }
    ooze_free(missing);
    ooze_message_plan_free(&plan);
    return status;
}
