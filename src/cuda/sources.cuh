/* Nozzles and sinks on the device: see world/engine.h. */
#ifndef OOZE_CUDA_SOURCES_CUH
#define OOZE_CUDA_SOURCES_CUH

#include "cuda/engine.cuh"

namespace ooze
{

/* Removes the particles inside sinks that are open at `time`. Waits if one is open. */
OozeStatus sources_remove(Engine *engine, const OozeSink *sinks, int count, double time,
                          uint64_t *removed, OozeError *error);
/* As ooze_emitter_prescribe. */
OozeStatus sources_prescribe(Engine *engine, const OozeEmitter *emitter, double time, uint16_t mark,
                             OozeError *error);

} // namespace ooze

#endif
