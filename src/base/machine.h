/* Which instruction set the innermost loops use.

   Files named *_loops.c are compiled once for every set that the processor family may have, and nothing else
   is: a program built anywhere runs on every processor of the family, and fast on each. Such a file exports
   one constant table of functions, whose name OOZE_LOOPS completes by the set. */
#ifndef OOZE_BASE_MACHINE_H
#define OOZE_BASE_MACHINE_H

typedef enum OozeMachine {
    OOZE_MACHINE_BASE, /* what every processor of the family has */
    OOZE_MACHINE_AVX2, /* with FMA: x86-64-v3 */
    OOZE_MACHINE_AVX512,
    OOZE_MACHINE_COUNT
} OozeMachine;

/* The best that this processor has and this build holds; the environment variable OOZE_MACHINE may name a
   lesser one, to repeat what another computer did. Results do not depend on threads, but on this. */
OozeMachine ooze_machine(void);
const char *ooze_machine_name(OozeMachine machine);

#if defined(OOZE_LOOPS_AVX512)
#define OOZE_LOOPS(name) name##_avx512
#elif defined(OOZE_LOOPS_AVX2)
#define OOZE_LOOPS(name) name##_avx2
#else
#define OOZE_LOOPS(name) name##_base
#endif

/* Declares the tables `name` of all sets, and the function of that name which gives the one to use. */
#if defined(OOZE_LOOPS_EVERY)
#define OOZE_LOOPS_DECLARE(Type, name)                                                             \
    extern const Type name##_base, name##_avx2, name##_avx512;                                     \
    static inline const Type *name(void)                                                           \
    {                                                                                              \
        const Type *const all[OOZE_MACHINE_COUNT] = {&name##_base, &name##_avx2, &name##_avx512};  \
        return all[ooze_machine()];                                                                \
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
