/* Probes that are sums over particles or percentiles, measured where the particles are. */
#ifndef OOZE_CUDA_PROBES_CUH
#define OOZE_CUDA_PROBES_CUH

#include "cuda/store.cuh"
#include "world/probes/probe_formula.h"

namespace ooze
{

/* See OozeEngine.measure. Sums have a fixed order, another than the processor's. Waits. */
OozeStatus probe_measure(Gpu *gpu, const Store *store, const OozeProbeQuery *query,
                         const double *masses, int count, double *values, OozeError *error);

} // namespace ooze

#endif
