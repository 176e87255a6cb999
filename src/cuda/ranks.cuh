/* Steps that several processes share. Each has a contiguous range of the order of all particles, as
   the grid of the engine sorts them. During a substep the store holds copies of the particles of
   other ranks near its own, ghosts, all in the order of all particles: ghosts of ranks before this
   one, own particles, ghosts of ranks behind it. So lists have the order of one process.

   Loops run over ghosts, too. What they compute there from neighbours is wrong, since lists of
   ghosts lack particles: `refresh` brings the values of the owners before a loop reads them at
   neighbours. Sums over particles are sums over the own particles of all ranks: rank_sums.cuh. On
   one process gpu->share is NULL, and functions do nothing. */
#ifndef OOZE_CUDA_RANKS_CUH
#define OOZE_CUDA_RANKS_CUH

#include "cuda/engine.cuh"

extern "C" {
#include "particles/message_plan.h"
#include "particles/split.h"
#include "world/ranks_shares.h"
}

namespace ooze
{

/* Host memory that the GPU copies from and to at the speed of the bus. Starts as zero. */
struct PinnedBuffer {
    char *memory;
    size_t size;
};

/* `size` bytes at `offset` in elements of `stride` bytes of an array; of particle i they are in
   element place[i], NULL: i. */
struct RefreshedPart {
    void *data;
    size_t size, stride, offset;
    const uint32_t *place;
};

/* Number of the cell of a point in the order of the grid. */
struct CellKeys {
    OozeGridAxis axis[3];
    __host__ __device__ uint64_t of(float4 p) const
    {
        return ooze_split_key(axis, ooze_grid_number(&axis[0], p.x),
                              ooze_grid_number(&axis[1], p.y), ooze_grid_number(&axis[2], p.z));
    }
};

static inline CellKeys cell_keys(const OozeGridAxis axis[3])
{
    CellKeys keys;
    memcpy(keys.axis, axis, sizeof keys.axis);
    return keys;
}

/* Its plan is that of own particles that others take, and of ghosts. */
struct RankShare : OozeMessagePlan {
    OozeSplit split;        /* of the last sort */
    OozeRanksShares shares; /* of the ranks in the particles */
    uint64_t total, first;  /* particles of all ranks, and of the ranks before this one */
    uint64_t begin, own;    /* own particles in the store: ghosts precede and follow them */
    bool has_ghosts;
    double reach;     /* m: ghosts are within it, and the spread, of own particles */
    uint64_t *counts; /* own particles of each rank */
    PointBox box;     /* around the particles of all ranks */
    /* m: by how much less or more some particles move along each axis than others in a substep; so
       much farther apart may neighbours at predicted positions be */
    float spread[3];
    bool again; /* the substep repeats: particles that it reads were not among the ghosts */
    /* rank by rank, per own particle: not 0 where the rank has asked for it in this substep,
       however far away it is */
    bool has_asked;
    DeviceBuffer asked;
    DeviceBuffer send_buffer, packed, incoming, gathered;
    PinnedBuffer pinned[3];       /* sent, received, and a number of the density stage */
    RefreshedPart along;          /* see refresh_with_sum; data NULL: nothing */
    PinnedBuffer along_pinned[2]; /* sent, received */
};

/* NULL, and the GPU has failed: out of memory. Waits where the memory grows. */
char *pinned_bytes(Gpu *gpu, PinnedBuffer *buffer, size_t size);
/* Frees it after much has moved: the first substep moves all particles, later ones few. The GPU
   does not use it any more. */
void pinned_trim(PinnedBuffer *buffer, size_t moved);
/* Copies from the device, and does not wait. Unlike copy_out, it sends no message: one may be
   expected already. */
void copy_to_pinned(Gpu *gpu, void *to, const void *from, size_t size);

/* NULL: out of memory. */
RankShare *share_create(OozeRanks *ranks);
void share_destroy(Gpu *gpu, RankShare *share);

/* The engine's sort: divides the particles of all ranks, moves them to their rank and sorts
   them. */
OozeStatus ranks_sort(Engine *engine, const OozeStepContext *context, float low[3], float high[3],
                      OozeError *error);
/* Adds the ghosts to the store, and sorts the grid with them. */
OozeStatus ranks_find_ghosts(Engine *engine, const OozeStepContext *context, OozeError *error);
void ranks_drop_ghosts(Engine *engine);

/* The own particles among n in the store. Captured by loop bodies. */
struct OwnRange {
    uint32_t begin, count;
    __host__ __device__ bool has(uint32_t i) const { return i - begin < count; }
};
OwnRange own_range(const Gpu *gpu, uint64_t n);

/* The ghosts' elements of an array become those of their owners. */
void refresh(Gpu *gpu, void *data, size_t size);
void refresh_part(Gpu *gpu, const RefreshedPart &part);
/* The next sum over particles refreshes the array after its loop, and waits once for both. */
void refresh_with_sum(Gpu *gpu, const RefreshedPart &part);
/* All fields, in one message to each rank. */
void refresh_store(Gpu *gpu, const Store *store);

/* As ooze_message_plan_exchange, from device memory to device memory. */
void exchange_elements(Gpu *gpu, const OozeMessagePlan &plan, const void *from, void *to,
                       size_t size);
/* An array with the elements of all particles, in their order, from one with those of particles in
   the store: `data` itself on one process, else memory of the step. Waits for the other ranks. */
const void *gather_elements(Gpu *gpu, const void *data, size_t size);
template <class T> const T *gather_elements(Gpu *gpu, const T *data)
{
    return static_cast<const T *>(gather_elements(gpu, data, sizeof(T)));
}

/* A list that every rank has a part of: elements of this one, of each (in memory of the host), and
   of all. On one process `counts` is NULL. */
struct RankList {
    uint64_t count, *counts, all;
};
/* Completes a list whose count is set (0 where the GPU has failed); its counts are in the arena, or
   where they were. Waits for the other ranks. */
void rank_list_share(Gpu *gpu, OozeArena *arena, RankList *list);
/* Where the elements of this rank begin among those of all; 0 on one process. */
uint64_t rank_list_begin(const Gpu *gpu, const RankList &list);
/* The parts of all ranks, one behind the other, in memory of the step. Only with several ranks.
   Waits for the others. */
const void *gather_list(Gpu *gpu, const void *own, const RankList &list, size_t size);
template <class T> const T *gather_list(Gpu *gpu, const T *own, const RankList &list)
{
    return static_cast<const T *>(gather_list(gpu, own, list, sizeof(T)));
}
/* Per particle of all ranks, in their order: its place in the order of a grid that has been sorted
   in the box around all, by positions x of the particles in the store. In memory of the step; only
   with several ranks. Waits for the others. */
const uint32_t *places_in_grid(Gpu *gpu, const Grid &grid, const float4 *x);

/* The largest of the numbers of all ranks, element by element. */
void max_over_ranks(Gpu *gpu, double *values, int count);
/* Sums modulo 2^64. */
void sum_over_ranks(Gpu *gpu, uint64_t *values, int count);
/* The largest of the flags of a device array. */
void any_over_ranks(Gpu *gpu, uint8_t *flags, uint64_t count);
/* The box around the own points of all ranks. */
OozeStatus box_over_ranks(Gpu *gpu, const float4 *points, uint64_t n, PointBox *box,
                          OozeError *error);
/* Whether ghosts suffice for neighbours of particles that move by dt u and `push` (NULL: 0); if
   not, the method returns without having changed particles, and the substep is repeated. Waits. */
bool ghosts_suffice(Gpu *gpu, const float4 *u, const float4 *push, uint64_t n, float dt,
                    float support);

} // namespace ooze

#endif
