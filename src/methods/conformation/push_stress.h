/* Takes the deviatoric stress of the density stage's pushes back from the velocities.

   The density stage pushes pairs of particles along their lines. In a fluid that is sheared, pairs
   along the direction of compression push more than others: the pushes resist shear, and particles
   that move past each other slow down as in a viscous fluid. With the multipliers lambda of the
   stage, the slope W' of the kernel at the end of the step and d = x0_i - x0_j,

     T_i = 1/2 sum_j (lambda_i + lambda_j) |W'| d d^T/|d|

   is the moment of the pushes of particle i. A pressure has an isotropic one. The stress dev T_i
   along the edges of the velocity solve has the opposite moment of dev T_i, and no net force or
   torque: u += a[dev T]/dt leaves the pressure, and conserves both momenta. Positions keep all
   of the shift.

   Particles near walls, whose pushes T does not have, and thick fluids keep theirs. */
#ifndef OOZE_METHODS_CONFORMATION_PUSH_STRESS_H
#define OOZE_METHODS_CONFORMATION_PUSH_STRESS_H

#include "base/isa.h"
#include "methods/conformation/push_stress_formula.h"
#include "methods/conformation/step.h"
#include "solvers/cubic_f32x4.h"

typedef struct OozePushStress {
    OozeConformationStep *step;
    const OozeF32x4 *shift; /* of the density stage */
    OozeCubic cubic;
    OozeRows *flux;         /* rows of dev T B; n and four zero ones */
    OozeF32x4 *change;      /* of the velocities */
    OozePushEnergy *energy; /* per chunk */
    float factor;           /* of the change */
} OozePushStress;

/* Bodies of parallel loops over an OozePushStress, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozePushStressLoops {
    OozeRangeBody moments; /* flux; step->u is the motion of the step over dt */
    OozeRangeBody changes; /* change and energy; step->u is the velocity after the pushes */
} OozePushStressLoops;
OOZE_LOOPS_DECLARE(OozePushStressLoops, ooze_push_stress_loops);

/* Memory for the multipliers that the density stage returns; none where nothing is taken back. */
void ooze_push_stress_allocate(OozeConformationStep *step);
/* Moments, while step->u is the motion of the step; then the change of the velocities. */
OozeStatus ooze_push_stress_measure(OozeConformationStep *step, OozePushStress *push,
                                    const OozeF32x4 *shift, OozeError *error);
void ooze_push_stress_remove(OozePushStress *push);

#endif
