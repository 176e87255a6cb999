/* Cells by colour, and the order of particles within them: see cpu/schedule.c. */
#include "methods/springs/cuda/stages.cuh"

namespace ooze
{

/* Captured by loop bodies. */
struct ScheduleView {
    OozeGridAxis axis[3];
    const float4 *points;
    const uint64_t *key;
    uint32_t *rank_of_colour; /* its position in the order of the step */
    uint32_t *begins;         /* n + 1: 1 where a cell begins */
    uint64_t *cells_before;   /* n + 1 */
    uint32_t *start;          /* per cell in the order of the grid: its first point; then n */
    uint32_t *cells_of_rank;
    uint32_t *sequence;
};

OOZE_DEVICE OozeSpringsCell cell_of(const ScheduleView &s, uint32_t i)
{
    const float x[3] = {s.points[i].x, s.points[i].y, s.points[i].z};
    return ooze_springs_cell(s.axis, x);
}

OOZE_DEVICE uint32_t cell_index(const ScheduleView &s, uint32_t i)
{
    return (uint32_t)s.cells_before[i + 1] - 1;
}

static void find_cells(Gpu *gpu, const ScheduleView &view, uint32_t n)
{
    const ScheduleView s = view;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            const OozeSpringsCell cell = cell_of(s, i);
            s.begins[i] = i == 0 || cell_of(s, i - 1).number != cell.number;
            if (i + 1 == n) {
                s.begins[n] = 0;
            }
            if (s.begins[i]) {
                atomicAdd(&s.cells_of_rank[s.rank_of_colour[cell.colour]], 1u);
            }
        });
    running_sum(gpu, s.begins, s.cells_before, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            if (s.begins[i]) {
                s.start[cell_index(s, i)] = i;
            }
            if (i + 1 == n) {
                s.start[cell_index(s, i) + 1] = n;
            }
        });
}

/* Each particle counts those of its cell that precede it. */
static void order_within_cells(Gpu *gpu, const ScheduleView &view, uint32_t n)
{
    const ScheduleView s = view;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            const uint32_t cell = cell_index(s, i), first = s.start[cell], last = s.start[cell + 1];
            const uint64_t own = s.key[i];
            uint32_t before = 0;
            for (uint32_t j = first; j < last; j++) {
                before += s.key[j] < own;
            }
            s.sequence[first + before] = i;
        });
}

/* Cells colour by colour, those of a colour in the order of the grid. */
static void group_by_colour(Gpu *gpu, const ScheduleView &view, uint32_t cells,
                            SpringsSchedule *schedule)
{
    enum { BITS = 7 };
    const ScheduleView s = view;
    uint32_t *begin = scratch<uint32_t>(gpu, cells), *end = scratch<uint32_t>(gpu, cells);
    const Sorted<uint32_t> by_colour = sorted_by<uint32_t>(
        gpu, cells, BITS,
        OOZE_BODY(uint32_t c) { return s.rank_of_colour[cell_of(s, s.start[c]).colour]; });
    const uint32_t *sorted = by_colour.index;
    for_each(
        gpu, cells, OOZE_BODY(uint32_t k) {
            begin[k] = s.start[sorted[k]];
            end[k] = s.start[sorted[k] + 1];
        });
    schedule->begin = begin;
    schedule->end = end;
}

void springs_schedule(OozeSpringsStep *step, const float4 *points, const uint64_t *key,
                      SpringsSchedule *schedule)
{
    Gpu *gpu = gpu_of(step->machine);
    const uint32_t n = (uint32_t)step->machine->n;
    uint8_t order[OOZE_SPRINGS_COLOURS_MAX];
    uint32_t rank[OOZE_SPRINGS_COLOURS_MAX], cells = 0;
    ScheduleView s = {};
    for (int k = 0; k < 3; k++) {
        s.axis[k] = engine_of(step->machine)->grid.cells.axis[k];
    }
    s.points = points;
    s.key = key;
    s.rank_of_colour = scratch<uint32_t>(gpu, OOZE_SPRINGS_COLOURS_MAX);
    s.cells_of_rank = scratch<uint32_t>(gpu, OOZE_SPRINGS_COLOURS_MAX);
    s.begins = scratch<uint32_t>(gpu, n);
    s.cells_before = scratch<uint64_t>(gpu, n);
    s.start = scratch<uint32_t>(gpu, n);
    s.sequence = scratch<uint32_t>(gpu, n);
    ooze_springs_colour_order(order, step->machine->context->step);
    for (uint32_t k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        rank[order[k]] = k;
    }
    *schedule = {};
    schedule->sequence = s.sequence;
    copy_in(gpu, s.rank_of_colour, rank, sizeof rank);
    clear(gpu, s.cells_of_rank, sizeof schedule->count);
    find_cells(gpu, s, n);
    order_within_cells(gpu, s, n);
    copy_out(gpu, schedule->count, s.cells_of_rank, sizeof schedule->count);
    double used[OOZE_SPRINGS_COLOURS_MAX];
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        cells += schedule->count[k];
        used[k] = schedule->count[k] > 0 ? 1.0 : 0.0;
    }
    max_over_ranks(gpu, used, OOZE_SPRINGS_COLOURS_MAX);
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        schedule->used[k] = used[k] > 0.0;
    }
    if (gpu->failed == cudaSuccess) {
        group_by_colour(gpu, s, cells, schedule);
    }
}

} // namespace ooze
