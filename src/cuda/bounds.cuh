/* Largest speed of all particles, the list of fast ones, whether positions and speeds are in
   bounds, and the cells that particles are in. */
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
/* The largest speed. Waits. */
double fastest_speed(Gpu *gpu, const Store *store);
/* Wraps positions into the periodic box, checks speeds against `fastest` and distances from the
   origin against `farthest`, and finds the box around all particles. Waits. */
OozeEngineEnd check_bounds(Gpu *gpu, Store *store, const OozePeriodic *periodic, float fastest,
                           float farthest);
/* See find_fast and find_cells of OozeEngine. Wait. */
OozeStatus find_fast(Gpu *gpu, const Store *store, const OozeFastQuery *query,
                     OozeFastParticle *found, uint64_t *count, OozeError *error);
OozeStatus find_cells(Gpu *gpu, const Store *store, const OozeCellMap *map, float speed,
                      OozeCellSet *cells, OozeError *error);

} // namespace ooze

#endif
