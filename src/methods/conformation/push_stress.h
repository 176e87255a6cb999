/* Takes the deviatoric stress of the density stage's pushes back from the velocities.

   The density stage pushes pairs of particles along their lines. In a fluid that is sheared, pairs
   along the direction of compression push more than others: the pushes resist shear, and particles
   that move past each other slow down as in a viscous fluid. With the multipliers lambda of the
   stage, the slope W' of the kernel at the end of the step and d = x0_i - x0_j,

     T_i = 1/2 sum_j (lambda_i + lambda_j) |W'| d d^T/|d|

   is the moment of the pushes of particle i. A pressure has an isotropic one. The forces a[dev T]
   of that stress, along edges as in the velocity solve, have the opposite moment of dev T_i:
   u += a[dev T]/dt leaves the pressure. Edges and their correction are those at the end of the
   step, where forces along them change no angular momentum; at its beginning they would, because
   the particles have moved with other velocities. Positions keep all of the shift.

   Particles near walls, whose pushes T does not have, stiff elastic materials, thick fluids whose
   solves expect no pushes, and liquids with surface tension keep theirs. */
#ifndef OOZE_METHODS_CONFORMATION_PUSH_STRESS_H
#define OOZE_METHODS_CONFORMATION_PUSH_STRESS_H

#include "base/isa.h"
#include "methods/conformation/push_stress_formula.h"
#include "methods/conformation/step.h"
#include "solvers/cubic_f32x4.h"

typedef struct OozePushStress {
    OozeConformationStep *step;
    const OozeF32x4 *x;     /* positions at the end of the step; n and four zero ones */
    const OozeF32x4 *shift; /* of the density stage */
    OozeCubic cubic;
    float inverse2, edge_scale; /* 1/h^2, and V times the scale of the strain weight */
    OozeRows *flux;             /* rows of dev T B; n and four zero ones */
    OozeF32x4 *change;      /* of the velocities; after the first loop the own part of the force */
    OozePushEnergy *energy; /* per chunk */
    float factor;           /* of the change */
} OozePushStress;

/* Bodies of parallel loops over an OozePushStress, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozePushStressLoops {
    OozeRangeBody moments; /* flux, and the part of the force that needs no neighbours */
    OozeRangeBody changes; /* change and energy */
} OozePushStressLoops;
OOZE_LOOPS_DECLARE(OozePushStressLoops, ooze_push_stress_loops);

/* Changes step->u, the velocities after the pushes, at the positions x (n and four zero ones). */
OozeStatus ooze_push_stress_remove(OozeConformationStep *step, const OozeF32x4 *x,
                                   const OozeF32x4 *shift, OozeError *error);

#endif
