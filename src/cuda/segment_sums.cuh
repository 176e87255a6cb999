/* Sums over segments of an array, such as the particles of each body: in a fixed order, all
   segments in one launch, and what follows from a sum in the same launch. */
#ifndef OOZE_CUDA_SEGMENT_SUMS_CUH
#define OOZE_CUDA_SEGMENT_SUMS_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* Elements that one block sums. */
enum { SEGMENT_PART = 1024 };

struct SegmentPart {
    uint32_t begin, end; /* elements */
    uint32_t segment;
};

/* Captured by loops. Parts are in the order of their segments; each segment has at least one. */
struct Segments {
    const SegmentPart *part;    /* device */
    const uint32_t *first_part; /* device: count + 1 */
    uint32_t part_count, count;
};

/* Number of parts of a segment. */
static inline uint64_t segment_parts(uint64_t elements)
{
    return elements > 0 ? (elements + SEGMENT_PART - 1) / SEGMENT_PART : 1;
}

/* ---- threads that share a segment: a warp on a GPU, one thread on the processor ---- */

#ifdef __CUDACC__
enum { SEGMENT_LANES = 32 };

OOZE_DEVICE uint32_t lanes_where(bool condition)
{
    return __ballot_sync(0xffffffffu, condition);
}
OOZE_DEVICE double lane_value(double a, uint32_t lane)
{
    return __shfl_sync(0xffffffffu, a, (int)lane);
}
OOZE_DEVICE void lanes_sync(void)
{
    __syncwarp();
}
/* The same in every lane. */
OOZE_DEVICE double segment_lanes_sum(double a)
{
    for (int k = SEGMENT_LANES / 2; k > 0; k /= 2) {
        a += __shfl_xor_sync(0xffffffffu, a, k);
    }
    return a;
}
#else
enum { SEGMENT_LANES = 1 };

OOZE_DEVICE uint32_t lanes_where(bool condition)
{
    return condition ? 1u : 0u;
}
OOZE_DEVICE double lane_value(double a, uint32_t)
{
    return a;
}
OOZE_DEVICE void lanes_sync(void) {}
OOZE_DEVICE double segment_lanes_sum(double a)
{
    return a;
}
#endif

/* `bits` without those up to and including bit `last`. */
OOZE_DEVICE uint32_t bits_after(uint32_t bits, uint32_t last)
{
    return bits & ~((2u << last) - 1u);
}

/* body(segment, lane) for all segments. */
template <class Body> void for_segments(Gpu *gpu, uint64_t count, Body body)
{
    for_lanes<SEGMENT_LANES>(gpu, count, body);
}

/* ---- sums ---- */

/* No action after the sums of all segments. */
struct NothingLast {
    __device__ void operator()() const {}
};

#ifdef __CUDACC__
template <class T, class Body, class Then, class Last>
__global__ void __launch_bounds__(BLOCK)
    segments_kernel(Segments s, T none, T *partial, uint32_t *ticket, Body body, Then then,
                    Last last)
{
    __shared__ __align__(16) char memory[BLOCK / 32 * sizeof(T)];
    T *shared = reinterpret_cast<T *>(memory);
    const SegmentPart part = s.part[blockIdx.x];
    T own = none;
    for (uint32_t i = part.begin + threadIdx.x; i < part.end; i += BLOCK) {
        own += body(i, part.segment);
    }
    T sum = block_sum(own, shared);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
    const uint32_t first = s.first_part[part.segment],
                   members = s.first_part[part.segment + 1] - first;
    if (!is_last(ticket + 1 + part.segment, members)) {
        return;
    }
    sum = sum_partials(partial + first, members, none, shared);
    if (threadIdx.x == 0) {
        shared[0] = sum;
    }
    __syncthreads();
    if (threadIdx.x < SEGMENT_LANES) {
        sum = shared[0];
        then(part.segment, sum, threadIdx.x);
    }
    __threadfence(); /* other blocks read what `then` has written */
    __syncthreads();
    if (is_last(ticket, s.count) && threadIdx.x == 0) {
        last();
    }
}
#endif

/* Sums body(i, segment) over the elements of every segment; then(segment, sum, lane) follows on the
   device in all lanes of a segment, and last() once after all segments. */
template <class T, class Body, class Then, class Last>
void sum_segments(Gpu *gpu, const Segments &s, T none, Body body, Then then, Last last)
{
    if (gpu->failed != cudaSuccess || s.count == 0) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    T *partial = static_cast<T *>(buffer_bytes(gpu, &gpu->partial, s.part_count * sizeof(T)));
    uint32_t *ticket = sum_tickets(gpu, 1 + (uint64_t)s.count);
    if (gpu->failed == cudaSuccess) {
        launch(gpu, s.part_count, segments_kernel<T, Body, Then, Last>, s, none, partial, ticket,
               body, then, last);
    }
#else
    for (uint32_t k = 0; k < s.count; k++) {
        T sum = none;
        for (uint32_t p = s.first_part[k]; p < s.first_part[k + 1]; p++) {
            const uint32_t begin = s.part[p].begin, count = s.part[p].end - begin;
            sum +=
                on_host_sum(count, none, [=](uint32_t i, uint32_t) { return body(begin + i, k); });
        }
        then(k, sum, 0u);
    }
    last();
#endif
}

template <class T, class Body, class Then>
void sum_segments(Gpu *gpu, const Segments &s, T none, Body body, Then then)
{
    sum_segments(gpu, s, none, body, then, NothingLast());
}

} // namespace ooze

#endif
