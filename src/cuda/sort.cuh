/* Sorting, running sums and picking out: by CUB on a GPU, plainly on a processor. */
#ifndef OOZE_CUDA_SORT_CUH
#define OOZE_CUDA_SORT_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

/* Sorts by the lowest `bits` of the keys, keeping the order of equals. Both sides of the pairs are
   overwritten; the result stands in key[1] and index[1], wherever the pairs began: see sort_begins.
   */
void sort_pairs(Gpu *gpu, uint32_t *key[2], uint32_t *index[2], uint64_t n, int bits);
void sort_pairs(Gpu *gpu, uint64_t *key[2], uint32_t *index[2], uint64_t n, int bits);
/* On which side pairs are to be put so that the fewest copies are made. */
int sort_begins(int bits);

/* to[k] = sum of from[0 .. k - 1], for k = 0 .. n. from has n + 1 elements. */
void running_sum(Gpu *gpu, const uint32_t *from, uint64_t *to, uint64_t n);

/* kept: the indices with flag[i] == 0, ascending. Waits for their number. */
uint64_t pick_unflagged(Gpu *gpu, const uint8_t *flag, uint32_t *kept, uint64_t n);

} // namespace ooze

#endif
