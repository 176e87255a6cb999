/* Push-out of the density stage, in a loop of its own. */
#include "cuda/density_push_out.cuh"

namespace ooze
{

void density_push_out(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration)
{
    const DensitySweep s = *sweep;
    const int k = iteration.k;
    if (!s.clearance) {
        return;
    }
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            if ((s.touches[i / SLICE] || s.pushes) && !is_converged(s, k)) {
                push_out(s, i);
            }
        });
}

} // namespace ooze
