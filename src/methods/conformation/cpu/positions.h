/* Positions at the end of a step on the processor: see stages.h. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_POSITIONS_H
#define OOZE_METHODS_CONFORMATION_CPU_POSITIONS_H

#include "methods/conformation/cpu/step.h"

void ooze_conformation_predict(OozeConformationStep *step);
OozeStatus ooze_conformation_arrive(OozeConformationStep *step, float *distance, OozeError *error);
void ooze_conformation_store(OozeConformationStep *step);

#endif
