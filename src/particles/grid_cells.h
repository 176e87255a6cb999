/* The cells of a grid, for code that visits them: sorting (grid.c), the sparse table
   (grid_sparse.c), neighbour lists, surfaces and the GPU's grid. */
#ifndef OOZE_PARTICLES_GRID_CELLS_H
#define OOZE_PARTICLES_GRID_CELLS_H

#include "particles/grid.h"

/* Cells are numbered from a fixed origin, not from the bounding box, so two grids of the same edge
   have the same cells and a particle changes its rank in the order only when it changes its cell.
   */
typedef struct OozeGridAxis {
    double origin, inverse; /* cell number = floor((x - origin) * inverse), then clamped */
    double low, high;
    int32_t base;  /* number of the first column in the table */
    int32_t count; /* columns in the table */
    bool wraps;
} OozeGridAxis;

/* Cell numbers beyond this are clamped. A float of that many cells has no fraction bits, so that no
   information is lost. */
#define OOZE_GRID_CELLS_MAX 0x1p25

struct OozeGrid {
    uint64_t n;
    double cell;
    OozePeriodic periodic;
    bool wraps; /* any axis is periodic */
    float box_min[3], box_max[3];
    OozeGridAxis axis[3];
    bool sparse;
    uint32_t *order; /* one of the index arrays */

    uint64_t capacity; /* of the four arrays below */
    uint32_t *key[2], *index[2];
    uint64_t counts_capacity;
    uint32_t *counts; /* histogram of the digits of each block, then their first destinations */

    uint64_t start_capacity;
    uint32_t *start; /* dense: start[cell] .. start[cell + 1], cell = (z * ny + y) * nx + x */

    /* Sparse: occupied cells in order, grouped into occupied rows (y, z). */
    uint64_t cell_capacity, row_capacity, cells, rows;
    int32_t *cell_x;
    uint32_t *cell_start; /* cells + 1 */
    uint64_t *row_key;    /* z << 32 | y */
    uint32_t *row_cell;   /* rows + 1: first cell of the row */
};

/* Cell number of a coordinate. Monotone in x, so points closer than one cell edge get the same or
   adjacent numbers; coordinates beyond the clamp share the outermost cell. */
OOZE_FORMULA int32_t ooze_grid_number(const OozeGridAxis *axis, float x)
{
    double q = ((double)x - axis->origin) * axis->inverse;
    q = q > axis->low ? q : axis->low; /* also where q is NaN */
    q = q < axis->high ? q : axis->high;
    int32_t whole = (int32_t)q;
    return whole - ((double)whole > q) - axis->base;
}

/* Checks the arguments of a sort: number of points, cell edge and periodic box. */
OozeStatus ooze_grid_check(uint64_t n, double cell, const OozePeriodic *periodic, OozeError *error);
/* Columns of an axis: cells of edge `cell`, widened by a rounding margin, divided into `per_cell`
   columns; numbers are clamped at `cells_max` cells from the origin. */
typedef struct OozeGridColumns {
    double cell;
    int per_cell;
    double cells_max;
} OozeGridColumns;
/* Axis k of points between low and high. */
OozeStatus ooze_grid_axis(OozeGridAxis *axis, int k, const OozePeriodic *periodic,
                          const OozeGridColumns *columns, float low, float high, OozeError *error);
/* The columns adjacent to `centre` and `centre` itself, ascending, each once; their number. */
int ooze_grid_columns(const OozeGridAxis *axis, int32_t centre, int32_t columns[3]);
OozeStatus ooze_grid_not_finite(uint64_t i, OozeFloat4 point, OozeError *error);

/* [0, n) is divided into at most OOZE_GRID_BLOCKS blocks, each with its own counts. */
enum { OOZE_GRID_BLOCKS = 64, OOZE_GRID_DIGIT_BITS = 11, OOZE_GRID_BLOCK_MIN = 8192 };
static inline uint64_t ooze_grid_block(uint64_t n)
{
    uint64_t block = (n + OOZE_GRID_BLOCKS - 1) / OOZE_GRID_BLOCKS;
    return block < OOZE_GRID_BLOCK_MIN ? (uint64_t)OOZE_GRID_BLOCK_MIN : block;
}

/* One stable pass of a radix sort: (key, index) pairs from side `from` to the other side, by the
   digit key >> shift. `from_index` NULL: pair i has index i. When `counted`, the digits of each
   block stand in grid->counts already. digit_start, if not NULL, receives digits + 1 starts. */
typedef struct OozeGridPass {
    OozeGrid *grid;
    const uint32_t *from_key, *from_index;
    uint32_t *to_key, *to_index;
    int shift;
    uint32_t digits; /* values of the digit; a power of two unless it is the top digit */
    uint64_t block;
    bool counted;
} OozeGridPass;
void ooze_grid_pass(OozeGridPass *pass, OozeThreads *threads, uint32_t *digit_start);

/* Sorts by z, y, x without a table of all cells, then lists the occupied cells and rows. */
OozeStatus ooze_grid_sort_sparse(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                                 OozeError *error);

/* The candidates near a cell, as runs of consecutive indices in ascending order. */
enum { OOZE_GRID_RUNS_MAX = 18 };
typedef struct OozeGridRun {
    uint32_t begin, end;
} OozeGridRun;

/* The rows around the last cell visited, and the position along x in each: the next cell is mostly
   the next along x. Starts as zero. */
typedef struct OozeGridCursor {
    bool valid;
    int32_t y, z;
    int rows;
    struct {
        uint64_t cell;              /* dense: number of the row's first cell */
        uint32_t first, last, hint; /* sparse: the row's occupied cells */
    } row[9];
} OozeGridCursor;

/* `cell` may lie outside the table. */
int ooze_grid_runs(const OozeGrid *grid, OozeGridCursor *cursor, const int32_t cell[3],
                   OozeGridRun runs[OOZE_GRID_RUNS_MAX]);

/* Sparse tables: finds row (y, z) if it is occupied, and its candidates in columns x0 to x1. */
bool ooze_grid_sparse_row(const OozeGrid *grid, int32_t y, int32_t z, uint32_t *first,
                          uint32_t *last);
OozeGridRun ooze_grid_sparse_run(const OozeGrid *grid, uint32_t first, uint32_t last,
                                 uint32_t *hint, int32_t x0, int32_t x1);

#endif
