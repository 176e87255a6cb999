/* A sequence of loops over particles that one launch repeats until a flag is set.

   Iterations of small scenes take less time than their launches. Here all blocks of a launch run at
   once and wait for each other between loops. Sums have the blocks and the order of sum_lanes, so
   that repeated loops have the bits of the same loops launched one by one.

   Blocks of a loop see what loops before it have written, as between launches: no body may read
   through the cache for constants (__ldg, __restrict__) what another loop writes. */
#ifndef OOZE_CUDA_REPEAT_CUH
#define OOZE_CUDA_REPEAT_CUH

#include "cuda/gpu.cuh"

#include <type_traits>

namespace ooze
{

/* Blocks of a launch that have reached the end of a loop, and how many loops all of them have
   ended. */
struct RepeatBarrier {
    uint32_t arrived, ended;
};
/* Device memory; NULL where the GPU has failed. */
RepeatBarrier *repeat_barrier(Gpu *gpu);

/* Whether loops over n particles are worth repeating within a launch, or OOZE_REPEAT_MOST of the
   environment, for measurements with other limits. Never where processes share a step: messages
   come between the loops. */
bool repeats(const Gpu *gpu, uint64_t n);

/* Arguments of a launch, in bytes. */
#if OOZE_STAND_IN || CUDART_VERSION >= 12010
enum { LAUNCH_ARGUMENTS = 32764 };
#else
enum { LAUNCH_ARGUMENTS = 4096 };
#endif

#ifdef __CUDACC__
/* A block of this launch stands for so many blocks of sums: with fewer blocks fewer of them wait.
   Registers suffice for two of them on a multiprocessor, 64 a thread: loops over 16,000 particles
   with eight lanes then run at once on one of 132 multiprocessors. */
enum { REPEAT_TEAMS = 4, REPEAT_THREADS = REPEAT_TEAMS * BLOCK, REPEAT_RESIDENT = 2 };

/* ---- blocks wait for each other: called by the first thread of a block ---- */

/* True in the last block, which then sees the writes of the others and releases them. */
OOZE_DEVICE bool repeat_arrive(RepeatBarrier *barrier)
{
    __threadfence();
    const bool last = atomicAdd(&barrier->arrived, 1u) == gridDim.x - 1;
    __threadfence();
    return last;
}
OOZE_DEVICE void repeat_release(RepeatBarrier *barrier, uint32_t ended)
{
    barrier->arrived = 0;
    __threadfence();
    *const_cast<volatile uint32_t *>(&barrier->ended) = ended;
}
OOZE_DEVICE void repeat_wait(const RepeatBarrier *barrier, uint32_t ended)
{
    const volatile uint32_t *now = &barrier->ended;
    while (*now != ended) {
    }
    __threadfence(); /* the cache of this multiprocessor forgets what others have written */
}

/* ---- loops ---- */

/* What all loops of a launch share. */
struct RepeatLaunch {
    RepeatBarrier *barrier;
    void *partial;
    const int32_t *off;
    int iterations;
};

/* f(block) in every thread for the blocks of a loop that this block stands for: consecutive ones,
   whose particles are close to each other; `count` or more where there are fewer. All threads of a
   block make the same number of calls. */
template <class F> OOZE_DEVICE void repeat_blocks(uint32_t count, F f)
{
    const uint32_t share = (count + gridDim.x - 1) / gridDim.x, team = threadIdx.x / BLOCK;
    const uint32_t first = blockIdx.x * share;
    for (uint32_t k = 0; k < share; k += REPEAT_TEAMS) {
        f(k + team < share ? first + k + team : count);
    }
}

/* As the end of sum_kernel, by one block: valid in its first thread. `partial` has room for the
   sums of groups behind those of blocks. */
template <class T> __device__ T repeat_sum_partials(T *partial, uint32_t blocks, T none, T *shared)
{
    const uint32_t groups = (blocks + GROUP - 1) / GROUP, team = threadIdx.x / BLOCK;
    T sum = none;
    for (uint32_t first = 0; first < groups; first += REPEAT_TEAMS) {
        const uint32_t group = first + team, begin = group * GROUP;
        const uint32_t left = begin < blocks ? blocks - begin : 0;
        const uint32_t members = left < GROUP ? left : (uint32_t)GROUP;
        sum = sum_partials(partial + begin, members, none, shared);
        if (groups > 1 && members > 0 && threadIdx.x % BLOCK == 0) {
            partial[blocks + group] = sum;
        }
    }
    if (groups > 1) {
        __syncthreads();
        sum = sum_partials(partial + blocks, team == 0 ? groups : 0, none, shared);
    }
    return sum;
}
#endif

/* A body or a `then` may take the number of the iteration as its last argument. */
template <class Body>
__device__ inline auto repeat_call(const Body &body, uint32_t i, uint32_t lane, int k)
{
    if constexpr (std::is_invocable_v<Body, uint32_t, uint32_t, int>) {
        return body(i, lane, k);
    } else {
        return body(i, lane);
    }
}
template <class Then, class T> __device__ inline void repeat_then(const Then &then, T sum, int k)
{
    if constexpr (std::is_invocable_v<Then, T, int>) {
        then(sum, k);
    } else {
        then(sum);
    }
}
template <class Body> struct IterationBody {
    Body body;
    int k;
    __device__ auto operator()(uint32_t i, uint32_t lane) const
    {
        return repeat_call(body, i, lane, k);
    }
};
template <class Then> struct IterationThen {
    Then then;
    int k;
    template <class T> __device__ void operator()(T sum) const { repeat_then(then, sum, k); }
};

/* body(i, lane) for all i < n, in any order: see for_lanes. */
template <int LANES, class Body> struct EachLoop {
    uint32_t n;
    Body body;

    __host__ __device__ uint32_t blocks(void) const
    {
        return (uint32_t)(((uint64_t)n * LANES + BLOCK - 1) / BLOCK);
    }
    void launch_alone(Gpu *gpu, int k) const
    {
        const IterationBody<Body> at = {body, k};
        for_lanes<LANES>(gpu, n, at);
    }
#ifdef __CUDACC__
    size_t partial_size(void) const
    {
        return 0;
    }
    __device__ void run(const RepeatLaunch &launch, int k, uint32_t ended, char *) const
    {
        if (n == 0) { /* nothing to wait for */
            return;
        }
        repeat_blocks(blocks(), [&](uint32_t block) {
            const uint64_t i = (uint64_t)block * (BLOCK / LANES) + threadIdx.x % BLOCK / LANES;
            if (i < n) {
                repeat_call(body, (uint32_t)i, threadIdx.x % LANES, k);
            }
        });
        __syncthreads();
        if (threadIdx.x == 0) {
            if (repeat_arrive(launch.barrier)) {
                repeat_release(launch.barrier, ended);
            } else {
                repeat_wait(launch.barrier, ended);
            }
        }
        __syncthreads();
    }
#else
    void run_on_host(int k) const
    {
        const Body &f = body;
        on_host_each(n, [&f, k](uint32_t i) { repeat_call(f, i, 0u, k); });
    }
#endif
};

/* Sums body(i, 0), and then(sum) before the next loop: see sum_lanes. */
template <int LANES, class T, class Body, class Then> struct SumLoop {
    uint32_t n;
    T none;
    Body body;
    Then then;

    __host__ __device__ uint32_t blocks(void) const
    {
        return n ? (uint32_t)(((uint64_t)n * LANES + BLOCK - 1) / BLOCK) : 1;
    }
    void launch_alone(Gpu *gpu, int k) const
    {
        const IterationBody<Body> at = {body, k};
        const IterationThen<Then> end = {then, k};
        sum_lanes<LANES>(gpu, n, none, at, end);
    }
#ifdef __CUDACC__
    size_t partial_size(void) const
    {
        const uint64_t groups = (blocks() + GROUP - 1) / GROUP;
        return (blocks() + groups) * sizeof(T);
    }
    __device__ void run(const RepeatLaunch &launch, int k, uint32_t ended, char *memory) const
    {
        __shared__ bool last;
        const uint32_t count = blocks();
        T *partial = static_cast<T *>(launch.partial);
        T *shared = reinterpret_cast<T *>(memory) + threadIdx.x / BLOCK * (BLOCK / 32);
        repeat_blocks(count, [&](uint32_t block) {
            const uint64_t i = (uint64_t)block * (BLOCK / LANES) + threadIdx.x % BLOCK / LANES;
            T mine = none;
            if (i < n) {
                T value = repeat_call(body, (uint32_t)i, threadIdx.x % LANES, k);
                mine = threadIdx.x % LANES == 0 ? value : none;
            }
            __syncthreads(); /* the sum before has been read */
            T sum = block_sum(mine, shared);
            if (block < count && threadIdx.x % BLOCK == 0) {
                partial[block] = sum;
            }
        });
        __syncthreads();
        if (threadIdx.x == 0) {
            last = repeat_arrive(launch.barrier);
            if (!last) {
                repeat_wait(launch.barrier, ended);
            }
        }
        __syncthreads();
        if (last) {
            T sum = repeat_sum_partials(partial, count, none, shared);
            if (threadIdx.x == 0) {
                repeat_then(then, sum, k);
                repeat_release(launch.barrier, ended);
            }
            __syncthreads();
        }
    }
#else
    void run_on_host(int k) const
    {
        const IterationBody<Body> at = {body, k};
        repeat_then(then, on_host_sum(n, none, at), k);
    }
#endif
};

template <int LANES, class Body> EachLoop<LANES, Body> each_loop(uint64_t n, Body body)
{
    return {(uint32_t)n, body};
}
template <int LANES, class T, class Body, class Then>
SumLoop<LANES, T, Body, Then> sum_loop(uint64_t n, T none, Body body, Then then)
{
    static_assert(sizeof(T) <= 64, "sums are small");
    return {(uint32_t)n, none, body, then};
}

/* ---- repeated loops ---- */

#ifdef __CUDACC__
template <class... Loops>
__global__ void __launch_bounds__(REPEAT_THREADS, REPEAT_RESIDENT)
    repeat_kernel(RepeatLaunch launch, Loops... loops)
{
    __shared__ __align__(16) char memory[REPEAT_THREADS / 32 * 64]; /* a sum for each warp */
    const volatile int32_t *off = launch.off;
    uint32_t ended = *const_cast<const volatile uint32_t *>(&launch.barrier->ended);
    for (int k = 0; k < launch.iterations && !*off; k++) {
        (loops.run(launch, k, ++ended, memory), ...);
    }
}

/* Blocks of a kernel that run at once. Asked once a thread of the host and device. */
template <class Kernel> uint64_t repeat_resident(Gpu *gpu, Kernel kernel)
{
    static thread_local int known_device = -1, known_blocks;
    int device = 0, processors = 0, blocks = 0;
    record_error(gpu, cudaGetDevice(&device));
    if (device != known_device && gpu->failed == cudaSuccess) {
        record_error(gpu,
                     cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        record_error(
            gpu, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, REPEAT_THREADS, 0));
        known_device = gpu->failed == cudaSuccess ? device : -1;
        known_blocks = processors * blocks;
    }
    return (uint64_t)known_blocks;
}

template <class... Loops>
void launch_repeated(Gpu *gpu, const RepeatLaunch &plan, const Loops &...loops)
{
    uint64_t wanted = 1;
    ((wanted = loops.blocks() > wanted ? loops.blocks() : wanted), ...);
    wanted = (wanted + REPEAT_TEAMS - 1) / REPEAT_TEAMS;
    const uint64_t most = repeat_resident(gpu, repeat_kernel<Loops...>);
    if (gpu->failed != cudaSuccess) {
        return;
    }
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(wanted < most ? wanted : most));
    config.blockDim = dim3(REPEAT_THREADS);
    config.stream = gpu->stream;
    config.attrs = &together;
    config.numAttrs = 1;
    record_error(gpu, cudaLaunchKernelEx(&config, repeat_kernel<Loops...>, plan, loops...));
}
#endif

/* Loops whose arguments do not fit into a launch; the host looks at the flag now and then. */
template <class... Loops>
void repeat_alone(Gpu *gpu, int iterations, const int32_t *off, const Loops &...loops)
{
    const int batch = 4;
    for (int k = 0; k < iterations; k++) {
        if (k % batch == 0 && !poll_unfinished(gpu, k / batch, off)) {
            break;
        }
        (loops.launch_alone(gpu, k), ...);
    }
}

/* Runs the loops one after another, `iterations` times at most, and no more from the iteration on
   before which the device flag *off is set. The flag is set by a `then`, or by a body of a loop
   other than the first, since blocks may still read it while others run the first; bodies return at
   once where it is set. */
template <class... Loops>
void repeat(Gpu *gpu, int iterations, const int32_t *off, const Loops &...loops)
{
    constexpr bool fits = (sizeof(Loops) + ... + 64) <= LAUNCH_ARGUMENTS;
    if (iterations <= 0 || gpu->failed != cudaSuccess) {
        return;
    }
    if constexpr (!fits) {
        repeat_alone(gpu, iterations, off, loops...);
    } else {
        gpu->counts.launches++;
#ifdef __CUDACC__
        size_t size = 0;
        ((size = loops.partial_size() > size ? loops.partial_size() : size), ...);
        void *partial = buffer_bytes(gpu, &gpu->partial, size + 1);
        const RepeatLaunch plan = {repeat_barrier(gpu), partial, off, iterations};
        launch_repeated(gpu, plan, loops...);
#else
        for (int k = 0; k < iterations && !*off; k++) {
            (loops.run_on_host(k), ...);
        }
#endif
    }
}

} // namespace ooze

#endif
