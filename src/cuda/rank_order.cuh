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

/* Particles of all ranks that are listed, in their order. Memory of the step. */
struct ListedParticles {
    const uint32_t *own;   /* sorted particles of the store */
    uint64_t count;        /* of own ones */
    uint64_t all;          /* of those of all ranks */
    const uint32_t *order; /* of all: their places in the lists of the ranks; NULL: one process */
    uint64_t *counts;      /* working memory: per rank */
};

/* Completes `own` and `count`; `number`: of each sorted particle. Waits for the other ranks. */
OozeStatus listed_particles_find(Gpu *gpu, OozeArena *arena, const uint32_t *number,
                                 ListedParticles *list, OozeError *error);

/* As dynamic_sums over a list. */
template <class Body, class Then>
void dynamic_sums_of_listed(Gpu *gpu, const DynamicView &view, const ListedParticles &list,
                            Body body, Then then)
{
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    if (!list.order) {
        dynamic_sums(gpu, view, list.own, list.count, body, then);
        return;
    }
    for (int k = 0; k < view.count; k++) {
        const SolidBody<Body> one = {list.own, k, body};
        const SolidThen<Then> end = {k, then};
        const Mark mark = scratch_mark(gpu);
        TwistSum *own = scratch<TwistSum>(gpu, list.count);
        for_each(
            gpu, list.count, OOZE_BODY(uint32_t e) { own[e] = one(e); });
        uint64_t total = 0;
        const TwistSum *all = gather_list(gpu, own, list.count, list.counts, &total);
        const uint32_t *order = list.order;
        sum_each(
            gpu, total, none, OOZE_BODY(uint32_t e) { return all[order[e]]; }, end);
        scratch_rewind(gpu, mark);
    }
}

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
