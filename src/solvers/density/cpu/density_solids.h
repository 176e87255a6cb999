/* Dynamic solids in the density stage: the reaction of particles moves them. */
#ifndef OOZE_SOLVERS_DENSITY_CPU_DENSITY_SOLIDS_H
#define OOZE_SOLVERS_DENSITY_CPU_DENSITY_SOLIDS_H

#include "solvers/density/cpu/density_sweep.h"

/* Stages, with dynamic solids only: see stages.h. */
void ooze_density_solids_begin(OozeDensitySweep *sweep);
void ooze_density_solid_diagonals(OozeDensitySweep *sweep);
void ooze_density_push_solids(OozeDensitySweep *sweep);

/* The functions below return at once without dynamic solids. */

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
