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

/* to[k] = sum of from[0 .. k - 1], for k = 0 .. n. */
void running_sum(Gpu *gpu, const uint32_t *from, uint64_t *to, uint64_t n);

/* kept: the indices with flag[i] == 0, ascending. Waits for their number, and returns it. */
uint64_t select_unflagged(Gpu *gpu, const uint8_t *flag, uint32_t *kept, uint64_t n);

} // namespace ooze

#endif
