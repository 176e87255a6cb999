#include "cuda/repeat.cuh"

#include <cstdlib>

namespace ooze
{

RepeatBarrier *repeat_barrier(Gpu *gpu)
{
    const bool first = !gpu->barrier.memory;
    RepeatBarrier *barrier = buffer<RepeatBarrier>(gpu, &gpu->barrier, 1);
    if (first) {
        clear(gpu, barrier, sizeof *barrier);
    }
    return barrier;
}

bool repeats(const Gpu *gpu, uint64_t n)
{
    const char *most = getenv("OOZE_REPEAT_MOST");
    return !gpu->share && n <= (most ? strtoull(most, nullptr, 10) : (uint64_t)REPEAT_MOST);
}

} // namespace ooze
