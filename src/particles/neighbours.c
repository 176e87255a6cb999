/* Building the lists. Points are handled in blocks; those of one cell share a copy of the candidates
   around it. Each block's lists go to a slot of working memory, and a wave of slots is then laid out
   one after the other, so that where a list stands does not depend on who made it. */
#include "particles/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/wide.h"
#include "particles/grid.h"

enum {
    BLOCK = 256,          /* points of one slot */
    SLOTS_PER_WORKER = 8, /* in a wave */
    OVERRUN = 16          /* elements written beyond a list's end while compacting */
};

/* Candidates around one cell, coordinates apart; every run starts at a multiple of eight and is
   filled up with points at infinity, which are near nothing. */
typedef struct Worker {
    uint64_t room, used;
    float *x, *y, *z;
    uint32_t *base; /* index of the first candidate of each eight */
    uint8_t *bits;  /* which of each eight are neighbours */
} Worker;

typedef struct Slot {
    uint32_t *index;
    uint64_t room, used, pairs, offset;
    bool failed;
} Slot;

struct OozeListScratch {
    OozeWideCompact table;
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
    bool images;    /* some axis is so short that every pair needs its nearest image */
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
        ooze_free(scratch->workers[i].x);
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

/* Bytes of working memory per candidate: x, y, z, an eighth of a base and of a byte of bits, rounded
   up. */
enum { CANDIDATE_BYTES = 13 };

uint64_t ooze_neighbours_bytes(const OozeNeighbours *lists)
{
    uint64_t bytes = lists->capacity_n * 12 + lists->capacity_index * 4;
    const struct OozeListScratch *scratch = lists->scratch;
    if (scratch) {
        bytes += sizeof *scratch + (uint64_t)scratch->worker_count * sizeof(Worker) +
                 (uint64_t)scratch->slot_count * sizeof(Slot);
        for (int i = 0; i < scratch->worker_count; i++) {
            bytes += scratch->workers[i].room * CANDIDATE_BYTES;
        }
        for (int i = 0; i < scratch->slot_count; i++) {
            bytes += scratch->slots[i].room * 4;
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
    ooze_wide_compact_fill(&scratch->table);
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
    uint64_t wanted = n + n / 4;
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

static bool reserve_candidates(Worker *worker, uint64_t wanted)
{
    if (wanted <= worker->room) {
        return true;
    }
    uint64_t room = (wanted + wanted / 2 + 63) / 64 * 64;
    float *block = ooze_alloc_zero(room, CANDIDATE_BYTES);
    if (!block) {
        return false;
    }
    ooze_free(worker->x);
    worker->room = room;
    worker->x = block;
    worker->y = block + room;
    worker->z = block + 2 * room;
    worker->base = (uint32_t *)(block + 3 * room);
    worker->bits = (uint8_t *)(worker->base + room / 8);
    return true;
}

static bool reserve_slot(Slot *slot, uint64_t wanted)
{
    if (wanted <= slot->room) {
        return true;
    }
    uint64_t room = wanted + wanted / 2;
    uint32_t *grown = ooze_grow(slot->index, slot->used, room, sizeof *grown);
    if (!grown) {
        return false;
    }
    slot->index = grown;
    slot->room = room;
    return true;
}

/* ---- one point against the candidates of its cell ---- */

static void copy_run(const OozeFloat4 *from, uint64_t count, bool may_overrun, float *x, float *y,
                     float *z)
{
    uint64_t i = 0;
    uint64_t whole = may_overrun ? (count + 7) / 8 * 8 : count / 8 * 8;
    for (; i < whole; i += 8) {
        for (uint64_t k = i; k < i + 8; k++) {
            x[k] = from[k].x;
            y[k] = from[k].y;
            z[k] = from[k].z;
        }
    }
    for (; i < count; i++) {
        x[i] = from[i].x;
        y[i] = from[i].y;
        z[i] = from[i].z;
    }
    for (i = count; i < (count + 7) / 8 * 8; i++) {
        x[i] = INFINITY;
    }
}

static bool gather_runs(const BuildJob *job, Worker *worker, const OozeGridRun *runs, int run_count)
{
    uint64_t wanted = OOZE_WIDE_BLOCK;
    for (int r = 0; r < run_count; r++) {
        wanted += (uint64_t)(runs[r].end - runs[r].begin) + 7;
    }
    if (!reserve_candidates(worker, wanted)) {
        return false;
    }
    uint64_t at = 0;
    for (int r = 0; r < run_count; r++) {
        uint64_t begin = runs[r].begin, count = runs[r].end - begin;
        copy_run(job->candidates + begin, count, begin + count + 8 <= job->grid->n, worker->x + at,
                 worker->y + at, worker->z + at);
        for (uint64_t i = 0; i < count; i += 8) {
            worker->base[(at + i) / 8] = (uint32_t)(begin + i);
        }
        at += (count + 7) / 8 * 8;
    }
    while (at % OOZE_WIDE_BLOCK) {
        worker->x[at++] = INFINITY;
    }
    worker->used = at;
    return true;
}

static void mark(const Worker *worker, OozeFloat4 p, float radius)
{
    OozeWide px = ooze_wide_splat(p.x), py = ooze_wide_splat(p.y), pz = ooze_wide_splat(p.z);
    OozeWide limit = ooze_wide_splat(radius * radius);
    for (uint64_t k = 0; k < worker->used; k += OOZE_WIDE_BLOCK) {
        OozeWideMask near[OOZE_WIDE_BLOCK / OOZE_WIDE_LANES];
        for (int i = 0; i < OOZE_WIDE_BLOCK / OOZE_WIDE_LANES; i++) {
            uint64_t at = k + (uint64_t)(i * OOZE_WIDE_LANES);
            OozeWide dx = px - ooze_wide_load(worker->x + at);
            OozeWide dy = py - ooze_wide_load(worker->y + at);
            OozeWide dz = pz - ooze_wide_load(worker->z + at);
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        uint32_t bits = ooze_wide_bits(near);
        memcpy(worker->bits + k / 8, &bits, sizeof bits);
    }
}

/* As ooze_periodic_delta, which it must equal bit for bit. */
static OozeWide nearest_image(OozeWide delta, float length, float inverse)
{
    return delta - ooze_wide_rint(delta * inverse) * length;
}

static void mark_images(const Worker *worker, OozeFloat4 p, float radius, const OozePeriodic *box)
{
    OozeWide px = ooze_wide_splat(p.x), py = ooze_wide_splat(p.y), pz = ooze_wide_splat(p.z);
    OozeWide limit = ooze_wide_splat(radius * radius);
    const float *length = box->length, *inverse = box->inverse;
    for (uint64_t k = 0; k < worker->used; k += OOZE_WIDE_BLOCK) {
        OozeWideMask near[OOZE_WIDE_BLOCK / OOZE_WIDE_LANES];
        for (int i = 0; i < OOZE_WIDE_BLOCK / OOZE_WIDE_LANES; i++) {
            uint64_t at = k + (uint64_t)(i * OOZE_WIDE_LANES);
            OozeWide dx = px - ooze_wide_load(worker->x + at);
            OozeWide dy = py - ooze_wide_load(worker->y + at);
            OozeWide dz = pz - ooze_wide_load(worker->z + at);
            dx = nearest_image(dx, length[0], inverse[0]);
            dy = nearest_image(dy, length[1], inverse[1]);
            dz = nearest_image(dz, length[2], inverse[2]);
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        uint32_t bits = ooze_wide_bits(near);
        memcpy(worker->bits + k / 8, &bits, sizeof bits);
    }
}

static uint32_t compact(const Worker *worker, const OozeWideCompact *table, uint32_t *to)
{
    uint32_t *at = to;
    for (uint64_t k = 0; k < worker->used / 8; k++) {
        at += ooze_wide_compact(table, worker->bits[k], worker->base[k], at);
    }
    return (uint32_t)(at - to);
}

/* ---- one block of points ---- */

static uint64_t padded(uint32_t count)
{
    return ((uint64_t)count + OOZE_LIST_PAD - 1) / OOZE_LIST_PAD * OOZE_LIST_PAD;
}

/* Where the cell's neighbourhood crosses the end of a periodic axis, the nearest image may be another
   than the candidate itself. */
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

typedef struct Surroundings {
    OozeGridCursor cursor;
    bool valid, images;
    int32_t cell[3];
    OozeGridRun runs[OOZE_GRID_RUNS_MAX];
    int run_count;
} Surroundings;

static bool enter_cell(const BuildJob *job, Worker *worker, Surroundings *around, OozeFloat4 p)
{
    const OozeGridAxis *axis = job->grid->axis;
    int32_t cell[3] = {ooze_grid_number(&axis[0], p.x), ooze_grid_number(&axis[1], p.y),
                       ooze_grid_number(&axis[2], p.z)};
    if (around->valid && memcmp(cell, around->cell, sizeof cell) == 0) {
        return true;
    }
    memcpy(around->cell, cell, sizeof cell);
    around->valid = true;
    around->images = job->images || crosses_end(job->grid, cell);
    around->run_count = ooze_grid_runs(job->grid, &around->cursor, cell, around->runs);
    return gather_runs(job, worker, around->runs, around->run_count);
}

static void unmark_self(const Worker *worker, const Surroundings *around, uint64_t self)
{
    uint64_t at = 0;
    for (int r = 0; r < around->run_count; r++) {
        uint64_t begin = around->runs[r].begin, end = around->runs[r].end;
        if (self >= begin && self < end) {
            at += self - begin;
            worker->bits[at / 8] &= (uint8_t) ~(1u << at % 8);
            return;
        }
        at += (end - begin + 7) / 8 * 8;
    }
}

static void fill_block(void *context, uint64_t begin, uint64_t end, int worker_number)
{
    const BuildJob *job = context;
    struct OozeListScratch *scratch = job->lists->scratch;
    Worker *worker = &scratch->workers[worker_number];
    Slot *slot = &scratch->slots[begin / BLOCK];
    Surroundings around = {0};
    slot->used = slot->pairs = 0;
    slot->failed = false;
    for (uint64_t i = job->first + begin; i < job->first + end; i++) {
        OozeFloat4 p = job->points[i];
        if (!enter_cell(job, worker, &around, p) ||
            !reserve_slot(slot, slot->used + worker->used + OVERRUN)) {
            slot->failed = true;
            return;
        }
        if (around.images) {
            mark_images(worker, p, job->radius, &job->grid->periodic);
        } else {
            mark(worker, p, job->radius);
        }
        if (job->skip_self) {
            unmark_self(worker, &around, i);
        }
        uint32_t *to = slot->index + slot->used;
        uint32_t found = compact(worker, &scratch->table, to);
        for (int k = 0; k < OOZE_LIST_PAD; k++) {
            to[found + (uint32_t)k] = job->lists->dummy;
        }
        job->lists->count[i] = found;
        slot->pairs += found;
        slot->used += padded(found);
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
            return ooze_fail_memory(error, "neighbour lists", (slot->used + slot->room) * 4);
        }
        slot->offset = end;
        end += slot->used;
        lists->pairs += slot->pairs;
    }
    if (end + OOZE_LIST_PAD > lists->capacity_index) {
        /* From the points done so far follows about how much all of them need. */
        uint64_t done = job->first + slots * BLOCK;
        double expected = (double)end * ((double)job->n / (double)done) * 1.1;
        uint64_t wanted = end + end / 4 + OOZE_LIST_PAD;
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

OozeStatus ooze_neighbours_build(OozeNeighbours *lists, const OozeGrid *grid, OozeThreads *threads,
                                 const OozeFloat4 *points, uint64_t n, const OozeFloat4 *candidates,
                                 double radius, bool skip_self, OozeError *error)
{
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
                    .points = points,
                    .candidates = candidates,
                    .radius = (float)radius,
                    .skip_self = skip_self,
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
    lists->first[n] = total;
    lists->n = n;
    return OOZE_OK;
}
