/* The grid's table when few cells of the bounding box are occupied: only these are listed, in the
   order of a dense table. */
#include "base/fail.h"
#include "particles/grid_cells.h"

typedef struct AxisJob {
    OozeGrid *grid;
    const OozeFloat4 *points;
    const uint32_t *index; /* NULL: index i is i */
    uint32_t *key;
    int axis;
} AxisJob;

static float coordinate(OozeFloat4 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static void number_on_axis(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const AxisJob *job = context;
    const OozeGridAxis axis = job->grid->axis[job->axis];
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 p = job->points[job->index ? job->index[i] : i];
        job->key[i] = (uint32_t)ooze_grid_number(&axis, coordinate(p, job->axis));
    }
}

/* Least significant digit first: x, then y, then z; every pass is stable. */
static void sort_by_axes(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points)
{
    int side = 0;
    const uint32_t *index = NULL;
    uint64_t block = ooze_grid_block(grid->n);
    for (int axis = 0; axis < 3; axis++) {
        AxisJob job = {grid, points, index, grid->key[side], axis};
        ooze_parallel_for(threads, grid->n, block, number_on_axis, &job);
        uint32_t largest = (uint32_t)grid->axis[axis].count - 1;
        for (int shift = 0; shift < 32 && largest >> shift > 0; shift += OOZE_GRID_DIGIT_BITS) {
            OozeGridPass pass = {.grid = grid,
                                 .from_key = grid->key[side],
                                 .from_index = index,
                                 .to_key = grid->key[!side],
                                 .to_index = grid->index[!side],
                                 .shift = shift,
                                 .digits = 1u << OOZE_GRID_DIGIT_BITS,
                                 .block = block};
            ooze_grid_pass(&pass, threads, NULL);
            side = !side;
            index = grid->index[side];
        }
    }
    if (!index) { /* one cell: nothing was moved */
        for (uint64_t i = 0; i < grid->n; i++) {
            grid->index[0][i] = (uint32_t)i;
        }
    }
    grid->order = grid->index[side];
}

/* ---- listing occupied cells and rows ---- */

typedef struct ListJob {
    OozeGrid *grid;
    const OozeFloat4 *points;
    uint64_t block;
    uint32_t cells[OOZE_GRID_BLOCKS + 1], rows[OOZE_GRID_BLOCKS + 1];
    bool write;
} ListJob;

typedef struct Cell {
    int32_t x;
    uint64_t row;
} Cell;

static Cell cell_of(const ListJob *job, uint64_t k)
{
    const OozeGrid *grid = job->grid;
    OozeFloat4 p = job->points[grid->order[k]];
    uint32_t y = (uint32_t)ooze_grid_number(&grid->axis[1], p.y);
    uint32_t z = (uint32_t)ooze_grid_number(&grid->axis[2], p.z);
    return (Cell){ooze_grid_number(&grid->axis[0], p.x), (uint64_t)z << 32 | y};
}

/* First only counts the cells and rows that begin in each block, then writes them. */
static void list_cells(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    ListJob *job = context;
    OozeGrid *grid = job->grid;
    uint64_t b = begin / job->block;
    uint32_t cells = job->write ? job->cells[b] : 0, rows = job->write ? job->rows[b] : 0;
    Cell previous = begin > 0 ? cell_of(job, begin - 1) : (Cell){-1, UINT64_MAX};
    for (uint64_t k = begin; k < end; k++) {
        Cell cell = cell_of(job, k);
        bool new_row = cell.row != previous.row;
        bool new_cell = new_row || cell.x != previous.x;
        if (job->write && new_row) {
            grid->row_key[rows] = cell.row;
            grid->row_cell[rows] = cells;
        }
        if (job->write && new_cell) {
            grid->cell_x[cells] = cell.x;
            grid->cell_start[cells] = (uint32_t)k;
        }
        rows += new_row;
        cells += new_cell;
        previous = cell;
    }
    if (!job->write) {
        job->cells[b] = cells;
        job->rows[b] = rows;
    }
}

static OozeStatus reserve_cells(OozeGrid *grid, OozeError *error)
{
    if (grid->cells + 1 > grid->cell_capacity) {
        uint64_t capacity = grid->cells + grid->cells / 4 + 1;
        ooze_free(grid->cell_x);
        ooze_free(grid->cell_start);
        grid->cell_capacity = 0;
        grid->cell_x = ooze_alloc(capacity, sizeof *grid->cell_x);
        grid->cell_start = ooze_alloc(capacity, sizeof *grid->cell_start);
        if (!grid->cell_x || !grid->cell_start) {
            return ooze_fail_memory(error, "the table of occupied cells", capacity * 8);
        }
        grid->cell_capacity = capacity;
    }
    if (grid->rows + 1 > grid->row_capacity) {
        uint64_t capacity = grid->rows + grid->rows / 4 + 1;
        ooze_free(grid->row_key);
        ooze_free(grid->row_cell);
        grid->row_capacity = 0;
        grid->row_key = ooze_alloc(capacity, sizeof *grid->row_key);
        grid->row_cell = ooze_alloc(capacity, sizeof *grid->row_cell);
        if (!grid->row_key || !grid->row_cell) {
            return ooze_fail_memory(error, "the table of occupied cells", capacity * 12);
        }
        grid->row_capacity = capacity;
    }
    return OOZE_OK;
}

OozeStatus ooze_grid_sort_sparse(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                                 OozeError *error)
{
    sort_by_axes(grid, threads, points);
    ListJob job = {.grid = grid, .points = points, .block = ooze_grid_block(grid->n)};
    ooze_parallel_for(threads, grid->n, job.block, list_cells, &job);
    uint32_t cells = 0, rows = 0;
    for (uint64_t b = 0; b * job.block < grid->n; b++) {
        uint32_t cells_here = job.cells[b], rows_here = job.rows[b];
        job.cells[b] = cells;
        job.rows[b] = rows;
        cells += cells_here;
        rows += rows_here;
    }
    grid->cells = cells;
    grid->rows = rows;
    OozeStatus status = reserve_cells(grid, error);
    if (status) {
        return status;
    }
    job.write = true;
    ooze_parallel_for(threads, grid->n, job.block, list_cells, &job);
    grid->cell_start[cells] = (uint32_t)grid->n;
    grid->row_cell[rows] = cells;
    return OOZE_OK;
}

/* ---- lookup ---- */

bool ooze_grid_sparse_row(const OozeGrid *grid, int32_t y, int32_t z, uint32_t *first,
                          uint32_t *last)
{
    uint64_t key = (uint64_t)(uint32_t)z << 32 | (uint32_t)y;
    uint64_t low = 0, high = grid->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (grid->row_key[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == grid->rows || grid->row_key[low] != key) {
        return false;
    }
    *first = grid->row_cell[low];
    *last = grid->row_cell[low + 1];
    return true;
}

OozeGridRun ooze_grid_sparse_run(const OozeGrid *grid, uint32_t first, uint32_t last,
                                 uint32_t *hint, int32_t x0, int32_t x1)
{
    const int32_t *x = grid->cell_x;
    /* The wanted cell is at or shortly after the hint where cells are visited in order. */
    uint32_t low = *hint > first && x[*hint - 1] < x0 ? *hint : first, high = last;
    if (low + 4 < last && x[low + 4] >= x0) {
        high = low + 4;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x[middle] < x0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *hint = low;
    uint32_t end = low;
    while (end < last && x[end] <= x1) {
        end++;
    }
    return (OozeGridRun){grid->cell_start[low], grid->cell_start[end]};
}
