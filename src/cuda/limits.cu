#include "cuda/limits.cuh"

extern "C" {
#include "base/clock.h"
}

namespace ooze
{

/* Of either array; a tenth of what is free where that is less. The largest caches have some fifty megabytes. */
static uint64_t array_bytes(size_t free)
{
#ifdef __CUDACC__
    const uint64_t usual = (uint64_t)1 << 30;
#else
    const uint64_t usual = (uint64_t)64 << 20;
#endif
    return free > 0 && free / 10 < usual ? free / 10 : usual;
}

static double copy_seconds(Machine *m, float4 *to, const float4 *from, uint64_t n)
{
    machine_wait(m);
    double start = ooze_clock();
    for_each(
        m, n, OOZE_BODY(uint32_t i) { to[i] = from[i]; });
    machine_wait(m);
    return ooze_clock() - start;
}

OozeEngineLimits measure_limits(Machine *m)
{
    enum { COPIES = 10 };
    OozeEngineLimits limits = {NAN, free_bytes()};
    uint64_t n = array_bytes(limits.free_bytes) / sizeof(float4);
    Room from = {}, to = {};
    float4 *a = room<float4>(m, &from, n), *b = room<float4>(m, &to, n);
    double least = INFINITY;
    clear(m, a, n * sizeof *a);
    for (int k = 0; k < COPIES && m->failed == cudaSuccess; k++) {
        least = fmin(least, copy_seconds(m, b, a, n));
    }
    if (isfinite(least)) {
        limits.copy = 2.0 * (double)n * sizeof(float4) / least;
    }
    room_free(m, &from);
    room_free(m, &to);
    return limits;
}

} // namespace ooze
