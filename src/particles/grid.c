#include "particles/grid_cells.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

/* The cell edge is widened by this much, so that neither the rounding of the radius to float nor
   that of the cell number can put two neighbours two cells apart. */
#define EDGE_MARGIN 4e-6

OozeGrid *ooze_grid_create(void)
{
    return ooze_alloc_zero(1, sizeof(OozeGrid));
}

void ooze_grid_destroy(OozeGrid *grid)
{
    if (!grid) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        ooze_free(grid->key[i]);
        ooze_free(grid->index[i]);
    }
    ooze_free(grid->counts);
    ooze_free(grid->start);
    ooze_free(grid->cell_x);
    ooze_free(grid->cell_start);
    ooze_free(grid->row_key);
    ooze_free(grid->row_cell);
    ooze_free(grid);
}

uint64_t ooze_grid_bytes(const OozeGrid *grid)
{
    return sizeof *grid + grid->capacity * 16 + grid->counts_capacity * 4 +
           grid->start_capacity * 4 + grid->cell_capacity * 8 + grid->row_capacity * 12;
}

const uint32_t *ooze_grid_order(const OozeGrid *grid)
{
    return grid->order;
}

bool ooze_grid_box(const OozeGrid *grid, float min[3], float max[3])
{
    memcpy(min, grid->box_min, sizeof grid->box_min);
    memcpy(max, grid->box_max, sizeof grid->box_max);
    return grid->n > 0;
}

static OozeStatus reserve_points(OozeGrid *grid, uint64_t n, OozeError *error)
{
    if (n > grid->capacity) {
        uint64_t capacity = n + n / 4;
        grid->capacity = 0;
        for (int i = 0; i < 2; i++) {
            ooze_free(grid->key[i]);
            ooze_free(grid->index[i]);
            grid->key[i] = NULL;
            grid->index[i] = NULL;
        }
        for (int i = 0; i < 2; i++) {
            grid->key[i] = ooze_alloc(capacity, sizeof(uint32_t));
            grid->index[i] = ooze_alloc(capacity, sizeof(uint32_t));
            if (!grid->key[i] || !grid->index[i]) {
                return ooze_fail_memory(error, "sorting particles into cells", capacity * 16);
            }
        }
        grid->capacity = capacity;
    }
    uint64_t blocks = (n + ooze_grid_block(n) - 1) / ooze_grid_block(n);
    uint64_t capacity = blocks << OOZE_GRID_DIGIT_BITS;
    if (capacity > grid->counts_capacity) {
        ooze_free(grid->counts);
        grid->counts_capacity = 0;
        grid->counts = ooze_alloc(capacity, sizeof(uint32_t));
        if (!grid->counts) {
            return ooze_fail_memory(error, "sorting particles into cells", capacity * 4);
        }
        grid->counts_capacity = capacity;
    }
    return OOZE_OK;
}

/* ---- bounds ---- */

typedef struct Bounds {
    float min[3], max[3];
    bool finite;
} Bounds;

typedef struct BoundsJob {
    const OozeFloat4 *points;
    uint64_t block;
    Bounds bounds[OOZE_GRID_BLOCKS];
} BoundsJob;

static void find_bounds(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    BoundsJob *job = context;
    float min[4] = {FLT_MAX, FLT_MAX, FLT_MAX, 0}, max[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0};
    float sum[4] = {0}; /* stays 0 unless something is not finite */
    for (uint64_t i = begin; i < end; i++) {
        float p[4];
        memcpy(p, &job->points[i], sizeof p);
        for (int k = 0; k < 4; k++) {
            min[k] = p[k] < min[k] ? p[k] : min[k];
            max[k] = p[k] > max[k] ? p[k] : max[k];
            sum[k] += p[k] - p[k];
        }
    }
    Bounds *bounds = &job->bounds[begin / job->block];
    memcpy(bounds->min, min, sizeof bounds->min);
    memcpy(bounds->max, max, sizeof bounds->max);
    bounds->finite = sum[0] == 0.0f && sum[1] == 0.0f && sum[2] == 0.0f;
}

OozeStatus ooze_grid_not_finite(uint64_t i, OozeFloat4 point, OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_NUMERIC,
                     "use a smaller time step, or check the input for values that are not numbers",
                     "particle %llu is at (%g, %g, %g), which is not a finite position",
                     (unsigned long long)i, (double)point.x, (double)point.y, (double)point.z);
}

static OozeStatus report_not_finite(const OozeFloat4 *points, uint64_t n, OozeError *error)
{
    uint64_t i = 0;
    while (i + 1 < n && isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z)) {
        i++;
    }
    return ooze_grid_not_finite(i, points[i], error);
}

static OozeStatus find_box(const OozeFloat4 *points, uint64_t n, OozeThreads *threads, Bounds *box,
                           OozeError *error)
{
    BoundsJob job = {.points = points, .block = ooze_grid_block(n)};
    ooze_parallel_for(threads, n, job.block, find_bounds, &job);
    *box = job.bounds[0];
    for (uint64_t b = 1; b * job.block < n; b++) {
        const Bounds *part = &job.bounds[b];
        for (int k = 0; k < 3; k++) {
            box->min[k] = part->min[k] < box->min[k] ? part->min[k] : box->min[k];
            box->max[k] = part->max[k] > box->max[k] ? part->max[k] : box->max[k];
        }
        box->finite = box->finite && part->finite;
    }
    return box->finite ? OOZE_OK : report_not_finite(points, n, error);
}

/* ---- axes ---- */

static OozeStatus check_periodic_axis(int k, const OozePeriodic *periodic, double cell, float low,
                                      float high, OozeError *error)
{
    double min = periodic->min[k], length = periodic->length[k];
    float end = periodic->min[k] + periodic->length[k];
    if (!(length >= 3.0 * cell * (1.0 - 1e-6))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "make the periodic box wider or the support radius smaller",
                         "the periodic box is %g wide on axis %c; with cells of %g it must be at "
                         "least three of them",
                         length, "xyz"[k], cell);
    }
    if (low < periodic->min[k] || high > end) {
        bool below = low < periodic->min[k];
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "wrap positions into the box first",
                         "a particle lies at %c = %g, outside the periodic box from %g to %g",
                         "xyz"[k], (double)(below ? low : high), min, (double)end);
    }
    return OOZE_OK;
}

OozeStatus ooze_grid_axis(OozeGridAxis *axis, int k, const OozePeriodic *periodic,
                          const OozeGridColumns *columns, float low, float high, OozeError *error)
{
    double cell = columns->cell, per_cell = columns->per_cell;
    double edge = cell * (1.0 + EDGE_MARGIN), max_columns = columns->cells_max * per_cell;
    if (periodic->length[k] == 0.0f) {
        *axis =
            (OozeGridAxis){.inverse = per_cell / edge, .low = -max_columns, .high = max_columns};
        axis->base = ooze_grid_number(axis, low);
        axis->count = ooze_grid_number(axis, high) + 1;
        return OOZE_OK;
    }
    OozeStatus status = check_periodic_axis(k, periodic, cell, low, high, error);
    if (status) {
        return status;
    }
    /* cells are wider by the rounding errors of differences across the box */
    double min = periodic->min[k], length = periodic->length[k];
    edge += 0x1p-22 * (fabs(min) + length);
    double count = floor(length * per_cell / edge);
    count = count < 1.0 ? 1.0 : count > max_columns ? max_columns : count;
    *axis = (OozeGridAxis){.origin = min,
                           .inverse = count / length,
                           .low = 0.0,
                           .high = count - 1.0,
                           .base = 0,
                           .count = (int32_t)count,
                           .wraps = true};
    return OOZE_OK;
}

/* ---- one pass of a radix sort ---- */

static void count_digits(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPass *pass = context;
    uint32_t *counts = pass->grid->counts + begin / pass->block * pass->digits;
    uint32_t mask = (1u << OOZE_GRID_DIGIT_BITS) - 1;
    memset(counts, 0, pass->digits * sizeof *counts);
    for (uint64_t i = begin; i < end; i++) {
        counts[pass->from_key[i] >> pass->shift & mask]++;
    }
}

static void scatter(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPass *pass = context;
    uint32_t *place = pass->grid->counts + begin / pass->block * pass->digits;
    uint32_t mask = (1u << OOZE_GRID_DIGIT_BITS) - 1;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t key = pass->from_key[i];
        uint32_t to = place[key >> pass->shift & mask]++;
        pass->to_key[to] = key;
        pass->to_index[to] = pass->from_index ? pass->from_index[i] : (uint32_t)i;
    }
}

void ooze_grid_pass(OozeGridPass *pass, OozeThreads *threads, uint32_t *digit_start)
{
    uint64_t n = pass->grid->n, blocks = (n + pass->block - 1) / pass->block;
    if (!pass->counted) {
        ooze_parallel_for(threads, n, pass->block, count_digits, pass);
    }
    uint32_t total = 0;
    for (uint32_t digit = 0; digit < pass->digits; digit++) {
        if (digit_start) {
            digit_start[digit] = total;
        }
        for (uint64_t b = 0; b < blocks; b++) {
            uint32_t *count = &pass->grid->counts[b * pass->digits + digit];
            uint32_t here = *count;
            *count = total;
            total += here;
        }
    }
    if (digit_start) {
        digit_start[pass->digits] = total;
    }
    ooze_parallel_for(threads, n, pass->block, scatter, pass);
}

/* ---- dense: bucket by the top bits of the cell number, then count cells within each bucket --- */

typedef struct DenseJob {
    OozeGrid *grid;
    const OozeFloat4 *points;
    uint64_t block, cells;
    int shift;
    uint32_t buckets;
    uint32_t bucket_start[(1 << OOZE_GRID_DIGIT_BITS) + 1];
} DenseJob;

static void number_points(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const DenseJob *job = context;
    OozeGrid *grid = job->grid;
    const OozeGridAxis x = grid->axis[0], y = grid->axis[1], z = grid->axis[2];
    uint32_t *counts = grid->counts + begin / job->block * job->buckets;
    uint32_t *keys = grid->key[0];
    memset(counts, 0, job->buckets * sizeof *counts);
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 p = job->points[i];
        uint32_t key = (uint32_t)ooze_grid_number(&z, p.z) * (uint32_t)y.count;
        key = (key + (uint32_t)ooze_grid_number(&y, p.y)) * (uint32_t)x.count;
        key += (uint32_t)ooze_grid_number(&x, p.x);
        keys[i] = key;
        counts[key >> job->shift]++;
    }
}

/* start + 1 holds for each cell first its count, then its start, and, once its points are placed,
   its end, which is the start of the next cell. */
static void finish_buckets(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const DenseJob *job = context;
    OozeGrid *grid = job->grid;
    uint32_t *table = grid->start + 1;
    const uint32_t *keys = grid->key[1], *indices = grid->index[1];
    for (uint64_t b = begin; b < end; b++) {
        uint64_t first = b << job->shift, last = (b + 1) << job->shift;
        last = last < job->cells ? last : job->cells;
        uint32_t from = job->bucket_start[b], to = job->bucket_start[b + 1];
        memset(table + first, 0, (last - first) * sizeof *table);
        for (uint32_t i = from; i < to; i++) {
            table[keys[i]]++;
        }
        uint32_t total = from;
        for (uint64_t cell = first; cell < last; cell++) {
            uint32_t here = table[cell];
            table[cell] = total;
            total += here;
        }
        for (uint32_t i = from; i < to; i++) {
            grid->order[table[keys[i]]++] = indices[i];
        }
    }
}

static OozeStatus sort_dense(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                             uint64_t cells, OozeError *error)
{
    if (cells + 1 > grid->start_capacity) {
        ooze_free(grid->start);
        grid->start_capacity = 0;
        uint64_t capacity = cells + cells / 4 + 1;
        grid->start = ooze_alloc(capacity, sizeof *grid->start);
        if (!grid->start) {
            return ooze_fail_memory(error, "the cell table", capacity * sizeof *grid->start);
        }
        grid->start_capacity = capacity;
    }
    DenseJob job = {.grid = grid, .points = points, .block = ooze_grid_block(grid->n)};
    job.cells = cells;
    while ((cells - 1) >> job.shift >= 1u << OOZE_GRID_DIGIT_BITS) {
        job.shift++;
    }
    job.buckets = (uint32_t)((cells - 1) >> job.shift) + 1;
    ooze_parallel_for(threads, grid->n, job.block, number_points, &job);
    OozeGridPass pass = {.grid = grid,
                         .from_key = grid->key[0],
                         .to_key = grid->key[1],
                         .to_index = grid->index[1],
                         .shift = job.shift,
                         .digits = job.buckets,
                         .block = job.block,
                         .counted = true};
    ooze_grid_pass(&pass, threads, job.bucket_start);
    grid->order = grid->index[0];
    grid->start[0] = 0;
    ooze_parallel_for(threads, job.buckets, job.buckets / 256 + 1, finish_buckets, &job);
    return OOZE_OK;
}

/* ---- sorting ---- */

OozeStatus ooze_grid_check(uint64_t n, double cell, const OozePeriodic *periodic, OozeError *error)
{
    if (n > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu points to sort; at most %llu are possible", (unsigned long long)n,
                         (unsigned long long)OOZE_PARTICLES_MAX);
    }
    if (!(cell > 1e-30 && cell < 1e30)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a support radius above zero",
                         "cells of edge %g are not possible", cell);
    }
    for (int k = 0; periodic && k < 3; k++) {
        float length = periodic->length[k];
        if (length != 0.0f && !(length > 0.0f && isfinite(length) && isfinite(periodic->min[k]))) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a finite box",
                             "the periodic box from %g is %g wide on axis %c",
                             (double)periodic->min[k], (double)length, "xyz"[k]);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_grid_sort(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                          uint64_t n, double cell, const OozePeriodic *periodic, OozeError *error)
{
    grid->n = 0; /* a failed sort leaves an empty grid */
    OozeStatus status = ooze_grid_check(n, cell, periodic, error);
    if (!status) {
        status = reserve_points(grid, n, error);
    }
    if (status) {
        return status;
    }
    grid->cell = cell;
    grid->periodic = periodic ? *periodic : (OozePeriodic){0};
    grid->order = grid->index[0];
    if (n == 0) {
        return OOZE_OK;
    }
    Bounds box;
    status = find_box(points, n, threads, &box, error);
    const OozeGridColumns columns = {cell, 1, OOZE_GRID_CELLS_MAX};
    for (int k = 0; k < 3 && !status; k++) {
        status = ooze_grid_axis(&grid->axis[k], k, &grid->periodic, &columns, box.min[k],
                                box.max[k], error);
    }
    if (status) {
        return status;
    }
    memcpy(grid->box_min, box.min, sizeof grid->box_min);
    memcpy(grid->box_max, box.max, sizeof grid->box_max);
    grid->wraps = grid->axis[0].wraps || grid->axis[1].wraps || grid->axis[2].wraps;
    double cells =
        (double)grid->axis[0].count * (double)grid->axis[1].count * (double)grid->axis[2].count;
    /* Full cells hold about ten points; with fewer than half a point per cell, a table of all cells
       would cost more memory than the points. */
    grid->sparse = cells > 2.0 * (double)n + 4096.0 || cells > 4e9;
    grid->n = n;
    status = grid->sparse ? ooze_grid_sort_sparse(grid, threads, points, error)
                          : sort_dense(grid, threads, points, (uint64_t)cells, error);
    if (status) {
        grid->n = 0;
    }
    return status;
}

/* ---- lookup ---- */

int ooze_grid_columns(const OozeGridAxis *axis, int32_t centre, int32_t columns[3])
{
    int found = 0;
    if (axis->wraps && axis->count <= 3) {
        while (found < axis->count) {
            columns[found] = found;
            found++;
        }
        return found;
    }
    if (axis->wraps && centre == axis->count - 1) {
        columns[found++] = 0;
    }
    for (int32_t c = centre - 1; c <= centre + 1; c++) {
        if (c >= 0 && c < axis->count) {
            columns[found++] = c;
        }
    }
    if (axis->wraps && centre == 0) {
        columns[found++] = axis->count - 1;
    }
    return found;
}

static void find_rows(const OozeGrid *grid, OozeGridCursor *cursor, int32_t y, int32_t z)
{
    *cursor = (OozeGridCursor){.valid = true, .y = y, .z = z};
    int32_t ys[3], zs[3];
    int y_count = ooze_grid_columns(&grid->axis[1], y, ys);
    int z_count = ooze_grid_columns(&grid->axis[2], z, zs);
    for (int i = 0; i < z_count; i++) {
        for (int k = 0; k < y_count; k++) {
            int r = cursor->rows;
            if (!grid->sparse) {
                uint64_t row = (uint64_t)zs[i] * (uint64_t)grid->axis[1].count + (uint64_t)ys[k];
                cursor->row[r].cell = row * (uint64_t)grid->axis[0].count;
                cursor->rows++;
            } else if (ooze_grid_sparse_row(grid, ys[k], zs[i], &cursor->row[r].first,
                                            &cursor->row[r].last)) {
                cursor->row[r].hint = cursor->row[r].first;
                cursor->rows++;
            }
        }
    }
}

int ooze_grid_runs(const OozeGrid *grid, OozeGridCursor *cursor, const int32_t cell[3],
                   OozeGridRun runs[OOZE_GRID_RUNS_MAX])
{
    if (grid->n == 0) {
        return 0;
    }
    if (!cursor->valid || cursor->y != cell[1] || cursor->z != cell[2]) {
        find_rows(grid, cursor, cell[1], cell[2]);
    }
    int32_t xs[3];
    int x_count = ooze_grid_columns(&grid->axis[0], cell[0], xs), found = 0;
    for (int r = 0; r < cursor->rows; r++) {
        for (int i = 0, next; i < x_count; i = next) {
            next = i + 1;
            while (next < x_count && xs[next] == xs[next - 1] + 1) {
                next++;
            }
            OozeGridRun run;
            if (grid->sparse) {
                run = ooze_grid_sparse_run(grid, cursor->row[r].first, cursor->row[r].last,
                                           &cursor->row[r].hint, xs[i], xs[next - 1]);
            } else {
                const uint32_t *start = grid->start + cursor->row[r].cell;
                run = (OozeGridRun){start[xs[i]], start[xs[next - 1] + 1]};
            }
            if (run.begin == run.end) {
                continue;
            }
            if (found > 0 && runs[found - 1].end == run.begin) {
                runs[found - 1].end = run.end; /* adjacent in the array: one longer run */
            } else {
                runs[found++] = run;
            }
        }
    }
    return found;
}
