/* The cells that points were sorted into, as bodies see them, and the runs of points near a place.
   */
#ifndef OOZE_CUDA_CELLS_CUH
#define OOZE_CUDA_CELLS_CUH

#include "cuda/gpu.cuh"

extern "C" {
#include "particles/grid_cells.h"
}

/* How often the loop that follows is written out, on a GPU. */
#ifdef __CUDACC__
#define OOZE_PRAGMA(text) _Pragma(#text)
#define OOZE_UNROLL(n)    OOZE_PRAGMA(unroll n)
#else
#define OOZE_UNROLL(n)
#endif

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

/* Cell (x, y, z) has the number (z * ny + y) * pitch + x; points stand in the order of these
   numbers. Where the box has not many more cells than points, start[cell] .. start[cell + 1] are
   its points; else the table has only those cells that have points. */
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

/* Where a coordinate is among the columns of an axis: its column, and how far into it, 0 to 1. The
   latter is never more than is true, seen from either end. */
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

/* The columns that a place may have neighbours in, ascending, each with the square of its distance
   in edges of the grid: infinite where there is no such column. Not arrays: those a GPU puts into
   memory. */
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
    if (last < 3) { /* all, and each once */
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

OOZE_DEVICE float near_root(float a)
{
#ifdef __CUDACC__
    float root; /* good to the last bits but one, in one instruction */
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
#else
    return sqrtf(a);
#endif
}

/* Points of the cells from column x0 to x1 of a row, and in a sparse table of a few more. */
template <bool SPARSE>
OOZE_DEVICE uint2 find_run(const Cells &cells, int32_t y, int32_t z, int32_t x0, int32_t x1)
{
    uint2 run = {0, 0};
    if (!SPARSE) { /* their numbers fit into 32 bits */
        uint32_t row = (uint32_t)z * (uint32_t)cells.axis[1].count + (uint32_t)y;
        row *= (uint32_t)cells.pitch;
        run.x = cells.start[row + (uint32_t)x0];
        run.y = cells.start[row + (uint32_t)x1 + 1];
        return run;
    }
    uint64_t row = ((uint64_t)z * (uint64_t)cells.axis[1].count + (uint64_t)y) * cells.pitch;
    uint64_t last = (row + (uint64_t)x1) / X_TOGETHER;
    for (uint64_t key = (row + (uint64_t)x0) / X_TOGETHER; key <= last; key++) {
        uint2 some;
        if (find_slot(cells, key, &some)) {
            run.x = run.y == 0 ? some.x : run.x;
            run.y = some.y;
        }
    }
    return run;
}

/* The same where the columns go beyond an end of a periodic axis: calls visit(run) for both ends.
   */
template <bool SPARSE, class Visit>
OOZE_DEVICE void each_end(const Cells &cells, int32_t y, int32_t z, int32_t low, int32_t high,
                          Visit visit)
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

/* Runs of one row: its columns no farther from the place than `way`, in columns. */
template <bool SPARSE, bool WRAPS, class Visit>
OOZE_DEVICE void each_part(const Cells &cells, int32_t y, int32_t z, Place x, float travel,
                           Visit visit)
{
    const int32_t last = cells.axis[0].count - 1;
    int32_t low = x.column + (int32_t)floorf(x.into - travel);
    int32_t high = x.column + (int32_t)floorf(x.into + travel);
    if (WRAPS && cells.axis[0].wraps && (low < 0 || high > last)) {
        each_end<SPARSE>(cells, y, z, low, high, visit);
        return;
    }
    low = low > 0 ? low : 0;
    high = high < last ? high : last;
    if (low <= high) {
        visit(find_run<SPARSE>(cells, y, z, low, high));
    }
}

/* Calls visit(run) for runs of points from run.x to before run.y, ascending, some of them empty,
   among which are all whose distance from p is within a reach whose square is `square`, in edges of
   the grid: see reach_square. WRAPS: some axis does. */
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
            const float left = in_slab - y.square(r);
            if (left >= 0.0f) {
                each_part<SPARSE, WRAPS>(cells, y.number(r), slab, x,
                                         near_root(left) * cells.x_inverse, visit);
            }
        }
    }
}

/* What each_run takes for a radius of at most the grid's edge: wider by far more than its
   arithmetic rounds. */
static inline float reach_square(const Cells &cells, double radius, double cell)
{
    double reach = radius / cell * (1.0 + 1e-5) + (double)cells.margin;
    return (float)(reach * reach * (1.0 + 1e-6));
}

} // namespace ooze

#endif
