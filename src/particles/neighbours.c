/* Building the lists. Points are processed in blocks; those of one cell share a copy of the
   candidates around it. Each block's lists go to a slot of working memory, and the slots of a wave
   are then concatenated in order, so that the position of a list does not depend on the thread that
   made it. */
#include "particles/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/f32x4.h"
#include "base/fail.h"
#include "particles/candidates.h"

enum {
    BLOCK = 256,           /* points of one slot */
    SLOTS_PER_WORKER = 32, /* in a wave */
};

/* Slots and workers are aligned to cache lines: different threads write them concurrently. */
typedef struct Slot {
    _Alignas(OOZE_ALIGNMENT) uint32_t *index;
    uint64_t capacity, used, pairs, offset;
    bool failed;
} Slot;

typedef struct Worker {
    _Alignas(OOZE_ALIGNMENT) OozeCandidates candidates;
} Worker;

struct OozeListScratch {
    OozeCompactTable table;
    const OozeCandidatesLoops *loops;
    Worker *workers;
    Slot *slots;
    int worker_count, slot_count;
};

typedef struct BuildJob {
    OozeNeighbours *lists;
    const OozeGrid *grid;
    const OozeFloat4 *points, *candidates;
    float radius;
    bool skip_self;
    uint64_t self;  /* with skip_self: index of the first point among the candidates */
    bool images;    /* a periodic axis is so short that every pair needs its nearest image */
    uint64_t first; /* point of the wave */
    uint64_t n;
} BuildJob;

/* ---- memory ---- */

static void free_scratch(struct OozeListScratch *scratch)
{
    if (!scratch) {
        return;
    }
    for (int i = 0; i < scratch->worker_count; i++) {
        ooze_candidates_free(&scratch->workers[i].candidates);
    }
    for (int i = 0; i < scratch->slot_count; i++) {
        ooze_free(scratch->slots[i].index);
    }
    ooze_free(scratch->workers);
    ooze_free(scratch->slots);
    ooze_free(scratch);
}

void ooze_neighbours_free(OozeNeighbours *lists)
{
    free_scratch(lists->scratch);
    ooze_free(lists->first);
    ooze_free(lists->count);
    ooze_free(lists->index);
    *lists = (OozeNeighbours){0};
}

uint64_t ooze_neighbours_bytes(const OozeNeighbours *lists)
{
    uint64_t bytes = lists->capacity_n * 12 + lists->capacity_index * 4;
    const struct OozeListScratch *scratch = lists->scratch;
    if (scratch) {
        bytes += sizeof *scratch + (uint64_t)scratch->worker_count * sizeof(Worker) +
                 (uint64_t)scratch->slot_count * sizeof(Slot);
        for (int i = 0; i < scratch->worker_count; i++) {
            bytes += ooze_candidates_bytes(&scratch->workers[i].candidates);
        }
        for (int i = 0; i < scratch->slot_count; i++) {
            bytes += scratch->slots[i].capacity * 4;
        }
    }
    return bytes;
}

static OozeStatus reserve_scratch(OozeNeighbours *lists, int workers, OozeError *error)
{
    if (lists->scratch && lists->scratch->worker_count >= workers) {
        return OOZE_OK;
    }
    free_scratch(lists->scratch);
    lists->scratch = ooze_alloc_zero(1, sizeof *lists->scratch);
    if (!lists->scratch) {
        return ooze_fail_memory(error, "building neighbour lists", sizeof *lists->scratch);
    }
    struct OozeListScratch *scratch = lists->scratch;
    scratch->loops = ooze_candidates_loops();
    scratch->loops->fill_table(&scratch->table);
    scratch->workers = ooze_alloc_zero((size_t)workers, sizeof *scratch->workers);
    scratch->slots = ooze_alloc_zero((size_t)workers * SLOTS_PER_WORKER, sizeof *scratch->slots);
    if (!scratch->workers || !scratch->slots) {
        free_scratch(scratch);
        lists->scratch = NULL;
        return ooze_fail_memory(error, "building neighbour lists",
                                (size_t)workers * SLOTS_PER_WORKER * sizeof *scratch->slots);
    }
    scratch->worker_count = workers;
    scratch->slot_count = workers * SLOTS_PER_WORKER;
    return OOZE_OK;
}

static OozeStatus reserve_lists(OozeNeighbours *lists, uint64_t n, OozeError *error)
{
    if (n <= lists->capacity_n && lists->first) {
        return OOZE_OK;
    }
    uint64_t wanted = n + n / 16;
    ooze_free(lists->first);
    ooze_free(lists->count);
    lists->capacity_n = 0;
    lists->first = ooze_alloc(wanted + 1, sizeof *lists->first);
    lists->count = ooze_alloc(wanted, sizeof *lists->count);
    if (!lists->first || !lists->count) {
        return ooze_fail_memory(error, "neighbour lists", wanted * 12);
    }
    lists->capacity_n = wanted;
    return OOZE_OK;
}

static bool reserve_slot(Slot *slot, uint64_t wanted)
{
    if (wanted <= slot->capacity) {
        return true;
    }
    uint64_t capacity = wanted + wanted / 2;
    uint32_t *grown = ooze_grow(slot->index, slot->used, capacity, sizeof *grown);
    if (!grown) {
        return false;
    }
    slot->index = grown;
    slot->capacity = capacity;
    return true;
}

/* ---- one block of points ---- */

static uint64_t padded(uint32_t count)
{
    return ((uint64_t)count + OOZE_LIST_PAD - 1) / OOZE_LIST_PAD * OOZE_LIST_PAD;
}

/* Where the cell's neighbourhood crosses the end of a periodic axis, the nearest image of a
   candidate may differ from the candidate itself. */
static bool crosses_end(const OozeGrid *grid, const int32_t cell[3])
{
    for (int k = 0; grid->wraps && k < 3; k++) {
        const OozeGridAxis *axis = &grid->axis[k];
        if (axis->wraps && (cell[k] == 0 || cell[k] == axis->count - 1)) {
            return true;
        }
    }
    return false;
}

/* Consecutive points of one cell. */
typedef struct Group {
    uint64_t begin, end;
    int32_t cell[3];
    float low[3], high[3]; /* box around the points */
} Group;

static void find_cell(const OozeGrid *grid, OozeFloat4 p, int32_t cell[3])
{
    cell[0] = ooze_grid_number(&grid->axis[0], p.x);
    cell[1] = ooze_grid_number(&grid->axis[1], p.y);
    cell[2] = ooze_grid_number(&grid->axis[2], p.z);
}

static uint64_t find_group_end(const BuildJob *job, const Group *group, uint64_t end)
{
    const OozeGrid *grid = job->grid;
    if (job->skip_self && !grid->sparse) { /* the points are the candidates: read the cell table */
        uint64_t row = (uint64_t)group->cell[2] * (uint64_t)grid->axis[1].count;
        row = (row + (uint64_t)group->cell[1]) * (uint64_t)grid->axis[0].count;
        uint64_t cell_end = grid->start[row + (uint64_t)group->cell[0] + 1] - job->self;
        cell_end = cell_end > group->begin ? cell_end : group->begin + 1;
        return cell_end < end ? cell_end : end;
    }
    for (uint64_t i = group->begin + 1; i < end; i++) {
        int32_t cell[3];
        find_cell(grid, job->points[i], cell);
        if (cell[0] != group->cell[0] || cell[1] != group->cell[1] || cell[2] != group->cell[2]) {
            return i;
        }
    }
    return end;
}

static Group find_group(const BuildJob *job, uint64_t begin, uint64_t end)
{
    Group group = {.begin = begin};
    find_cell(job->grid, job->points[begin], group.cell);
    group.end = find_group_end(job, &group, end);
    const float none = INFINITY;
    OozeF32x4 low = {none, none, none, none}, high = -low;
    for (uint64_t i = begin; i < group.end; i++) {
        OozeF32x4 p = ooze_f32x4_load(&job->points[i].x);
        low = ooze_f32x4_min(p, low);
        high = ooze_f32x4_max(p, high);
    }
    memcpy(group.low, &low, sizeof group.low);
    memcpy(group.high, &high, sizeof group.high);
    return group;
}

/* Lists of the points of a group, appended to the slot. False: out of memory. */
static bool fill_group(const BuildJob *job, const Group *group, OozeGridCursor *cursor,
                       OozeCandidates *candidates, Slot *slot)
{
    const OozeCompactTable *table = &job->lists->scratch->table;
    const OozeCandidatesLoops *loops = job->lists->scratch->loops;
    OozeGridRun runs[OOZE_GRID_RUNS_MAX];
    int run_count = ooze_grid_runs(job->grid, cursor, group->cell, runs);
    bool images = job->images || crosses_end(job->grid, group->cell);
    /* The image of a candidate far from the box may be near it: then none is left out. */
    const OozeCandidateSource source = {job->candidates, job->grid->n, runs, run_count};
    const OozeCandidateBox box = {group->low, group->high, job->radius};
    if (!loops->gather(candidates, table, &source, images ? NULL : &box)) {
        return false;
    }
    /* the points of the group are themselves consecutive candidates */
    uint64_t self = job->skip_self
                        ? ooze_candidates_find(candidates, (uint32_t)(job->self + group->begin))
                        : UINT64_MAX;
    for (uint64_t i = group->begin; i < group->end; i++) {
        if (!reserve_slot(slot, slot->used + candidates->used + OOZE_CANDIDATES_OVERRUN)) {
            return false;
        }
        uint32_t *to = slot->index + slot->used;
        uint32_t found = loops->select(candidates, table, job->points[i], job->radius,
                                       images ? &job->grid->periodic : NULL, self, to);
        for (uint32_t k = 0; k < OOZE_LIST_PAD; k++) {
            to[found + k] = job->lists->dummy;
        }
        job->lists->count[i] = found;
        slot->pairs += found;
        slot->used += padded(found);
        self += self != UINT64_MAX;
    }
    return true;
}

static void fill_block(void *context, uint64_t begin, uint64_t end, int worker)
{
    const BuildJob *job = context;
    struct OozeListScratch *scratch = job->lists->scratch;
    Slot *slot = &scratch->slots[begin / BLOCK];
    OozeGridCursor cursor = {0};
    slot->used = slot->pairs = 0;
    slot->failed = false;
    for (uint64_t i = job->first + begin; i < job->first + end && !slot->failed;) {
        Group group = find_group(job, i, job->first + end);
        slot->failed =
            !fill_group(job, &group, &cursor, &scratch->workers[worker].candidates, slot);
        i = group.end;
    }
}

static void place_slots(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const BuildJob *job = context;
    OozeNeighbours *lists = job->lists;
    for (uint64_t s = begin; s < end; s++) {
        const Slot *slot = &lists->scratch->slots[s];
        memcpy(lists->index + slot->offset, slot->index, slot->used * sizeof *slot->index);
        uint64_t from = job->first + s * BLOCK, to = from + BLOCK < job->n ? from + BLOCK : job->n;
        uint64_t at = slot->offset;
        for (uint64_t i = from; i < to; i++) {
            lists->first[i] = at;
            at += padded(lists->count[i]);
        }
    }
}

/* ---- waves ---- */

static OozeStatus finish_wave(BuildJob *job, OozeThreads *threads, uint64_t slots, uint64_t *total,
                              OozeError *error)
{
    OozeNeighbours *lists = job->lists;
    uint64_t end = *total;
    for (uint64_t s = 0; s < slots; s++) {
        Slot *slot = &lists->scratch->slots[s];
        if (slot->failed) {
            return ooze_fail_memory(error, "neighbour lists", (slot->used + slot->capacity) * 4);
        }
        slot->offset = end;
        end += slot->used;
        lists->pairs += slot->pairs;
    }
    if (end + OOZE_LIST_PAD > lists->capacity_index) {
        /* The lists so far predict the size of all of them. */
        uint64_t done = job->first + slots * BLOCK;
        double expected = (double)end * ((double)job->n / (double)done) * 1.06;
        uint64_t wanted = end + end / 16 + OOZE_LIST_PAD;
        wanted = expected > (double)wanted ? (uint64_t)expected : wanted;
        uint32_t *grown = ooze_grow(lists->index, *total, wanted, sizeof *grown);
        if (!grown) {
            return ooze_fail_memory(error, "neighbour lists", wanted * sizeof *grown);
        }
        lists->index = grown;
        lists->capacity_index = wanted;
    }
    ooze_parallel_for(threads, slots, 1, place_slots, job);
    *total = end;
    return OOZE_OK;
}

/* Gives all workers the largest capacity of any: which worker processes a block varies, and
   building the same lists again must not allocate. A failure here is harmless. */
static void equalise_workers(struct OozeListScratch *scratch)
{
    uint64_t capacity = 0;
    for (int i = 0; i < scratch->worker_count; i++) {
        uint64_t seen = scratch->workers[i].candidates.capacity;
        capacity = seen > capacity ? seen : capacity;
    }
    for (int i = 0; i < scratch->worker_count; i++) {
        if (scratch->workers[i].candidates.capacity < capacity) {
            ooze_candidates_reserve(&scratch->workers[i].candidates, capacity);
        }
    }
}

OozeStatus ooze_neighbours_build(OozeNeighbours *lists, const OozeGrid *grid, OozeThreads *threads,
                                 const OozeNeighbourQuery *query, OozeError *error)
{
    double radius = query->radius;
    uint64_t n = query->n;
    lists->n = lists->pairs = 0;
    if (!(radius > 0.0) || (grid->n > 0 && !(radius <= grid->cell))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "sort with cells at least one radius wide",
                         "cannot look for neighbours within %g in cells of edge %g", radius,
                         grid->cell);
    }
    int workers = ooze_threads_count(threads);
    OozeStatus status = reserve_lists(lists, n, error);
    if (!status) {
        status = reserve_scratch(lists, workers, error);
    }
    if (status) {
        return status;
    }
    lists->dummy = (uint32_t)grid->n;
    BuildJob job = {.lists = lists,
                    .grid = grid,
                    .points = query->points,
                    .candidates = query->candidates,
                    .radius = (float)radius,
                    .skip_self = query->skip_self,
                    .self = query->skip_self ? (uint64_t)(query->points - query->candidates) : 0,
                    .n = n};
    for (int k = 0; k < 3; k++) {
        job.images = job.images || (grid->axis[k].wraps && grid->axis[k].count < 5);
    }
    uint64_t total = 0, wave = (uint64_t)workers * SLOTS_PER_WORKER * BLOCK;
    for (job.first = 0; job.first < n; job.first += wave) {
        uint64_t points_left = n - job.first, in_wave = points_left < wave ? points_left : wave;
        ooze_parallel_for(threads, in_wave, BLOCK, fill_block, &job);
        status = finish_wave(&job, threads, (in_wave + BLOCK - 1) / BLOCK, &total, error);
        if (status) {
            return status;
        }
    }
    equalise_workers(lists->scratch);
    lists->first[n] = total;
    lists->n = n;
    return OOZE_OK;
}

void *ooze_gathered_alloc(OozeArena *arena, uint64_t n, size_t size)
{
    char *block = ooze_arena_alloc(arena, n + OOZE_LIST_PAD, size);
    if (block) {
        memset(block + n * size, 0, OOZE_LIST_PAD * size);
    }
    return block;
}
