/* Loops of the blend method on the processor, and its stages that are in files of their own. */
#ifndef OOZE_METHODS_BLEND_CPU_LOOPS_H
#define OOZE_METHODS_BLEND_CPU_LOOPS_H

#include "base/isa.h"
#include "methods/blend/stages.h"

enum { OOZE_BLEND_GRAIN = 128 };

/* Of an OozeBlendStep, by particle. */
typedef struct OozeBlendLoops {
    OozeRangeBody sum_density, sum_forces;
} OozeBlendLoops;

OOZE_LOOPS_DECLARE(OozeBlendLoops, ooze_blend_loops);

/* Of an OozeMatching. */
typedef struct OozeMatchingLoops {
    /* regions of cells, by cell */
    OozeRangeBody sum_cells, sum_cell_velocities, fit_cells, fit_cell_velocities, pull_cells;
    /* regions of particles, by slot */
    OozeRangeBody fit_particles, pull_particles;
} OozeMatchingLoops;

OOZE_LOOPS_DECLARE(OozeMatchingLoops, ooze_matching_loops);

/* reference.c */
OozeBlendGate ooze_blend_measure_gate(OozeBlendStep *step, uint16_t material);
void ooze_blend_take_positions(OozeBlendStep *step, uint16_t material);
bool ooze_blend_regions_fit(OozeBlendStep *step);
OozeStatus ooze_blend_build_regions(OozeBlendStep *step, const OozeRegionsInput *input,
                                    uint32_t *slot, OozeError *error);
/* walls.c */
OozeStatus ooze_blend_find_walls(OozeBlendStep *step, OozeError *error);
float ooze_blend_move(OozeBlendStep *step);
OozeStatus ooze_blend_load_solids(OozeBlendStep *step, OozeError *error);
/* points.c */
void ooze_blend_place_points(OozeBlendStep *step);
extern const OozeBlendSharingStages ooze_blend_sharing_stages;

#endif
