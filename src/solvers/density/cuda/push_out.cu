/* Push-out of the density stage, in a loop of its own. */
#include "solvers/density/cuda/push_out.cuh"

namespace ooze
{

void density_push_out(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    const int k = iteration_of(sweep).k;
    if (!s.clearance) {
        return;
    }
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) { push_out(s, k, i); });
}

} // namespace ooze
