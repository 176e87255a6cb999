/* The stages of a step of the springs method, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_SPRINGS_STAGES_H
#define OOZE_METHODS_SPRINGS_STAGES_H

#include "methods/springs/step.h"

typedef struct OozeSpringsStages {
    OozeStatus (*load)(OozeSpringsStep *step, OozeError *error); /* x0, u with gravity, store_key */
    /* Algorithm 5: u. */
    OozeStatus (*apply_viscosity)(OozeSpringsStep *step, OozeError *error);
    /* Of several processes: whether their ghosts suffice, and if so, the rows of the particles. If
       not, the step ends without having changed particles, and is repeated. */
    OozeStatus (*follow)(OozeSpringsStep *step, bool *complete, OozeError *error);
    /* Predicts positions and sorts them: order, and arrays in it, which it gets by
       ooze_springs_allocate_sorted. */
    OozeStatus (*sort)(OozeSpringsStep *step, OozeError *error);
    /* Lists at predicted positions, and the order of sweeps. */
    OozeStatus (*find_neighbours)(OozeSpringsStep *step, OozeError *error);
    /* Algorithm 4, at predicted positions: rows of springs, long_count. */
    OozeStatus (*update_springs)(OozeSpringsStep *step, OozeError *error);
    void (*clear_springs)(OozeSpringsStep *step);
    void (*number_rows)(OozeSpringsStep *step); /* row */
    /* Algorithm 3: point. Sweeps cannot apply springs longer than the support in parallel, because
       their particles may lie in cells that are not adjacent. */
    OozeStatus (*pull)(OozeSpringsStep *step, OozeError *error);
    OozeStatus (*pull_long)(OozeSpringsStep *step, OozeError *error); /* these. Waits */
    void (*relax)(OozeSpringsStep *step);                             /* algorithm 2: point */
    /* Dynamic solids: near, near_count. Waits. */
    OozeStatus (*find_near)(OozeSpringsStep *step, OozeError *error);
    /* collisions, with solids at their present poses */
    OozeStatus (*collide_near)(OozeSpringsStep *step, OozeError *error);
    /* Changes of velocity and spin of each solid by the particles near it, to the host. Waits. */
    OozeStatus (*solve_bodies)(OozeSpringsStep *step, double (*change)[6], OozeError *error);
    void (*collide)(OozeSpringsStep *step); /* section 6: end */
    /* What particles lost to each dynamic solid, to the host. Waits. */
    OozeStatus (*sum_lost)(OozeSpringsStep *step, OozeSpringsLost *lost, OozeError *error);
    /* Changes the velocity of every particle that touches a solid. */
    void (*change_velocities)(OozeSpringsStep *step, const OozeVec3 *changes);
    /* Of several processes: returns particles to those that have them between steps. */
    OozeStatus (*leave)(OozeSpringsStep *step, OozeError *error);
} OozeSpringsStages;

extern const OozeSpringsStages ooze_springs_stages; /* of the processor */

/* `memory`: kept between steps. */
OozeStatus ooze_springs_step(OozeMachine *machine, const OozeSpringsStages *stages,
                             struct OozeSpringsMemory *memory, OozeError *error);
/* Arrays in the order of predicted positions, for the machine's particles. */
OozeStatus ooze_springs_allocate_sorted(OozeSpringsStep *step, OozeError *error);
/* Algorithm 6: particles collide with solids, of which dynamic ones move. */
OozeStatus ooze_springs_collide(OozeSpringsStep *step, const OozeSpringsStages *stages,
                                OozeError *error);

#endif
