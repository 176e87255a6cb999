/* Base of all device code: loops over particles, sums in a fixed order, scratch memory.

   The body of a loop is a function of one particle. Built by nvcc it runs on the GPU; built by a
   C++ compiler, for tests without a GPU, it runs on the processor. Only files that sort or use
   shared memory have code of their own for each.

   The Gpu records the first launch or allocation that fails, and all later ones do nothing, so that
   errors are checked once, on return to the caller: see ooze::status. */
#ifndef OOZE_CUDA_GPU_CUH
#define OOZE_CUDA_GPU_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>

/* OOZE_STAND_IN: the code is compiled for the processor, for tests. */
#ifdef __CUDACC__
#include <cuda_runtime.h>
#define OOZE_STAND_IN false
#else
#include "cuda/on_host.h"
#define OOZE_STAND_IN true
#endif

#include "cuda/c_parts.h"

/* A device function, and the body of a loop: for_each(gpu, n, OOZE_BODY(uint32_t i) {...}), which
   captures by value. */
#define OOZE_DEVICE static __device__ __forceinline__
#define OOZE_BOTH   static __host__ __device__ __forceinline__ /* on the host as well */
#define OOZE_BODY   [=] __device__

namespace ooze
{

enum { BLOCK = 128 }; /* threads of a block */

/* Device memory that outlives a substep; growing it discards its contents beyond `kept` bytes. */
struct DeviceBuffer {
    void *memory;
    size_t size;
};

struct Chunk { /* a block of scratch memory */
    char *memory;
    size_t size, used;
};
enum { CHUNKS = 256 };

/* A result for the host. The device writes the number of the message after all of its bytes. */
struct Message {
    uint32_t number;
    alignas(16) unsigned char bytes[256];
};
/* The message of copy_out, and those of poll_unfinished. */
enum { MESSAGE_RESULT, MESSAGE_POLL, MESSAGES = MESSAGE_POLL + 2 };

struct Gpu {
    cudaStream_t stream;
    cudaError_t failed;   /* the first error, cudaSuccess until then */
    size_t failed_size;   /* bytes of the allocation that failed */
    size_t allocated;     /* bytes of device memory */
    DeviceBuffer partial; /* partial sums, one per block */
    DeviceBuffer tickets; /* counters of finished blocks; 0 while no sum runs */
    DeviceBuffer barrier; /* of repeated loops, see repeat.cuh */
    DeviceBuffer *spare;  /* freed where scratch memory does not suffice; or NULL */
    void *scalars;        /* device: 256 bytes of results for the host */
    Message *messages;    /* pinned: results for the host, see read_message */
    uint32_t *sent;       /* device: number of messages that were sent */
    uint32_t expected;    /* number of messages whose sending was launched */
    uint32_t polled[2];   /* numbers of the messages of poll_unfinished */
    Chunk chunk[CHUNKS];  /* scratch memory, freed after the substep */
    int chunks, top;      /* their number, and the one that is being filled */
    size_t used, peak;    /* bytes of scratch: now, and at most since the last reset */
    OozeEngineCounts counts;
    struct RankShare *share; /* of steps that several processes share, see ranks.cuh; or NULL */
};

bool gpu_create(Gpu *gpu);
void gpu_destroy(Gpu *gpu);
/* The recorded failure as an error; of an allocation, with the number of particles that would
   fit. */
OozeStatus status(Gpu *gpu, uint64_t particles, OozeError *error);
void gpu_wait(Gpu *gpu);                         /* until all launched work is done */
size_t free_bytes(void);                         /* of device memory; 0: unknown */
bool record_error(Gpu *gpu, cudaError_t result); /* true: nothing has failed so far */

/* ---- memory ----------------------------------------------------------------------------- */

void *scratch_bytes(Gpu *gpu, size_t size);
struct Mark {
    int top;
    size_t top_used, used;
};
Mark scratch_mark(const Gpu *gpu);
void scratch_rewind(Gpu *gpu, Mark mark);
void scratch_trim(Gpu *gpu);  /* frees chunks that hold nothing */
void scratch_reset(Gpu *gpu); /* at the beginning of a substep; merges the
                                chunks into one of the size of the peak */

/* count elements and one more, not initialised. NULL where the GPU has failed. */
template <class T> T *scratch(Gpu *gpu, uint64_t count)
{
    return static_cast<T *>(scratch_bytes(gpu, (count + 1) * sizeof(T)));
}

void *buffer_bytes(Gpu *gpu, DeviceBuffer *buffer, size_t size, size_t kept = 0);
void buffer_free(Gpu *gpu, DeviceBuffer *buffer);
/* Host memory that the GPU copies without a detour; NULL: out of memory. Free takes NULL. */
char *pinned_alloc(size_t size);
void pinned_free(void *memory);
template <class T> T *buffer(Gpu *gpu, DeviceBuffer *r, uint64_t count, uint64_t kept = 0)
{
    return static_cast<T *>(buffer_bytes(gpu, r, (count + 1) * sizeof(T), kept * sizeof(T)));
}

/* `count` zeros; a sum leaves them 0. */
uint32_t *sum_tickets(Gpu *gpu, uint64_t count);

/* Sends a value to the host, from one thread of the device and once only. */
struct MessageSender {
    Message *to;
    uint32_t *sent;
    template <class T> __device__ void operator()(const T &value) const
    {
        static_assert(sizeof(T) <= sizeof to->bytes, "messages are small");
        memcpy(to->bytes, &value, sizeof value);
        finish();
    }
    /* After the bytes were written. */
    __device__ void finish() const
    {
#ifdef __CUDACC__
        __threadfence_system(); /* the host sees the bytes before the number */
#endif
        const uint32_t number = *sent + 1;
        *sent = number;
        *const_cast<volatile uint32_t *>(&to->number) = number;
    }
};
/* The sender of a result, for the next launch; receive waits for it. False where the GPU has
   failed. */
MessageSender message_sender(Gpu *gpu);
bool receive_bytes(Gpu *gpu, void *to, size_t size);
template <class T> bool receive(Gpu *gpu, T *to)
{
    return receive_bytes(gpu, to, sizeof *to);
}

void copy_in(Gpu *gpu, void *to, const void *from_host, size_t size);
void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size); /* waits */
void copy(Gpu *gpu, void *to, const void *from, size_t size);
void clear(Gpu *gpu, void *memory, size_t size);

/* Called before batch k of loops that return at once when the device flag *off is set: false once
   the host has read it as set. It reads the flag of one batch earlier, so that the GPU always has
   queued work. */
bool poll_unfinished(Gpu *gpu, int k, const int32_t *off);

/* ---- loops ------------------------------------------------------------------------------ */

#ifdef __CUDACC__
struct LaunchShape {
    uint64_t blocks, threads, shared; /* shared: bytes of a block */
};

template <class Kernel, class... Arguments>
void launch_shaped(Gpu *gpu, LaunchShape shape, Kernel kernel, const Arguments &...arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)shape.blocks);
    config.blockDim = dim3((unsigned)shape.threads);
    config.dynamicSmemBytes = shape.shared;
    config.stream = gpu->stream;
    record_error(gpu, cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <class Kernel, class... Arguments>
void launch(Gpu *gpu, uint64_t blocks, Kernel kernel, const Arguments &...arguments)
{
    launch_shaped(gpu, {blocks, BLOCK, 0}, kernel, arguments...);
}

template <class Body>
__global__ void __launch_bounds__(BLOCK) each_kernel(uint32_t first, uint32_t end, Body body)
{
    uint32_t i = first + blockIdx.x * BLOCK + threadIdx.x;
    if (i < end) {
        body(i);
    }
}

template <int LANES, class Body>
__global__ void __launch_bounds__(BLOCK) lanes_kernel(uint32_t first, uint32_t end, Body body)
{
    uint32_t i = first + blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    if (i < end) {
        body(i, threadIdx.x % LANES);
    }
}
#endif

struct Range {
    uint64_t first, end;
};
/* The particles among n whose results this process needs: its own, and some ghosts before them up
   to a whole slice of the lists; all on one process. See ranks.cuh. */
Range needed_particles(const Gpu *gpu, uint64_t n);

/* body(i) for all i in a range, in any order. */
template <class Body> void for_range(Gpu *gpu, Range range, Body body)
{
    if (range.end <= range.first || gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch(gpu, (range.end - range.first + BLOCK - 1) / BLOCK, each_kernel<Body>,
           (uint32_t)range.first, (uint32_t)range.end, body);
#else
    const uint32_t first = (uint32_t)range.first;
    on_host_each(range.end - range.first, [=](uint32_t i) { body(first + i); });
#endif
}

/* body(i) for all i < n. */
template <class Body> void for_each(Gpu *gpu, uint64_t n, Body body)
{
    for_range(gpu, {0, n}, body);
}

/* body(i, lane): LANES threads share a particle, where threads would be few or wait; each visits
   every LANES-th group of its neighbours, and lanes_sum adds their results. All lanes of a particle
   must reach the same calls of lanes_sum. */
template <int LANES, class Body> void for_lanes(Gpu *gpu, Range range, Body body)
{
    const uint64_t n = range.end > range.first ? range.end - range.first : 0;
    if (n == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch(gpu, (n * LANES + BLOCK - 1) / BLOCK, lanes_kernel<LANES, Body>, (uint32_t)range.first,
           (uint32_t)range.end, body);
#else
    static_assert(LANES == 1, "one thread a particle on a processor");
    const uint32_t first = (uint32_t)range.first;
    on_host_each(n, [=](uint32_t i) { body(first + i, 0u); });
#endif
}
template <int LANES, class Body> void for_lanes(Gpu *gpu, uint64_t n, Body body)
{
    for_lanes<LANES>(gpu, Range{0, n}, body);
}

/* Below so many particles, MANY_LANES lanes share one: FEW, or OOZE_FEW of the environment, for
   measurements with other limits. */
enum { FEW = 40000, MANY_LANES = 8 };
uint64_t few_particles(void);
#ifdef __CUDACC__
#define OOZE_LANES(n, call)                                                                        \
    do {                                                                                           \
        if ((n) < ooze::few_particles()) {                                                         \
            call(ooze::MANY_LANES);                                                                \
        } else {                                                                                   \
            call(1);                                                                               \
        }                                                                                          \
    } while (0)
#else
#define OOZE_LANES(n, call) call(1)
#endif

/* Particles of all ranks, of which this one has n with its ghosts; n on one process. */
uint64_t all_particles(const Gpu *gpu, uint64_t n);

/* The lanes of a particle, as a mask of their warp. */
#ifdef __CUDACC__
template <int LANES> OOZE_DEVICE unsigned lanes_mask(void)
{
    const unsigned all = 0xffffffffu;
    return LANES >= 32 ? all : (all >> (32 - LANES) % 32) << (threadIdx.x % 32 & ~(LANES - 1u));
}
#endif

/* What a lane of the particle has; all lanes must call it. */
template <int LANES> OOZE_DEVICE float lanes_get(float a, uint32_t lane)
{
#ifdef __CUDACC__
    if (LANES > 1) {
        a = __shfl_sync(lanes_mask<LANES>(), a, (int)lane, LANES);
    }
#else
    (void)lane;
#endif
    return a;
}

/* Writes of each lane of a particle are visible to the others after this. */
template <int LANES> OOZE_DEVICE void lanes_sync(void)
{
#ifdef __CUDACC__
    if (LANES > 1) {
        __syncwarp(lanes_mask<LANES>());
    }
#endif
}

/* The sum over the lanes of a particle, returned to each. */
template <int LANES, class T> OOZE_DEVICE T lanes_sum_of(T a)
{
#ifdef __CUDACC__
    if (LANES > 1) {
        const unsigned mask = lanes_mask<LANES>();
        for (int k = LANES / 2; k > 0; k /= 2) {
            a += __shfl_xor_sync(mask, a, k);
        }
    }
#endif
    return a;
}
template <int LANES> OOZE_DEVICE float lanes_sum(float a)
{
    return lanes_sum_of<LANES>(a);
}
template <int LANES> OOZE_DEVICE double lanes_sum(double a)
{
    return lanes_sum_of<LANES>(a);
}

/* ---- sums over all particles: fixed blocks, added in order ------------------------------ */

/* Types of sums: trivially copyable, with operator+=, at most 64 bytes. */
struct Sum1 {
    double a;
    __device__ void operator+=(const Sum1 &o) { a += o.a; }
};
struct Sum3 {
    double a, b, c;
    __device__ void operator+=(const Sum3 &o)
    {
        a += o.a;
        b += o.b;
        c += o.c;
    }
};
struct Max1 {
    float a;
    __device__ void operator+=(const Max1 &o) { a = o.a > a ? o.a : a; }
};

#ifdef __CUDACC__
/* The value of the thread k lanes further on. */
template <class T> __device__ T shuffle_down(T value, unsigned k)
{
    static_assert(sizeof(T) % sizeof(uint32_t) == 0, "whole words");
    uint32_t words[sizeof(T) / sizeof(uint32_t)];
    memcpy(words, &value, sizeof value);
    for (size_t w = 0; w < sizeof(T) / sizeof(uint32_t); w++) {
        words[w] = __shfl_down_sync(0xffffffffu, words[w], k);
    }
    memcpy(&value, words, sizeof value);
    return value;
}

/* The sum over BLOCK threads, valid in the first of them. `shared`: one value per warp. A block may
   be several times as large: each BLOCK threads then have their own sum and their own `shared`. */
template <class T> __device__ T block_sum(T value, T *shared)
{
    for (unsigned k = 16; k > 0; k /= 2) {
        value += shuffle_down(value, k);
    }
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x % BLOCK / 32] = value;
    }
    __syncthreads();
    for (unsigned k = 1; k < BLOCK / 32 && threadIdx.x % BLOCK == 0; k++) {
        value += shared[k];
    }
    return value;
}

/* Blocks of a group: the last one to finish adds the group's partial sums, and the last block of
   all adds the sums of the groups. */
enum { GROUP = 256 };

/* True in the last of `members` blocks that call it; the writes of the others are then visible. */
static __device__ bool is_last(uint32_t *ticket, uint32_t members)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1u) == members - 1;
        if (last) {
            *ticket = 0;
        }
    }
    __syncthreads();
    __threadfence();
    return last;
}

/* The sum of `count` partial sums, valid in the first of BLOCK threads. */
template <class T> __device__ T sum_partials(const T *partial, uint32_t count, T none, T *shared)
{
    T all = none;
    for (uint32_t k = threadIdx.x % BLOCK; k < count; k += BLOCK) {
        all += partial[k]; /* not in the cache of this multiprocessor yet */
    }
    __syncthreads();
    return block_sum(all, shared);
}

/* What a launch of sum_kernel does: a whole sum, or, of sums that several processes share, the sums
   of blocks or of groups of its own particles, and later the rest, from the sums of all processes.
   One kernel does all of them, so that they have the same bits. */
enum SumPart { SUM_WHOLE, SUM_BLOCKS, SUM_GROUPS, SUM_REST_OF_BLOCKS, SUM_REST_OF_GROUPS };
struct SumPlan {
    SumPart part;
    uint32_t first, end; /* particles; of the rest: the number of sums of blocks or groups */
};

/* The rest of a sum; `partial` has room for the sums of groups behind those of blocks. */
template <class T> __device__ T rest_of_sum(SumPlan plan, T none, T *partial, T *shared)
{
    uint32_t count = plan.end;
    if (plan.part == SUM_REST_OF_BLOCKS) {
        T *sums = partial + count;
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
    return count > 1 ? sum_partials(partial, count, none, shared) : count > 0 ? partial[0] : none;
}

template <int LANES, class T, class Body, class Then>
__global__ void __launch_bounds__(BLOCK)
    sum_kernel(SumPlan plan, T none, T *partial, uint32_t *ticket, Body body, Then then)
{
    __shared__ __align__(16) char memory[BLOCK / 32 * sizeof(T)];
    T *shared = reinterpret_cast<T *>(memory), sum = none;
    if (plan.part <= SUM_GROUPS) {
        uint32_t i = plan.first + blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
        uint32_t lane = threadIdx.x % LANES;
        uint32_t group = blockIdx.x / GROUP, groups = (gridDim.x + GROUP - 1) / GROUP;
        uint32_t members = group + 1 < groups ? (uint32_t)GROUP : gridDim.x - group * GROUP;
        T mine = none;
        if (i < plan.end) {
            T value = body(i, lane);
            mine = lane == 0 ? value : none;
        }
        sum = block_sum(mine, shared);
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = sum;
        }
        if (plan.part == SUM_BLOCKS || !is_last(ticket + 1 + group, members)) {
            return;
        }
        sum = sum_partials(partial + (uint64_t)group * GROUP, members, none, shared);
        if (groups > 1 || plan.part == SUM_GROUPS) {
            if (threadIdx.x == 0) {
                partial[gridDim.x + group] = sum;
            }
            if (plan.part == SUM_GROUPS || !is_last(ticket, groups)) {
                return;
            }
            sum = sum_partials(partial + gridDim.x, groups, none, shared);
        }
    } else {
        sum = rest_of_sum(plan, none, partial, shared);
    }
    if (threadIdx.x == 0) {
        then(sum);
    }
}
#endif

/* Sums body(i, 0) over all particles and calls then(sum) once, on the device; body runs for all
   lanes. */
template <int LANES, class T, class Body, class Then>
void sum_lanes(Gpu *gpu, uint64_t n, T none, Body body, Then then)
{
    static_assert(sizeof(T) <= 64, "sums are small");
    if (gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    uint64_t blocks = n ? (n * LANES + BLOCK - 1) / BLOCK : 1,
             groups = (blocks + GROUP - 1) / GROUP;
    T *partial = static_cast<T *>(buffer_bytes(gpu, &gpu->partial, (blocks + groups) * sizeof(T)));
    uint32_t *ticket = sum_tickets(gpu, 1 + groups);
    if (gpu->failed == cudaSuccess) {
        const SumPlan whole = {SUM_WHOLE, 0, (uint32_t)n};
        launch(gpu, blocks, sum_kernel<LANES, T, Body, Then>, whole, none, partial, ticket, body,
               then);
    }
#else
    static_assert(LANES == 1, "one thread a particle on a processor");
    then(on_host_sum(n, none, body));
#endif
}

template <class Body> struct AnyLane {
    Body body;
    __device__ auto operator()(uint32_t i, uint32_t) const { return body(i); }
};

template <class T, class Body, class Then>
void sum_each(Gpu *gpu, uint64_t n, T none, Body body, Then then)
{
    AnyLane<Body> any = {body};
    sum_lanes<1>(gpu, n, none, any, then);
}

template <class T> struct StoreSum {
    T *to;
    __device__ void operator()(T sum) const { *to = sum; }
};

/* The sum, sent to the host: waits. `none` where the GPU has failed. */
template <class T, class Body> T sum_to_host(Gpu *gpu, uint64_t n, T none, Body body)
{
    T found = none;
    sum_each(gpu, n, none, body, message_sender(gpu));
    return receive(gpu, &found) ? found : none;
}

/* ---- numbers and their bits --- */

#ifdef __CUDACC__
OOZE_DEVICE uint32_t lowest_bit(uint32_t bits)
{
    return (uint32_t)__ffs((int)bits) - 1;
}
#else
OOZE_DEVICE uint32_t lowest_bit(uint32_t bits)
{
    return (uint32_t)__builtin_ctz(bits);
}
#endif

OOZE_DEVICE float bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
OOZE_DEVICE uint32_t float_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- small vectors ---------------------------------------------------------------------- */

OOZE_BOTH float4 f32x4(float x, float y, float z, float w = 0.0f)
{
    return make_float4(x, y, z, w);
}

/* Of x, y and z; w is that of `a`. */
OOZE_BOTH float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w);
}
OOZE_BOTH float4 operator-(float4 a, float4 b)
{
    return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w);
}
OOZE_BOTH float4 operator*(float s, float4 a)
{
    return make_float4(s * a.x, s * a.y, s * a.z, a.w);
}
OOZE_BOTH float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* x, y and z, each summed over the lanes of a particle. */
template <int LANES> OOZE_DEVICE float4 lanes_sum(float4 a)
{
    return f32x4(lanes_sum<LANES>(a.x), lanes_sum<LANES>(a.y), lanes_sum<LANES>(a.z));
}

} // namespace ooze

#endif
