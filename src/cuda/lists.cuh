/* Particles sorted into cells, and the neighbours of each. */
#ifndef OOZE_CUDA_LISTS_CUH
#define OOZE_CUDA_LISTS_CUH

#include "cuda/cells.cuh"

namespace ooze
{

/* Points sorted in space: rows of cells one support wide in y and z, cells along x a quarter of
   that. The order is stable, x fastest, then y, then z. Starts as zero. */
struct Grid {
    uint64_t n;
    double cell; /* m: edge of a row, the largest radius to search */
    OozePeriodic periodic;
    float low[3], high[3]; /* box around the points of the last sort */
    uint32_t *order;       /* device: order[new] = old */
    /* the rest is grid.cu's own */
    Cells cells;
    DeviceBuffer order_buffer, table_buffer;
};

void grid_free(Gpu *m, Grid *grid);
/* As ooze_grid_sort: a coordinate that is not finite is OOZE_ERROR_NUMERIC and names the first such
   point; a periodic box narrower than three cells is OOZE_ERROR_ARGUMENT. `what` names the points
   in errors. Waits for the box. */
OozeStatus grid_sort(Gpu *m, Grid *grid, const float4 *points, uint64_t n, double cell,
                     const OozePeriodic *periodic, OozeError *error);

/* to[new] = from[order[new]], for elements of 1, 2, 4, 8, 16 or 32 bytes; others are slow. */
void reorder(Gpu *m, const uint32_t *order, uint64_t n, const void *from, void *to, size_t size);

/* Lists of 32 particles (a slice) stand beside each other, 4 indices of one particle together, so
   that a warp reads them in whole lines. All lists of a slice are as long as its longest, a
   multiple of 4, filled up with `dummy`: whatever is gathered has an element there, which must
   weigh nothing. */
enum { SLICE = 32 };
struct Lists {
    uint64_t n;
    uint32_t dummy;         /* == number of candidates */
    const uint64_t *begin;  /* device, per slice: see slice_of */
    const uint16_t *count;  /* device, per particle: neighbours without filling */
    const uint4 *index;     /* device */
    uint64_t pairs, stored; /* neighbours, and entries with filling: known after the build */
    uint32_t longest;       /* and the most neighbours of one particle */
    uint32_t chunks;        /* see lists.cu */
    bool passing;           /* indices stand in scratch: gone after the stage */
    uint64_t quads;         /* of the last build, by 4: size of a passing list */
    DeviceBuffer begin_buffer, count_buffer, index_buffer;
};

void lists_free(Gpu *m, Lists *lists);
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
OozeStatus lists_build(Gpu *m, Lists *lists, const Grid *grid, const ListQuery &query,
                       OozeError *error);

/* What a body needs of them, to be captured. */
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

/* Where the lists of a slice begin, in quadruples, and how many of them each list has: one number
   of begin[]. Slices stand in the order in which they were made, which may differ from run to run;
   what is in them does not. */
struct Slice {
    uint64_t first;
    uint32_t quads;
};
static inline __host__ __device__ Slice slice_of(uint64_t begin)
{
    return {begin & 0xffffffffffffull, (uint32_t)(begin >> 48)};
}

/* Calls f(j) for the neighbours of i, filling included, of this lane. */
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

/* The same of one lane without filling: f(j) is not called with the dummy. */
template <class F> OOZE_DEVICE void each_true_neighbour(ListView lists, uint32_t i, F f)
{
    each_neighbour<1>(lists, i, 0, [&](uint32_t j) {
        if (j != lists.dummy) {
            f(j);
        }
    });
}

} // namespace ooze

#endif
