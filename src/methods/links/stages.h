/* The stages of a step of the links method, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_LINKS_STAGES_H
#define OOZE_METHODS_LINKS_STAGES_H

#include "methods/links/step.h"

/* Stages marked "dynamic solids" are called only where there are some. */
typedef struct OozeLinksStages {
    /* Dynamic solids: moves them without particles. */
    OozeStatus (*couple)(OozeLinksStep *step, OozeError *error);
    /* end, x0, u, elastic, store_inverse_mass */
    OozeStatus (*load)(OozeLinksStep *step, OozeError *error);
    OozeStatus (*find_densities)(OozeLinksStep *step, OozeError *error); /* moving, wall_motion */
    void (*smooth)(OozeLinksStep *step);                                 /* XSPH: u */
    void (*predict)(OozeLinksStep *step); /* u with gravity; wrapped positions in `change` */
    /* Of several processes: whether their ghosts suffice, and if so, the rows of the particles. If
       not, the step ends without having changed particles, and is repeated. */
    OozeStatus (*follow)(OozeLinksStep *step, bool *complete, OozeError *error);
    /* Sorts these: order, and arrays in it, which it gets by ooze_links_allocate_sorted. */
    OozeStatus (*sort)(OozeLinksStep *step, OozeError *error);
    OozeStatus (*find_neighbours)(OozeLinksStep *step, OozeError *error); /* of x, and samples */
    /* Algorithm 1: deletes, extends and makes links at the predicted positions, between particles
       and to solids. The second finds held_at, and makes the rows that both have written those of
       the step. */
    OozeStatus (*control_links)(OozeLinksStep *step, OozeError *error);
    OozeStatus (*control_walls)(OozeLinksStep *step, OozeError *error);
    void (*clear_links)(OozeLinksStep *step);
    void (*number_rows)(OozeLinksStep *step); /* row */
    /* Algorithm 2, lines 12 to 20. Memory of the iterations. */
    OozeStatus (*begin_solve)(OozeLinksStep *step, OozeError *error);
    /* Dynamic solids: which particles are near them, and memory for these. */
    OozeStatus (*find_near)(OozeLinksStep *step, OozeError *error);
    void (*find_multipliers)(OozeLinksStep *step); /* x_lambda, share, excess, change */
    /* Dynamic solids: divides corrections between particles and solids, and moves these. */
    void (*push_solids)(OozeLinksStep *step);
    void (*correct)(OozeLinksStep *step);  /* x, shift */
    void (*push_out)(OozeLinksStep *step); /* moves particles out of solids: x, shift */
    /* Dynamic solids: moves them by the reactions to that, and the fixed ends of links with
       them. */
    void (*push_back)(OozeLinksStep *step);
    void (*hold)(OozeLinksStep *step);
    /* Of several processes: excess in the order in which they divide the sorted particles. */
    void (*order_excess)(OozeLinksStep *step);
    void (*store)(OozeLinksStep *step); /* end */
    /* Of several processes: returns particles to those that have them between steps. */
    OozeStatus (*leave)(OozeLinksStep *step, OozeError *error);
    void (*load_solids)(OozeLinksStep *step); /* dynamic solids: momentum from the particles */
} OozeLinksStages;

extern const OozeLinksStages ooze_links_stages; /* of the processor */

/* `memory` and `rest` are kept between steps. */
OozeStatus ooze_links_step(OozeMachine *machine, const OozeLinksStages *stages,
                           struct OozeLinksMemory *memory, OozeLinksRest *rest, OozeError *error);
/* Arrays in the order of predicted positions, for the machine's particles. */
OozeStatus ooze_links_allocate_sorted(OozeLinksStep *step, OozeError *error);

#endif
