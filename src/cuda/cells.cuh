/* The cells that points were sorted into, as bodies see them, and the runs of points near a place. */
#ifndef OOZE_CUDA_CELLS_CUH
#define OOZE_CUDA_CELLS_CUH

#include "cuda/machine.cuh"

extern "C" {
#include "particles/grid.h"
}

namespace ooze
{

enum {
    X_PARTS = 4,   /* cells along x in an edge */
    X_TOGETHER = 4 /* cells along x that share a slot of the sparse table, a power of two */
};

/* Points of a few cells beside each other in a row, in a hash table: 16 bytes, one load. */
struct alignas(16) CellSlot {
    unsigned long long key; /* cell / X_TOGETHER, or NO_CELL */
    uint32_t begin, end;
};
#define OOZE_NO_CELL 0xffffffffffffffffull

/* Cell (x, y, z) has the number (z * ny + y) * pitch + x; points stand in the order of these numbers. Where the box
   has not many more cells than points, start[cell] .. start[cell + 1] are its points; else the table has only those
   cells that have points. */
struct Cells {
    OozeGridAxis axis[3];
    OozePeriodic periodic;
    uint64_t n, pitch, total;
    float edge[3];   /* of a column, in edges of the grid */
    float x_inverse; /* columns along x in an edge of the grid */
    float margin;    /* what rounding adds to a distance across a periodic box, likewise */
    bool sparse, wraps;
    const uint32_t *start;
    const CellSlot *slot;
    uint64_t slots; /* a power of two */
};

OOZE_DEVICE uint64_t first_slot(uint64_t key, uint64_t slots)
{
    uint64_t mixed = key * 0x9e3779b97f4a7c15ull;
    return (mixed ^ mixed >> 32) & (slots - 1);
}

OOZE_DEVICE bool find_slot(const Cells &cells, uint64_t key, uint32_t *begin, uint32_t *end)
{
    for (uint64_t at = first_slot(key, cells.slots);; at = (at + 1) & (cells.slots - 1)) {
        CellSlot slot = cells.slot[at];
        if (slot.key == key || slot.key == OOZE_NO_CELL) {
            *begin = slot.begin;
            *end = slot.end;
            return slot.key == key;
        }
    }
}

/* Where a coordinate is among the columns of an axis: its column, and how far into it, 0 to 1. The latter is never
   more than is true, seen from either end. */
struct Place {
    int32_t column;
    float into;
};
OOZE_DEVICE Place place_on(const OozeGridAxis &axis, float x)
{
    Place place;
    place.column = ooze_grid_number(&axis, x);
    double into = ((double)x - axis.origin) * axis.inverse - (double)(place.column + axis.base);
    place.into = fminf(fmaxf((float)into, 0.0f), 1.0f);
    return place;
}

/* The columns that a place may have neighbours in, ascending, each with the square of its distance in edges of the
   grid: infinite where there is no such column. */
struct Columns {
    int32_t number[3];
    float square[3];
};
OOZE_DEVICE Columns columns_near(const OozeGridAxis &axis, float edge, float x)
{
    Place place = place_on(axis, x);
    int32_t c = place.column, count = axis.count;
    float down = place.into * edge, up = edge - down;
    down *= down;
    up *= up;
    if (!axis.wraps) {
        Columns open = {{c - 1, c, c + 1}, {down, 0.0f, up}};
        for (int k = 0; k < 3; k++) {
            open.square[k] =
                open.number[k] >= 0 && open.number[k] < count ? open.square[k] : INFINITY;
        }
        return open;
    }
    if (count <= 3) {
        return {{0, 1, 2}, {0.0f, count > 1 ? 0.0f : INFINITY, count > 2 ? 0.0f : INFINITY}};
    }
    if (c == 0) {
        return {{0, 1, count - 1}, {0.0f, up, down}};
    }
    if (c == count - 1) {
        return {{0, count - 2, count - 1}, {up, down, 0.0f}};
    }
    return {{c - 1, c, c + 1}, {down, 0.0f, up}};
}

OOZE_DEVICE float near_root(float a)
{
#ifdef __CUDACC__
    return a * rsqrtf(fmaxf(a, 1e-30f));
#else
    return sqrtf(a);
#endif
}

/* Points of the cells from column x0 to x1 of a row, and in a sparse table of a few more. */
template <bool SPARSE>
OOZE_DEVICE void find_run(const Cells &cells, uint64_t row, int32_t x0, int32_t x1, uint32_t *begin,
                          uint32_t *end)
{
    uint64_t first = row * cells.pitch;
    *begin = *end = 0;
    if (!SPARSE) {
        *begin = cells.start[first + (uint64_t)x0];
        *end = cells.start[first + (uint64_t)x1 + 1];
        return;
    }
    bool any = false;
    for (uint64_t key = (first + (uint64_t)x0) / X_TOGETHER;
         key <= (first + (uint64_t)x1) / X_TOGETHER; key++) {
        uint32_t from, to;
        if (find_slot(cells, key, &from, &to)) {
            *begin = any ? *begin : from;
            *end = to;
            any = true;
        }
    }
}

/* Calls visit(begin, end) for runs of points, ascending, among which are all whose distance from p is within a
   reach whose square is `square`, in edges of the grid: see reach_square. */
template <bool SPARSE, class Visit>
OOZE_DEVICE void each_run(const Cells &cells, float4 p, float square, Visit visit)
{
    const Place x = place_on(cells.axis[0], p.x);
    const Columns y = columns_near(cells.axis[1], cells.edge[1], p.y);
    const Columns z = columns_near(cells.axis[2], cells.edge[2], p.z);
    const int32_t count = cells.axis[0].count;
    for (int r = 0; r < 9; r++) {
        float left = square - z.square[r / 3] - y.square[r % 3];
        if (!(left >= 0.0f)) {
            continue;
        }
        float way = near_root(left) * cells.x_inverse;
        int32_t low = x.column + (int32_t)floorf(x.into - way);
        int32_t high = x.column + (int32_t)floorf(x.into + way);
        uint64_t row =
            (uint64_t)z.number[r / 3] * (uint64_t)cells.axis[1].count + (uint64_t)y.number[r % 3];
        uint32_t begin = 0, end = 0;
        if (cells.axis[0].wraps && (low < 0 || high >= count)) {
            bool all = high - low + 1 >= count;
            int32_t to = low < 0 ? high : high - count, from = low < 0 ? low + count : low;
            find_run<SPARSE>(cells, row, 0, all ? count - 1 : to, &begin, &end);
            if (begin < end) {
                visit(begin, end);
            }
            if (all) {
                continue;
            }
            uint32_t done = end; /* a slot of the sparse table may hold both ends */
            find_run<SPARSE>(cells, row, from, count - 1, &begin, &end);
            begin = begin > done ? begin : done;
        } else {
            low = low > 0 ? low : 0;
            high = high < count - 1 ? high : count - 1;
            if (low <= high) {
                find_run<SPARSE>(cells, row, low, high, &begin, &end);
            }
        }
        if (begin < end) {
            visit(begin, end);
        }
    }
}

/* What each_run takes for a radius of at most the grid's edge: wider by far more than its arithmetic rounds. */
static inline float reach_square(const Cells &cells, double radius, double cell)
{
    double reach = radius / cell * (1.0 + 1e-5) + (double)cells.margin;
    return (float)(reach * reach * (1.0 + 1e-6));
}

} // namespace ooze

#endif
