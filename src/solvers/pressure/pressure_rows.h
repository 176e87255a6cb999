/* The rows of pressure_grid.h, for its parts. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_ROWS_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_ROWS_H

#include "solvers/pressure/pressure_grid.h"

/* Its arrays as they are now. */
OozePressureView ooze_pressure_view(const OozePressureGrid *grid);
/* Sums over fluid: all of `sums` but wall and flux. */
void ooze_pressure_sum_fluid(OozePressureGrid *grid);
/* Diagonal and idle, once the kinds of the nodes are known. */
void ooze_pressure_find_diagonal(OozePressureGrid *grid);
/* Rows, flux and weight, once E, all sums and idle nodes are known. */
void ooze_pressure_find_rows(OozePressureGrid *grid);

#endif
