/* A second order of the particles of all ranks, beside that of the store: that of other positions
   of them. Each rank has a contiguous range of it, which begins where the rank's range of the store
   begins and is as long. So numbers of particles in it, and sums over it, are those of one
   process. */
#ifndef OOZE_CUDA_RANK_ORDER_CUH
#define OOZE_CUDA_RANK_ORDER_CUH

#include "cuda/dynamic_solids.cuh"

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

/* Sorts the grid of the engine by other positions of the particles in the store, on several ranks
   in the box of those of all. */
OozeStatus ranks_sort_points(Engine *engine, const OozeStepContext *context, const float4 *x,
                             uint64_t n, OozeError *error);

void rank_order_free(RankOrder *order);
/* The order of the grid, which has sorted the n positions of the particles in the store as `x`, in
   the box of those of all ranks. Waits. */
OozeStatus rank_order_find(Engine *engine, RankOrder *order, const OozeStepContext *context,
                           const float4 *x, uint64_t n, OozeError *error);

/* Moves elements from particles as they are sorted to particles as they have come. */
void rank_order_move(Gpu *gpu, const RankOrder *order, const void *from, void *to, size_t size);

/* Sets the number of each sorted particle of the store in the order of all. `place`: of particles
   of the store, among those that are sorted. */
void rank_order_numbers(Gpu *gpu, const RankOrder *order, const uint32_t *place, uint32_t *number);

/* ---- sums over particles, one a dynamic solid ---- */

/* Shares a list of sorted particles of the store, whose count is set: sums over it are those of one
   process. `number`: of each sorted particle. Waits for the other ranks. */
void rank_order_list(Gpu *gpu, OozeArena *arena, const uint32_t *number, DynamicList *list);

/* As dynamic_sums over the n sorted particles of the store, those of all ranks in their order. */
template <class Body, class Then>
void dynamic_sums_of_sorted(Gpu *gpu, const DynamicView &view, const RankOrder *order, uint64_t n,
                            Body body, Then then)
{
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    if (!gpu->share) {
        dynamic_sums(gpu, view, nullptr, n, body, then);
        return;
    }
    const OwnRange own = own_range(gpu, n);
    const uint64_t came = order->split.after;
    const uint32_t *place = order->place;
    for (int k = 0; k < view.count; k++) {
        const SolidBody<Body> one = {order->own, k, body};
        const SolidThen<Then> end = {k, then};
        const Mark mark = scratch_mark(gpu);
        TwistSum *sorted = scratch<TwistSum>(gpu, own.count);
        TwistSum *moved = scratch<TwistSum>(gpu, came), *range = scratch<TwistSum>(gpu, came);
        for_each(
            gpu, own.count, OOZE_BODY(uint32_t e) { sorted[e] = one(e); });
        rank_order_move(gpu, order, sorted, moved, sizeof *moved);
        for_each(
            gpu, came, OOZE_BODY(uint32_t m) { range[place[m]] = moved[m]; });
        sum_particles(
            gpu, n, none, OOZE_BODY(uint32_t i) { return range[i - own.begin]; }, end);
        scratch_rewind(gpu, mark);
    }
}

} // namespace ooze

#endif
