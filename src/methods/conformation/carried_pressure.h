/* `pressure: velocity_solve`: particles carry the pressure of the last step, which acts in the
   velocity solve like a stress, together with viscosity, and is corrected by the divergence that
   the solve leaves (augmented Lagrangian, one update a step). Gradient and divergence are those of
   the stress, corrected and adjoint, so that the pressure does no work on shear. The density stage
   then repairs positions, and where the fluid is stiff its shifts enter no velocity. */
#ifndef OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_H
#define OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_H

#include "methods/conformation/lodge.h"
#include "methods/conformation/lodge_formula.h"

/* Arrays of the step, in its arena; none without that setting. */
void ooze_carried_allocate(OozeConformationStep *step);
/* Adds the carried pressure to the coefficients of particle i, and raises their stiffness. */
void ooze_carried_add(OozeConformationStep *step, uint64_t i, OozeMat3 gradient,
                      OozeLodgeCoefficients *c);
/* The pressure of the next step, when the solve is done; stored when the step is. */
void ooze_carried_record(OozeLodge *solve);
/* After the density stage: step->still_share. */
void ooze_carried_share(OozeConformationStep *step);
void ooze_carried_store(OozeConformationStep *step);

#endif
