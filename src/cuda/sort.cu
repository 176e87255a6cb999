#include "cuda/sort.cuh"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

namespace ooze
{

#ifdef __CUDACC__

enum { DIGIT_BITS = 8 }; /* of a pass of CUB, from Pascal on */

int sort_input_side(int bits)
{
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS % 2 == 0 ? 1 : 0;
}

template <class Key>
static void sort(Gpu *gpu, Key *key[2], uint32_t *index[2], uint64_t n, int bits)
{
    if (n == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    int side = sort_input_side(bits);
    cub::DoubleBuffer<Key> keys(key[side], key[!side]);
    cub::DoubleBuffer<uint32_t> indices(index[side], index[!side]);
    size_t size = 0;
    Mark mark = scratch_mark(gpu);
    record_error(gpu, cub::DeviceRadixSort::SortPairs(nullptr, size, keys, indices, n, 0, bits,
                                                      gpu->stream));
    void *work = scratch_bytes(gpu, size);
    if (gpu->failed == cudaSuccess) {
        record_error(gpu, cub::DeviceRadixSort::SortPairs(work, size, keys, indices, n, 0, bits,
                                                          gpu->stream));
    }
    if (keys.Current() != key[1]) {
        copy(gpu, key[1], key[0], n * sizeof(Key));
    }
    if (indices.Current() != index[1]) {
        copy(gpu, index[1], index[0], n * sizeof(uint32_t));
    }
    scratch_rewind(gpu, mark);
}

/* The element behind the last, of which a scan reads the place, is 0. */
struct CountsThenZero {
    const uint32_t *from;
    uint64_t n;
    __host__ __device__ uint32_t operator()(uint64_t k) const { return k < n ? from[k] : 0; }
};

void running_sum(Gpu *gpu, const uint32_t *from, uint64_t *to, uint64_t n)
{
    gpu->counts.launches += 2;
    if (gpu->failed != cudaSuccess) {
        return;
    }
    size_t size = 0;
    Mark mark = scratch_mark(gpu);
    cuda::std::plus<uint64_t> plus;
    const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<uint64_t>(0),
                                                        CountsThenZero{from, n});
    record_error(gpu, cub::DeviceScan::ExclusiveScan(nullptr, size, counts, to, plus, (uint64_t)0,
                                                     n + 1, gpu->stream));
    void *work = scratch_bytes(gpu, size);
    if (gpu->failed == cudaSuccess) {
        record_error(gpu, cub::DeviceScan::ExclusiveScan(work, size, counts, to, plus, (uint64_t)0,
                                                         n + 1, gpu->stream));
    }
    scratch_rewind(gpu, mark);
}

struct Unflagged {
    const uint8_t *flag;
    __device__ bool operator()(uint32_t i) const { return flag[i] == 0; }
};

uint64_t select_unflagged(Gpu *gpu, const uint8_t *flag, uint32_t *kept, uint64_t n)
{
    uint64_t found = 0;
    if (n == 0 || gpu->failed != cudaSuccess) {
        return 0;
    }
    size_t size = 0;
    Mark mark = scratch_mark(gpu);
    Unflagged unflagged = {flag};
    thrust::counting_iterator<uint32_t> all(0);
    uint64_t *count = static_cast<uint64_t *>(gpu->scalars);
    record_error(gpu,
                 cub::DeviceSelect::If(nullptr, size, all, kept, count, n, unflagged, gpu->stream));
    void *work = scratch_bytes(gpu, size);
    if (gpu->failed == cudaSuccess) {
        record_error(
            gpu, cub::DeviceSelect::If(work, size, all, kept, count, n, unflagged, gpu->stream));
    }
    copy_out(gpu, &found, count, sizeof found);
    scratch_rewind(gpu, mark);
    return gpu->failed == cudaSuccess ? found : 0;
}

#else

enum { DIGIT_BITS = 11 };

int sort_input_side(int bits)
{
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS % 2 == 0 ? 1 : 0;
}

template <class Key>
static void sort(Gpu *gpu, Key *key[2], uint32_t *index[2], uint64_t n, int bits)
{
    int from = sort_input_side(bits);
    for (int shift = 0; shift < bits && gpu->failed == cudaSuccess; shift += DIGIT_BITS) {
        int width = bits - shift < DIGIT_BITS ? bits - shift : (int)DIGIT_BITS;
        const Key mask = ((Key)1 << width) - 1;
        uint64_t place[(1 << DIGIT_BITS) + 1] = {};
        for (uint64_t i = 0; i < n; i++) {
            place[(key[from][i] >> shift & mask) + 1]++;
        }
        for (Key d = 0; d < mask; d++) {
            place[d + 1] += place[d];
        }
        for (uint64_t i = 0; i < n; i++) {
            uint64_t to = place[key[from][i] >> shift & mask]++;
            key[!from][to] = key[from][i];
            index[!from][to] = index[from][i];
        }
        from = !from;
    }
}

void running_sum(Gpu *gpu, const uint32_t *from, uint64_t *to, uint64_t n)
{
    gpu->counts.launches += 2;
    if (gpu->failed != cudaSuccess) {
        return;
    }
    to[0] = 0;
    for (uint64_t k = 0; k < n; k++) {
        to[k + 1] = to[k] + from[k];
    }
}

uint64_t select_unflagged(Gpu *gpu, const uint8_t *flag, uint32_t *kept, uint64_t n)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n && gpu->failed == cudaSuccess; i++) {
        if (flag[i] == 0) {
            kept[found++] = (uint32_t)i;
        }
    }
    return found;
}

#endif

void sort_pairs(Gpu *gpu, uint32_t *key[2], uint32_t *index[2], uint64_t n, int bits)
{
    gpu->counts.launches += (uint64_t)(3 + (bits + 7) / 8); /* of CUB: a digit has 8 bits */
    sort(gpu, key, index, n, bits);
}

void sort_pairs(Gpu *gpu, uint64_t *key[2], uint32_t *index[2], uint64_t n, int bits)
{
    gpu->counts.launches += (uint64_t)(3 + (bits + 7) / 8); /* of CUB: a digit has 8 bits */
    sort(gpu, key, index, n, bits);
}

} // namespace ooze
