/* Dynamic solids in the density stage: what pushes a particle away from one pushes that one back, and it moves. */
#ifndef OOZE_METHODS_DENSITY_SOLIDS_H
#define OOZE_METHODS_DENSITY_SOLIDS_H

#include "methods/density_sweep.h"

/* All do nothing where there are none. */
OozeStatus ooze_density_solids_begin(OozeDensitySweep *sweep, OozeError *error);
/* Before the multipliers: how far solids give way to those near them. */
void ooze_density_ease_solids(OozeDensitySweep *sweep);
/* Between multipliers and corrections: what samples of solids do to particles, the other way round. */
void ooze_density_push_solids(OozeDensitySweep *sweep);
/* Solids and their samples move by what was collected. */
void ooze_density_move_solids(OozeDensitySweep *sweep);
/* The share of its way out of a solid that a particle goes: the solid goes the rest. */
double ooze_density_push_share(const OozeDensitySweep *sweep, uint64_t i, int solid,
                               OozeVec3 normal);
/* A particle was put out of a solid by `off`: into the sums of the chunk that begins so. */
void ooze_density_push_back(OozeDensitySweep *sweep, uint64_t begin, uint64_t i, int solid,
                            OozeFour off);

#endif
