/* Connected components of fluid: particles that are linked by neighbour lists. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_COMPONENTS_H
#define OOZE_METHODS_CONFORMATION_CPU_COMPONENTS_H

#include "methods/conformation/cpu/step.h"
#include "particles/components_formula.h"

/* root[i]: lowest index in the component of i. Both arrays have one element a particle. Particles
   of different rows of rheology are in different components, unless `across_materials`. */
void ooze_conformation_find_components(const OozeConformationStep *step, bool across_materials,
                                       OozeParent *parent, uint32_t *root);

#endif
