/* Shape matching of a step: from positions and velocities to pulls, in slot order. */
#ifndef OOZE_METHODS_BLEND_MATCHING_H
#define OOZE_METHODS_BLEND_MATCHING_H

#include "base/isa.h"
#include "methods/blend/regions.h"
#include "physics/shape_matching.h"
#include "solvers/step_context.h"

/* Position or velocity, and the weight of the particle in its regions: stiffness (or damping
   coefficient) times the share of the slot. */
typedef struct OozeMatchPoint {
    double at[3], weight;
} OozeMatchPoint;

/* The rigid motion of a region: x_i -> r (q_i - q) + x. */
typedef struct OozeMatchMap {
    double r[9], q[3], x[3];
    double count; /* in goals */
} OozeMatchMap;

typedef struct OozeMatching {
    const OozeRegions *regions;
    /* per slot */
    OozeMatchPoint *position;
    OozeMatchPoint *velocity; /* NULL: no damping */
    double (*pull)[4];        /* output, N */
    /* per region */
    double (*rotation)[4]; /* quaternion w, x, y, z: of the step before, then of this one */
    OozeMatchMap *map;
    OozeMatchVelocity *motion; /* damping only */
    /* regions of cells: sums of the particles of each cell in the regions of the 27 around it */
    double (*sums)[OOZE_BLEND_NEAR][OOZE_MATCH_SUMS];
} OozeMatching;

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
