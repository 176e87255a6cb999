/* Error handling of ODE, which by default exits on internal errors and prints warnings. */
#ifndef OOZE_ODE_GUARD_H
#define OOZE_ODE_GUARD_H

#include "ooze/status.h"

/* Initialises ODE and installs the handlers; further calls do nothing. Thread-safe. */
void ooze_ode_init(void);

/* Calls `work`. OOZE_ERROR_NUMERIC: ODE reported an error; its objects leak. `warnings` gets the
   number of ODE's warnings that the result is inaccurate. */
OozeStatus ooze_ode_guarded(void (*work)(void *data), void *data, int *warnings, OozeError *error);

#endif
