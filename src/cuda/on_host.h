/* Replaces CUDA where device code is built for the processor, for tests without a GPU. */
#ifndef OOZE_CUDA_ON_HOST_H
#define OOZE_CUDA_ON_HOST_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __device__
#define __host__
#define __forceinline__ inline

typedef int cudaStream_t;
typedef int cudaEvent_t;
typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(8) uint2 {
    uint32_t x, y;
};
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
static inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}

static inline uint32_t atomicMin(uint32_t *at, uint32_t value)
{
    uint32_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < now && !__atomic_compare_exchange_n(at, &now, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return now;
}
static inline uint32_t atomicMax(uint32_t *at, uint32_t value)
{
    uint32_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value > now && !__atomic_compare_exchange_n(at, &now, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return now;
}
static inline uint32_t atomicCAS(uint32_t *at, uint32_t expected, uint32_t value)
{
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
static inline unsigned long long atomicAdd(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
static inline unsigned long long atomicCAS(unsigned long long *at, unsigned long long expected,
                                           unsigned long long value)
{
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
static inline uint32_t atomicAdd(uint32_t *at, uint32_t value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

template <class Body> void on_host_each(uint64_t n, Body body)
{
#pragma omp parallel for schedule(static) if (n > 1000)
    for (uint64_t i = 0; i < n; i++) {
        body((uint32_t)i);
    }
}

enum { ON_HOST_GRAIN = 256 }; /* elements of a block of a sum */

/* Sums of blocks. */
template <class T, class Body> void on_host_block_sums(uint64_t n, T none, Body body, T *part)
{
    const uint64_t grain = ON_HOST_GRAIN, blocks = (n + grain - 1) / grain;
#pragma omp parallel for schedule(static) if (n > 1000)
    for (uint64_t k = 0; k < blocks; k++) {
        T sum = none;
        for (uint64_t i = k * grain; i < n && i < (k + 1) * grain; i++) {
            sum += body((uint32_t)i, 0u);
        }
        part[k] = sum;
    }
}

/* Sums of blocks, added in order. */
template <class T, class Body> T on_host_sum(uint64_t n, T none, Body body)
{
    const uint64_t blocks = (n + ON_HOST_GRAIN - 1) / ON_HOST_GRAIN;
    T *part = static_cast<T *>(std::malloc((blocks + 1) * sizeof(T))), all = none;
    on_host_block_sums(n, none, body, part);
    for (uint64_t k = 0; k < blocks; k++) {
        all += part[k];
    }
    std::free(part);
    return all;
}

#endif
