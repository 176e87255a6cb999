/* The cells that points were sorted into, and the runs of points near a position. */
#ifndef OOZE_CUDA_CELLS_CUH
#define OOZE_CUDA_CELLS_CUH

#include "cuda/gpu.cuh"

extern "C" {
#include "particles/grid_cells.h"
}

/* Unrolls the loop that follows n times, on a GPU. */
#ifdef __CUDACC__
#define OOZE_PRAGMA(text) _Pragma(#text)
#define OOZE_UNROLL(n)    OOZE_PRAGMA(unroll n)
#else
#define OOZE_UNROLL(n)
#endif

namespace ooze
{

enum {
    X_PER_EDGE = 4, /* cells along x per edge of a grid that is not cubic */
    X_PER_SLOT = 4  /* cells along x per slot of the sparse table, a power of two */
};

/* Slot of a hash table: the points of X_PER_SLOT adjacent cells. 16 bytes, one load. */
struct alignas(16) CellSlot {
    unsigned long long key; /* cell / X_PER_SLOT, or NO_CELL */
    uint32_t begin, end;
};
#define OOZE_NO_CELL 0xffffffffffffffffull

/* Cell (x, y, z) has the number (z * ny + y) * pitch + x; points are sorted by it. In a dense grid
   start[cell] .. start[cell + 1] are the points of a cell; a sparse one, of a box with many more
   cells than points, has a hash table of the cells with points. */
struct Cells {
    OozeGridAxis axis[3];
    OozePeriodic periodic;
    uint64_t n, pitch, total;
    float edge[3];   /* width of a column, in edges of the grid */
    float x_inverse; /* columns along x per edge of the grid */
    float margin;    /* rounding error of a distance across a periodic box, in edges of the grid */
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

OOZE_DEVICE bool find_slot(const Cells &cells, uint64_t key, uint2 *run)
{
    for (uint64_t at = first_slot(key, cells.slots);; at = (at + 1) & (cells.slots - 1)) {
        CellSlot slot = cells.slot[at];
        if (slot.key == key || slot.key == OOZE_NO_CELL) {
            run->x = slot.begin;
            run->y = slot.end;
            return slot.key == key;
        }
    }
}

/* Column of a coordinate along an axis, and the fraction into the column, 0 to 1. */
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

/* The three columns that may hold neighbours, ascending, and the square of the distance to each in
   edges of the grid, infinite where there is no such column. Not arrays, which a GPU would put into
   local memory. */
struct Columns {
    int32_t a, b, c;
    float to_a, to_b, to_c;
    __device__ int32_t number(int k) const { return k == 0 ? a : k == 1 ? b : c; }
    __device__ float square(int k) const { return k == 0 ? to_a : k == 1 ? to_b : to_c; }
};
template <bool WRAPS>
OOZE_DEVICE Columns columns_near(const OozeGridAxis &axis, float edge, float x)
{
    Place place = place_on(axis, x);
    int32_t c = place.column, last = axis.count - 1;
    float down = place.into * edge, up = edge - down;
    down *= down;
    up *= up;
    if (!WRAPS || !axis.wraps) {
        return {c - 1,
                c,
                c + 1,
                c >= 1 && c <= last + 1 ? down : INFINITY,
                c >= 0 && c <= last ? 0.0f : INFINITY,
                c >= -1 && c <= last - 1 ? up : INFINITY};
    }
    if (last < 3) { /* every column once */
        return {0, 1, 2, 0.0f, last >= 1 ? 0.0f : INFINITY, last >= 2 ? 0.0f : INFINITY};
    }
    if (c == 0) {
        return {0, 1, last, 0.0f, up, down};
    }
    if (c == last) {
        return {0, last - 1, last, up, down, 0.0f};
    }
    return {c - 1, c, c + 1, down, 0.0f, up};
}

OOZE_DEVICE float fast_sqrt(float a)
{
#ifdef __CUDACC__
    float root; /* approximate, in one instruction */
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
#else
    return sqrtf(a);
#endif
}

/* Points of columns x0 to x1 of a row; of a sparse table the run may hold a few more. */
template <bool SPARSE>
OOZE_DEVICE uint2 find_run(const Cells &cells, int32_t y, int32_t z, int32_t x0, int32_t x1)
{
    uint2 run = {0, 0};
    if (!SPARSE) { /* cell numbers fit into 32 bits */
        uint32_t row = (uint32_t)z * (uint32_t)cells.axis[1].count + (uint32_t)y;
        row *= (uint32_t)cells.pitch;
        run.x = cells.start[row + (uint32_t)x0];
        run.y = cells.start[row + (uint32_t)x1 + 1];
        return run;
    }
    uint64_t row = ((uint64_t)z * (uint64_t)cells.axis[1].count + (uint64_t)y) * cells.pitch;
    uint64_t last = (row + (uint64_t)x1) / X_PER_SLOT;
    for (uint64_t key = (row + (uint64_t)x0) / X_PER_SLOT; key <= last; key++) {
        uint2 slot;
        if (find_slot(cells, key, &slot)) {
            run.x = run.y == 0 ? slot.x : run.x;
            run.y = slot.y;
        }
    }
    return run;
}

/* The same for columns beyond an end of a periodic axis: calls visit(run) for both ends. */
template <bool SPARSE, class Visit>
OOZE_DEVICE void each_wrapped_run(const Cells &cells, int32_t y, int32_t z, int32_t low,
                                  int32_t high, Visit visit)
{
    int32_t count = cells.axis[0].count;
    bool all = high - low + 1 >= count, below = low < 0;
    uint2 run = find_run<SPARSE>(cells, y, z, 0, all ? count - 1 : below ? high : high - count);
    visit(run);
    if (!all) {
        uint32_t done = run.y; /* a slot of the sparse table may hold both ends */
        run = find_run<SPARSE>(cells, y, z, below ? low + count : low, count - 1);
        run.x = run.x > done ? run.x : done;
        visit(run);
    }
}

/* Runs of one row: its columns within `reach` of the position, in columns. */
template <bool SPARSE, bool WRAPS, class Visit>
OOZE_DEVICE void each_row_run(const Cells &cells, int32_t y, int32_t z, Place x, float reach,
                              Visit visit)
{
    const int32_t last = cells.axis[0].count - 1;
    int32_t low = x.column + (int32_t)floorf(x.into - reach);
    int32_t high = x.column + (int32_t)floorf(x.into + reach);
    if (WRAPS && cells.axis[0].wraps && (low < 0 || high > last)) {
        each_wrapped_run<SPARSE>(cells, y, z, low, high, visit);
        return;
    }
    low = low > 0 ? low : 0;
    high = high < last ? high : last;
    if (low <= high) {
        visit(find_run<SPARSE>(cells, y, z, low, high));
    }
}

/* Calls visit(run) for runs of points, run.x <= index < run.y, ascending, some of them empty. They
   include all points within the radius of reach_square, of which `square` is the result. WRAPS:
   some axis is periodic. */
template <bool SPARSE, bool WRAPS, class Visit>
OOZE_DEVICE void each_run(const Cells &cells, float4 p, float square, Visit visit)
{
    const Place x = place_on(cells.axis[0], p.x);
    const Columns y = columns_near<WRAPS>(cells.axis[1], cells.edge[1], p.y);
    const Columns z = columns_near<WRAPS>(cells.axis[2], cells.edge[2], p.z);
    OOZE_UNROLL(1)
    for (int k = 0; k < 3; k++) {
        const float in_slab = square - z.square(k);
        const int32_t slab = z.number(k);
        OOZE_UNROLL(1)
        for (int r = 0; r < 3; r++) {
            const float rest = in_slab - y.square(r);
            if (rest >= 0.0f) {
                each_row_run<SPARSE, WRAPS>(cells, y.number(r), slab, x,
                                            fast_sqrt(rest) * cells.x_inverse, visit);
            }
        }
    }
}

/* Square of a search radius, at most an edge of the grid, in edges of the grid; widened by more
   than the rounding errors of each_run. */
static inline float reach_square(const Cells &cells, double radius, double cell)
{
    double reach = radius / cell * (1.0 + 1e-5) + (double)cells.margin;
    return (float)(reach * reach * (1.0 + 1e-6));
}

} // namespace ooze

#endif
