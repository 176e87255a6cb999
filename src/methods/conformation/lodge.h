/* What the implicit velocity solve of `lodge` works on, and its innermost loops. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_H
#define OOZE_METHODS_CONFORMATION_LODGE_H

#include "base/machine.h"
#include "methods/conformation/bodies.h"
#include "methods/conformation/gradient.h"

/* Per particle and four more, which are 0, unless said otherwise. */
typedef struct OozeLodge {
    OozeConformationStep *step;
    OozeSym3 *stiffness;   /* A per particle */
    OozeSym3 *known;       /* S0 */
    float *bulk;           /* kb mu */
    float *hourglass;      /* n per particle */
    float *edge_hourglass; /* sum over its edges of f n_j */
    OozeRows *flux;        /* rows of (T - n L) with n u in the fourth lane */
    OozeFour *r, *p, *ap;  /* between the gathers, an output holds what needs no second one */
    double *partial;       /* fixed blocks of sums */
    const OozeFour *input;
    OozeFour *output;
    bool with_known; /* include S0 and moving walls: the residual, not a search direction */
    bool with_held; /* leave in what held particles cannot do: it is what their solids do to them */
    double alpha, beta;
    OozeVelocitySolve residual; /* of all passes together */
} OozeLodge;

/* Bodies of parallel loops over an OozeLodge, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozeLodgeLoops {
    OozeRangeBody stress;  /* first gather: gradient of the input, stress, flux */
    OozeRangeBody product; /* second: output = weight input - dt force, projected; sums p . Ap */
    OozeRangeBody start, advance, turn; /* of conjugate gradients */
    OozeRangeBody edge_hourglass;
} OozeLodgeLoops;
OOZE_LOOPS_DECLARE(OozeLodgeLoops, ooze_lodge_loops);

/* Takes out what a held particle cannot do. */
static inline OozeFour ooze_lodge_project(const OozeConformationStep *s, uint64_t i, OozeFour v)
{
    if (s->hold_of[i] >= 0) {
        const OozeHold *hold = &s->holds[s->hold_of[i]];
        for (int k = 0; k < hold->count; k++) {
            v -= ooze_four_dot3(v, hold->direction[k]) * hold->direction[k];
        }
    }
    return v;
}

#endif
