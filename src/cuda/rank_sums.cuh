/* Sums over the particles of all ranks, with the bits of one process: blocks, or groups of blocks,
   are those of one process, since ranges begin at multiples of them; their sums are gathered and
   added in the same order. */
#ifndef OOZE_CUDA_RANK_SUMS_CUH
#define OOZE_CUDA_RANK_SUMS_CUH

#include "cuda/ranks.cuh"

namespace ooze
{

/* With fewer particles of all ranks than this, sums of blocks are gathered, so that few particles
   can be shared too; with more, those of groups. */
enum { GROUPED_FROM = 1 << 18 };

/* Ranges of ranks begin at multiples of this. */
uint64_t share_grain(uint64_t total);

/* Gathers `size` bytes for every `grain` particles of all ranks, or part of them; this rank's are
   `own`, in device memory. Returns device memory with room for as many more, NULL where the GPU has
   failed. */
void *gather_partials(Gpu *gpu, const void *own, size_t size, uint64_t grain, uint64_t *count);

/* As sum_lanes, over the particles of all ranks; waits for the other ranks where there are some. */
template <int LANES, class T, class Body, class Then>
void sum_particles_lanes(Gpu *gpu, uint64_t n, T none, Body body, Then then)
{
    if (!gpu->share) {
        sum_lanes<LANES>(gpu, n, none, body, then);
        return;
    }
    if (gpu->failed != cudaSuccess) {
        return;
    }
    const OwnRange own = own_range(gpu, n);
    uint64_t count = 0;
#ifdef __CUDACC__
    const uint64_t grain = BLOCK / LANES, blocks = (own.count + grain - 1) / grain,
                   groups = (blocks + GROUP - 1) / GROUP;
    const bool grouped = all_particles(gpu, n) >= GROUPED_FROM;
    T *partial =
        static_cast<T *>(buffer_bytes(gpu, &gpu->partial, (blocks + groups + 1) * sizeof(T)));
    uint32_t *ticket = sum_tickets(gpu, 1 + groups);
    const SumPlan first = {grouped ? SUM_GROUPS : SUM_BLOCKS, own.begin, own.begin + own.count};
    gpu->counts.launches += 2;
    if (blocks > 0 && gpu->failed == cudaSuccess) {
        launch(gpu, blocks, sum_kernel<LANES, T, Body, Then>, first, none, partial, ticket, body,
               then);
    }
    T *all = static_cast<T *>(gather_partials(gpu, partial + (grouped ? blocks : 0), sizeof(T),
                                              grouped ? grain * GROUP : grain, &count));
    const SumPlan rest = {grouped ? SUM_REST_OF_GROUPS : SUM_REST_OF_BLOCKS, 0, (uint32_t)count};
    if (gpu->failed == cudaSuccess) {
        launch(gpu, 1, sum_kernel<LANES, T, Body, Then>, rest, none, all, ticket, body, then);
    }
#else
    static_assert(LANES == 1, "one thread a particle on a processor");
    const uint64_t grain = ON_HOST_GRAIN, blocks = (own.count + grain - 1) / grain;
    gpu->counts.launches++;
    T *part = static_cast<T *>(buffer_bytes(gpu, &gpu->partial, (blocks + 1) * sizeof(T)));
    on_host_block_sums(
        own.count, none, [=](uint32_t i, uint32_t lane) { return body(own.begin + i, lane); },
        part);
    const T *all = static_cast<T *>(gather_partials(gpu, part, sizeof(T), grain, &count));
    T sum = none;
    for (uint64_t k = 0; k < count && all; k++) {
        sum += all[k];
    }
    then(sum);
#endif
}

template <class T, class Body, class Then>
void sum_particles(Gpu *gpu, uint64_t n, T none, Body body, Then then)
{
    AnyLane<Body> any = {body};
    sum_particles_lanes<1>(gpu, n, none, any, then);
}

/* As sum_to_host. */
template <class T, class Body> T sum_particles_to_host(Gpu *gpu, uint64_t n, T none, Body body)
{
    T found = none;
    sum_particles(gpu, n, none, body, message_sender(gpu));
    return receive(gpu, &found) ? found : none;
}

} // namespace ooze

#endif
