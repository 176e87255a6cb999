/* Points sorted into cells, and neighbour lists. */
#ifndef OOZE_CUDA_LISTS_CUH
#define OOZE_CUDA_LISTS_CUH

#include "cuda/cells.cuh"

namespace ooze
{

/* A box around points; low > high: there are none. */
struct PointBox {
    float low[3], high[3];
    __host__ __device__ void operator+=(const PointBox &o)
    {
        for (int k = 0; k < 3; k++) {
            low[k] = o.low[k] < low[k] ? o.low[k] : low[k];
            high[k] = o.high[k] > high[k] ? o.high[k] : high[k];
        }
    }
};
OOZE_BOTH PointBox box_of_point(float x, float y, float z)
{
    return {{x, y, z}, {x, y, z}};
}
OOZE_BOTH PointBox box_of_none(void)
{
    const float far = 3.4028234e38f;
    return {{far, far, far}, {-far, -far, -far}};
}

/* Points sorted by cell: one support wide in y and z, and a quarter of that in x. The sort is
   stable, by z, y, then x. Starts as zero. */
struct Grid {
    uint64_t n;
    bool cubic;  /* cells are one support wide in x too: the order of the processor's grid */
    double cell; /* m: edge of a row, the largest radius to search */
    OozePeriodic periodic;
    float low[3], high[3]; /* box around the points of the last sort */
    /* box around the points of the next sort, which forgets it; NULL: the sort finds it */
    const PointBox *known_box;
    uint32_t *order; /* device: order[new] = old */
    /* private to grid.cu */
    Cells cells;
    DeviceBuffer order_buffer, table_buffer;
};

void grid_free(Gpu *gpu, Grid *grid);
/* As ooze_grid_sort: a coordinate that is not finite is OOZE_ERROR_NUMERIC and names the first such
   point; a periodic box narrower than three cells is OOZE_ERROR_ARGUMENT. Waits for the box around
   the points where it is not known. */
OozeStatus grid_sort(Gpu *gpu, Grid *grid, const float4 *points, uint64_t n, double cell,
                     const OozePeriodic *periodic, OozeError *error);

/* The box around points; none of n = 0. Waits. */
OozeStatus find_box(Gpu *gpu, PointBox *box, const float4 *points, uint64_t n, OozeError *error);
/* Sets cells and axes of a grid without points, as a sort of points in this box would. */
OozeStatus grid_set_box(Grid *grid, const PointBox &box, double cell, const OozePeriodic *periodic,
                        OozeError *error);

/* to[new] = from[order[new]]; fast for elements of 1, 2, 4, 8, 16 and 32 bytes. */
void reorder(Gpu *gpu, const uint32_t *order, uint64_t n, const void *from, void *to, size_t size);

/* The lists of 32 particles (a slice) are interleaved, 4 indices of a particle at a time, so that a
   warp reads whole lines. All lists of a slice have the length of its longest, a multiple of 4, and
   are padded with the index `dummy`: gathered arrays have that element, and it must contribute
   nothing. */
enum { SLICE = 32 };
struct Lists {
    uint64_t n;
    uint32_t dummy;         /* == number of candidates */
    const uint64_t *begin;  /* device, per slice: see slice_of */
    const uint16_t *count;  /* device, per particle: neighbours without padding */
    const uint4 *index;     /* device */
    uint64_t pairs, stored; /* entries of all lists without and with padding */
    uint32_t longest;       /* largest number of neighbours */
    uint32_t chunks;        /* see lists.cu */
    bool temporary;         /* indices are in scratch memory, freed after the stage */
    uint64_t quads;         /* quadruples of indices of the last build */
    DeviceBuffer begin_buffer, count_buffer, index_buffer;
};

void lists_free(Gpu *gpu, Lists *lists);
/* As OozeNeighbourQuery, in device memory. */
struct ListQuery {
    const float4 *points;
    uint64_t n;
    const float4 *candidates; /* the grid's points after reordering, and one readable element */
    double radius;            /* m */
    bool skip_self;           /* points and candidates are the same: leaves out j == i */
};
/* As ooze_neighbours_build: for each point the candidates within `radius`, in ascending order of
   index; distance as dx*dx + dy*dy + dz*dz < radius*radius of nearest images. More than 65535
   neighbours of one point are OOZE_ERROR_LIMIT. Waits once for the totals; lists that have outgrown
   the memory of the last build are made again. */
OozeStatus lists_build(Gpu *gpu, Lists *lists, const Grid *grid, const ListQuery &query,
                       OozeError *error);

/* The same for several lists at once, at most LISTS_AT_ONCE, which wait together. */
enum { LISTS_AT_ONCE = 2 };
struct ListsJob {
    Lists *lists;
    const Grid *grid;
    ListQuery query;
    const char *part; /* that its time belongs to; NULL: none */
};
OozeStatus lists_build_all(Gpu *gpu, const ListsJob *jobs, int count, OozeStepTimer *timer,
                           OozeError *error);

/* Captured by loop bodies. */
struct ListView {
    const uint64_t *begin;
    const uint4 *index;
    const uint16_t *count;
    uint32_t dummy;
};

static inline ListView view(const Lists *lists)
{
    return {lists->begin, lists->index, lists->count, lists->dummy};
}

/* First quadruple of a slice, and quadruples of each of its lists, packed into one element of
   begin[]. The order of slices in memory may differ from run to run; their contents do not. */
struct Slice {
    uint64_t first;
    uint32_t quads;
};
static inline __host__ __device__ Slice slice_of(uint64_t begin)
{
    return {begin & 0xffffffffffffull, (uint32_t)(begin >> 48)};
}

/* Calls f(j) for the neighbours of i of this lane, padding included. */
template <int LANES, class F>
OOZE_DEVICE void each_neighbour(ListView lists, uint32_t i, uint32_t lane, F f)
{
    Slice slice = slice_of(lists.begin[i / SLICE]);
    const uint4 *list = lists.index + slice.first + i % SLICE;
    for (uint32_t q = lane; q < slice.quads; q += LANES) {
        uint4 j = list[(uint64_t)q * SLICE];
        f(j.x);
        f(j.y);
        f(j.z);
        f(j.w);
    }
}

/* Calls f(j) for the neighbours of i, without padding. */
template <class F> OOZE_DEVICE void each_true_neighbour(ListView lists, uint32_t i, F f)
{
    each_neighbour<1>(lists, i, 0, [&](uint32_t j) {
        if (j != lists.dummy) {
            f(j);
        }
    });
}

/* ---- weights of list entries, four as index ---- */

/* weight of each entry of the list of i, of this lane: f(j), 0 for padding. */
template <int LANES, class F>
OOZE_DEVICE void set_weights(ListView lists, float4 *weight, uint32_t i, uint32_t lane, F f)
{
    const Slice slice = slice_of(lists.begin[i / SLICE]);
    const uint64_t first = slice.first + i % SLICE;
    for (uint32_t q = lane; q < slice.quads; q += LANES) {
        const uint64_t e = first + (uint64_t)q * SLICE;
        const uint4 j = lists.index[e];
        float4 w;
        w.x = j.x != lists.dummy ? f(j.x) : 0.0f;
        w.y = j.y != lists.dummy ? f(j.y) : 0.0f;
        w.z = j.z != lists.dummy ? f(j.z) : 0.0f;
        w.w = j.w != lists.dummy ? f(j.w) : 0.0f;
        weight[e] = w;
    }
}

/* f(j, w) for the list of i, of this lane, padding included. */
template <int LANES, class F>
OOZE_DEVICE void each_weighted(ListView lists, const float4 *weight, uint32_t i, uint32_t lane, F f)
{
    const Slice slice = slice_of(lists.begin[i / SLICE]);
    const uint64_t first = slice.first + i % SLICE;
    for (uint32_t q = lane; q < slice.quads; q += LANES) {
        const uint64_t e = first + (uint64_t)q * SLICE;
        const uint4 j = lists.index[e];
        const float4 w = weight[e];
        f(j.x, w.x);
        f(j.y, w.y);
        f(j.z, w.z);
        f(j.w, w.w);
    }
}

} // namespace ooze

#endif
