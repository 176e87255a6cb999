#include "base/machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[OOZE_MACHINE_COUNT] = {
    [OOZE_MACHINE_BASE] = "base",
    [OOZE_MACHINE_AVX2] = "avx2",
    [OOZE_MACHINE_AVX512] = "avx512",
};

/* Found once, then only read. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static OozeMachine found;

static OozeMachine best(void)
{
#if defined(OOZE_LOOPS_EVERY)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd");
    return avx512 ? OOZE_MACHINE_AVX512 : avx2 ? OOZE_MACHINE_AVX2 : OOZE_MACHINE_BASE;
#else
    return OOZE_MACHINE_BASE;
#endif
}

static void find(void)
{
    found = best();
    const char *wish = getenv("OOZE_MACHINE");
    for (int i = 0; wish && i < (int)found; i++) {
        if (strcmp(wish, names[i]) == 0) {
            found = (OozeMachine)i;
        }
    }
}

OozeMachine ooze_machine(void)
{
    pthread_once(&once, find);
    return found;
}

const char *ooze_machine_name(OozeMachine machine)
{
    return names[machine];
}
