/* Polymer conformation: Barreiro, Garcia-Fernandez, Alduan and Otaduy 2017. */
#ifndef OOZE_METHODS_CONFORMATION_H
#define OOZE_METHODS_CONFORMATION_H

#include "methods/method.h"

extern const OozeMethod ooze_method_conformation;

#endif
