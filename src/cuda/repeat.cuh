/* A sequence of loops over particles that one launch repeats until a flag is set.

   Iterations of small scenes take less time than their launches. Here all blocks of a launch run at
   once and wait for each other between loops. One block, the leader, has no particles: it adds the
   sums of the others and tells them whether to continue. Sums have the blocks and the order of
   sum_lanes, so that repeated loops have the bits of the same loops launched one by one.

   Blocks of a loop see what loops before it have written, as between launches: no body may read
   through the cache for constants (__ldg, __restrict__) what another loop writes. */
#ifndef OOZE_CUDA_REPEAT_CUH
#define OOZE_CUDA_REPEAT_CUH

#include "cuda/gpu.cuh"

#include <type_traits>

namespace ooze
{

/* Where the blocks of a launch meet: words that many blocks read stand in lines of their own. */
struct RepeatBarrier {
    alignas(128) uint32_t arrived; /* blocks that have ended a loop, summed over the loops */
    alignas(128) uint32_t passed;  /* loops that all blocks have ended, and REPEAT_STOP */
};
/* Device memory; NULL where the GPU has failed. */
RepeatBarrier *repeat_barrier(Gpu *gpu);

/* So many particles with one thread each have all of their threads at once on an H200, with the
   registers of REPEAT_RESIDENT; blocks that take turns save no time over launches. */
enum { REPEAT_MOST = 1 << 17 };

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
template <class Then> struct RepeatThen {
    Then then;
    int k;
    template <class T> __device__ void operator()(T sum) const { repeat_then(then, sum, k); }
};

/* A body that does nothing where the flag is set, for single launches of loops whose repetition
   would have ended. */
template <class Body> struct UnlessOff {
    Body body;
    const int32_t *off;
    int k;
    __device__ auto operator()(uint32_t i, uint32_t lane) const
        -> decltype(repeat_call(body, i, lane, k))
    {
        return *off ? decltype(repeat_call(body, i, lane, k))() : repeat_call(body, i, lane, k);
    }
};
template <class Body> UnlessOff<Body> unless_off(const int32_t *off, Body body, int k = 0)
{
    return {body, off, k};
}

#ifdef __CUDACC__
/* A block of this launch stands for so many blocks of sums: with fewer blocks fewer of them meet.
   Registers suffice for two of them on a multiprocessor, 64 a thread: loops over 16,000 particles
   with eight lanes then run at once on 132 multiprocessors. */
enum { REPEAT_TEAMS = 4, REPEAT_THREADS = REPEAT_TEAMS * BLOCK, REPEAT_RESIDENT = 2 };
enum { REPEAT_ROOM = 32 }; /* sums of so many groups are kept in shared memory */
enum : uint32_t { REPEAT_STOP = 0x80000000u, REPEAT_NUMBER = 0x7fffffffu };

/* What all loops of a launch share. */
struct RepeatLaunch {
    RepeatBarrier *barrier;
    void *partial;
    const int32_t *off;
    int iterations;
    int k; /* the present one */
};

/* ---- blocks meet ---- */

/* What the block has written before is visible to blocks that see later writes of this thread, and
   what others have written before writes that this thread has seen is visible to the block. */
OOZE_DEVICE void repeat_fence(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
template <class T> OOZE_DEVICE T repeat_look(const T *word)
{
    return *const_cast<const volatile T *>(word);
}

/* The end of a loop in a block with particles: `number` loops have then ended. False: no more
   loops follow. */
OOZE_DEVICE bool repeat_meet(RepeatBarrier *barrier, uint32_t number)
{
    __shared__ bool stops;
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t passed;
        repeat_fence();
        atomicAdd(&barrier->arrived, 1u);
        do {
            passed = repeat_look(&barrier->passed);
        } while ((passed & REPEAT_NUMBER) != (number & REPEAT_NUMBER));
        repeat_fence();
        stops = (passed & REPEAT_STOP) != 0;
    }
    __syncthreads();
    return !stops;
}

/* The leader, in its first thread: waits for the others, and lets them continue or end. */
OOZE_DEVICE void repeat_await(const RepeatBarrier *barrier, uint32_t loops)
{
    while (repeat_look(&barrier->arrived) != loops * (gridDim.x - 1)) {
    }
    repeat_fence();
}
OOZE_DEVICE void repeat_release(RepeatBarrier *barrier, uint32_t number, bool stops)
{
    repeat_fence();
    *const_cast<volatile uint32_t *>(&barrier->passed) =
        (number & REPEAT_NUMBER) | (stops ? (uint32_t)REPEAT_STOP : 0u);
}

/* Number of loops that have ended: before the launch, and since then. */
struct RepeatTurn {
    uint32_t before, loops;
    __device__ uint32_t number(void) const { return before + loops; }
    __device__ RepeatTurn &next(void)
    {
        loops++;
        return *this;
    }
};

/* ---- blocks of sums ---- */

/* f(block) in every thread for the blocks of a loop that this block stands for: consecutive ones,
   whose particles are close to each other; `count` or more where there are fewer. All threads of a
   block make the same number of calls. */
template <class F> OOZE_DEVICE void repeat_blocks(uint32_t count, F f)
{
    const uint32_t workers = gridDim.x - 1, team = threadIdx.x / BLOCK;
    const uint32_t share = (count + workers - 1) / workers, first = blockIdx.x * share;
    for (uint32_t k = 0; k < share; k += REPEAT_TEAMS) {
        f(k + team < share ? first + k + team : count);
    }
}

/* As the end of sum_kernel, by one block: valid in its first thread. `partial` has room for the
   sums of groups behind those of blocks. */
template <class T> __device__ T repeat_sum_partials(T *partial, uint32_t blocks, T none, T *shared)
{
    __shared__ __align__(16) char room[REPEAT_ROOM * sizeof(T)];
    const uint32_t groups = (blocks + GROUP - 1) / GROUP, team = threadIdx.x / BLOCK;
    T *sums = groups <= REPEAT_ROOM ? reinterpret_cast<T *>(room) : partial + blocks;
    T sum = none;
    for (uint32_t first = 0; first < groups; first += REPEAT_TEAMS) {
        const uint32_t group = first + team, begin = group * GROUP;
        const uint32_t left = begin < blocks ? blocks - begin : 0;
        const uint32_t members = left < GROUP ? left : (uint32_t)GROUP;
        sum = sum_partials(partial + begin, members, none, shared);
        if (members > 0 && threadIdx.x % BLOCK == 0) {
            sums[group] = sum;
        }
    }
    if (groups > 1) {
        __syncthreads();
        sum = sum_partials(sums, team == 0 ? groups : 0, none, shared);
    }
    return sum;
}
#endif

/* ---- loops ---- */

/* body(i, lane) for all i < n, in any order: see for_lanes. */
template <int LANES, class Body> struct EachLoop {
    static constexpr bool SUMS = false, LATE = false;
    uint32_t n;
    Body body;

    __host__ __device__ uint32_t blocks(void) const
    {
        return (uint32_t)(((uint64_t)n * LANES + BLOCK - 1) / BLOCK);
    }
    void launch_alone(Gpu *gpu, const int32_t *off, int k) const
    {
        for_lanes<LANES>(gpu, n, unless_off(off, body, k));
    }
#ifdef __CUDACC__
    size_t partial_size(void) const
    {
        return 0;
    }
    __device__ void work(const RepeatLaunch &launch, char *) const
    {
        repeat_blocks(blocks(), [&](uint32_t block) {
            const uint64_t i = (uint64_t)block * (BLOCK / LANES) + threadIdx.x % BLOCK / LANES;
            if (i < n) {
                repeat_call(body, (uint32_t)i, threadIdx.x % LANES, launch.k);
            }
        });
    }
    __device__ bool lead(const RepeatLaunch &launch, const RepeatTurn &turn, char *) const
    {
        __shared__ bool stops;
        if (threadIdx.x == 0) {
            repeat_await(launch.barrier, turn.loops);
            stops = repeat_look(launch.off) != 0;
            repeat_release(launch.barrier, turn.number(), stops);
        }
        __syncthreads();
        const bool continues = !stops;
        __syncthreads();
        return continues;
    }
#else
    void run_on_host(int k) const
    {
        const Body &f = body;
        on_host_each(n, [&f, k](uint32_t i) { repeat_call(f, i, 0u, k); });
    }
#endif
};

/* Sums body(i, 0), and then(sum) before the next loop: see sum_lanes. Where AFTER, then(sum) runs
   beside the next loop, which has no sum, and before the loop after that: the loop beside it reads
   nothing that `then` writes, and where `then` sets the flag, it runs in vain. */
template <int LANES, bool AFTER, class T, class Body, class Then> struct SumLoop {
    static constexpr bool SUMS = true, LATE = AFTER;
    uint32_t n;
    T none;
    Body body;
    Then then;

    __host__ __device__ uint32_t blocks(void) const
    {
        return n ? (uint32_t)(((uint64_t)n * LANES + BLOCK - 1) / BLOCK) : 1;
    }
    void launch_alone(Gpu *gpu, const int32_t *off, int k) const
    {
        const RepeatThen<Then> end = {then, k};
        sum_lanes<LANES>(gpu, n, none, unless_off(off, body, k), end);
    }
#ifdef __CUDACC__
    size_t partial_size(void) const
    {
        const uint64_t groups = (blocks() + GROUP - 1) / GROUP;
        return (blocks() + groups) * sizeof(T);
    }
    __device__ static T *team_shared(char *memory)
    {
        return reinterpret_cast<T *>(memory) + threadIdx.x / BLOCK * (BLOCK / 32);
    }
    __device__ void work(const RepeatLaunch &launch, char *memory) const
    {
        const uint32_t count = blocks();
        T *partial = static_cast<T *>(launch.partial), *shared = team_shared(memory);
        repeat_blocks(count, [&](uint32_t block) {
            const uint64_t i = (uint64_t)block * (BLOCK / LANES) + threadIdx.x % BLOCK / LANES;
            T mine = none;
            if (i < n) {
                T value = repeat_call(body, (uint32_t)i, threadIdx.x % LANES, launch.k);
                mine = threadIdx.x % LANES == 0 ? value : none;
            }
            __syncthreads(); /* the sum before has been read */
            T sum = block_sum(mine, shared);
            if (block < count && threadIdx.x % BLOCK == 0) {
                partial[block] = sum;
            }
        });
    }
    __device__ bool lead(const RepeatLaunch &launch, const RepeatTurn &turn, char *memory) const
    {
        __shared__ bool stops;
        if (threadIdx.x == 0) {
            repeat_await(launch.barrier, turn.loops);
            if (LATE) {
                repeat_release(launch.barrier, turn.number(), false);
            }
        }
        __syncthreads();
        T sum = repeat_sum_partials(static_cast<T *>(launch.partial), blocks(), none,
                                    team_shared(memory));
        if (threadIdx.x == 0) {
            repeat_then(then, sum, launch.k);
            stops = !LATE && repeat_look(launch.off) != 0;
            if (!LATE) {
                repeat_release(launch.barrier, turn.number(), stops);
            }
        }
        __syncthreads();
        const bool continues = !stops;
        __syncthreads();
        return continues;
    }
#else
    void run_on_host(int k) const
    {
        const Body &f = body;
        repeat_then(
            then,
            on_host_sum(n, none,
                        [&f, k](uint32_t i, uint32_t lane) { return repeat_call(f, i, lane, k); }),
            k);
    }
#endif
};

template <int LANES, class Body> EachLoop<LANES, Body> each_loop(uint64_t n, Body body)
{
    return {(uint32_t)n, body};
}
template <int LANES, class T, class Body, class Then>
SumLoop<LANES, false, T, Body, Then> sum_loop(uint64_t n, T none, Body body, Then then)
{
    static_assert(sizeof(T) <= 64, "sums are small");
    return {(uint32_t)n, none, body, then};
}
template <int LANES, class T, class Body, class Then>
SumLoop<LANES, true, T, Body, Then> late_sum_loop(uint64_t n, T none, Body body, Then then)
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
    RepeatTurn turn = {repeat_look(&launch.barrier->passed), 0};
    bool continues = repeat_look(launch.off) == 0;
    if (blockIdx.x + 1 < gridDim.x) {
        for (int k = 0; k < launch.iterations && continues; k++) {
            launch.k = k;
            continues =
                ((loops.work(launch, memory), repeat_meet(launch.barrier, turn.next().number())) &&
                 ...);
        }
        return;
    }
    for (int k = 0; k < launch.iterations && continues; k++) {
        launch.k = k;
        continues = (loops.lead(launch, turn.next(), memory) && ...);
    }
    if (threadIdx.x == 0) {
        launch.barrier->arrived = 0;
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
    wanted = (wanted + REPEAT_TEAMS - 1) / REPEAT_TEAMS + 1;
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
        (loops.launch_alone(gpu, off, k), ...);
    }
}

/* False: the sum of a loop is to be added beside the next sum. */
template <class... Loops> constexpr bool late_sums_have_time(void)
{
    const bool late[] = {Loops::LATE...}, sums[] = {Loops::SUMS...};
    bool all = true;
    for (size_t k = 0; k < sizeof...(Loops); k++) {
        all = all && !(late[k] && sums[(k + 1) % sizeof...(Loops)]);
    }
    return all;
}

/* Runs the loops one after another, `iterations` times at most, until the device flag *off is set:
   no loop follows, but the one beside a late `then`. A `then` sets it, or a body of a loop that is
   not the first, since blocks look at it when they begin. Bodies need not look at it. */
template <class... Loops>
void repeat(Gpu *gpu, int iterations, const int32_t *off, const Loops &...loops)
{
    static_assert(late_sums_have_time<Loops...>(), "a loop without a sum follows a late one");
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
        const RepeatLaunch plan = {repeat_barrier(gpu), partial, off, iterations, 0};
        launch_repeated(gpu, plan, loops...);
#else
        bool continues = !*off;
        for (int k = 0; k < iterations && continues; k++) {
            continues = ((loops.run_on_host(k), !*off) && ...);
        }
#endif
    }
}

} // namespace ooze

#endif
