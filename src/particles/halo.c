#include "particles/halo_parts.h"

#include <math.h>
#include <string.h>

#include "base/exact_sum.h"
#include "base/fail.h"
#include "base/search.h"
#include "particles/columns.h"

enum { GRAIN = 8192 };
enum { COLUMNS_MAX = 9 }; /* of two layers on either side, counted twice */

OozeHalo *ooze_halo_create(OozeRanks *ranks)
{
    OozeHalo *halo = ooze_alloc_zero(1, sizeof *halo);
    size_t count = (size_t)ranks->count;
    if (halo) {
        halo->layers = 1;
        halo->range = ooze_alloc_zero(count + 1, sizeof *halo->range);
    }
    if (halo && (!halo->range || !ooze_message_plan_create(&halo->plan, ranks, NULL))) {
        ooze_halo_destroy(halo);
        halo = NULL;
    }
    return halo;
}

void ooze_halo_destroy(OozeHalo *halo)
{
    if (halo) {
        ooze_free(halo->range);
        ooze_message_plan_free(&halo->plan);
        ooze_free(halo->keys);
        ooze_free(halo->send);
        ooze_free(halo->ghost_index);
        ooze_free(halo->buffer);
        ooze_free(halo->incoming);
        ooze_free(halo->sorted);
        ooze_free(halo);
    }
}

uint64_t ooze_halo_bytes(const OozeHalo *halo)
{
    return halo ? sizeof *halo + halo->key_capacity * 8 + halo->send_capacity * 4 +
                      halo->ghost_capacity * 8 + halo->buffer_capacity + halo->incoming_capacity +
                      halo->sorted_capacity * sizeof *halo->sorted
                : 0;
}

static uint64_t ghost_count(const OozeHalo *halo)
{
    return halo ? ooze_message_plan_received(&halo->plan) : 0;
}

/* ---- which particles which rank needs ---- */

/* Adds the other ranks with particles of a cell to those found, each once. Ranges of keys ascend
   from rank to rank. */
static int add_receivers(const OozeHalo *halo, uint64_t key, int *receivers, int found)
{
    uint64_t first = ooze_lower_bound(&halo->range->last, sizeof *halo->range,
                                      (uint64_t)halo->plan.ranks->count, key);
    for (int r = (int)first; r < halo->plan.ranks->count && halo->range[r].first <= key; r++) {
        bool other = r != halo->plan.ranks->rank && halo->range[r].n > 0;
        for (int k = 0; k < found && other; k++) {
            other = receivers[k] != r;
        }
        if (other) {
            receivers[found++] = r;
        }
    }
    return found;
}

/* Columns at most `layers` columns away, one or two; each once. */
static int columns_near(const OozeGridAxis *axis, int32_t centre, int layers, int32_t *columns)
{
    int32_t next[3], after[3];
    int nexts = ooze_grid_columns(axis, centre, layers > 1 ? next : columns), found = 0;
    for (int i = 0; layers > 1 && i < nexts; i++) {
        int afters = ooze_grid_columns(axis, next[i], after);
        for (int j = 0; j < afters; j++) {
            bool is_known = false;
            for (int k = 0; k < found; k++) {
                is_known = is_known || columns[k] == after[j];
            }
            columns[found] = after[j];
            found += !is_known;
        }
    }
    return layers > 1 ? found : nexts;
}

/* The ranks with particles near a cell, this one excepted; returns their number. */
static int find_receivers(const OozeHalo *halo, const OozeGridAxis axis[3], const int32_t cell[3],
                          int *receivers)
{
    int32_t x[COLUMNS_MAX], y[COLUMNS_MAX], z[COLUMNS_MAX];
    int nx = columns_near(&axis[0], cell[0], halo->layers, x),
        ny = columns_near(&axis[1], cell[1], halo->layers, y),
        nz = columns_near(&axis[2], cell[2], halo->layers, z), found = 0;
    const KeyRange *own = &halo->range[halo->plan.ranks->rank];
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                uint64_t key = ooze_split_key(axis, x[i], y[j], z[k]);
                bool all_here = key > own->first && key < own->last;
                found = all_here ? found : add_receivers(halo, key, receivers, found);
            }
        }
    }
    return found;
}

/* Particles that other ranks take are those with ghosts near them. In the order of the grid they
   are mostly the first and the last: the longest range between them, in whole blocks, is the inner
   one. The last block of all may be shorter. */
static void keep_longer_gap(OozeHalo *halo, uint64_t begin, uint64_t end)
{
    begin = (begin + OOZE_SPLIT_BLOCK - 1) / OOZE_SPLIT_BLOCK * OOZE_SPLIT_BLOCK;
    end -= end < halo->n ? end % OOZE_SPLIT_BLOCK : 0;
    if (end > begin && end - begin > halo->inner_end - halo->inner) {
        halo->inner = begin;
        halo->inner_end = end;
    }
}

/* How far keys of cells near one another are apart, where no axis wraps. */
static uint64_t key_reach(const OozeHalo *halo, const OozeGridAxis axis[3])
{
    bool wraps = axis[0].wraps || axis[1].wraps || axis[2].wraps;
    return wraps ? UINT64_MAX : (uint64_t)halo->layers * (ooze_split_key(axis, 1, 1, 1));
}

/* Visits the particles cell by cell, and counts what each rank takes, in send_at[r + 1]; or lists
   it from send_at[r] on. */
static void visit_cells(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                        int *receivers, bool list)
{
    const OozeGridAxis *axis = split->axis;
    const KeyRange *own = &halo->range[halo->plan.ranks->rank];
    uint64_t after = 0, reach = key_reach(halo, axis); /* after: the last that a rank takes */
    halo->inner = halo->inner_end = 0;
    for (uint64_t i = 0, end; i < halo->n; i = end) {
        uint64_t key = halo->keys[i];
        for (end = i + 1; end < halo->n && halo->keys[end] == key;) {
            end++;
        }
        if (reach < key - own->first && reach < own->last - key) {
            continue; /* all cells near it are those of this rank alone */
        }
        int32_t cell[3] = {ooze_grid_number(&axis[0], points[i].x),
                           ooze_grid_number(&axis[1], points[i].y),
                           ooze_grid_number(&axis[2], points[i].z)};
        int found = find_receivers(halo, axis, cell, receivers);
        if (found == 0) {
            continue;
        }
        keep_longer_gap(halo, after, i);
        after = end;
        for (int t = 0; t < found; t++) {
            int r = receivers[t];
            for (uint64_t k = i; k < end && list; k++) {
                halo->send[halo->plan.send_at[r]++] = (uint32_t)k;
            }
            halo->plan.send_at[r + 1] += list ? 0 : end - i;
        }
    }
    keep_longer_gap(halo, after, halo->n);
}

static OozeStatus find_lists(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                             OozeError *error)
{
    int ranks = halo->plan.ranks->count;
    int *receivers = ooze_alloc((size_t)ranks, sizeof *receivers);
    if (!receivers) {
        return ooze_fail_memory(error, "particles of other processes", (uint64_t)ranks);
    }
    memset(halo->plan.send_at, 0, ((size_t)ranks + 1) * sizeof *halo->plan.send_at);
    visit_cells(halo, split, points, receivers, false);
    for (int r = 0; r < ranks; r++) {
        halo->plan.send_at[r + 1] += halo->plan.send_at[r];
    }
    if (!ooze_reserve((void **)&halo->send, &halo->send_capacity, halo->plan.send_at[ranks],
                      sizeof *halo->send)) {
        ooze_free(receivers);
        return ooze_fail_memory(error, "particles of other processes",
                                halo->plan.send_at[ranks] * 4);
    }
    visit_cells(halo, split, points, receivers, true);
    for (int r = ranks; r > 0; r--) { /* listing has moved the beginnings to the ends */
        halo->plan.send_at[r] = halo->plan.send_at[r - 1];
    }
    halo->plan.send_at[0] = 0;
    ooze_free(receivers);
    return OOZE_OK;
}

static OozeStatus reserve_all(OozeHalo *halo, OozeError *error)
{
    uint64_t ranks = (uint64_t)halo->plan.ranks->count, ghosts = halo->plan.receive_at[ranks];
    if (!ooze_reserve((void **)&halo->buffer, &halo->buffer_capacity,
                      halo->plan.send_at[ranks] * OOZE_HALO_ELEMENT_MAX, 1) ||
        !ooze_reserve((void **)&halo->incoming, &halo->incoming_capacity,
                      halo->layers > 1 ? ghosts * OOZE_HALO_ELEMENT_MAX : 0, 1) ||
        !ooze_reserve((void **)&halo->ghost_index, &halo->ghost_capacity, halo->n + ghosts,
                      sizeof *halo->ghost_index) ||
        !ooze_reserve((void **)&halo->sorted, &halo->sorted_capacity,
                      halo->n + ghosts + OOZE_LIST_PAD, sizeof *halo->sorted)) {
        return ooze_fail_memory(error, "particles of other processes",
                                (halo->n + ghosts) * sizeof *halo->sorted);
    }
    return OOZE_OK;
}

/* What follows from the lists of what each rank takes. */
OozeStatus ooze_halo_number_ghosts(OozeHalo *halo, OozeError *error)
{
    ooze_message_plan_complete(&halo->plan);
    halo->below = halo->plan.receive_at[halo->plan.ranks->rank];
    OozeStatus status = reserve_all(halo, error);
    if (!status) {
        for (uint64_t i = 0; i < halo->n; i++) {
            halo->ghost_index[i] = halo->first + i;
        }
        ooze_halo_refresh(halo, halo->ghost_index, sizeof *halo->ghost_index);
    }
    return status;
}

void ooze_halo_set_layers(OozeHalo *halo, int layers)
{
    halo->layers = layers;
}

OozeStatus ooze_halo_find(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                          OozeError *error)
{
    OozeRanks *ranks = halo->plan.ranks;
    KeyRange own = {0, 0, split->after};
    halo->n = split->after;
    halo->first = split->first;
    halo->total = split->total;
    halo->threads = split->threads;
    if (!ooze_reserve((void **)&halo->keys, &halo->key_capacity, own.n, sizeof *halo->keys)) {
        return ooze_fail_memory(error, "particles of other processes", own.n * sizeof *halo->keys);
    }
    ooze_split_keys(split, points, NULL, own.n, halo->keys);
    if (own.n > 0) {
        own.first = halo->keys[0];
        own.last = halo->keys[own.n - 1];
    }
    ranks->gather(ranks, &own, sizeof own, halo->range);
    for (int r = 1; r < ranks->count; r++) {
        if (halo->range[r].n == 0) {
            halo->range[r].first = halo->range[r].last = halo->range[r - 1].last;
        }
    }
    OozeStatus status = find_lists(halo, split, points, error);
    return status ? status : ooze_halo_number_ghosts(halo, error);
}

/* ---- lists ---- */

typedef struct RenumberJob {
    uint32_t *index;
    uint32_t below, own; /* ghosts before the own particles in the order of all, and these */
} RenumberJob;

/* From places among the sorted points to the own particles and then all ghosts. */
static void renumber_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const RenumberJob *job = data;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t at = job->index[e];
        job->index[e] = at < job->below              ? at + job->own
                        : at < job->below + job->own ? at - job->below
                                                     : at;
    }
}

OozeStatus ooze_halo_lists(OozeHalo *halo, OozeNeighbours *lists, OozeGrid *grid,
                           OozeThreads *threads, const OozeNeighbourQuery *query,
                           const OozePeriodic *periodic, OozeError *error)
{
    uint64_t n = halo->n, below = halo->below, ghosts = ghost_count(halo);
    OozeFloat4 *sorted = halo->sorted;
    memcpy(sorted, query->points + n, below * sizeof *sorted);
    memcpy(sorted + below, query->points, n * sizeof *sorted);
    memcpy(sorted + below + n, query->points + n + below, (ghosts - below) * sizeof *sorted);
    OozeStatus status =
        ooze_grid_sort(grid, threads, sorted, n + ghosts, query->radius, periodic, error);
    OozeNeighbourQuery own = {sorted + below, n, sorted, query->radius, true};
    status = status ? status : ooze_neighbours_build(lists, grid, threads, &own, error);
    if (!status) {
        RenumberJob job = {lists->index, (uint32_t)below, (uint32_t)n};
        ooze_parallel_for(threads, lists->first[n], GRAIN, renumber_range, &job);
    }
    return status;
}

/* ---- numbers ---- */

uint64_t ooze_halo_local(const OozeHalo *halo, uint64_t n)
{
    return n + ghost_count(halo);
}

uint64_t ooze_halo_all(const OozeHalo *halo, uint64_t n)
{
    return halo ? halo->total : n;
}

uint64_t ooze_halo_index(const OozeHalo *halo, uint64_t i)
{
    return halo ? halo->ghost_index[i] : i;
}

uint64_t ooze_halo_first(const OozeHalo *halo)
{
    return halo ? halo->first : 0;
}

uint64_t ooze_halo_below(const OozeHalo *halo)
{
    return halo ? halo->below : 0;
}

void ooze_halo_shares(const OozeHalo *halo, double *shares)
{
    shares[0] = 0.0;
    for (int r = 0; r < halo->plan.ranks->count; r++) {
        shares[r + 1] = shares[r] + (double)halo->range[r].n / (double)halo->total;
    }
}

OozeRanks *ooze_halo_ranks(const OozeHalo *halo)
{
    return halo ? halo->plan.ranks : NULL;
}

/* ---- messages ---- */

/* Packs what others take. */
static void pack_elements(OozeHalo *halo, const void *data, size_t size)
{
    OozeColumnCopy copy = {halo->buffer, data, size, halo->send,
                           ooze_message_plan_sent(&halo->plan)};
    ooze_column_gather(halo->threads, &copy);
}

static void begin_refresh(OozeHalo *halo, void *data, size_t size)
{
    pack_elements(halo, data, size);
    ooze_message_plan_begin(&halo->plan, halo->buffer, (char *)data + halo->n * size, size);
}

void ooze_halo_refresh(OozeHalo *halo, void *data, size_t size)
{
    if (halo) {
        begin_refresh(halo, data, size);
        halo->plan.ranks->exchange_end(halo->plan.ranks);
    }
}

void ooze_halo_refresh_sorted(OozeHalo *halo, void *data, size_t size)
{
    if (!halo) {
        return;
    }
    char *own = (char *)data + halo->below * size;
    pack_elements(halo, own, size);
    ooze_message_plan_exchange(&halo->plan, halo->buffer, halo->incoming, size);
    uint64_t below = halo->below * size;
    memcpy(data, halo->incoming, below);
    memcpy(own + halo->n * size, halo->incoming + below, ghost_count(halo) * size - below);
}

/* A loop over blocks that are not contiguous: `skip` particles from `skip_at` on are left out. */
typedef struct PartJob {
    const OozeHaloLoop *loop;
    uint64_t skip_at, skip;
    OozeRanks *polled; /* messages that are under way; NULL: there are none */
} PartJob;

static void part_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    const PartJob *job = data;
    uint64_t ahead = begin >= job->skip_at ? job->skip : 0;
    job->loop->body(job->loop->context, begin + ahead, end + ahead, worker);
    if (job->polled && worker == 0) { /* the thread that sends messages */
        job->polled->exchange_poll(job->polled);
    }
}

void ooze_halo_refresh_during(OozeHalo *halo, void *data, size_t size, const OozeHaloLoop *loop)
{
    if (!halo) {
        ooze_parallel_for(loop->threads, loop->n, loop->grain, loop->body, loop->context);
        return;
    }
    uint64_t inner = halo->inner_end - halo->inner;
    PartJob inside = {loop, 0, halo->inner, halo->plan.ranks},
            border = {loop, halo->inner, inner, NULL};
    begin_refresh(halo, data, size);
    ooze_parallel_for(loop->threads, inner, loop->grain, part_range, &inside);
    halo->plan.ranks->exchange_end(halo->plan.ranks);
    ooze_parallel_for(loop->threads, loop->n - inner, loop->grain, part_range, &border);
}

void ooze_halo_sums(OozeHalo *halo, const double *blocks, uint64_t n, uint64_t grain, int width,
                    double *sums)
{
    OozeExactSum exact[OOZE_HALO_WIDTH_MAX];
    memset(exact, 0, (size_t)width * sizeof *exact);
    for (int k = 0; k < width; k++) {
        ooze_exact_add(&exact[k], blocks + k, (n + grain - 1) / grain, (uint64_t)width);
    }
    ooze_exact_round(exact, width, ooze_halo_ranks(halo), sums);
}

double ooze_halo_sum(OozeHalo *halo, const double *blocks, uint64_t n, uint64_t grain)
{
    double sum;
    ooze_halo_sums(halo, blocks, n, grain, 1, &sum);
    return sum;
}

void ooze_halo_max(OozeHalo *halo, double *values, int count)
{
    if (halo) {
        halo->plan.ranks->max(halo->plan.ranks, values, count);
    }
}

bool ooze_halo_any(OozeHalo *halo, bool holds)
{
    double value = holds ? 1.0 : 0.0;
    ooze_halo_max(halo, &value, 1);
    return value > 0.0;
}

OozeStatus ooze_halo_gather_list(OozeHalo *halo, OozeArena *arena, OozeHaloList *list,
                                 OozeError *error)
{
    uint64_t *at = list->at;
    list->all = (void *)list->own;
    list->total = list->count;
    list->first = 0;
    if (!halo) {
        if (at) {
            at[0] = 0;
            at[1] = list->count;
        }
        return OOZE_OK;
    }
    OozeRanks *ranks = halo->plan.ranks;
    uint64_t *bytes = halo->plan.bytes;
    at = at ? at : bytes + ranks->count + 1;
    ranks->gather(ranks, &list->count, sizeof list->count, bytes);
    at[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        at[r + 1] = at[r] + bytes[r];
        bytes[r] *= list->size;
    }
    list->first = at[ranks->rank];
    list->total = at[ranks->count];
    list->all = ooze_arena_alloc(arena, list->total, list->size);
    if (!list->all) {
        return ooze_fail_memory(error, "elements of all processes", list->total * list->size);
    }
    ranks->gather_varied(ranks, list->own, bytes, list->all);
    return OOZE_OK;
}

uint64_t ooze_halo_total(OozeHalo *halo, uint64_t number)
{
    if (halo) {
        halo->plan.ranks->sum(halo->plan.ranks, &number, 1);
    }
    return number;
}
