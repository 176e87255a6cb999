/* The virtual rheometer of `ooze rheo SCENE|PRESET`. */
#ifndef OOZE_CLI_RHEO_MEASURE_H
#define OOZE_CLI_RHEO_MEASURE_H

#include "cli/arguments.h"

/* Measures and prints; returns the exit code. */
int ooze_rheo_measure(const OozeArguments *arguments);

#endif
