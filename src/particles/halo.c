#include "particles/halo.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

enum { GRAIN = 8192 };

/* Keys of the first and last particle of a rank; first > last where it has none. */
typedef struct KeyRange {
    uint64_t first, last, n;
} KeyRange;

struct OozeHalo {
    OozeRanks *ranks;
    uint64_t n, first, total;       /* own particles, those of ranks before, those of all ranks */
    uint64_t below;                 /* ghosts of ranks before this one */
    KeyRange *range;                /* per rank */
    uint64_t *send_at, *receive_at; /* per rank and one more: particles */
    uint64_t *bytes;                /* working memory: 2 (ranks + 1) */
    uint32_t *send;                 /* indices of own particles, rank by rank */
    size_t send_capacity;
    uint64_t *ghost_index; /* in the order of all particles */
    size_t ghost_capacity;
    char *buffer; /* of messages */
    size_t buffer_capacity;
    char *blocks; /* of all ranks */
    size_t block_capacity;
    OozeFloat4 *sorted; /* ghosts of ranks before, own points, ghosts of ranks behind */
    size_t sorted_capacity;
};

OozeHalo *ooze_halo_create(OozeRanks *ranks)
{
    OozeHalo *halo = ooze_alloc_zero(1, sizeof *halo);
    size_t count = (size_t)ranks->count;
    if (halo) {
        halo->ranks = ranks;
        halo->range = ooze_alloc_zero(count + 1, sizeof *halo->range);
        halo->send_at = ooze_alloc_zero(4 * (count + 1), sizeof *halo->send_at);
        halo->receive_at = halo->send_at ? halo->send_at + count + 1 : NULL;
        halo->bytes = halo->send_at ? halo->receive_at + count + 1 : NULL;
    }
    if (halo && (!halo->range || !halo->send_at)) {
        ooze_halo_destroy(halo);
        halo = NULL;
    }
    return halo;
}

void ooze_halo_destroy(OozeHalo *halo)
{
    if (halo) {
        ooze_free(halo->range);
        ooze_free(halo->send_at);
        ooze_free(halo->send);
        ooze_free(halo->ghost_index);
        ooze_free(halo->buffer);
        ooze_free(halo->blocks);
        ooze_free(halo->sorted);
        ooze_free(halo);
    }
}

uint64_t ooze_halo_bytes(const OozeHalo *halo)
{
    return halo ? sizeof *halo + halo->send_capacity * 4 + halo->ghost_capacity * 8 +
                      halo->buffer_capacity + halo->block_capacity +
                      halo->sorted_capacity * sizeof *halo->sorted
                : 0;
}

static uint64_t ghost_count(const OozeHalo *halo)
{
    return halo ? halo->receive_at[halo->ranks->count] : 0;
}

/* ---- which particles which rank needs ---- */

/* The ranks with particles near a cell, this one excepted; each once. */
static int find_takers(const OozeHalo *halo, const OozeGridAxis axis[3], const int32_t cell[3],
                       uint8_t *takes)
{
    int32_t x[3], y[3], z[3];
    int nx = ooze_grid_columns(&axis[0], cell[0], x), ny = ooze_grid_columns(&axis[1], cell[1], y),
        nz = ooze_grid_columns(&axis[2], cell[2], z), found = 0;
    memset(takes, 0, (size_t)halo->ranks->count);
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                uint64_t key = ooze_split_key(axis, x[i], y[j], z[k]);
                const KeyRange *own = &halo->range[halo->ranks->rank];
                if (key > own->first && key < own->last) {
                    continue; /* all particles of that cell are here */
                }
                for (int r = 0; r < halo->ranks->count; r++) {
                    const KeyRange *range = &halo->range[r];
                    bool near = r != halo->ranks->rank && range->n > 0 && range->first <= key &&
                                key <= range->last;
                    found += near && !takes[r];
                    takes[r] |= near;
                }
            }
        }
    }
    return found;
}

static void cell_of(const OozeGridAxis axis[3], OozeFloat4 p, int32_t cell[3])
{
    cell[0] = ooze_grid_number(&axis[0], p.x);
    cell[1] = ooze_grid_number(&axis[1], p.y);
    cell[2] = ooze_grid_number(&axis[2], p.z);
}

/* Visits the particles cell by cell, and counts what each rank takes, in send_at[r + 1]; or lists
   it from send_at[r] on. */
static void visit_cells(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                        uint8_t *takes, bool list)
{
    for (uint64_t i = 0, end; i < halo->n; i = end) {
        int32_t cell[3], next[3];
        cell_of(split->axis, points[i], cell);
        for (end = i + 1; end < halo->n; end++) {
            cell_of(split->axis, points[end], next);
            if (memcmp(cell, next, sizeof cell) != 0) {
                break;
            }
        }
        if (find_takers(halo, split->axis, cell, takes) == 0) {
            continue;
        }
        for (int r = 0; r < halo->ranks->count; r++) {
            for (uint64_t k = i; k < end && takes[r] && list; k++) {
                halo->send[halo->send_at[r]++] = (uint32_t)k;
            }
            halo->send_at[r + 1] += takes[r] && !list ? end - i : 0;
        }
    }
}

static OozeStatus find_lists(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                             OozeError *error)
{
    int ranks = halo->ranks->count;
    uint8_t *takes = ooze_alloc((size_t)ranks, 1);
    if (!takes) {
        return ooze_fail_memory(error, "particles of other processes", (uint64_t)ranks);
    }
    memset(halo->send_at, 0, ((size_t)ranks + 1) * sizeof *halo->send_at);
    visit_cells(halo, split, points, takes, false);
    for (int r = 0; r < ranks; r++) {
        halo->send_at[r + 1] += halo->send_at[r];
    }
    if (!ooze_reserve((void **)&halo->send, &halo->send_capacity, halo->send_at[ranks],
                      sizeof *halo->send)) {
        ooze_free(takes);
        return ooze_fail_memory(error, "particles of other processes", halo->send_at[ranks] * 4);
    }
    visit_cells(halo, split, points, takes, true);
    for (int r = ranks; r > 0; r--) { /* listing has moved the beginnings to the ends */
        halo->send_at[r] = halo->send_at[r - 1];
    }
    halo->send_at[0] = 0;
    ooze_free(takes);
    return OOZE_OK;
}

static OozeStatus reserve_all(OozeHalo *halo, OozeError *error)
{
    uint64_t ranks = (uint64_t)halo->ranks->count, ghosts = halo->receive_at[ranks];
    uint64_t blocks = halo->total / OOZE_SPLIT_BLOCK * 2 + 2 * ranks;
    if (!ooze_reserve((void **)&halo->buffer, &halo->buffer_capacity,
                      halo->send_at[ranks] * OOZE_HALO_ELEMENT_MAX, 1) ||
        !ooze_reserve((void **)&halo->blocks, &halo->block_capacity, blocks * OOZE_HALO_ELEMENT_MAX,
                      1) ||
        !ooze_reserve((void **)&halo->ghost_index, &halo->ghost_capacity, halo->n + ghosts,
                      sizeof *halo->ghost_index) ||
        !ooze_reserve((void **)&halo->sorted, &halo->sorted_capacity,
                      halo->n + ghosts + OOZE_LIST_PAD, sizeof *halo->sorted)) {
        return ooze_fail_memory(error, "particles of other processes",
                                (halo->n + ghosts) * sizeof *halo->sorted);
    }
    return OOZE_OK;
}

OozeStatus ooze_halo_find(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                          OozeError *error)
{
    OozeRanks *ranks = halo->ranks;
    KeyRange own = {1, 0, split->after};
    halo->n = split->after;
    halo->first = split->first;
    halo->total = split->total;
    if (own.n > 0) {
        int32_t first[3], last[3];
        cell_of(split->axis, points[0], first);
        cell_of(split->axis, points[own.n - 1], last);
        own.first = ooze_split_key(split->axis, first[0], first[1], first[2]);
        own.last = ooze_split_key(split->axis, last[0], last[1], last[2]);
    }
    ranks->gather(ranks, &own, sizeof own, halo->range);
    OozeStatus status = find_lists(halo, split, points, error);
    if (status) {
        return status;
    }
    ooze_split_receipts(ranks, halo->send_at, halo->bytes, halo->receive_at);
    halo->below = halo->receive_at[ranks->rank];
    status = reserve_all(halo, error);
    if (!status) {
        for (uint64_t i = 0; i < halo->n; i++) {
            halo->ghost_index[i] = halo->first + i;
        }
        ooze_halo_refresh(halo, halo->ghost_index, sizeof *halo->ghost_index);
    }
    return status;
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

void ooze_halo_shares(const OozeHalo *halo, double *shares)
{
    shares[0] = 0.0;
    for (int r = 0; r < halo->ranks->count; r++) {
        shares[r + 1] = shares[r] + (double)halo->range[r].n / (double)halo->total;
    }
}

OozeRanks *ooze_halo_ranks(const OozeHalo *halo)
{
    return halo ? halo->ranks : NULL;
}

/* ---- messages ---- */

static char *pack_elements(char *to, const char *data, size_t size, const uint32_t *index,
                           uint64_t count)
{
    for (uint64_t k = 0; k < count; k++, to += size) {
        memcpy(to, data + index[k] * size, size);
    }
    return to;
}

void ooze_halo_refresh(OozeHalo *halo, void *data, size_t size)
{
    if (!halo) {
        return;
    }
    int ranks = halo->ranks->count;
    uint64_t *send = halo->bytes, *receive = send + ranks + 1;
    pack_elements(halo->buffer, data, size, halo->send, halo->send_at[ranks]);
    for (int r = 0; r <= ranks; r++) {
        send[r] = halo->send_at[r] * size;
        receive[r] = halo->receive_at[r] * size;
    }
    halo->ranks->exchange(halo->ranks, halo->buffer, send, (char *)data + halo->n * size, receive);
}

const void *ooze_halo_gather(OozeHalo *halo, const void *blocks, uint64_t n, uint64_t grain,
                             size_t size, uint64_t *count)
{
    *count = (n + grain - 1) / grain;
    if (!halo) {
        return blocks;
    }
    uint64_t total = 0;
    for (int r = 0; r < halo->ranks->count; r++) {
        uint64_t theirs = (halo->range[r].n + grain - 1) / grain;
        halo->bytes[r] = theirs * size;
        total += theirs;
    }
    halo->ranks->gather_varied(halo->ranks, blocks, halo->bytes, halo->blocks);
    *count = total;
    return halo->blocks;
}

double ooze_halo_sum(OozeHalo *halo, const double *blocks, uint64_t n, uint64_t grain)
{
    uint64_t count;
    double total = 0.0;
    const double *all = ooze_halo_gather(halo, blocks, n, grain, sizeof *all, &count);
    for (uint64_t k = 0; k < count; k++) {
        total += all[k];
    }
    return total;
}

void ooze_halo_max(OozeHalo *halo, double *values, int count)
{
    if (halo) {
        halo->ranks->max(halo->ranks, values, count);
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
    list->all = list->own;
    list->total = list->count;
    list->first = 0;
    if (!halo) {
        return OOZE_OK;
    }
    OozeRanks *ranks = halo->ranks;
    uint64_t *bytes = halo->bytes;
    ranks->gather(ranks, &list->count, sizeof list->count, bytes);
    list->total = 0;
    for (int r = 0; r < ranks->count; r++) {
        list->first += r < ranks->rank ? bytes[r] : 0;
        list->total += bytes[r];
        bytes[r] *= list->size;
    }
    if (list->total > INT32_MAX / list->size) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use one process, or a larger spacing",
                         "%llu elements of %llu bytes of all processes; %d bytes are possible",
                         (unsigned long long)list->total, (unsigned long long)list->size,
                         INT32_MAX);
    }
    void *all = ooze_arena_alloc(arena, list->total, list->size);
    if (!all) {
        return ooze_fail_memory(error, "elements of all processes", list->total * list->size);
    }
    ranks->gather_varied(ranks, list->own, bytes, all);
    list->all = all;
    return OOZE_OK;
}

uint64_t ooze_halo_total(OozeHalo *halo, uint64_t number)
{
    if (halo) {
        halo->ranks->sum(halo->ranks, &number, 1);
    }
    return number;
}
