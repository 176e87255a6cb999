/* Contacts and joints of dynamic solids, solved by ODE. */
#ifndef OOZE_ODE_DYNAMICS_H
#define OOZE_ODE_DYNAMICS_H

#include "solids/dynamic.h"

extern const OozeDynamics ooze_ode_dynamics;

/* The version of ODE. */
void ooze_ode_describe(char *text, size_t size);

#endif
