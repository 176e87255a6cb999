/* The instruction set of the innermost loops.

   Only files named *_loops.c are compiled once for every instruction set of the processor family,
   so that one program runs on every processor of the family and uses the vector unit of each. Such
   a file exports one constant table of functions; OOZE_LOOPS appends the set to the table's name.
   */
#ifndef OOZE_BASE_ISA_H
#define OOZE_BASE_ISA_H

typedef enum OozeIsa {
    OOZE_ISA_BASE, /* common to all processors of the family */
    OOZE_ISA_AVX2, /* with FMA: x86-64-v3 */
    OOZE_ISA_AVX512,
    OOZE_ISA_COUNT
} OozeIsa;

/* The largest set that both this processor and this build have; the environment variable OOZE_ISA
   may name a smaller one, to reproduce the results of another host. Results depend on the set, not
   on the number of threads. */
OozeIsa ooze_isa(void);
const char *ooze_isa_name(OozeIsa isa);

#if defined(OOZE_LOOPS_AVX512)
#define OOZE_LOOPS(name) name##_avx512
#elif defined(OOZE_LOOPS_AVX2)
#define OOZE_LOOPS(name) name##_avx2
#else
#define OOZE_LOOPS(name) name##_base
#endif

/* Declares the tables `name` of all sets, and the function `name` that returns the one to use. */
#if defined(OOZE_LOOPS_EVERY)
#define OOZE_LOOPS_DECLARE(Type, name)                                                             \
    extern const Type name##_base, name##_avx2, name##_avx512;                                     \
    static inline const Type *name(void)                                                           \
    {                                                                                              \
        const Type *const all[OOZE_ISA_COUNT] = {&name##_base, &name##_avx2, &name##_avx512};      \
        return all[ooze_isa()];                                                                    \
    }                                                                                              \
    extern const Type name##_base
#else
#define OOZE_LOOPS_DECLARE(Type, name)                                                             \
    extern const Type name##_base;                                                                 \
    static inline const Type *name(void)                                                           \
    {                                                                                              \
        return &name##_base;                                                                       \
    }                                                                                              \
    extern const Type name##_base
#endif

#endif
