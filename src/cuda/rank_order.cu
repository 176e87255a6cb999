#include "cuda/rank_order.cuh"

#include "cuda/rank_sums.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

OozeStatus ranks_sort_points(Engine *engine, const OozeStepContext *c, const float4 *x, uint64_t n,
                             OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    PointBox box;
    OozeStatus result = OOZE_OK;
    if (gpu->share) { /* ranks without particles know the cells too */
        result = box_over_ranks(gpu, x, n, &box, error);
        result =
            result ? result : grid_set_box(&engine->grid, box, c->support, &c->periodic, error);
        engine->grid.known_box = result ? nullptr : &box;
    }
    return result ? result : grid_sort(gpu, &engine->grid, x, n, c->support, &c->periodic, error);
}

void rank_order_free(RankOrder *order)
{
    ooze_split_free(&order->split);
}

/* ---- the order ---- */

/* Divides the own particles, whose keys ascend. */
static OozeStatus divide(Gpu *gpu, RankOrder *order, const uint64_t *key, OozeError *error)
{
    const RankShare *share = gpu->share;
    OozeSplit *split = &order->split;
    split->ranks = share->ranks;
    split->before = share->own;
    split->total = share->total;
    split->block = share_grain(share->total);
    OozeStatus result = ooze_split_reserve(split, share->own, error);
    if (!result) {
        copy_out(gpu, split->keys, key, share->own * sizeof *key);
        result = status(gpu, share->own, error);
    }
    return result ? result : ooze_split_cut(split, share->shares.cuts, error);
}

/* Numbers of elements in messages, where those of each rank begin at `at`. */
static void leave_out_own(const uint64_t *at, const OozeRanks *ranks, uint64_t *message_at)
{
    message_at[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        message_at[r + 1] = message_at[r] + (r == ranks->rank ? 0 : at[r + 1] - at[r]);
    }
}

static int bits_of(const OozeGridAxis axis[3])
{
    const uint64_t cells =
        (uint64_t)axis[0].count * (uint64_t)axis[1].count * (uint64_t)axis[2].count;
    int bits = 1;
    while (bits < 64 && cells >> bits > 0) {
        bits++;
    }
    return bits;
}

/* Sorts those that have come: by key, and of the same key in the order of ranks. */
static void sort_range(Gpu *gpu, RankOrder *order, const uint64_t *own_key)
{
    const uint64_t n = order->split.after;
    uint32_t *place = scratch<uint32_t>(gpu, n);
    Mark mark = scratch_mark(gpu);
    uint64_t *key[2] = {scratch<uint64_t>(gpu, n), scratch<uint64_t>(gpu, n)};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, n), scratch<uint32_t>(gpu, n)};
    const int bits = bits_of(order->split.axis), side = sort_input_side(bits);
    rank_order_move(gpu, order, own_key, key[side], sizeof *own_key);
    uint32_t *first = index[side];
    for_each(
        gpu, n, OOZE_BODY(uint32_t m) { first[m] = m; });
    sort_pairs(gpu, key, index, n, bits);
    const uint32_t *sorted = index[1];
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { place[sorted[k]] = k; });
    order->place = place;
    scratch_rewind(gpu, mark);
}

OozeStatus rank_order_find(Engine *engine, RankOrder *order, const OozeStepContext *context,
                           const float4 *x, uint64_t n, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    OozeRanks *ranks = gpu->share->ranks;
    const OwnRange own = own_range(gpu, n);
    const uint32_t *sorted = engine->grid.order;
    memcpy(order->split.axis, engine->grid.cells.axis, sizeof order->split.axis);
    const CellKeys keys = cell_keys(order->split.axis);
    uint32_t *list = scratch<uint32_t>(gpu, n);
    uint64_t *key = scratch<uint64_t>(gpu, own.count);
    uint8_t *is_ghost = scratch<uint8_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { is_ghost[k] = own.has(sorted[k]) ? 0 : 1; });
    select_unflagged(gpu, is_ghost, list, n);
    for_each(
        gpu, own.count, OOZE_BODY(uint32_t e) { key[e] = keys.of(x[list[e]]); });
    order->own = list;
    OozeStatus result = divide(gpu, order, key, error);
    if (!result && !ooze_message_plan_create(&order->plan, ranks, context->arena)) {
        result = ooze_fail_memory(error, "messages between processes", 0);
    }
    if (!result) {
        leave_out_own(order->split.send, ranks, order->plan.send_at);
        leave_out_own(order->split.receive, ranks, order->plan.receive_at);
        sort_range(gpu, order, key);
    }
    return result ? result : status(gpu, n, error);
}

/* ---- elements ---- */

/* `from_at` and `to_at`: where the elements of each rank begin in the arrays. What stays is copied,
   the rest is sent by the plan. */
static void travel(Gpu *gpu, const OozeMessagePlan &plan, const uint64_t *from_at,
                   const uint64_t *to_at, const void *from_bytes, void *to_bytes, size_t size)
{
    const int me = plan.ranks->rank, ranks = plan.ranks->count;
    const char *from = static_cast<const char *>(from_bytes);
    char *to = static_cast<char *>(to_bytes);
    const uint64_t below = from_at[me] * size, above = (from_at[ranks] - from_at[me + 1]) * size;
    const uint64_t into_below = to_at[me] * size;
    const uint64_t into_above = (to_at[ranks] - to_at[me + 1]) * size;
    Mark mark = scratch_mark(gpu);
    char *sent = static_cast<char *>(scratch_bytes(gpu, below + above + size));
    char *received = static_cast<char *>(scratch_bytes(gpu, into_below + into_above + size));
    if (gpu->failed == cudaSuccess) {
        copy(gpu, sent, from, below);
        copy(gpu, sent + below, from + from_at[me + 1] * size, above);
        exchange_elements(gpu, plan, sent, received, size);
        copy(gpu, to, received, into_below);
        copy(gpu, to + to_at[me + 1] * size, received + into_below, into_above);
        copy(gpu, to + to_at[me] * size, from + from_at[me] * size,
             (from_at[me + 1] - from_at[me]) * size);
    }
    scratch_rewind(gpu, mark);
}

void rank_order_move(Gpu *gpu, const RankOrder *order, const void *from, void *to, size_t size)
{
    travel(gpu, order->plan, order->split.send, order->split.receive, from, to, size);
}

/* As rank_order_move, back. */
static void move_back(Gpu *gpu, const RankOrder *order, const void *from, void *to, size_t size)
{
    OozeMessagePlan back = order->plan;
    back.send_at = order->plan.receive_at;
    back.receive_at = order->plan.send_at;
    travel(gpu, back, order->split.receive, order->split.send, from, to, size);
}

void rank_order_numbers(Gpu *gpu, const RankOrder *order, const uint32_t *place, uint32_t *number)
{
    const uint64_t own = gpu->share->own, came = order->split.after;
    const uint32_t first = (uint32_t)order->split.first;
    const uint32_t *list = order->own, *place_in_range = order->place;
    Mark mark = scratch_mark(gpu);
    uint32_t *found = scratch<uint32_t>(gpu, own), *given = scratch<uint32_t>(gpu, came);
    for_each(
        gpu, came, OOZE_BODY(uint32_t m) { given[m] = first + place_in_range[m]; });
    move_back(gpu, order, given, found, sizeof *found);
    for_each(
        gpu, own, OOZE_BODY(uint32_t e) { number[list[e]] = found[e]; });
    refresh_part(gpu, {number, sizeof *number, sizeof *number, 0, place});
    scratch_rewind(gpu, mark);
}

/* ---- lists ---- */

void rank_order_list(Gpu *gpu, OozeArena *arena, const uint32_t *number, DynamicList *list)
{
    rank_list_share(gpu, arena, list);
    list->length = list->all;
    if (!gpu->share) {
        return;
    }
    const uint32_t *particle = list->particles;
    uint32_t *own = scratch<uint32_t>(gpu, list->count);
    for_each(
        gpu, list->count, OOZE_BODY(uint32_t e) { own[e] = number[particle[e]]; });
    const uint32_t *all = gather_list(gpu, own, *list);
    const Sorted<uint32_t> sorted = sorted_by<uint32_t>(
        gpu, list->all, 32, OOZE_BODY(uint32_t e) { return all[e]; });
    list->element = sorted.index;
}

} // namespace ooze
