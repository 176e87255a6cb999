/* The data of a step of the springs method. */
#ifndef OOZE_METHODS_SPRINGS_STEP_H
#define OOZE_METHODS_SPRINGS_STEP_H

#include "machine/machine.h"
#include "methods/springs/bodies_formula.h"
#include "methods/springs/method.h"
#include "methods/springs/pair_formula.h"
#include "methods/springs/schedule_formula.h"
#include "methods/springs/table.h"
#include "solvers/vectors/vector_formula.h"

/* A particle's position, and the sum of its corrections, from which its velocity is computed:
   the difference of rounded positions would lose momentum. */
typedef struct OozeSpringsPoint {
    OozeVector x, shift; /* last lanes 0 */
} OozeSpringsPoint;

/* A substep. Arrays are in the memory of the machine, with one element a particle unless said
   otherwise. */
typedef struct OozeSpringsStep {
    /* Between the stages `sort` and `leave` its particles are those of the sorted predicted
       positions, which several processes divide in that order. */
    OozeMachine *machine;
    struct OozeSpringsMemory *memory; /* kept between steps: of this machine, as is the type */
    OozeSpringsConstants k;
    OozeSpringsFeatures any;
    OozePeriodic periodic;
    OozeContactRule rule;
    const OozeSpringsCoefficients *coefficients; /* per material */
    bool any_prescribed;
    /* in store order */
    OozeMachineMotion end; /* where the motion goes; until the sort, that at the beginning */
    OozeVector *x0, *u;    /* positions at the beginning; velocities that predict the others */
    uint32_t *row;         /* field */
    const uint16_t *store_material, *store_prescribed; /* the second NULL: 0 for all */
    const uint64_t *store_id;
    uint64_t *store_key;
    /* in the order of the sorted predicted positions, with those of ghosts */
    const uint32_t *order;   /* index in the store */
    OozeVector *p;           /* predicted */
    OozeSpringsPoint *point; /* of the GPU: all x before all shifts */
    uint16_t *material;
    uint64_t *id, *key;
    uint8_t *prescribed;
    uint32_t *old_row;    /* OOZE_LINK_ROW_NONE: none yet */
    uint32_t *long_count; /* springs of a row longer than the support */
    /* dynamic solids */
    int body_count;
    const OozeSpringsBody *bodies; /* at their present poses */
    uint32_t *near;                /* particles that may collide with one */
    uint64_t near_count;
    OozeSpringsCollision *collisions; /* of these */
    /* Of the processor: ghosts before the own particles; the first run of the current colour; lists
       in store order; the motion of particles near dynamic solids of all processes, of which
       near_first precede those of `near`. Of the GPU: friction of wet solids. */
    uint64_t below, first_run;
    const OozeNeighbours *store_lists;
    struct OozeSpringsMotion *near_motion;
    uint64_t own_near_count, near_first;
    const double *wet_friction;
} OozeSpringsStep;

#endif
