/* The data of a step of the links method. */
#ifndef OOZE_METHODS_LINKS_STEP_H
#define OOZE_METHODS_LINKS_STEP_H

#include "machine/machine.h"
#include "methods/links/constants.h"
#include "methods/links/method.h"
#include "solvers/vectors/vector_formula.h"

/* A substep. Arrays are in the memory of the machine, with one element a particle and one more
   unless said otherwise. */
typedef struct OozeLinksStep {
    /* Between the stages `sort` and `leave` its particles are those of the sorted predicted
       positions, which several processes divide in that order. */
    OozeMachine *machine;
    struct OozeLinksMemory *memory; /* kept between steps: of this machine, as is the type */
    OozeLinksConstants k;
    OozePeriodic periodic;
    const OozeLinksMaterial *materials; /* per material */
    bool lost;                          /* the links of this step are not valid */
    /* in store order */
    OozeMachineMotion end; /* where the motion goes */
    OozeVector *x0, *u;    /* positions at the beginning; velocities that predict the others */
    uint32_t *row;         /* field */
    uint8_t *elastic;      /* field */
    const uint16_t *store_material, *prescribed; /* the second NULL: 0 for all */
    const double *temperature;
    const uint8_t *phase;
    float *store_inverse_mass; /* 0: its velocity is prescribed */
    /* of XSPH, in store order */
    OozeVector *moving;      /* velocity, and the density in the last lane */
    OozeVector *wall_motion; /* sum of velocities relative to boundary particles */
    /* in the order of the sorted predicted positions, as the rows of links */
    const uint32_t *order; /* index in the store */
    OozeVector *x;         /* last lane 0 */
    OozeVector *shift;     /* sum of all corrections */
    /* Correction of an iteration without the multipliers of neighbours. Until the sort: predicted
       positions, in store order. */
    OozeVector *change;
    OozeVector *x_lambda; /* positions before a correction; the multiplier in the last lane */
    float *inverse_mass;  /* 0: its velocity is prescribed */
    /* The same without prescribed velocities, for the denominators of multipliers: otherwise few
       free particles next to many prescribed ones would be overcorrected. */
    float *effective_inverse_mass;
    float *extension;
    uint8_t *is_elastic, *is_new;
    uint32_t *old_row; /* OOZE_LINK_ROW_NONE: none yet */
    uint16_t *material;
    float *share;  /* strength over the number of taut links; of the GPU: 1 over it */
    float *excess; /* density above the rest density */
    /* Per link to a solid: position of its fixed end; last lane: rest length. */
    OozeVector *held_at;
    /* ---- of the processor, whose lists are padded with the particle behind the last ---- */
    bool wraps;                        /* some axis is periodic */
    bool even;                         /* all inverse masses are 1 */
    bool any_elastic;                  /* some particle is elastic */
    bool same_extension;               /* all particles have the same */
    uint32_t below;                    /* ghosts before the own particles in the order of all */
    struct OozeLinksSolid *poses;      /* of solids, as they are at present */
    float steepness, shared;           /* scales of the multiplier in `x_lambda`, and of `share` */
    float *value;                      /* per entry of the lists in store order: V W */
    const struct OozeNeighbours *near; /* at predicted positions */
    const float *rest;                 /* per entry of `near`: rest length of the link */
    float *push; /* per entry: slope of the kernel over its scale and the length */
    /* Per entry: stretch of a taut link over its length, and over the sum of both inverse masses
       unless all are 1. */
    float *pull;
    float *far_pull;        /* the same for the `far` rows */
    OozeVector *from_walls; /* the part of `change` due to solids; NULL: no solid is dynamic */
} OozeLinksStep;

#endif
