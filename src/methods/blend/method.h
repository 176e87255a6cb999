/* Bodies between fluid and elastic solid: SPH velocities blended with shape matching. Takamatsu
   and Kanai 2011. */
#ifndef OOZE_METHODS_BLEND_H
#define OOZE_METHODS_BLEND_H

#include "methods/method.h"

extern const OozeMethod ooze_method_blend;

#endif
