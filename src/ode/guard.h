/* ODE ends the program when it finds a fault in itself, and prints when it doubts its result. Here
   neither happens: work is done under a guard, which says what became of it. */
#ifndef OOZE_ODE_GUARD_H
#define OOZE_ODE_GUARD_H

#include "ooze/status.h"

/* Calls ODE for the first time, once for all threads, and takes over its messages. */
void ooze_ode_open(void);

/* Does `work`. OOZE_ERROR_NUMERIC: ODE gave up, and what it had in hand is lost. `doubts` is how
   often it said that its result is not to be trusted. */
OozeStatus ooze_ode_guarded(void (*work)(void *data), void *data, int *doubts, OozeError *error);

#endif
