/* The heat stage on the device: see heat/heat.h. */
#ifndef OOZE_CUDA_HEAT_CUH
#define OOZE_CUDA_HEAT_CUH

#include "cuda/engine.cuh"

namespace ooze
{

/* As ooze_heat_step, for the particles and neighbour lists of the engine. Temperatures and phases
   are those of the store. Waits for the number of stages. */
OozeStatus heat_conduct(Engine *engine, OozeHeatJob *job, OozeError *error);

/* Temperature table of a material on the device. */
struct MaterialTable {
    const OozeTemperatureRow *rows;
    int count; /* 0: it has none */
};
/* Tables of the materials, in scratch memory; `tables` NULL: no material has one, or there is no
   heat. */
OozeStatus tables_send(Gpu *gpu, const OozeStepContext *context, const MaterialTable **tables,
                       OozeError *error);

} // namespace ooze

#endif
