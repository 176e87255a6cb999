/* What acts in the steps of a scene, for `ooze check --explain`. */
#ifndef OOZE_METHODS_EXPLAIN_H
#define OOZE_METHODS_EXPLAIN_H

#include "base/text.h"
#include "methods/method.h"

struct OozeExplanation {
    /* Per material: bits 1 << OozeBodyKind of what fluids and emitters make of it. Particles and
       bodies of a large scene are not placed: the context then has their number alone. */
    const unsigned *kinds;
    OozeText *lines; /* receives the lines, each with its line break */
};

#endif
