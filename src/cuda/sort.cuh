/* Sort, prefix sum and selection: by CUB on a GPU. */
#ifndef OOZE_CUDA_SORT_CUH
#define OOZE_CUDA_SORT_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* Stable sort by the lowest `bits` of the keys, from key[side] and index[side], side =
   sort_input_side(bits), to key[1] and index[1]. Overwrites both sides. */
void sort_pairs(Gpu *gpu, uint32_t *key[2], uint32_t *index[2], uint64_t n, int bits);
void sort_pairs(Gpu *gpu, uint64_t *key[2], uint32_t *index[2], uint64_t n, int bits);
int sort_input_side(int bits);

/* Keys in ascending order, and whose each is. */
template <class Key> struct Sorted {
    const Key *key;
    const uint32_t *index;
};
/* 0 .. n - 1 by the lowest `bits` of key_of(i), equal ones ascending, in memory of the step. */
template <class Key, class KeyOf>
Sorted<Key> sorted_by(Gpu *gpu, uint64_t n, int bits, KeyOf key_of)
{
    Key *key[2] = {scratch<Key>(gpu, n), scratch<Key>(gpu, n)};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, n), scratch<uint32_t>(gpu, n)};
    const int side = sort_input_side(bits);
    Key *to_key = key[side];
    uint32_t *to_index = index[side];
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            to_key[i] = key_of(i);
            to_index[i] = i;
        });
    sort_pairs(gpu, key, index, n, bits);
    return {key[1], index[1]};
}

/* The first k of 0 .. n - 1 for which less(k) is false, as it is for all behind it; n: there is
   none. */
template <class Less> OOZE_DEVICE uint32_t first_not(uint32_t n, Less less)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (less(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* to[k] = sum of from[0 .. k - 1], for k = 0 .. n. */
void running_sum(Gpu *gpu, const uint32_t *from, uint64_t *to, uint64_t n);

/* kept: the indices with flag[i] == 0, ascending. Waits for their number, and returns it. */
uint64_t select_unflagged(Gpu *gpu, const uint8_t *flag, uint32_t *kept, uint64_t n);

} // namespace ooze

#endif
