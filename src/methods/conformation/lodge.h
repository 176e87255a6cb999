/* What the implicit velocity solve of `lodge` works on, and its innermost loops. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_H
#define OOZE_METHODS_CONFORMATION_LODGE_H

#include "base/machine.h"
#include "methods/conformation/gradient.h"
#include "methods/conformation/step_bodies.h"

/* Per particle and four more, which are 0, unless said otherwise. */
typedef struct OozeLodge {
    OozeConformationStep *step;
    OozeSym3 *stiffness;   /* A per particle */
    OozeSym3 *known;       /* S0 */
    float *bulk;           /* kb mu */
    float *hourglass;      /* n per particle */
    float *edge_hourglass; /* sum over its edges of f n_j */
    OozeRows *flux;        /* rows of (T - n L) with n u in the fourth lane */
    OozeFour *star;        /* u*: velocities under external forces alone; n of them */
    OozeFour *r, *p, *ap;  /* between the gathers, an output holds what needs no second one */
    double *partial;       /* fixed blocks of sums */
    /* of recall.c */
    uint32_t *root; /* see pieces.h */
    _Atomic uint32_t *scratch;
    double pap; /* p . Ap, and ap = A p */
    struct OozePiece *pieces;
    struct OozePieceChunk *chunks;
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

/* The sum of what a loop leaves in `partial`. */
double ooze_lodge_run(OozeLodge *solve, OozeRangeBody body);
/* ap = A p. Returns p . Ap. */
double ooze_lodge_multiply(OozeLodge *solve);

/* ---- dynamic solids, which are unknowns too: couple.c. All do nothing where there are none -------- */

/* Before a product: samples move by `motion`, or with the search direction. */
void ooze_couple_spread(OozeLodge *solve);
/* After its gathers: the rows of the solids. Returns their part of p . Ap. */
double ooze_couple_product(OozeLodge *solve);
/* The steps of conjugate gradients; the first two return the squared residual. */
double ooze_couple_start(OozeLodge *solve);
double ooze_couple_advance(OozeLodge *solve);
void ooze_couple_turn(OozeLodge *solve);
/* p . r */
double ooze_couple_along(const OozeLodge *solve);
/* Of a direction that is given for the particles: none, or as the fluid about them goes. */
void ooze_couple_rest(OozeLodge *solve);
void ooze_couple_follow(OozeLodge *solve);

/* ---- where the solve begins: recall.c ------------------------------------------------------------- */

OozeStatus ooze_recall_allocate(OozeLodge *solve, OozeError *error);
/* p = what the last step did to the velocities, as far as it is possible now; ap, pap. False: nothing. */
bool ooze_recall_push(OozeLodge *solve);
/* p = the same in the directions that the solids have just let go of, from where they held them. */
bool ooze_recall_released(OozeLodge *solve, const OozeFour *star);
/* p . r */
double ooze_recall_along(OozeLodge *solve);
/* The sum of the squares of the velocities, with weights. */
double ooze_recall_speed(OozeLodge *solve);
/* What the solve has added to u*: noted when it is done, stored when the step is. */
void ooze_recall_note(const OozeLodge *solve);
void ooze_recall_store(OozeConformationStep *step);

#endif
