/* Newtonian fluids by weakly compressible SPH with explicit viscosity: the method that Takahashi
   et al. 2014 compare with. */
#ifndef OOZE_METHODS_WCSPH_H
#define OOZE_METHODS_WCSPH_H

#include "methods/method.h"

extern const OozeMethod ooze_method_wcsph;

#endif
