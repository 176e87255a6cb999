#include "cuda/rank_rows.cuh"

#include "cuda/rank_sums.cuh"

namespace ooze
{

/* ---- rows ---- */

/* Numbers of an array in device memory, at places that the host has. Waits. */
static void read_places(Gpu *gpu, const uint64_t *from, const uint64_t *at, int count, uint64_t *to)
{
    Mark mark = scratch_mark(gpu);
    uint64_t *place = scratch<uint64_t>(gpu, (uint64_t)count);
    copy_in(gpu, place, at, (size_t)count * sizeof *at);
    for_each(
        gpu, (uint64_t)count, OOZE_BODY(uint32_t k) { place[k] = from[place[k]]; });
    copy_out(gpu, to, place, (size_t)count * sizeof *to);
    scratch_rewind(gpu, mark);
}

bool plan_items(Gpu *gpu, OozeArena *arena, const OozeMessagePlan &rows, const uint64_t *sent,
                const uint64_t *received, OozeMessagePlan *items)
{
    if (!ooze_message_plan_create(items, rows.ranks, arena)) {
        record_error(gpu, cudaErrorMemoryAllocation);
        return false;
    }
    read_places(gpu, sent, rows.send_at, rows.ranks->count + 1, items->send_at);
    read_places(gpu, received, rows.receive_at, rows.ranks->count + 1, items->receive_at);
    return gpu->failed == cudaSuccess;
}

/* Where in ascending numbers those of each rank begin, whose rows begin at starts[r]. Waits. */
static void find_owners(Gpu *gpu, const uint32_t *row, uint64_t count, const uint64_t *starts,
                        int ranks, uint64_t *at)
{
    uint64_t *place = scratch<uint64_t>(gpu, (uint64_t)ranks + 1);
    copy_in(gpu, place, starts, ((size_t)ranks + 1) * sizeof *starts);
    for_each(
        gpu, (uint64_t)ranks + 1, OOZE_BODY(uint32_t r) {
            place[r] = first_not((uint32_t)count, [&](uint32_t k) { return row[k] < place[r]; });
        });
    copy_out(gpu, at, place, ((size_t)ranks + 1) * sizeof *at);
}

/* Rows of other ranks, ascending; `reader` are their elements of `wanted`. Returns their number. */
static uint64_t list_others(Gpu *gpu, const RowReaders &readers, const uint32_t *wanted,
                            uint64_t count, const uint32_t **row, const uint32_t **reader)
{
    const RowReaders r = readers;
    uint8_t *mine = scratch<uint8_t>(gpu, count);
    uint32_t *list = scratch<uint32_t>(gpu, count);
    for_each(
        gpu, count, OOZE_BODY(uint32_t i) {
            mine[i] = wanted[i] == OOZE_LINK_ROW_NONE || r.has(wanted[i]) ? 1 : 0;
        });
    const uint64_t others = select_unflagged(gpu, mine, list, count);
    const Sorted<uint32_t> sorted = sorted_by<uint32_t>(
        gpu, others, 32, OOZE_BODY(uint32_t a) { return wanted[list[a]]; });
    const uint32_t *place = sorted.index;
    uint32_t *of = scratch<uint32_t>(gpu, others);
    for_each(
        gpu, others, OOZE_BODY(uint32_t a) { of[a] = list[place[a]]; });
    *row = sorted.key;
    *reader = of;
    return others;
}

OozeStatus row_readers_find(Gpu *gpu, OozeArena *arena, const uint32_t *wanted, uint64_t count,
                            uint64_t own, RowReaders *readers, OozeError *error)
{
    OozeRanks *ranks = gpu->share->ranks;
    const size_t size = (size_t)ranks->count + 1;
    uint64_t *starts = static_cast<uint64_t *>(ooze_arena_alloc(arena, size, sizeof *starts));
    OozeMessagePlan ask;
    if (!starts || !ooze_message_plan_create(&ask, ranks, arena)) {
        return ooze_fail_memory(error, "links of other processes", 0);
    }
    ranks->gather(ranks, &own, sizeof own, starts + 1);
    starts[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        starts[r + 1] += starts[r];
    }
    *readers = {starts[ranks->rank], own, starts[ranks->count], {}, nullptr, nullptr};
    const uint32_t *row = nullptr;
    const uint64_t others = list_others(gpu, *readers, wanted, count, &row, &readers->reader);
    find_owners(gpu, row, others, starts, ranks->count, ask.send_at);
    OozeStatus result = status(gpu, count, error);
    if (result) {
        return result;
    }
    ooze_message_plan_complete(&ask);
    uint32_t *served = scratch<uint32_t>(gpu, ooze_message_plan_received(&ask));
    const uint32_t first = (uint32_t)readers->first;
    exchange_elements(gpu, ask, row, served, sizeof *served);
    for_each(
        gpu, ooze_message_plan_received(&ask), OOZE_BODY(uint32_t k) { served[k] -= first; });
    readers->served = served;
    readers->serve = ask;
    readers->serve.send_at = ask.receive_at;
    readers->serve.receive_at = ask.send_at;
    return status(gpu, count, error);
}

/* ---- other ends that are far away ---- */

/* Which ends are listed: those that are not here, or all that other ranks have. Captured by loop
   bodies. */
struct WantedEnds {
    const uint32_t *present;
    OwnRange own;
    uint32_t n;
    bool ghosts;
    __device__ bool has(uint32_t row) const
    {
        return present[row] == n || (ghosts && !own.has(present[row]));
    }
};

/* The rows of wanted ends, in the order of particles; returns their number. */
static uint64_t list_ends(Gpu *gpu, const uint8_t *asks, const RowPlaces &rows,
                          const OozeLink *links, const WantedEnds &wanted_ends, uint64_t n,
                          uint32_t **row)
{
    const WantedEnds wanted = wanted_ends;
    uint32_t *count = scratch<uint32_t>(gpu, n);
    uint64_t *first = scratch<uint64_t>(gpu, n), all = 0;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            count[i] = 0;
            for (uint32_t k = 0; asks[i] && k < rows.count[i]; k++) {
                count[i] += wanted.has(links[rows.first[i] + k].other);
            }
        });
    running_sum(gpu, count, first, n);
    copy_out(gpu, &all, first + n, sizeof all);
    uint32_t *to = scratch<uint32_t>(gpu, gpu->failed == cudaSuccess ? all : 0);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            uint64_t at = first[i];
            for (uint32_t k = 0; count[i] > 0 && k < rows.count[i]; k++) {
                const uint32_t other = links[rows.first[i] + k].other;
                if (wanted.has(other)) {
                    to[at++] = other;
                }
            }
        });
    *row = to;
    return gpu->failed == cudaSuccess ? all : 0;
}

/* Marks the own particles among the rows that a rank lacks. */
static void mark_asked(Gpu *gpu, const uint32_t *row, uint64_t count, const uint32_t *present,
                       uint64_t n, uint8_t *asked)
{
    const OwnRange own = own_range(gpu, n);
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            const uint32_t i = present[row[k]];
            if (i != n && own.has(i)) {
                asked[i - own.begin] = 1;
            }
        });
}

bool ask_for_ends(Gpu *gpu, OozeArena *arena, const uint8_t *asks, const RowPlaces &rows,
                  const OozeLink *links, const uint32_t *present, uint64_t n)
{
    RankShare *share = gpu->share;
    OozeRanks *ranks = share->ranks;
    if (share->has_asked) {
        return false;
    }
    uint32_t *row = nullptr;
    WantedEnds wanted = {present, own_range(gpu, n), (uint32_t)n, false};
    uint64_t missing = list_ends(gpu, asks, rows, links, wanted, n, &row);
    sum_over_ranks(gpu, &missing, 1);
    if (missing == 0 || gpu->failed != cudaSuccess) {
        return false;
    }
    wanted.ghosts = true; /* the repetition may have fewer of them */
    RankList ends = {};
    ends.count = list_ends(gpu, asks, rows, links, wanted, n, &row);
    rank_list_share(gpu, arena, &ends);
    const uint32_t *everyone = gather_list(gpu, row, ends);
    if (!everyone || ends.all == 0) {
        return false;
    }
    uint8_t *asked = buffer<uint8_t>(gpu, &share->asked, (uint64_t)ranks->count * share->own);
    clear(gpu, asked, (uint64_t)ranks->count * share->own);
    for (int r = 0; r < ranks->count && asked; r++) {
        mark_asked(gpu, everyone, ends.counts[r], present, n, asked + (uint64_t)r * share->own);
        everyone += ends.counts[r];
    }
    share->has_asked = share->again = true;
    return true;
}

} // namespace ooze
