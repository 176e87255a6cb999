/* Base of every formula header. Valid C17 and CUDA, so without compound literals and designated
   initialisers; formulas of particle loops call only the square root and rounding to integers,
   whose results have the same bits on every processor and GPU. */
#ifndef OOZE_PHYSICS_FORMULA_H
#define OOZE_PHYSICS_FORMULA_H

#include <math.h>

#include "base/formula.h"

/* Particle data and sums are in single precision. A test of a formula in double precision defines
   both macros before it includes the header. */
#ifndef OOZE_REAL
#define OOZE_REAL float
#define OOZE_SQRT sqrtf
#endif

#define OOZE_PI 3.14159265358979323846

#endif
