/* Impacts in long steps: steps in which particles cross several spacings, so that contacts of the
   step are not those of its beginning. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_IMPACT_H
#define OOZE_METHODS_CONFORMATION_CPU_IMPACT_H

#include "methods/conformation/cpu/step.h"
#include "methods/conformation/impact_formula.h"

/* Sets step->long_step, from u. */
OozeStatus ooze_impact_begin(OozeConformationStep *step, OozeError *error);

/* Adds the solid that u meets within the step to the contact set of particle i. A neighbour may
   screen the particle from the solid: the fluid between then stops it, and a contact of its own
   would press it flat onto the solid. */
void ooze_impact_meet(const OozeConformationStep *step, uint64_t i, const OozeSolid *solid,
                      OozeContactSearch *search);

#endif
