/* C headers that device code uses. */
#ifndef OOZE_CUDA_C_PARTS_H
#define OOZE_CUDA_C_PARTS_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <math.h>

extern "C" {
#include "base/fail.h"
#include "heat/heat_formula.h"
#include "materials/temperature_formula.h"
#include "methods/conformation/bodies/bodies.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/plan.h"
#include "methods/method.h"
#include "solids/boundary_formula.h"
#include "solids/shape_formula.h"
#include "solids/swept_bounds.h"
#include "step/timer.h"
#include "world/emitter.h"
#include "world/source_formula.h"
}

#endif
