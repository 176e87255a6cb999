/* Double density relaxation, plastic springs and viscosity impulses. See
   docs/methods/springs.md. */
#ifndef OOZE_METHODS_SPRINGS_METHOD_H
#define OOZE_METHODS_SPRINGS_METHOD_H

#include "methods/method.h"

extern const OozeMethod ooze_method_springs;

#endif
