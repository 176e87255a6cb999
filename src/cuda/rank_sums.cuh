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
   `own`, in device memory. Returns device memory, NULL where the GPU has failed. */
const void *gather_partials(Gpu *gpu, const void *own, size_t size, uint64_t grain,
                            uint64_t *count);

#ifdef __CUDACC__
/* As sum_kernel, up to the sums of blocks or, with GROUPED, of groups, which follow them. */
template <int LANES, bool GROUPED, class T, class Body>
__global__ void __launch_bounds__(BLOCK)
    own_sums_kernel(OwnRange own, T none, T *partial, uint32_t *ticket, Body body)
{
    __shared__ __align__(16) char memory[BLOCK / 32 * sizeof(T)];
    T *shared = reinterpret_cast<T *>(memory);
    uint32_t i = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    uint32_t group = blockIdx.x / GROUP, groups = (gridDim.x + GROUP - 1) / GROUP;
    uint32_t members = group + 1 < groups ? (uint32_t)GROUP : gridDim.x - group * GROUP;
    T mine = none;
    if (i < own.count) {
        T value = body(own.begin + i, lane);
        mine = lane == 0 ? value : none;
    }
    T sum = block_sum(mine, shared);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
    if (!GROUPED || !is_last(ticket + 1 + group, members)) {
        return;
    }
    sum = sum_partials(partial + (uint64_t)group * GROUP, members, none, shared);
    if (threadIdx.x == 0) {
        partial[gridDim.x + group] = sum;
    }
}

/* The end of sum_kernel, in one block: `partial` are sums of groups, or, with `sums`, memory for
   these, of blocks. */
template <class T, class Then>
__global__ void __launch_bounds__(BLOCK)
    all_sums_kernel(const T *partial, uint32_t count, T none, T *sums, Then then)
{
    __shared__ __align__(16) char memory[BLOCK / 32 * sizeof(T)];
    T *shared = reinterpret_cast<T *>(memory);
    if (sums) {
        const uint32_t groups = (count + GROUP - 1) / GROUP;
        for (uint32_t group = 0; group < groups; group++) {
            uint32_t members = group + 1 < groups ? (uint32_t)GROUP : count - group * GROUP;
            T sum = sum_partials(partial + (uint64_t)group * GROUP, members, none, shared);
            if (threadIdx.x == 0) {
                sums[group] = sum;
            }
            __syncthreads();
        }
        partial = sums;
        count = groups;
    }
    T sum = count == 0 ? none : partial[0];
    if (count > 1) {
        sum = sum_partials(partial, count, none, shared);
    }
    if (threadIdx.x == 0) {
        then(sum);
    }
}
#endif

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
    gpu->counts.launches += 2;
    if (blocks > 0 && gpu->failed == cudaSuccess && grouped) {
        launch(gpu, blocks, own_sums_kernel<LANES, true, T, Body>, own, none, partial, ticket,
               body);
    } else if (blocks > 0 && gpu->failed == cudaSuccess) {
        launch(gpu, blocks, own_sums_kernel<LANES, false, T, Body>, own, none, partial, ticket,
               body);
    }
    const T *all = static_cast<const T *>(gather_partials(
        gpu, partial + (grouped ? blocks : 0), sizeof(T), grouped ? grain * GROUP : grain, &count));
    T *sums = nullptr;
    if (!grouped) { /* of groups, in the memory of the own partial sums, which are sent */
        sums = static_cast<T *>(buffer_bytes(gpu, &gpu->partial, (count / GROUP + 1) * sizeof(T)));
    }
    if (gpu->failed == cudaSuccess) {
        launch(gpu, 1, all_sums_kernel<T, Then>, all, (uint32_t)count, none, sums, then);
    }
#else
    static_assert(LANES == 1, "one thread a particle on a processor");
    const uint64_t grain = ON_HOST_GRAIN, blocks = (own.count + grain - 1) / grain;
    gpu->counts.launches++;
    T *part = static_cast<T *>(buffer_bytes(gpu, &gpu->partial, (blocks + 1) * sizeof(T)));
    on_host_block_sums(
        own.count, none, [=](uint32_t i, uint32_t lane) { return body(own.begin + i, lane); },
        part);
    const T *all = static_cast<const T *>(gather_partials(gpu, part, sizeof(T), grain, &count));
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

} // namespace ooze

#endif
