/* The stages of a step of the blend method, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_BLEND_STAGES_H
#define OOZE_METHODS_BLEND_STAGES_H

#include "methods/blend/reference_formula.h"
#include "methods/blend/step.h"

typedef struct OozeBlendSharingStages {
    void (*find_roles)(OozeBlendStep *step, uint8_t *role); /* of cells: see OozeMatching */
    /* Own particles in cells that a process needs (see ooze_regions_needs): their number, and
       `count` indices of them. Wait. */
    uint64_t (*count_points)(OozeBlendStep *step, const uint8_t *needed);
    void (*list_points)(OozeBlendStep *step, const uint8_t *needed, uint32_t *list);
    void (*pack_points)(OozeBlendStep *step, const uint32_t *list, uint64_t count,
                        OozeBlendPoint *to);
    /* As place_points. */
    void (*place_received)(OozeBlendStep *step, const OozeBlendPoint *points, uint64_t count);
    void (*copy_roles)(OozeBlendStep *step, const uint8_t *of_cells, uint8_t *of_slots);
} OozeBlendSharingStages;

typedef struct OozeBlendStages {
    OozeStatus (*load)(OozeBlendStep *step, OozeError *error); /* x, u, state */
    /* Sums over the particles of a material, of all processes. Waits. */
    OozeBlendGate (*measure_gate)(OozeBlendStep *step, uint16_t material);
    /* New reference positions of the particles of a material. */
    void (*take_positions)(OozeBlendStep *step, uint16_t material);
    /* Whether the regions hold exactly the particles that have a reference position. Waits. */
    bool (*regions_fit)(OozeBlendStep *step);
    /* regions, and the slot of each particle. A failure leaves no regions. Waits. */
    OozeStatus (*build_regions)(OozeBlendStep *step, const OozeRegionsInput *input, uint32_t *slot,
                                OozeError *error);
    void (*set_shapes)(OozeBlendStep *step); /* shape, elastic */
    OozeStatus (*find_walls)(OozeBlendStep *step, OozeError *error);
    void (*sum_densities)(OozeBlendStep *step); /* density; pressure and density of state */
    void (*sum_forces)(OozeBlendStep *step);    /* acceleration */
    /* position, velocity and rotation of the matching, of own particles */
    void (*place_points)(OozeBlendStep *step);
    const OozeBlendSharingStages *sharing; /* of several processes: of others' particles */
    /* map, rotation and motion of the matching; then pull */
    void (*fit_cells)(OozeBlendStep *step);
    void (*fit_cell_velocities)(OozeBlendStep *step);
    void (*pull_cells)(OozeBlendStep *step);
    void (*fit_particles)(OozeBlendStep *step);
    void (*pull_particles)(OozeBlendStep *step);
    /* next_x, next_u, next_external and impulses, and density errors of the report; returns the
       largest squared speed before collisions, of all processes. Waits. */
    float (*move)(OozeBlendStep *step);
    OozeStatus (*load_solids)(OozeBlendStep *step, OozeError *error); /* next_u */
    void (*store)(OozeBlendStep *step);
    uint64_t sums_per_cell; /* elements of the matching's `sums` that fit_cells needs */
} OozeBlendStages;

extern const OozeBlendStages ooze_blend_stages; /* of the processor */

/* `regions`: kept between steps; zero at first. */
OozeStatus ooze_blend_step(OozeMachine *machine, const OozeBlendStages *stages,
                           OozeRegions *regions, OozeError *error);
/* Places the points of other processes that regions of this one's particles contain, and finds
   which regions these are: see points.c. */
OozeStatus ooze_blend_share_points(OozeBlendStep *step, const OozeBlendSharingStages *stages,
                                   OozeError *error);
/* Pulls of shape matching from its points. */
void ooze_blend_run_matching(OozeBlendStep *step, const OozeBlendStages *stages);
/* Refuses worlds that the method does not support. */
OozeStatus ooze_blend_check(const OozeStepContext *context, OozeError *error);

#endif
