/* How much a particle asks of the machine in the loops that take most of a step, counted from their source. Who
   changes a loop changes its count: `ooze bench` divides these by the time taken. */
#ifndef OOZE_METHODS_STAGE_WORK_H
#define OOZE_METHODS_STAGE_WORK_H

#include "methods/stage_clock.h"

typedef enum OozeWorkKind {
    OOZE_WORK_NEIGHBOURS, /* sort and lists, once a step */
    OOZE_WORK_VELOCITY,   /* an iteration, or one application of the operator */
    OOZE_WORK_DENSITY,    /* an iteration: multipliers, corrections, solids */
    OOZE_WORK_POSITION,   /* the same and a sweep of conformation */
    OOZE_WORK_KIND_COUNT
} OozeWorkKind;

typedef struct OozeWork {
    /* Additions, multiplications, comparisons, square roots and divisions, one each for every lane that a vector
       instruction works on, a fused multiplication and addition as two. The padding of lists is not counted. */
    double flops;
    /* What must come from memory or go there where caches hold nothing from one pass over the particles to the
       next, and everything within one: per edge what is stored for it, per particle its own state, each once
       a pass. Gathered neighbours count as cached: they are the own state of particles near by. */
    double bytes;
} OozeWork;

/* Of one particle and iteration, with so many neighbours on average: fluid, and samples of solids. */
OozeWork ooze_work(OozeWorkKind kind, double fluid, double walls);

const char *ooze_work_name(OozeWorkKind kind);
/* Whether the time of the part belongs to it. */
bool ooze_work_has(OozeWorkKind kind, OozeStagePart part);
/* Whether a call of the part is one iteration. */
bool ooze_work_counts(OozeWorkKind kind, OozeStagePart part);

#endif
