#include "particles/split.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/search.h"
#include "particles/columns.h"

enum { KEY_GRAIN = 4096 };
enum { WAYS = 32 }; /* parts into which a search for a cut divides the keys in one round */

void ooze_split_free(OozeSplit *split)
{
    ooze_grid_destroy(split->grid);
    ooze_free(split->send);
    ooze_free(split->keys);
    ooze_free(split->counts);
    ooze_free(split->buffer[0]);
    ooze_free(split->buffer[1]);
    *split = (OozeSplit){.ranks = split->ranks};
}

uint64_t ooze_split_bytes(const OozeSplit *split)
{
    return (split->grid ? ooze_grid_bytes(split->grid) : 0) + split->key_capacity * 8 +
           split->count_capacity * 8 + split->buffer_capacity[0] + split->buffer_capacity[1];
}

OozeStatus ooze_ranks_agree(OozeRanks *ranks, OozeStatus status, OozeError *error)
{
    double worst[2] = {status ? (double)(ranks->count - ranks->rank) : 0.0, (double)status};
    ranks->max(ranks, worst, 2);
    if (worst[0] == 0.0 || status) {
        return status;
    }
    return ooze_fail(error, (OozeStatus)worst[1], "see the error of that process",
                     "process %d has failed", ranks->count - (int)worst[0]);
}

/* ---- memory ---- */

OozeStatus ooze_split_reserve(OozeSplit *split, uint64_t n, OozeError *error)
{
    uint64_t ranks = (uint64_t)split->ranks->count;
    if (!split->send) {
        split->send = ooze_alloc(2 * (ranks + 1), sizeof *split->send);
        split->receive = split->send ? split->send + ranks + 1 : NULL;
    }
    split->grid = split->grid ? split->grid : ooze_grid_create();
    if (!split->send || !split->grid ||
        !ooze_reserve((void **)&split->keys, &split->key_capacity, n, sizeof *split->keys) ||
        !ooze_reserve((void **)&split->counts, &split->count_capacity,
                      ranks * WAYS + 4 * (ranks + 1), sizeof *split->counts)) {
        return ooze_fail_memory(error, "dividing particles among processes", n * 8);
    }
    return OOZE_OK;
}

/* ---- keys ---- */

/* Sorts the points of this rank, and finds the box of the points of all ranks and their number. */
static OozeStatus sort_points(OozeSplit *split, OozeThreads *threads, const OozeSplitPoints *p,
                              OozeError *error)
{
    double box[7] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0.0};
    OozeStatus status =
        ooze_grid_sort(split->grid, threads, p->points, p->n, p->cell, p->periodic, error);
    if (status && status != OOZE_ERROR_NUMERIC) {
        return status;
    }
    float low[3], high[3];
    for (int k = 0; !status && k < 3 && ooze_grid_box(split->grid, low, high); k++) {
        box[k] = -(double)low[k];
        box[3 + k] = (double)high[k];
    }
    box[6] = status ? 1.0 : 0.0;
    split->ranks->max(split->ranks, box, 7);
    if (box[6] > 0.0) {
        return status ? status
                      : ooze_fail(error, OOZE_ERROR_NUMERIC, "use a smaller time step",
                                  "a particle of another process has no finite position");
    }
    for (int k = 0; k < 3; k++) {
        split->low[k] = (float)-box[k];
        split->high[k] = (float)box[3 + k];
    }
    split->total = split->before = p->n;
    split->ranks->sum(split->ranks, &split->total, 1);
    return OOZE_OK;
}

static OozeStatus find_axes(OozeSplit *split, const OozeSplitPoints *p, OozeError *error)
{
    const OozeGridColumns columns = {p->cell, 1, OOZE_GRID_CELLS_MAX};
    OozeStatus status = OOZE_OK;
    double cells = 1.0;
    for (int k = 0; k < 3 && !status; k++) {
        status = ooze_grid_axis(&split->axis[k], k, p->periodic, &columns, split->low[k],
                                split->high[k], error);
        cells *= (double)split->axis[k].count;
    }
    if (!status && cells > 0x1p62) {
        status = ooze_fail(error, OOZE_ERROR_LIMIT, "remove particles that have flown away",
                           "particles are too far apart to be divided among processes");
    }
    return status;
}

typedef struct KeyJob {
    const OozeGridAxis *axis;
    const OozeFloat4 *points;
    const uint32_t *order;
    uint64_t *keys;
} KeyJob;

static void key_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const KeyJob *job = data;
    for (uint64_t k = begin; k < end; k++) {
        job->keys[k] = ooze_split_point_key(job->axis, job->points[job->order ? job->order[k] : k]);
    }
}

void ooze_split_keys(const OozeSplit *split, const OozeFloat4 *points, const uint32_t *order,
                     uint64_t count, uint64_t *keys)
{
    KeyJob job = {split->axis, points, order, keys};
    ooze_parallel_for(split->threads, count, KEY_GRAIN, key_range, &job);
}

/* Keys below `key`. */
static uint64_t count_below(const OozeSplit *split, uint64_t key)
{
    return ooze_lower_bound(split->keys, sizeof *split->keys, split->before, key);
}

/* ---- cuts ---- */

/* A place in the order of all points between the ranges of two ranks, and the keys between which
   the key of its point is: `below` points have smaller keys than `low`. */
typedef struct Cut {
    uint64_t at, low, high, below;
} Cut;

/* The places, multiples of the block. */
static void place_cuts(const OozeSplit *split, const double *shares, Cut *cuts)
{
    int ranks = split->ranks->count;
    uint64_t block = split->block > 0 ? split->block : OOZE_SPLIT_BLOCK;
    double blocks = (double)split->total / (double)block;
    uint64_t keys = (uint64_t)split->axis[0].count * (uint64_t)split->axis[1].count *
                    (uint64_t)split->axis[2].count;
    for (int r = 1; r < ranks; r++) {
        double share = shares ? shares[r] : (double)r / (double)ranks;
        uint64_t at = (uint64_t)(blocks * share + 0.5) * block;
        at = at < split->total ? at : split->total;
        cuts[r - 1] = (Cut){.at = at, .high = keys};
    }
}

static uint64_t probe_of(const Cut *cut, int k)
{
    uint64_t step = (cut->high - cut->low + WAYS - 1) / WAYS;
    uint64_t probe = cut->low + (uint64_t)(k + 1) * step;
    return probe < cut->high ? probe : cut->high;
}

/* Narrows all cuts to one key each, by counting the points of all ranks below keys between. */
static void narrow_cuts(OozeSplit *split, Cut *cuts)
{
    int count = split->ranks->count - 1;
    for (bool open = true; open;) {
        open = false;
        for (int c = 0; c < count; c++) {
            for (int k = 0; k < WAYS; k++) {
                split->counts[c * WAYS + k] = count_below(split, probe_of(&cuts[c], k));
            }
        }
        split->ranks->sum(split->ranks, split->counts, count * WAYS);
        for (int c = 0; c < count; c++) {
            Cut now = cuts[c];
            for (int k = 0; k < WAYS; k++) {
                uint64_t probe = probe_of(&cuts[c], k), below = split->counts[c * WAYS + k];
                if (below <= now.at && probe > now.low && probe < cuts[c].high) {
                    now.low = probe;
                    now.below = below;
                } else if (below > now.at && probe < now.high) {
                    now.high = probe;
                }
            }
            cuts[c] = now;
            open = open || now.high - now.low > 1;
        }
    }
}

/* Points of this rank before each cut: those with smaller keys, and of those with the same key as
   many as the ranks before leave over. */
static void divide_points(OozeSplit *split, const Cut *cuts)
{
    OozeRanks *ranks = split->ranks;
    int count = ranks->count - 1;
    uint64_t *own = split->counts, *before = own + ranks->count;
    for (int c = 0; c < count; c++) {
        own[c] = count_below(split, cuts[c].low + 1) - count_below(split, cuts[c].low);
        before[c] = own[c];
    }
    ranks->sum_before(ranks, before, count);
    split->send[0] = 0;
    split->send[ranks->count] = split->before;
    for (int c = 0; c < count; c++) {
        uint64_t wanted = cuts[c].at - cuts[c].below;
        wanted -= before[c] < wanted ? before[c] : wanted;
        split->send[c + 1] = count_below(split, cuts[c].low) + (own[c] < wanted ? own[c] : wanted);
    }
}

void ooze_split_receipts(OozeRanks *ranks, const uint64_t *send, uint64_t *scratch,
                         uint64_t *receive)
{
    uint64_t *theirs = scratch + ranks->count;
    for (int r = 0; r < ranks->count; r++) {
        scratch[r] = send[r + 1] - send[r];
    }
    ranks->swap(ranks, scratch, theirs);
    receive[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        receive[r + 1] = receive[r] + theirs[r];
    }
}

OozeStatus ooze_split_cut(OozeSplit *split, const double *shares, OozeError *error)
{
    Cut *cuts = ooze_alloc((size_t)split->ranks->count, sizeof *cuts);
    if (!cuts) {
        return ooze_fail_memory(error, "dividing particles among processes", 0);
    }
    place_cuts(split, shares, cuts);
    narrow_cuts(split, cuts);
    divide_points(split, cuts);
    ooze_split_receipts(split->ranks, split->send, split->counts, split->receive);
    split->after = split->receive[split->ranks->count];
    split->first = split->ranks->rank > 0 ? cuts[split->ranks->rank - 1].at : 0;
    ooze_free(cuts);
    return OOZE_OK;
}

OozeStatus ooze_split_find(OozeSplit *split, OozeThreads *threads, const OozeSplitPoints *p,
                           const double *shares, OozeError *error)
{
    split->threads = threads;
    OozeStatus status = ooze_split_reserve(split, p->n, error);
    status = status ? status : sort_points(split, threads, p, error);
    if (status || split->total == 0) {
        split->after = split->first = 0;
        memset(split->send, 0, 2 * ((size_t)split->ranks->count + 1) * sizeof *split->send);
        return status;
    }
    status = find_axes(split, p, error);
    if (status) {
        return status;
    }
    ooze_split_keys(split, p->points, ooze_grid_order(split->grid), p->n, split->keys);
    return ooze_split_cut(split, shares, error);
}

/* ---- moving ---- */

/* Columns of the points [begin, end), one column after the other. `order` NULL: as they are. */
static void pack(const OozeSplit *split, char *to, const OozeColumn *columns, int count,
                 const uint32_t *order, uint64_t begin, uint64_t end)
{
    for (int c = 0; c < count; c++) {
        size_t size = columns[c].size;
        const char *from = (const char *)columns[c].from + (order ? 0 : begin * size);
        OozeColumnCopy copy = {to, from, size, order ? order + begin : NULL, end - begin};
        ooze_column_gather(split->threads, &copy);
        to += copy.count * size;
    }
}

static void unpack(const OozeSplit *split, const char *from, const OozeColumn *columns, int count,
                   const uint32_t *order, uint64_t begin, uint64_t end)
{
    for (int c = 0; c < count; c++) {
        size_t size = columns[c].size;
        char *to = (char *)columns[c].to + (order ? 0 : begin * size);
        OozeColumnCopy copy = {to, from, size, order ? order + begin : NULL, end - begin};
        ooze_column_scatter(split->threads, &copy);
        from += copy.count * size;
    }
}

/* The order of one side is that of a grid, NULL: of the arrays. */
typedef struct Side {
    const uint64_t *at;
    const uint32_t *order;
} Side;

static OozeStatus move(OozeSplit *split, const OozeColumn *columns, int count, Side from, Side to,
                       OozeError *error)
{
    int ranks = split->ranks->count, me = split->ranks->rank;
    uint64_t size = 0, *send = split->counts, *receive = send + ranks + 1;
    for (int c = 0; c < count; c++) {
        size += columns[c].size;
    }
    send[0] = receive[0] = 0;
    for (int r = 0; r < ranks; r++) {
        send[r + 1] = send[r] + (r != me ? (from.at[r + 1] - from.at[r]) * size : 0);
        receive[r + 1] = receive[r] + (r != me ? (to.at[r + 1] - to.at[r]) * size : 0);
    }
    if (!ooze_reserve((void **)&split->buffer[0], &split->buffer_capacity[0], from.at[ranks] * size,
                      1) ||
        !ooze_reserve((void **)&split->buffer[1], &split->buffer_capacity[1], receive[ranks], 1)) {
        return ooze_fail_memory(error, "messages between processes",
                                from.at[ranks] * size + receive[ranks]);
    }
    /* What stays is packed behind what others get, and takes no part in the exchange. */
    char *staying = split->buffer[0] + send[ranks];
    for (int r = 0; r < ranks; r++) {
        pack(split, r == me ? staying : split->buffer[0] + send[r], columns, count, from.order,
             from.at[r], from.at[r + 1]);
    }
    split->ranks->exchange(split->ranks, split->buffer[0], send, split->buffer[1], receive);
    for (int r = 0; r < ranks; r++) {
        unpack(split, r == me ? staying : split->buffer[1] + receive[r], columns, count, to.order,
               to.at[r], to.at[r + 1]);
    }
    return OOZE_OK;
}

OozeStatus ooze_split_move(OozeSplit *split, const OozeColumn *columns, int count, OozeError *error)
{
    return move(split, columns, count, (Side){split->send, ooze_grid_order(split->grid)},
                (Side){split->receive, NULL}, error);
}

OozeStatus ooze_split_move_back(OozeSplit *split, const OozeColumn *columns, int count,
                                OozeError *error)
{
    return move(split, columns, count, (Side){split->receive, NULL},
                (Side){split->send, ooze_grid_order(split->grid)}, error);
}
