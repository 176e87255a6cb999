/* Shape matching of a step: from positions and velocities to pulls, in slot order. */
#ifndef OOZE_METHODS_BLEND_MATCHING_H
#define OOZE_METHODS_BLEND_MATCHING_H

#include "base/isa.h"
#include "methods/blend/matching_formula.h"

/* Arrays of the arena for all of this but `regions`. */
OozeStatus ooze_matching_begin(OozeMatching *matching, const OozeRegions *regions, bool damped,
                               OozeArena *arena, OozeError *error);
/* Fills `pull` from the points and velocities. */
void ooze_matching_run(OozeMatching *matching, OozeThreads *threads, OozeStepTimer *timer);

typedef struct OozeMatchingLoops {
    /* regions of cells, by cell */
    OozeRangeBody sum_cells, sum_cell_velocities, fit_cells, fit_cell_velocities, pull_cells;
    /* regions of particles, by slot */
    OozeRangeBody fit_particles, pull_particles;
} OozeMatchingLoops;

OOZE_LOOPS_DECLARE(OozeMatchingLoops, ooze_matching_loops);

#endif
