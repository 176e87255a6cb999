/* Data of a step of the blend method. Arrays in store order unless said otherwise. */
#ifndef OOZE_METHODS_BLEND_STEP_H
#define OOZE_METHODS_BLEND_STEP_H

#include "base/f32x4.h"
#include "base/isa.h"
#include "methods/blend/constants.h"
#include "methods/blend/matching.h"
#include "methods/blend/method.h"
#include "methods/blend/sph_formula.h"
#include "solids/broad_phase.h"
#include "solvers/contact/contact_loads.h"

enum { OOZE_BLEND_GRAIN = 128 };

typedef struct OozeBlendMemory {
    OozeRegions regions;
} OozeBlendMemory;

typedef struct OozeBlendStep {
    OozeStepContext *context;
    OozeBlendMemory *memory;
    OozeBlendConstants k;
    uint64_t n, local; /* particles; with ghosts */
    const OozeBlendMaterial *materials;
    bool any_elastic, damped; /* some fluid share is below 1; some material is damped */
    const uint16_t *material;
    /* fields */
    OozeFloat4 *reference, *rotation;
    uint32_t *reference_step, *slot;
    OozeFloat4 *external;
    float *density;
    uint8_t *elastic;
    /* local + 1, with those of ghosts (see halo.h): the last is the padding of lists */
    OozeF32x4 *x, *u;
    OozeF32x4 *shape; /* reference position, and ooze_blend_shape_tag */
    OozeBlendState *state;
    OozeF32x4 *acceleration; /* of the SPH half and of walls; without gravity */
    OozeF32x4 *wall;         /* sum of normals times kernel gradients, 1/m; and of densities */
    OozeF32x4 *next_x, *next_u, *next_external;
    float smoothing; /* share of this substep in the average of contact accelerations */
    OozeBroadPhase nearby;
    uint64_t *near;              /* per group of particles: solids that it may touch in this step */
    float *travel;               /* per chunk: longest way of a particle */
    OozeSolidImpulses *impulses; /* per particle; NULL: no solid is dynamic */
} OozeBlendStep;

/* Takes new reference positions where they are due and builds the regions again if needed. */
OozeStatus ooze_blend_update(OozeBlendStep *step, OozeError *error);
/* Sums over walls, from the positions at the beginning of the step. */
OozeStatus ooze_blend_find_walls(OozeBlendStep *step, OozeError *error);
/* New velocities and positions, with collisions. */
OozeStatus ooze_blend_move(OozeBlendStep *step, const OozeMatching *matching, OozeError *error);

/* What shape matching needs of a particle. */
typedef struct OozeBlendPoint {
    uint32_t slot, material;
    float x[3], u[3], fluid_share;
    OozeFloat4 rotation;
} OozeBlendPoint;
OozeBlendPoint ooze_blend_point(const OozeBlendStep *step, uint64_t i);
void ooze_blend_place_point(const OozeBlendStep *step, OozeMatching *matching,
                            const OozeBlendPoint *point);
/* Places the points of other processes that regions of this one's particles contain, and finds
   which regions these are. */
OozeStatus ooze_blend_share_points(const OozeBlendStep *step, OozeMatching *matching,
                                   OozeError *error);

typedef struct OozeBlendLoops {
    OozeRangeBody sum_density, sum_forces;
} OozeBlendLoops;

OOZE_LOOPS_DECLARE(OozeBlendLoops, ooze_blend_loops);

#endif
