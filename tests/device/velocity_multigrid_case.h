/* Bodies for the comparison of velocity solves by multigrid: see velocity_multigrid_reference.c. */
#ifndef OOZE_TESTS_DEVICE_VELOCITY_MULTIGRID_CASE_H
#define OOZE_TESTS_DEVICE_VELOCITY_MULTIGRID_CASE_H

#include "ooze/world.h"

/* A world of body `k` for single steps to a tolerance, and its name; NULL: there are no more. */
OozeWorld *multigrid_case_world(int k, int preconditioner, double tolerance, OozeDevice device,
                                const char **name);

#endif
