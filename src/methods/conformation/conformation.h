/* Polymer conformation: Barreiro, Garcia-Fernandez, Alduan and Otaduy 2017. */
#ifndef OOZE_METHODS_CONFORMATION_H
#define OOZE_METHODS_CONFORMATION_H

#include "methods/method.h"

/* What outlives a step: memory that is re-used, nothing that is saved. */
typedef struct OozeConformationData {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near, near_walls;
} OozeConformationData;

extern const OozeMethod ooze_method_conformation;

#endif
