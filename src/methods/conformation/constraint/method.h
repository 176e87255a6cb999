/* The constraints of Barreiro, Garcia-Fernandez, Alduan and Otaduy 2017, printed and corrected. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_METHOD_H
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_METHOD_H

#include "methods/method.h"

extern const OozeMethod ooze_method_constraint;

#endif
