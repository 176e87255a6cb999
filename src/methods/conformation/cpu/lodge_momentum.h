/* The sums of lodge_momentum.c, for its part of several processes. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_LODGE_MOMENTUM_H
#define OOZE_METHODS_CONFORMATION_CPU_LODGE_MOMENTUM_H

#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_momentum_formula.h"

typedef struct OozeMomentumChunk {
    OozeMomentumSums sums;
    bool mixed; /* its particles belong to several components */
} OozeMomentumChunk;

typedef struct OozeMomentumJob {
    OozeLodge *solve;
    OozeMomentumChunk *chunks;
    const OozeF32x4 *origin; /* per root: position of the lowest particle of the component */
    uint32_t *number;        /* per root: number of the component */
    uint64_t components;
    OozeMomentumSums *sums; /* per component */
    OozeTwist *lack;        /* per component: motion to add, at the origin */
    /* per dynamic solid; solid_first: a particle of this process that does not slip on it,
       UINT64_MAX: none; solid_number: its component, UINT32_MAX: no process has such a particle */
    uint64_t *solid_first;
    uint32_t *solid_number;
    OozeF32x4 *solid_origin; /* of that component */
    /* of several processes */
    uint64_t shared; /* first number of components that all processes have sums of */
    struct OozeMomentumOrigin *origins; /* of these, ascending */
    uint64_t origin_count;
} OozeMomentumJob;

/* Adds particle i. */
void ooze_momentum_add_particle(const OozeMomentumJob *job, uint64_t i, OozeMomentumSums *sum);
void ooze_momentum_add_sums(OozeMomentumSums *to, const OozeMomentumSums *from);

/* Components of all processes: their roots, numbers and origins. */
OozeStatus ooze_momentum_number_shared(OozeMomentumJob *job, OozeError *error);
/* Their sums from chunks, in the order of all particles. */
OozeStatus ooze_momentum_collect_shared(OozeMomentumJob *job, OozeError *error);

#endif
