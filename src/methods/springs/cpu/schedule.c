/* Builds and runs the schedules of sweeps on the processor. */
#include "methods/springs/cpu/schedule.h"

#include <math.h>

#include "base/fail.h"

/* ---- order by key ---------------------------------------------------------------------------- */

static bool precedes(const uint64_t *key, uint32_t a, uint32_t b)
{
    return key[a] != key[b] ? key[a] < key[b] : a < b;
}

static void sift(uint32_t *heap, uint64_t count, uint64_t at, const uint64_t *key)
{
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && precedes(key, heap[child], heap[child + 1])) {
            child++;
        }
        if (!precedes(key, heap[at], heap[child])) {
            return;
        }
        uint32_t other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
        at = child;
    }
}

static void sort_by_key(uint32_t *list, uint64_t count, const uint64_t *key)
{
    for (uint64_t k = count / 2; k-- > 0;) {
        sift(list, count, k, key);
    }
    for (uint64_t left = count; left-- > 1;) {
        uint32_t last = list[left];
        list[left] = list[0];
        list[0] = last;
        sift(list, left, 0, key);
    }
}

typedef struct Sorting {
    OozeSpringsSchedule *schedule;
    const uint64_t *key;
} Sorting;

static void sort_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sorting *s = data;
    for (uint64_t r = begin; r < end; r++) {
        uint32_t from = s->schedule->begin[r], to = s->schedule->end[r];
        for (uint32_t i = from; i < to; i++) {
            s->schedule->sequence[i] = i;
        }
        sort_by_key(s->schedule->sequence + from, to - from, s->key);
    }
}

/* ---- cells and colours ----------------------------------------------------------------------- */

typedef struct Cells {
    const OozeGridAxis *axis;
    const OozeF32x4 *points;
    uint64_t *number; /* per particle: cell number, in the order z, y, x */
    uint8_t *colour;
    uint8_t *swept;              /* per cell */
    uint64_t own_begin, own_end; /* points that are not ghosts */
} Cells;

static void colour_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Cells *c = data;
    for (uint64_t i = begin; i < end; i++) {
        const float x[3] = {c->points[i][0], c->points[i][1], c->points[i][2]};
        OozeSpringsCell cell = ooze_springs_cell(c->axis, x);
        c->number[i] = cell.number;
        c->colour[i] = (uint8_t)cell.colour;
    }
}

/* Whether the cell of point i is one of, or adjacent to one of, the cells from that of the first
   own particle to that of the last. */
static bool is_near_own(const Cells *c, uint64_t i)
{
    int32_t at[3][3];
    int found[3];
    if (c->own_end == c->own_begin) {
        return false;
    }
    uint64_t first = c->number[c->own_begin], last = c->number[c->own_end - 1];
    for (int k = 0; k < 3; k++) {
        found[k] =
            ooze_grid_columns(&c->axis[k], ooze_grid_number(&c->axis[k], c->points[i][k]), at[k]);
    }
    for (int z = 0; z < found[2]; z++) {
        for (int y = 0; y < found[1]; y++) {
            for (int x = 0; x < found[0]; x++) {
                uint64_t number = ooze_split_key(c->axis, at[0][x], at[1][y], at[2][z]);
                if (number >= first && number <= last) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Finds the cells, and counts those of each colour that are swept. Returns false where points are
   not sorted by cell or cell numbers overflow. */
static bool find_cell_runs(OozeSpringsSchedule *s, const Cells *c, uint32_t count[])
{
    double cells = (double)c->axis[0].count * (double)c->axis[1].count * (double)c->axis[2].count;
    s->runs = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (i > 0 && c->number[i] < c->number[i - 1]) {
            return false;
        }
        if (i == 0 || c->number[i] != c->number[i - 1]) {
            s->end[s->runs] = (uint32_t)i; /* the begin of the run, until runs are grouped */
            c->swept[s->runs] = !s->halo || is_near_own(c, i);
            count[c->colour[i]] += c->swept[s->runs];
            s->runs++;
        }
    }
    return cells < 0x1p63;
}

/* Marks the colours that some process sweeps. */
static void share_colours(OozeHalo *halo, const uint32_t count[], bool *used)
{
    double any[OOZE_SPRINGS_COLOURS_MAX];
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        any[k] = count[k] > 0;
    }
    ooze_halo_max(halo, any, OOZE_SPRINGS_COLOURS_MAX);
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        used[k] = any[k] > 0.0;
    }
}

/* Stores the runs of each colour contiguously. */
static void group_runs_by_colour(OozeSpringsSchedule *s, const Cells *c, const uint32_t count[],
                                 const uint8_t *order, const uint32_t *start, uint32_t *last)
{
    uint32_t at[OOZE_SPRINGS_COLOURS_MAX], next = 0, cells = s->runs;
    bool used[OOZE_SPRINGS_COLOURS_MAX];
    share_colours(s->halo, count, used);
    s->colours = 0;
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        if (used[order[k]]) {
            s->first[s->colours++] = next;
            at[order[k]] = next;
            next += count[order[k]];
        }
    }
    s->first[s->colours] = s->runs = next;
    for (uint32_t r = 0; r < cells; r++) {
        if (c->swept[r]) {
            uint32_t to = at[c->colour[start[r]]]++;
            s->begin[to] = start[r];
            last[to] = r + 1 < cells ? start[r + 1] : (uint32_t)s->n;
        }
    }
}

static void use_one_run(OozeSpringsSchedule *s)
{
    s->runs = s->colours = 1;
    s->begin[0] = s->first[0] = 0;
    s->end[0] = (uint32_t)s->n;
    s->first[1] = 1;
}

OozeStatus ooze_springs_schedule(const OozeSpringsStep *step, OozeSpringsSchedule *s,
                                 const OozeF32x4 *points, const uint64_t *key,
                                 const OozeGridAxis axis[3], OozeError *error)
{
    const OozeStepContext *context = step->machine->context;
    OozeArena *arena = context->arena;
    uint64_t n = step->machine->local;
    s->n = n;
    s->halo = context->halo;
    s->sequence = ooze_arena_alloc(arena, n, sizeof *s->sequence);
    s->begin = ooze_arena_alloc(arena, n + 1, sizeof *s->begin);
    s->end = ooze_arena_alloc(arena, n + 1, sizeof *s->end);
    s->first = ooze_arena_alloc(arena, OOZE_SPRINGS_COLOURS_MAX + 1, sizeof *s->first);
    Cells c = {.axis = axis,
               .points = points,
               .number = ooze_arena_alloc(arena, n, sizeof *c.number),
               .colour = ooze_arena_alloc(arena, n, sizeof *c.colour),
               .swept = ooze_arena_alloc(arena, n, sizeof *c.swept),
               .own_begin = step->below,
               .own_end = step->below + step->machine->n};
    uint32_t *last = ooze_arena_alloc(arena, n + 1, sizeof *last);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the order of particles", n * 25);
    }
    uint32_t count[OOZE_SPRINGS_COLOURS_MAX] = {0};
    uint8_t order[OOZE_SPRINGS_COLOURS_MAX];
    bool cells = false;
    if (context->params[OOZE_SPRINGS_ORDER] != OOZE_SPRINGS_SEQUENTIAL) {
        ooze_parallel_for(context->threads, n, 4096, colour_range, &c);
        cells = find_cell_runs(s, &c, count);
    }
    if (cells) {
        ooze_springs_colour_order(order, context->step);
        uint32_t *start = s->end;
        group_runs_by_colour(s, &c, count, order, start, last);
        s->end = last;
    } else if (s->halo) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use one process",
                         "particles are too far apart to be divided into cells");
    } else {
        use_one_run(s);
    }
    Sorting sorting = {s, key};
    ooze_parallel_for(context->threads, s->runs, 16, sort_range, &sorting);
    return OOZE_OK;
}

/* With fewer runs, waking other threads costs more than it saves. */
enum { PARALLEL_RUNS_MIN = 8 };

void ooze_springs_run(OozeSpringsStep *step, const OozeSpringsSchedule *schedule,
                      OozeRangeBody body, void *values, size_t size)
{
    OozeThreads *threads = step->machine->context->threads;
    for (uint32_t k = 0; k < schedule->colours; k++) {
        uint32_t runs = schedule->first[k + 1] - schedule->first[k];
        step->first_run = schedule->first[k];
        ooze_parallel_for(runs < PARALLEL_RUNS_MIN ? NULL : threads, runs, 1, body, step);
        ooze_halo_refresh_sorted(schedule->halo, values, size);
    }
}
