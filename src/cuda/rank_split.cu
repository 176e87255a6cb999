/* Divides particles among ranks, and finds the ghosts of each. */
#include "cuda/ranks.cuh"

#include "cuda/method.cuh"
#include "cuda/rank_sums.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

const uint32_t *places_in_grid(Gpu *gpu, const Grid &grid, const float4 *x)
{
    const uint64_t n = gpu->share->total;
    uint32_t *place = scratch<uint32_t>(gpu, n);
    Mark mark = scratch_mark(gpu);
    const float4 *all = gather_elements(gpu, x);
    const CellKeys keys = cell_keys(grid.cells.axis);
    const Sorted<uint64_t> sorted = sorted_by<uint64_t>(
        gpu, n, 64, OOZE_BODY(uint32_t i) { return keys.of(all[i]); });
    const uint32_t *order = sorted.index;
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { place[order[k]] = k; });
    scratch_rewind(gpu, mark);
    return place;
}

/* ---- division ---- */

static OozeStatus find_keys(Engine *engine, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    OozeSplit *split = &gpu->share->split;
    const uint64_t n = engine->store.n;
    OozeStatus result = ooze_split_reserve(split, n, error);
    if (result) {
        return result;
    }
    Mark mark = scratch_mark(gpu);
    uint64_t *key = scratch<uint64_t>(gpu, n);
    const float4 *x = store_positions(&engine->store);
    const CellKeys keys = cell_keys(gpu->share->split.axis);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { key[i] = keys.of(x[i]); });
    copy_out(gpu, split->keys, key, n * sizeof *key);
    scratch_rewind(gpu, mark);
    return status(gpu, n, error);
}

/* Sorts the own particles, in the cells of all. */
static OozeStatus sort_own(Engine *engine, const OozeStepContext *context, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    Store *store = &engine->store;
    engine->grid.known_box = &gpu->share->box;
    OozeStatus result = grid_sort(gpu, &engine->grid, store_positions(store), store->n,
                                  context->support, &context->periodic, error);
    return result || store->n == 0 ? result : store_reorder(gpu, store, engine->grid.order, error);
}

/* Copies the fields of the particles [at[r], at[r + 1]) of all other ranks to the host, or from it:
   rank by rank, field by field. Returns the number of bytes; of NULL memory, counts them only. */
static uint64_t copy_parts(Gpu *gpu, const Store *store, const uint64_t *at, uint64_t *bytes,
                           char *memory, bool to_host)
{
    const OozeRanks *ranks = gpu->share->ranks;
    uint64_t done = 0;
    for (int r = 0; r < ranks->count; r++) {
        bytes[r] = done;
        const uint64_t count = r == ranks->rank ? 0 : at[r + 1] - at[r];
        for (int f = 0; f < store->field_count && count > 0; f++) {
            const uint64_t size = store->field[f].size;
            char *data = static_cast<char *>(store->field[f].buffer.memory) + at[r] * size;
            if (memory && to_host) {
                copy_to_pinned(gpu, memory + done, data, count * size);
            } else if (memory) {
                copy_in(gpu, data, memory + done, count * size);
            }
            done += count * size;
        }
    }
    bytes[ranks->count] = done;
    return done;
}

/* Moves the sorted particles to the ranks that have them from now on. `changed`: some have come. */
static OozeStatus migrate(Engine *engine, bool *changed, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    Store *store = &engine->store;
    RankShare *share = gpu->share;
    OozeRanks *ranks = share->ranks;
    const OozeSplit *split = &share->split;
    const uint64_t *send = split->send, *receive = split->receive;
    const uint64_t stay = send[ranks->rank + 1] - send[ranks->rank];
    uint64_t *sent_at = share->bytes, *received_at = sent_at + ranks->count + 1;
    const uint64_t out = copy_parts(gpu, store, send, sent_at, nullptr, true);
    char *sent = pinned_bytes(gpu, &share->pinned[0], out);
    copy_parts(gpu, store, send, sent_at, sent, true);
    store_shift(gpu, store, send[ranks->rank], 0, stay);
    store->n = stay;
    OozeStatus result = store_resize(gpu, store, split->after, error);
    if (result) {
        return result;
    }
    store_shift(gpu, store, 0, receive[ranks->rank], stay);
    const uint64_t in = copy_parts(gpu, store, receive, received_at, nullptr, false);
    char *received = pinned_bytes(gpu, &share->pinned[1], in);
    gpu_wait(gpu);
    if (gpu->failed == cudaSuccess) {
        ranks->exchange(ranks, sent, sent_at, received, received_at);
        copy_parts(gpu, store, receive, received_at, received, false);
        gpu_wait(gpu);
    }
    pinned_trim(&share->pinned[0], out);
    pinned_trim(&share->pinned[1], in);
    *changed = in > 0;
    store->box_known = false;
    return status(gpu, split->after, error);
}

OozeStatus ranks_sort(Engine *engine, const OozeStepContext *context, float low[3], float high[3],
                      OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    Store *store = &engine->store;
    RankShare *share = gpu->share;
    OozeSplit *split = &share->split;
    OozeRanks *ranks = share->ranks;
    bool changed = false;
    share->begin = 0;
    share->has_asked = false;
    share->along.data = nullptr; /* of a sum that was left out after an error */
    share->own = share->total = split->before = store->n;
    ranks->sum(ranks, &share->total, 1);
    ooze_ranks_shares_update(&share->shares, ranks, store->n, share->total);
    OozeStatus result = box_over_ranks(gpu, store_positions(store), store->n, &share->box, error);
    if (result || share->total == 0) {
        return result;
    }
    result = grid_set_box(&engine->grid, share->box, context->support, &context->periodic, error);
    memcpy(split->axis, engine->grid.cells.axis, sizeof split->axis);
    result = result ? result : sort_own(engine, context, error);
    result = result ? result : find_keys(engine, error);
    ooze_timer_lap(context->timer, "sort");
    if (!result) {
        split->total = share->total;
        split->block = share_grain(share->total);
        result = ooze_split_cut(split, share->shares.cuts, error);
    }
    result = result ? result : migrate(engine, &changed, error);
    ooze_timer_lap(context->timer, "migrate");
    if (!result && changed) {
        result = sort_own(engine, context, error);
        ooze_timer_lap(context->timer, "sort");
    }
    if (result) { /* others wait for this rank, which the caller ends */
        return result;
    }
    share->own = store->n;
    share->first = split->first;
    ranks->gather(ranks, &share->own, sizeof share->own, share->counts);
    memcpy(low, share->box.low, sizeof share->box.low);
    memcpy(high, share->box.high, sizeof share->box.high);
    return OOZE_OK;
}

/* ---- ghosts ---- */

/* What the other ranks know of one. */
struct RankBounds {
    uint64_t first, last, n; /* keys of its first and last particle, and how many it has */
    float low, high;         /* m: their extent along z */
};

/* How far away neighbours may be in the order of keys: cells within the reach of the method and the
   spread of the predicted positions. Rows and layers across a periodic box are at most one row or
   layer farther away. */
static uint64_t key_reach(const RankShare *share, double cell)
{
    const OozeGridAxis *axis = share->split.axis;
    const uint64_t row = (uint64_t)axis[0].count, layer = row * (uint64_t)axis[1].count;
    uint64_t cells[3];
    for (int k = 0; k < 3; k++) {
        /* cells are not narrower than the support */
        const uint64_t support =
            (uint64_t)ceil(share->reach / cell) * (k == 0 ? (uint64_t)X_PER_EDGE + 1 : 1);
        const double more = ceil((double)share->spread[k] * axis[k].inverse);
        cells[k] = support + (uint64_t)fmin(more, (double)axis[k].count);
    }
    return cells[2] * layer + cells[1] * row + cells[0] + (axis[1].wraps ? layer : 0) +
           (axis[0].wraps ? row : 0);
}

static OozeStatus gather_bounds(Engine *engine, RankBounds *all, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    RankShare *share = gpu->share;
    const float4 *x = store_positions(&engine->store);
    const uint64_t n = share->own;
    RankBounds own = {0, 0, n, 0.0f, 0.0f};
    OozeStatus result = OOZE_OK;
    if (n > 0) {
        const CellKeys keys = cell_keys(share->split.axis);
        float4 ends[2];
        PointBox box = box_of_none();
        copy_out(gpu, &ends[0], x, sizeof *x);
        copy_out(gpu, &ends[1], x + n - 1, sizeof *x);
        result = find_box(gpu, &box, x, n, error);
        own = {keys.of(ends[0]), keys.of(ends[1]), n, box.low[2], box.high[2]};
    }
    if (!result) {
        share->ranks->gather(share->ranks, &own, sizeof own, all);
    }
    return result;
}

/* Ranges of keys near those of a rank: two of them across a periodic box. */
struct KeyRanges {
    uint64_t low[3], end[3];
};

static KeyRanges ranges_near(const RankShare *share, const RankBounds &other, uint64_t reach)
{
    const OozeGridAxis *axis = share->split.axis;
    const uint64_t total =
        (uint64_t)axis[0].count * (uint64_t)axis[1].count * (uint64_t)axis[2].count;
    KeyRanges ranges = {};
    ranges.low[0] = other.first > reach ? other.first - reach : 0;
    ranges.end[0] = other.last + reach + 1;
    if (axis[2].wraps && other.first < reach) {
        ranges.low[1] = total + other.first > reach ? total + other.first - reach : 0;
        ranges.end[1] = total;
    }
    if (axis[2].wraps && other.last + reach >= total) {
        ranges.end[2] = other.last + reach + 1 - total;
    }
    return ranges;
}

/* The own particles, as indices from `begin` to `end`, that hold all in those ranges. */
struct Candidates {
    uint64_t begin, end;
};

/* below[k]: own particles with keys below probe[k]. */
static void count_below(Engine *engine, const uint64_t *probe, uint32_t *below, uint64_t count)
{
    Gpu *gpu = &engine->gpu;
    Mark mark = scratch_mark(gpu);
    uint64_t *probes = scratch<uint64_t>(gpu, count);
    uint32_t *found = scratch<uint32_t>(gpu, count);
    const float4 *x = store_positions(&engine->store);
    const CellKeys keys = cell_keys(gpu->share->split.axis);
    const uint32_t n = (uint32_t)gpu->share->own;
    copy_in(gpu, probes, probe, count * sizeof *probe);
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            found[k] = first_not(n, [&](uint32_t i) { return keys.of(x[i]) < probes[k]; });
        });
    copy_out(gpu, below, found, count * sizeof *found);
    scratch_rewind(gpu, mark);
}

/* The candidates of each rank; the caller frees them. */
static Candidates *find_candidates(Engine *engine, const RankBounds *bounds)
{
    RankShare *share = engine->gpu.share;
    const size_t ranks = (size_t)share->ranks->count;
    const uint64_t reach = key_reach(share, engine->grid.cell);
    Candidates *candidates = static_cast<Candidates *>(ooze_alloc_zero(ranks, sizeof *candidates));
    uint64_t *probe = static_cast<uint64_t *>(ooze_alloc_zero(6 * ranks, sizeof *probe));
    uint32_t *below = static_cast<uint32_t *>(ooze_alloc_zero(6 * ranks, sizeof *below));
    for (size_t r = 0; r < ranks && candidates && probe && below; r++) {
        const KeyRanges near = ranges_near(share, bounds[r], reach);
        memcpy(probe + 6 * r, &near, sizeof near);
    }
    if (candidates && probe && below) {
        count_below(engine, probe, below, 6 * ranks);
    } else {
        record_error(&engine->gpu, cudaErrorMemoryAllocation);
    }
    for (size_t r = 0; r < ranks && engine->gpu.failed == cudaSuccess; r++) {
        const uint32_t *low = below + 6 * r, *end = low + 3;
        Candidates found = {UINT64_MAX, 0};
        for (int k = 0; k < 3; k++) {
            if (end[k] > low[k]) {
                found.begin = low[k] < found.begin ? low[k] : found.begin;
                found.end = end[k] > found.end ? end[k] : found.end;
            }
        }
        const bool takes =
            (int)r != share->ranks->rank && bounds[r].n > 0 && found.end > found.begin;
        candidates[r] = takes ? found : Candidates{0, 0};
    }
    ooze_free(probe);
    ooze_free(below);
    return candidates;
}

/* Per own particle, whether rank r has asked for it: see RankShare.asked; NULL: for none. */
static const uint8_t *asked_by(const RankShare *share, int r)
{
    return share->has_asked
               ? static_cast<const uint8_t *>(share->asked.memory) + (uint64_t)r * share->own
               : nullptr;
}

/* Lists the candidates that are near the extent of the rank along z, and the particles that it has
   asked for (NULL: none); returns their number. */
static uint64_t list_near(Engine *engine, Candidates candidates, const RankBounds &bounds,
                          const uint8_t *asked, uint32_t *to)
{
    Gpu *gpu = &engine->gpu;
    const RankShare *share = gpu->share;
    const Candidates near = candidates;
    candidates = asked ? Candidates{0, share->own} : near;
    const uint64_t count = candidates.end - candidates.begin;
    const bool wraps = share->split.axis[2].wraps;
    /* more than rounding */
    const float reach = (float)(share->reach * 1.001) + share->spread[2];
    const float low = bounds.low - reach, high = bounds.high + reach;
    const uint32_t begin = (uint32_t)candidates.begin;
    const float4 *x = store_positions(&engine->store) + begin;
    Mark mark = scratch_mark(gpu);
    uint8_t *far = scratch<uint8_t>(gpu, count);
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            const bool in_range = begin + k >= near.begin && begin + k < near.end;
            const bool found = in_range && (wraps || (x[k].z >= low && x[k].z <= high));
            far[k] = found || (asked && asked[k]) ? 0 : 1;
        });
    const uint64_t found = select_unflagged(gpu, far, to, count);
    for_each(
        gpu, found, OOZE_BODY(uint32_t k) { to[k] += begin; });
    scratch_rewind(gpu, mark);
    return found;
}

/* What each rank takes of the own particles, and what this one takes of others. */
static OozeStatus list_ghosts(Engine *engine, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    RankShare *share = gpu->share;
    const int ranks = share->ranks->count;
    RankBounds *bounds = static_cast<RankBounds *>(ooze_alloc_zero((size_t)ranks, sizeof *bounds));
    OozeStatus result = bounds ? gather_bounds(engine, bounds, error)
                               : ooze_fail_memory(error, "particles of other processes", 0);
    Candidates *candidates = result ? nullptr : find_candidates(engine, bounds);
    uint64_t room = 0;
    for (int r = 0; r < ranks && candidates; r++) {
        room += share->has_asked ? share->own : candidates[r].end - candidates[r].begin;
    }
    uint32_t *send = result ? nullptr : buffer<uint32_t>(gpu, &share->send_buffer, room);
    share->send_at[0] = 0;
    for (int r = 0; r < ranks && gpu->failed == cudaSuccess && send && candidates; r++) {
        const uint8_t *asked = r == share->ranks->rank ? nullptr : asked_by(share, r);
        const bool any = candidates[r].end > candidates[r].begin || asked;
        share->send_at[r + 1] =
            share->send_at[r] +
            (any ? list_near(engine, candidates[r], bounds[r], asked, send + share->send_at[r])
                 : 0);
    }
    ooze_free(bounds);
    ooze_free(candidates);
    result = result ? result : status(gpu, engine->store.n, error);
    if (!result) {
        ooze_message_plan_complete(share);
    }
    return result;
}

OozeStatus ranks_find_ghosts(Engine *engine, const OozeStepContext *context, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    Store *store = &engine->store;
    RankShare *share = gpu->share;
    if (share->total == 0) {
        return OOZE_OK;
    }
    if (share->spread[0] == 0.0f) { /* no substep has set it yet */
        share->spread[0] = share->spread[1] = share->spread[2] = 0.1f * (float)context->support;
    }
    share->reach = engine->method->reach ? engine->method->reach(context) : context->support;
    OozeStatus result = list_ghosts(engine, error);
    if (result) {
        return result;
    }
    const uint64_t below = share->receive_at[share->ranks->rank];
    result = store_resize(gpu, store, share->own + ooze_message_plan_received(share), error);
    if (result) {
        return result;
    }
    store_shift(gpu, store, 0, below, share->own);
    share->begin = below;
    share->has_ghosts = true;
    store->box_known = false;
    refresh_store(gpu, store);
    ooze_timer_lap(context->timer, "ghosts");
    engine->grid.known_box = &share->box;
    return grid_sort(gpu, &engine->grid, store_positions(store), store->n, context->support,
                     &context->periodic, error);
}

void ranks_drop_ghosts(Engine *engine)
{
    Gpu *gpu = &engine->gpu;
    RankShare *share = gpu->share;
    if (share && share->has_ghosts) {
        store_shift(gpu, &engine->store, share->begin, 0, share->own);
        share->begin = 0;
        share->has_ghosts = false;
        (void)store_resize(gpu, &engine->store, share->own, nullptr);
    }
}

} // namespace ooze
