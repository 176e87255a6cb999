/* Speeds and bounds of all particles: how fast they are, and whether they are
   still where fluid can be. */
#ifndef OOZE_CUDA_BOUNDS_CUH
#define OOZE_CUDA_BOUNDS_CUH

#include "cuda/store.cuh"

extern "C" {
#include "world/engine.h"
}

namespace ooze
{

/* Wraps positions into the periodic box. */
void wrap_positions(Gpu *gpu, Store *store, const OozePeriodic *periodic);
/* Speed of the fastest. Waits. */
double fastest_speed(Gpu *gpu, const Store *store);
/* Wraps, and checks against the speed `fastest` and the distance `farthest` from the origin. Waits.
   */
OozeEngineEnd check_bounds(Gpu *gpu, Store *store, const OozePeriodic *periodic, float fastest,
                           float farthest);

} // namespace ooze

#endif
