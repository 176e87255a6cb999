/* The density stage begins with the multipliers of the last step (setting `density_warm_start`).

   Pressure of slow flow changes little from step to step. With the multipliers lambda of the last
   step, scaled by the square of dt, the pushes

     P_i = sum_j (lambda_i + lambda_j) |W'| (x0_i - x0_j)/|x0_i - x0_j|, and those of walls,

   are those at the positions x0 of the beginning of the step. The velocity solve expects P/dt
   (see expected_push_formula.h), and the density stage begins at the positions that include P, with
   these multipliers: its sweeps find changes of both. At predicted positions instead of x0, P
   would be an explicit step of stiff repulsion, and unstable. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_DENSITY_WARM_START_H
#define OOZE_METHODS_CONFORMATION_CPU_DENSITY_WARM_START_H

#include "base/isa.h"
#include "methods/conformation/cpu/step.h"

/* Finds step->first_multiplier and step->first_push; after the gather of edges. */
void ooze_density_warm_start_find(OozeConformationStep *step);

/* Bodies of parallel loops over an OozeConformationStep, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozeDensityWarmStartLoops {
    OozeRangeBody pushes; /* step->first_push from step->first_multiplier */
} OozeDensityWarmStartLoops;
OOZE_LOOPS_DECLARE(OozeDensityWarmStartLoops, ooze_density_warm_start_loops);

#endif
