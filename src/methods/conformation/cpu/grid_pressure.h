/* The loops of pressure_loops.h on the processor; `user` is an OozeGridPressure. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_GRID_PRESSURE_H
#define OOZE_METHODS_CONFORMATION_CPU_GRID_PRESSURE_H

#include "methods/conformation/cpu/grid_pressure_solids.h"

extern const OozePressureLoops ooze_grid_pressure_loops;
extern const OozeVelocityLoops ooze_grid_velocity_loops;

#endif
