/* Takes the deviatoric stress of the density stage's pushes back from the velocities: see
   methods/conformation/push_stress.h. */
#ifndef OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH
#define OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* Memory for the multipliers of the density stage: view.push_multiplier, nullptr where nothing is
   taken back. */
void push_stress_allocate(Step *step);
/* Changes view.u, which is the motion of the step over dt; `x` are the positions at its end, with an
   element n that is set, and `shift` is that of the density stage. */
void push_stress_remove(Step *step, float4 *x, const float4 *shift);

} // namespace ooze

#endif
