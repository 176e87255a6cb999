/* What every formula header is written in. Valid C17 and CUDA: one source for both machines, so no
   compound literals, no designated initialisers, and in loops over particles no library call but the
   square root and rounding to whole numbers, which are exact to the last bit everywhere. */
#ifndef OOZE_PHYSICS_FORMULA_H
#define OOZE_PHYSICS_FORMULA_H

#include <math.h>

#include "base/formula.h"

/* Particles are stored and summed over in single precision. A test that wants to see past rounding
   defines both as double before including a formula. */
#ifndef OOZE_REAL
#define OOZE_REAL float
#define OOZE_SQRT sqrtf
#endif

#define OOZE_PI 3.14159265358979323846

#endif
