/* What the machine can do at most, and what its loops ask of it. */
#ifndef OOZE_CUDA_LIMITS_CUH
#define OOZE_CUDA_LIMITS_CUH

#include "cuda/machine.cuh"

extern "C" {
#include "world/engine.h"
}

namespace ooze
{

/* Copies arrays that no cache holds, and takes the time; some milliseconds. */
OozeEngineLimits measure_limits(Machine *m);

/* As ooze_work, counted from the loops of this folder. */
OozeWork device_work(OozeWorkKind kind, double fluid, double walls);

} // namespace ooze

#endif
