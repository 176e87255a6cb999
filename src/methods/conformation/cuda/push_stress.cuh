/* Takes the deviatoric stress of the density stage's pushes back: see
   methods/conformation/cpu/push_stress.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_PUSH_STRESS_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_PUSH_STRESS_CUH

#include "methods/conformation/cuda/step.cuh"

namespace ooze
{

/* Changes u, which is the motion of the step over dt, and with isotropic_shifts of the plan by as
   much the shift and the positions x at its end, with an element n that is set. */
OozeStatus push_stress_remove(OozeConformationStep *step, OozeError *error);

} // namespace ooze

#endif
