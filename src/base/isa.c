#include "base/isa.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[OOZE_ISA_COUNT] = {
    [OOZE_ISA_BASE] = "base",
    [OOZE_ISA_AVX2] = "avx2",
    [OOZE_ISA_AVX512] = "avx512",
};

/* Found once, then only read. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static OozeIsa found;

static OozeIsa best(void)
{
#if defined(OOZE_LOOPS_EVERY)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd");
    return avx512 ? OOZE_ISA_AVX512 : avx2 ? OOZE_ISA_AVX2 : OOZE_ISA_BASE;
#else
    return OOZE_ISA_BASE;
#endif
}

static void find(void)
{
    found = best();
    const char *requested = getenv("OOZE_ISA");
    for (int i = 0; requested && i < (int)found; i++) {
        if (strcmp(requested, names[i]) == 0) {
            found = (OozeIsa)i;
        }
    }
}

OozeIsa ooze_isa(void)
{
    pthread_once(&once, find);
    return found;
}

const char *ooze_isa_name(OozeIsa isa)
{
    return names[isa];
}
