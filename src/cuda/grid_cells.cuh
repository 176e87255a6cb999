/* Cells of background grids over particles, for the multigrid preconditioners: the box of the
   particles, sorted keys in groups, and memory. See solvers/multigrid/grid_cells.h. */
#ifndef OOZE_CUDA_GRID_CELLS_CUH
#define OOZE_CUDA_GRID_CELLS_CUH

#include "cuda/sort.cuh"

extern "C" {
#include "solvers/multigrid/grid_multigrid_formula.h"
}

namespace ooze
{

/* ---- memory ---- */

/* Divides a buffer into arrays. The first pass, without memory, finds its size. */
struct Slab {
    char *memory;
    size_t used;
    template <class T> void take(T **array, uint64_t count)
    {
        *array = memory ? reinterpret_cast<T *>(memory + used) : nullptr;
        used += (count * sizeof(T) + 255) / 256 * 256;
    }
};

template <class Divide> bool divide(Gpu *gpu, DeviceBuffer *buffer, Divide arrays)
{
    Slab slab = {nullptr, 0};
    arrays(&slab);
    slab.memory = static_cast<char *>(buffer_bytes(gpu, buffer, slab.used));
    slab.used = 0;
    arrays(&slab);
    return gpu->failed == cudaSuccess;
}

/* ---- the box of the particles ---- */

/* Smallest and largest coordinates, and the largest of one more number. */
struct Extent {
    float low[3], high[3], largest;
    __device__ void operator+=(const Extent &o)
    {
        for (int k = 0; k < 3; k++) {
            low[k] = o.low[k] < low[k] ? o.low[k] : low[k];
            high[k] = o.high[k] > high[k] ? o.high[k] : high[k];
        }
        largest = o.largest > largest ? o.largest : largest;
    }
};

enum { STRIPES = 1 << 18 }; /* particles in flight: enough to fill a GPU */

static inline Extent no_extent(void)
{
    const float far = 3.4028234e38f;
    return {{far, far, far}, {-far, -far, -far}, 0.0f};
}

/* Particles i, i + stripes, ... */
template <class Number> struct StripeExtent {
    const float4 *x;
    uint64_t n, stripes;
    Extent none;
    Number number;
    __device__ Extent operator()(uint32_t i) const
    {
        Extent extent = none;
        for (uint64_t k = i; k < n; k += stripes) {
            float4 p = x[k];
            Extent one = {{p.x, p.y, p.z}, {p.x, p.y, p.z}, number((uint32_t)k)};
            extent += one; /* NaN is skipped */
        }
        return extent;
    }
};

/* number(i): the further number, at least 0. Waits. */
template <class Number> Extent find_extent(Gpu *gpu, const float4 *x, uint64_t n, Number number)
{
    const uint64_t stripes = n < STRIPES ? n : (uint64_t)STRIPES;
    StripeExtent<Number> body = {x, n, stripes, no_extent(), number};
    return sum_to_host(gpu, stripes, body.none, body);
}

struct Axes {
    OozeMultigridAxis axis[3];
};

/* The axes of the first grid; periodic NULL: no axis is periodic. */
static inline Axes axes_of(const Extent &box, double spacing, const OozePeriodic *p)
{
    Axes axes = {};
    for (int k = 0; k < 3; k++) {
        axes.axis[k] =
            ooze_multigrid_axis(spacing, box.low[k], box.high[k], p ? (double)p->min[k] : 0.0,
                                p ? (double)p->length[k] : 0.0);
    }
    return axes;
}

/* The first grid. */
static inline OozeMultigridShape shape_of(const Axes &axes)
{
    const int32_t cells[3] = {axes.axis[0].cells, axes.axis[1].cells, axes.axis[2].cells};
    const bool wraps[3] = {axes.axis[0].wraps, axes.axis[1].wraps, axes.axis[2].wraps};
    return ooze_multigrid_shape(cells, wraps);
}

/* Number of the cell of a particle, and its place in it, 0 to 1. */
OOZE_DEVICE uint64_t cell_at(const Axes &axes, const OozeMultigridShape &shape, float4 x,
                             float4 *into)
{
    int32_t at[3] = {ooze_multigrid_cell(&axes.axis[0], x.x, &into->x),
                     ooze_multigrid_cell(&axes.axis[1], x.y, &into->y),
                     ooze_multigrid_cell(&axes.axis[2], x.z, &into->z)};
    return ooze_multigrid_number(shape.cells, at);
}

/* ---- groups of equal keys ---- */

/* Pairs to sort, in scratch. Results are in key[1] and value[1]. */
template <class Key> struct Pairs {
    Key *key[2];
    uint32_t *value[2];
    uint64_t n;
    int bits;
    Key *to_key; /* input */
    uint32_t *to_value;
};

template <class Key> Pairs<Key> make_pairs(Gpu *gpu, uint64_t n, int bits)
{
    Pairs<Key> pairs = {};
    for (int side = 0; side < 2; side++) {
        pairs.key[side] = scratch<Key>(gpu, n);
        pairs.value[side] = scratch<uint32_t>(gpu, n);
    }
    pairs.n = n;
    pairs.bits = bits;
    pairs.to_key = pairs.key[sort_input_side(bits)];
    pairs.to_value = pairs.value[sort_input_side(bits)];
    return pairs;
}

/* Groups of equal keys of the sorted pairs. */
struct Groups {
    uint32_t count;
    const uint64_t *before; /* heads of groups before each pair, n + 1, in scratch */
};

/* Sorts the pairs and counts the groups; waits. */
template <class Key> Groups find_groups(Gpu *gpu, Pairs<Key> *pairs)
{
    const uint32_t n = (uint32_t)pairs->n;
    const Key *key = pairs->key[1];
    uint32_t *head = scratch<uint32_t>(gpu, n);
    uint64_t *before = scratch<uint64_t>(gpu, n);
    uint64_t count = 0;
    sort_pairs(gpu, pairs->key, pairs->value, n, pairs->bits);
    for_each(
        gpu, (uint64_t)n + 1,
        OOZE_BODY(uint32_t i) { head[i] = i < n && (i == 0 || key[i] != key[i - 1]) ? 1u : 0u; });
    running_sum(gpu, head, before, n);
    copy_out(gpu, &count, before + n, sizeof count);
    return {gpu->failed == cudaSuccess ? (uint32_t)count : 0u, before};
}

/* Writes the key and the first pair of each group; first has one element more. number may be NULL.
   */
template <class Key>
void write_groups(Gpu *gpu, const Pairs<Key> *pairs, Groups groups, uint64_t *number,
                  uint32_t *first)
{
    const Key *key = pairs->key[1];
    const uint32_t n = (uint32_t)pairs->n;
    const uint64_t *before = groups.before;
    for_each(
        gpu, (uint64_t)n + 1, OOZE_BODY(uint32_t i) {
            if (i == n || i == 0 || key[i] != key[i - 1]) {
                first[before[i]] = i;
            }
            if (number && i < n && (i == 0 || key[i] != key[i - 1])) {
                number[before[i]] = key[i];
            }
        });
}

/* Keys need more than 32 bits. */
static inline bool wide(const int32_t count[3])
{
    return ooze_multigrid_bits(count) > 32;
}

/* ---- corners and children ---- */

/* Keys and numbers 8 cell + corner of the corners of cells. */
template <class Key>
void number_corners(Gpu *gpu, const OozeMultigridShape &grid, const uint64_t *cell, uint64_t count,
                    const Pairs<Key> &pairs)
{
    const OozeMultigridShape shape = grid;
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value;
    for_each(
        gpu, count, OOZE_BODY(uint32_t c) {
            int32_t at[3];
            ooze_multigrid_place(shape.cells, cell[c], at);
            for (uint32_t a = 0; a < 8; a++) {
                to_key[8 * c + a] = (Key)ooze_multigrid_corner(&shape, at, (int)a);
                to_value[8 * c + a] = 8 * c + a;
            }
        });
}

/* Relations of children to parents by place, in scratch. */
static inline OozeMultigridChild *make_children(Gpu *gpu)
{
    OozeMultigridChild *children = scratch<OozeMultigridChild>(gpu, OOZE_MULTIGRID_PLACES);
    for_each(
        gpu, OOZE_MULTIGRID_PLACES,
        OOZE_BODY(uint32_t place) { ooze_multigrid_child((int)place, &children[place]); });
    return children;
}

} // namespace ooze

#endif
