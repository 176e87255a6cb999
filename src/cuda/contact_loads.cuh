/* Reaction of dynamic solids to particles that collide with them: see
   solvers/contact/contact_loads.h. */
#ifndef OOZE_CUDA_CONTACT_LOADS_CUH
#define OOZE_CUDA_CONTACT_LOADS_CUH

#include "cuda/dynamic_solids.cuh"

extern "C" {
#include "solvers/contact/contact_loads.h"
}

namespace ooze
{

/* As ooze_impulses_share: `impulses` and `velocities` have one element a particle. Waits. */
OozeStatus impulses_share(Engine *engine, const OozeStepContext *context,
                          const OozeSolidImpulses *impulses, float4 *velocities, OozeError *error);

} // namespace ooze

#endif
