/* Declares functions that compile as C17 for the processor and as CUDA for the GPU. Such a function
   has no compound literals and no designated initialisers, and calls only functions of <math.h>. */
#ifndef OOZE_BASE_FORMULA_H
#define OOZE_BASE_FORMULA_H

#ifdef __CUDACC__
#define OOZE_FORMULA static inline __host__ __device__
/* Not inlined on the GPU: for long functions with many callers, which would cost registers. */
#define OOZE_FORMULA_CALL static inline __host__ __device__ __noinline__
#else
#define OOZE_FORMULA      static inline
#define OOZE_FORMULA_CALL static inline
#endif

/* Before a loop that the GPU compiler must not unroll, to save registers; and before one that it
   must, to keep arrays in registers. */
#ifdef __CUDA_ARCH__
#define OOZE_ROLLED   _Pragma("unroll 1")
#define OOZE_UNROLLED _Pragma("unroll")
#else
#define OOZE_ROLLED
#define OOZE_UNROLLED
#endif

#endif
