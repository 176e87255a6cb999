/* Takes the deviatoric stress of the density stage's pushes back: see
   methods/conformation/push_stress.h. */
#ifndef OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH
#define OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* Changes view.u, which is the motion of the step over dt, and with isotropic_shifts of the plan by
   as much view.shift and the positions x at its end, with an element n that is set. */
void push_stress_remove(Step *step, float4 *x);

} // namespace ooze

#endif
