/* The density stage on the device: see solvers/density/density.h. */
#ifndef OOZE_CUDA_DENSITY_CUH
#define OOZE_CUDA_DENSITY_CUH

#include "cuda/dynamic_solids.cuh"
#include "cuda/engine.cuh"

extern "C" {
#include "solvers/density/density_job.h"
}

namespace ooze
{

struct DensityJob : OozeDensityJob {
    DynamicView dynamic; /* count 0: no solid is dynamic */
};

/* As ooze_density_solve: finds the shift of positions x, and wraps x into the box. Waits for the
   sort, the lists and the last iteration; every eighth iteration it checks for convergence. */
OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error);

} // namespace ooze

#endif
