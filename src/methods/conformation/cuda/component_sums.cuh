/* Sums over components of fluid. They are sums of integers, which do not depend on the order. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_COMPONENT_SUMS_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_COMPONENT_SUMS_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* The unit in which no sum of n numbers of this size exceeds 62 bits. */
OOZE_DEVICE double sum_unit(float largest, double n)
{
    return largest > 0.0f ? (double)largest * n / 4e18 : 1.0;
}

template <int K> OOZE_DEVICE void add_to_component(unsigned long long *to, const long long *value)
{
    for (int c = 0; c < K; c++) {
        atomicAdd(&to[c], (unsigned long long)value[c]);
    }
}

#ifdef __CUDACC__
/* Blocks that belong to one component, nearly all in a connected fluid, are summed in shared
   memory first. */
template <int K, class Body>
__global__ void __launch_bounds__(BLOCK)
    component_kernel(uint32_t n, const uint32_t *root, unsigned long long *sums, const int32_t *off,
                     Body body)
{
    __shared__ long long sum[K][BLOCK];
    __shared__ uint32_t first;
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (*off) {
        return;
    }
    if (threadIdx.x == 0) {
        first = root[i];
    }
    __syncthreads();
    uint32_t mine = i < n ? root[i] : first;
    long long value[K];
    for (int c = 0; c < K; c++) {
        value[c] = 0;
    }
    if (i < n) {
        body(i, value);
    }
    if (__syncthreads_or(mine != first)) {
        if (i < n) {
            add_to_component<K>(sums + (uint64_t)K * mine, value);
        }
        return;
    }
    for (int c = 0; c < K; c++) {
        sum[c][threadIdx.x] = value[c];
    }
    __syncthreads();
    for (unsigned k = BLOCK / 2; k > 0; k /= 2) {
        for (int c = 0; c < K && threadIdx.x < k; c++) {
            sum[c][threadIdx.x] += sum[c][threadIdx.x + k];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        long long all[K];
        for (int c = 0; c < K; c++) {
            all[c] = sum[c][0];
        }
        add_to_component<K>(sums + (uint64_t)K * first, all);
    }
}
#endif

/* Adds K numbers of each particle, body(i, value), to sums[K root[i]] and on; nothing where *off.
   */
template <int K, class Body>
void sum_components(Gpu *gpu, uint64_t n, const uint32_t *root, unsigned long long *sums,
                    const int32_t *off, Body body)
{
    if (n == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch(gpu, (n + BLOCK - 1) / BLOCK, component_kernel<K, Body>, (uint32_t)n, root, sums, off,
           body);
#else
    for (uint64_t i = 0; i < n && !*off; i++) {
        long long value[K] = {};
        body((uint32_t)i, value);
        add_to_component<K>(sums + (uint64_t)K * root[i], value);
    }
#endif
}

} // namespace ooze

#endif
