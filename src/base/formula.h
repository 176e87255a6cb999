/* How a function is declared that both machines use: C17 for the processor, CUDA for the GPU. Such a function has no
   compound literals and no designated initialisers, and asks nothing of the library but square roots, rounding and
   the like. */
#ifndef OOZE_BASE_FORMULA_H
#define OOZE_BASE_FORMULA_H

#ifdef __CUDACC__
#define OOZE_FORMULA static inline __host__ __device__
/* One that is long and asked from many places: a call on the GPU, where code and registers are dear. */
#define OOZE_FORMULA_CALL static inline __host__ __device__ __noinline__
#else
#define OOZE_FORMULA      static inline
#define OOZE_FORMULA_CALL static inline
#endif

/* Before a loop that stays one on the GPU, for the same reason. */
#ifdef __CUDA_ARCH__
#define OOZE_ROLLED _Pragma("unroll 1")
#else
#define OOZE_ROLLED
#endif

#endif
