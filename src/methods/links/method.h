/* Viscous fluids, elastic bodies and what is between them by links: position-based. See
   docs/methods/links.md. */
#ifndef OOZE_METHODS_LINKS_METHOD_H
#define OOZE_METHODS_LINKS_METHOD_H

#include "methods/method.h"

extern const OozeMethod ooze_method_links;

#endif
