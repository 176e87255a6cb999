/* Particles that fly and bounce, and do not feel each other. */
#ifndef OOZE_METHODS_BALLISTIC_H
#define OOZE_METHODS_BALLISTIC_H

#include "methods/method.h"

extern const OozeMethod ooze_method_ballistic;

#endif
