/* Sorts points into the cells of a dense or sparse grid on the GPU, and reorders arrays of
   particles by it. */
#include "cuda/lists.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

/* Largest coordinate in edges, so that the number of a cell fits into 63 bits. Farther out a float
   resolves less than 1/32 of an edge: too little for a fluid. */
#define FARTHEST 0x1p19

void grid_free(Gpu *gpu, Grid *grid)
{
    buffer_free(gpu, &grid->order_buffer);
    buffer_free(gpu, &grid->table_buffer);
    *grid = {};
}

/* ---- the box around the points ---- */

struct Bounds {
    PointBox box;
    uint32_t not_finite; /* index of the first such point */
    __device__ void operator+=(const Bounds &o)
    {
        box += o.box;
        not_finite = o.not_finite < not_finite ? o.not_finite : not_finite;
    }
};

enum { STRIPES = 1 << 18 }; /* points in flight: enough to fill a GPU */

OozeStatus find_box(Gpu *gpu, PointBox *box, const float4 *points, uint64_t n, OozeError *error)
{
    Bounds none = {box_of_none(), UINT32_MAX};
    uint64_t stripes = n < STRIPES ? n : (uint64_t)STRIPES;
    Bounds found = sum_to_host(
        gpu, stripes, none, OOZE_BODY(uint32_t i) {
            Bounds bounds = none;
            for (uint64_t k = i; k < n; k += stripes) {
                float4 p = points[k];
                float zero_if_finite = (p.x - p.x) + (p.y - p.y) + (p.z - p.z);
                Bounds one = {box_of_point(p.x, p.y, p.z),
                              zero_if_finite == 0.0f ? UINT32_MAX : (uint32_t)k};
                bounds += one;
            }
            return bounds;
        });
    if (gpu->failed != cudaSuccess) {
        return status(gpu, n, error);
    }
    if (found.not_finite != UINT32_MAX) {
        float4 p = {};
        copy_out(gpu, &p, points + found.not_finite, sizeof p);
        return ooze_grid_not_finite(found.not_finite, {p.x, p.y, p.z, p.w}, error);
    }
    *box = found.box;
    return OOZE_OK;
}

static OozeStatus set_cells(Grid *grid, uint64_t n, OozeError *error)
{
    Cells *cells = &grid->cells;
    *cells = {};
    double margin = 0.0;
    for (int k = 0; k < 3; k++) {
        OozeGridAxis *axis = &cells->axis[k];
        const int per_edge = k == 0 && !grid->cubic ? X_PER_EDGE : 1;
        const OozeGridColumns columns = {grid->cell, per_edge, FARTHEST};
        OozeStatus status =
            ooze_grid_axis(axis, k, &grid->periodic, &columns, grid->low[k], grid->high[k], error);
        if (status) {
            return status;
        }
        double length = grid->periodic.length[k];
        cells->edge[k] = (float)(1.0 / (axis->inverse * grid->cell));
        margin += axis->wraps ? 0x1p-22 * (fabs((double)grid->periodic.min[k]) + length) : 0.0;
        cells->wraps = cells->wraps || axis->wraps;
    }
    cells->periodic = grid->periodic;
    cells->x_inverse = (float)(cells->axis[0].inverse * grid->cell);
    cells->margin = (float)(margin / grid->cell);
    cells->pitch = ((uint64_t)cells->axis[0].count + X_PER_SLOT - 1) / X_PER_SLOT * X_PER_SLOT;
    cells->total = cells->pitch * (uint64_t)cells->axis[1].count * (uint64_t)cells->axis[2].count;
    cells->n = n;
    /* a filled box has three points a cell */
    cells->sparse = cells->total > 4 * n + (1u << 20) || cells->total > INT32_MAX;
    return OOZE_OK;
}

/* ---- tables of cells ---- */

enum { CELLS_EACH = 8 }; /* cells of a thread */

/* Dense grid: start of each cell among the sorted keys. A thread finds its first cell by bisection
   and the others by growing steps from there, so that no run of points or of empty cells is
   traversed one by one. */
template <class Key> static void list_cells(Gpu *gpu, Grid *grid, const Key *keys)
{
    Cells *cells = &grid->cells;
    const uint64_t count = (cells->total + CELLS_EACH) / CELLS_EACH; /* with the end */
    uint32_t *start = buffer<uint32_t>(gpu, &grid->table_buffer, count * CELLS_EACH);
    uint32_t n = (uint32_t)cells->n;
    cells->start = start;
    for_each(
        gpu, count, OOZE_BODY(uint32_t group) {
            uint32_t low = 0, step = n;
            for (uint32_t k = 0; k < CELLS_EACH; k++) {
                Key cell = (Key)group * CELLS_EACH + k;
                uint32_t high = n - low < step ? n : low + step;
                while (high < n && keys[high - 1] < cell) {
                    step = step < 1u << 30 ? 2 * step : step;
                    low = high;
                    high = n - low < step ? n : low + step;
                }
                while (low < high) {
                    uint32_t middle = low + (high - low) / 2;
                    if (keys[middle] < cell) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                start[group * CELLS_EACH + k] = low;
                step = 2;
            }
        });
}

/* Cells with points. Waits. */
template <class Key> static double count_cells(Gpu *gpu, const Key *keys, uint32_t n)
{
    const uint64_t stripes = n < STRIPES ? n : (uint64_t)STRIPES;
    Sum1 none = {0.0};
    const Sum1 found = sum_to_host(
        gpu, stripes, none, OOZE_BODY(uint32_t i) {
            Sum1 begun = {0.0};
            for (uint64_t k = i; k < n; k += stripes) {
                begun.a += k == 0 || keys[k] / X_PER_SLOT != keys[k - 1] / X_PER_SLOT ? 1.0 : 0.0;
            }
            return begun;
        });
    return found.a;
}

/* Sparse grid: a table of the cells with points. With few points it has room for as many cells;
   with more, of which each cell has several, memory counts, and the host waits for the number of
   cells. */
template <class Key> static void hash_cells(Gpu *gpu, Grid *grid, const Key *keys)
{
    Cells *cells = &grid->cells;
    uint32_t n = (uint32_t)cells->n;
    const double most = n <= STRIPES ? (double)n : count_cells(gpu, keys, n);
    uint64_t slots = 64;
    while ((double)slots < 1.5 * most) {
        slots *= 2;
    }
    CellSlot *slot = buffer<CellSlot>(gpu, &grid->table_buffer, slots);
    cells->slot = slot;
    cells->slots = slots;
    for_each(
        gpu, slots, OOZE_BODY(uint32_t k) {
            CellSlot empty = {OOZE_NO_CELL, 0, 0};
            slot[k] = empty;
        });
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            unsigned long long key = keys[i] / X_PER_SLOT;
            if (i > 0 && keys[i - 1] / X_PER_SLOT == key) {
                return;
            }
            uint64_t at = first_slot(key, slots);
            while (atomicCAS(&slot[at].key, OOZE_NO_CELL, key) != OOZE_NO_CELL) {
                at = (at + 1) & (slots - 1);
            }
            slot[at].begin = i;
        });
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            unsigned long long key = keys[i] / X_PER_SLOT;
            if (i + 1 < n && keys[i + 1] / X_PER_SLOT == key) {
                return;
            }
            uint64_t at = first_slot(key, slots);
            while (slot[at].key != key) {
                at = (at + 1) & (slots - 1);
            }
            slot[at].end = i + 1;
        });
}

/* ---- sorting ---- */

template <class Key> static void sort_cells(Gpu *gpu, Grid *grid, const float4 *points)
{
    Cells *cells = &grid->cells;
    uint64_t n = cells->n;
    int bits = 1;
    while (bits < 63 && (cells->total - 1) >> bits > 0) {
        bits++;
    }
    Mark mark = scratch_mark(gpu);
    Key *key[2] = {scratch<Key>(gpu, n), scratch<Key>(gpu, n)};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, n), grid->order};
    Key *to_key = key[sort_input_side(bits)];
    uint32_t *to_index = index[sort_input_side(bits)];
    const OozeGridAxis x = cells->axis[0], y = cells->axis[1], z = cells->axis[2];
    const Key pitch = (Key)cells->pitch;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            float4 p = points[i];
            Key row =
                (Key)ooze_grid_number(&z, p.z) * (Key)y.count + (Key)ooze_grid_number(&y, p.y);
            to_key[i] = row * pitch + (Key)ooze_grid_number(&x, p.x);
            to_index[i] = i;
        });
    sort_pairs(gpu, key, index, n, bits);
    if (cells->sparse) {
        hash_cells(gpu, grid, key[1]);
    } else {
        list_cells(gpu, grid, key[1]);
    }
    scratch_rewind(gpu, mark);
}

OozeStatus grid_set_box(Grid *grid, const PointBox &box, double cell, const OozePeriodic *periodic,
                        OozeError *error)
{
    grid->n = 0;
    grid->cell = cell;
    grid->periodic = *periodic;
    memcpy(grid->low, box.low, sizeof grid->low);
    memcpy(grid->high, box.high, sizeof grid->high);
    return set_cells(grid, 0, error);
}

OozeStatus grid_sort(Gpu *gpu, Grid *grid, const float4 *points, uint64_t n, double cell,
                     const OozePeriodic *periodic, OozeError *error)
{
    const PointBox *known = grid->known_box;
    grid->known_box = nullptr;
    grid->n = grid->cells.n = 0; /* a failed sort leaves an empty grid */
    OozeStatus result = ooze_grid_check(n, cell, periodic, error);
    if (result) {
        return result;
    }
    grid->cell = cell;
    grid->periodic = {};
    if (periodic) {
        grid->periodic = *periodic;
    }
    grid->order = buffer<uint32_t>(gpu, &grid->order_buffer, n);
    if (n == 0 || gpu->failed != cudaSuccess) {
        return status(gpu, n, error);
    }
    PointBox box = known ? *known : box_of_none();
    result = known ? OOZE_OK : find_box(gpu, &box, points, n, error);
    if (!result) {
        memcpy(grid->low, box.low, sizeof grid->low);
        memcpy(grid->high, box.high, sizeof grid->high);
        result = set_cells(grid, n, error);
    }
    if (result) {
        grid->cells.n = 0;
        return result;
    }
    if (grid->cells.total <= UINT32_MAX) {
        sort_cells<uint32_t>(gpu, grid, points);
    } else {
        sort_cells<uint64_t>(gpu, grid, points);
    }
    result = status(gpu, n, error);
    grid->n = grid->cells.n = result ? 0 : n;
    return result;
}

/* ---- reordering ---- */

template <class T>
static void reorder_as(Gpu *gpu, const uint32_t *order, uint64_t n, const void *from, void *to)
{
    const T *source = static_cast<const T *>(from);
    T *target = static_cast<T *>(to);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { target[i] = source[order[i]]; });
}

struct alignas(16) Pair16 {
    uint4 a, b;
};

void reorder(Gpu *gpu, const uint32_t *order, uint64_t n, const void *from, void *to, size_t size)
{
    if (size == 1) {
        reorder_as<uint8_t>(gpu, order, n, from, to);
    } else if (size == 2) {
        reorder_as<uint16_t>(gpu, order, n, from, to);
    } else if (size == 4) {
        reorder_as<uint32_t>(gpu, order, n, from, to);
    } else if (size == 8) {
        reorder_as<uint2>(gpu, order, n, from, to);
    } else if (size == 16) {
        reorder_as<uint4>(gpu, order, n, from, to);
    } else if (size == 32) {
        reorder_as<Pair16>(gpu, order, n, from, to);
    } else {
        const uint8_t *source = static_cast<const uint8_t *>(from);
        uint8_t *target = static_cast<uint8_t *>(to);
        for_each(
            gpu, n, OOZE_BODY(uint32_t i) {
                for (size_t k = 0; k < size; k++) {
                    target[i * size + k] = source[order[i] * size + k];
                }
            });
    }
}

} // namespace ooze
