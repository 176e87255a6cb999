/* Removes the deviatoric stress of the density stage's pushes.

   The density stage pushes pairs of particles along their lines. In a fluid that is sheared, pairs
   along the direction of compression push more than others: the pushes resist shear, and particles
   that move past each other slow down as in a viscous fluid. With the multipliers lambda of the
   stage, the slope W' of the kernel at the end of the step and d = x0_i - x0_j,

     T_i = 1/2 sum_j (lambda_i + lambda_j) |W'| d d^T/|d|

   is the moment of the pushes of particle i. A pressure has an isotropic one. The forces a[dev T]
   of that stress, along edges as in the velocity solve, have the opposite moment of dev T_i: pushes
   that are stronger by a[dev T] leave the pressure.

   In viscous fluids the shifts change by dt^2 a[dev T]/rho. Positions, velocities and the pushes
   that the next solve expects change by as much, as if the density stage had found them. Viscosity
   would not act on a change of velocities alone in this step. Edges are those at the beginning of
   the step, as lines of pushes are. Near walls the shear stress on planes along the wall is
   removed.

   Where some fluid is thin, only the velocities change, and not near walls. Thin fluids whose
   positions change too have half as much numerical viscosity again. Edges are those at the end of
   the step. In both cases forces along them change no angular momentum.

   Stiff elastic materials, thick fluids whose solves expect no pushes, liquids with surface
   tension, and particles in edges and corners of walls keep all stress. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_PUSH_STRESS_H
#define OOZE_METHODS_CONFORMATION_CPU_PUSH_STRESS_H

#include "base/isa.h"
#include "methods/conformation/cpu/step.h"
#include "methods/conformation/push_stress_formula.h"
#include "solvers/vectors/cubic_f32x4.h"

typedef struct OozePushStress {
    OozeConformationStep *step;
    OozeF32x4 *x;            /* positions at the end of the step; n and four zero ones */
    const OozeF32x4 *edge_x; /* positions of edges: these, or those at its beginning */
    OozeCubic cubic;
    float inverse2, edge_scale; /* 1/h^2, and V times the scale of the strain weight */
    OozeRows *flux;             /* rows of dev T B; n and four zero ones */
    OozeF32x4 *change;          /* of shift/dt; after the first loop the own part of the force */
    OozePushEnergy *energy;     /* per chunk */
    float factor;               /* of the change */
} OozePushStress;

/* Bodies of parallel loops over an OozePushStress, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozePushStressLoops {
    OozeRangeBody moments; /* flux, and the part of the force that needs no neighbours */
    OozeRangeBody changes; /* change and energy */
} OozePushStressLoops;
OOZE_LOOPS_DECLARE(OozePushStressLoops, ooze_push_stress_loops);

/* Changes u, which includes all shifts over dt, and with isotropic_shifts of the plan by as much
   the shift and the positions x at the end of the step. */
OozeStatus ooze_push_stress_remove(OozeConformationStep *step, OozeError *error);

#endif
