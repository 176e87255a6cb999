/* Dynamic solids in the density stage: the reaction of particles moves them. */
#ifndef OOZE_SOLVERS_DENSITY_DENSITY_SOLIDS_H
#define OOZE_SOLVERS_DENSITY_DENSITY_SOLIDS_H

#include "solvers/density/density_sweep.h"

/* All functions return at once without dynamic solids. */
OozeStatus ooze_density_solids_begin(OozeDensitySweep *sweep, OozeError *error);
/* Before the multipliers: adds the compliance of dynamic solids to the diagonals of particles near
   them. */
void ooze_density_solid_diagonals(OozeDensitySweep *sweep);
/* Between multipliers and corrections: the reaction of particles on the samples of solids. */
void ooze_density_push_solids(OozeDensitySweep *sweep);
/* Moves solids and their samples by the collected reactions. */
void ooze_density_move_solids(OozeDensitySweep *sweep);
/* The share of a penetration that the particle moves; the dynamic solid moves the rest. */
double ooze_density_push_share(const OozeDensitySweep *sweep, uint64_t i, int solid,
                               OozeVec3 normal);
/* Adds the reaction of a particle that was moved out of a solid by `delta` to the sums of the
   chunk that starts at `begin`. */
void ooze_density_push_back(OozeDensitySweep *sweep, uint64_t begin, uint64_t i, int solid,
                            OozeF32x4 delta);

#endif
