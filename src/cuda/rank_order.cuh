/* A second order of the particles of all ranks, beside that of the store: that of other positions
   of them. Each rank has a contiguous range of it, which begins where the rank's range of the store
   begins and is as long. So numbers of particles in it, and sums over it, are those of one
   process. */
#ifndef OOZE_CUDA_RANK_ORDER_CUH
#define OOZE_CUDA_RANK_ORDER_CUH

#include "cuda/ranks.cuh"

namespace ooze
{

/* Own particles as the grid sorts them go from rank to rank, and come in the order of ranks:
   split.send and split.receive are where those of each begin. Starts as zero. */
struct RankOrder {
    OozeSplit split; /* its memory is kept between steps */
    /* of a step, in its memory */
    OozeMessagePlan plan;  /* without what stays on this rank */
    const uint32_t *own;   /* per own particle: its place among those of the store, sorted */
    const uint32_t *place; /* per particle that has come: its place in the rank's range */
};

void rank_order_free(RankOrder *order);
/* The order of the grid, which has sorted the n positions of the particles in the store as `x`, in
   the box of those of all ranks. Waits. */
OozeStatus rank_order_find(Engine *engine, RankOrder *order, const OozeStepContext *context,
                           const float4 *x, uint64_t n, OozeError *error);

/* Moves elements from particles as they are sorted to particles as they have come, and back. */
void rank_order_move(Gpu *gpu, const RankOrder *order, const void *from, void *to, size_t size);
void rank_order_return(Gpu *gpu, const RankOrder *order, const void *from, void *to, size_t size);

/* Sets the number of each sorted particle of the store in the order of all. `place`: of particles
   of the store, among those that are sorted. */
void rank_order_numbers(Gpu *gpu, const RankOrder *order, const uint32_t *place, uint32_t *number);

} // namespace ooze

#endif
