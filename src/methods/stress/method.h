/* The upper-convected Maxwell fluid by its stress, integrated explicitly: the method that Barreiro
   et al. 2017 compare with. */
#ifndef OOZE_METHODS_STRESS_H
#define OOZE_METHODS_STRESS_H

#include "methods/method.h"

extern const OozeMethod ooze_method_stress;

#endif
