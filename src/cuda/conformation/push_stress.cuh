/* Takes the deviatoric stress of the density stage's pushes back from the velocities: see
   methods/conformation/push_stress.h. */
#ifndef OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH
#define OOZE_CUDA_CONFORMATION_PUSH_STRESS_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* Changes view.u, which is the motion of the step over dt; `x` are the positions at its end, with
   an element n that is set, and `shift` is that of the density stage, whose share `still` enters no
   velocity. */
void push_stress_remove(Step *step, float4 *x, const float4 *shift, float still);

} // namespace ooze

#endif
