/* Sums over components of fluid that several processes share. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_RANK_COMPONENTS_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_RANK_COMPONENTS_CUH

#include "cuda/ranks.cuh"

namespace ooze
{

/* sums: `width` integers at each root, of the own particles; become those of the particles of all
   ranks, wherever the component reaches. Nothing where *off, and on one process. Waits. */
enum { COMPONENT_WIDTH_MAX = 3 };
void sum_components_over_ranks(Gpu *gpu, uint64_t n, const uint32_t *root, unsigned long long *sums,
                               int width, const int32_t *off);

/* Roots of the components of all ranks, per particle in the order of all: `root` itself on one
   process, else in memory of the step. Waits for the other ranks. */
uint32_t *components_of_all(Gpu *gpu, uint64_t n, uint32_t *root);

} // namespace ooze

#endif
