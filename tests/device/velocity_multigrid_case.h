/* Bodies for the comparison of velocity solves by multigrid: see velocity_multigrid_reference.c. */
#ifndef OOZE_TESTS_DEVICE_VELOCITY_MULTIGRID_CASE_H
#define OOZE_TESTS_DEVICE_VELOCITY_MULTIGRID_CASE_H

#include "ooze/world.h"

/* A world of body `k` at `spacing` for single steps to a tolerance, and its name; NULL: there are no
   more bodies. */
OozeWorld *multigrid_case_world(int k, int preconditioner, double tolerance, OozeDevice device,
                                const char **name);
double multigrid_case_spacing(int k);

#endif
