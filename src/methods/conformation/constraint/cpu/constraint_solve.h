/* Shared by both formulations of the method constraint: six multipliers a particle, and the sweeps
   that solve for them.

   Unknowns are velocities: a position x corresponds to the velocity (x - x0)/dt. The position stage
   therefore continues with the multipliers of the velocity stage instead of applying them twice,
   and the multiplier of a row is minus a stress, for any time step. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_CPU_CONSTRAINT_SOLVE_H
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_CPU_CONSTRAINT_SOLVE_H

#include "base/isa.h"
#include "methods/conformation/constraint/constraint_formula.h"
#include "methods/conformation/cpu/gradient.h"
#include "solvers/pairs/gather.h"

typedef struct OozeConstraint {
    OozeConformationStep *step;
    const OozeConstraintMaterial *materials;
    const OozeSym3 *correction; /* of gradients; 0: the particle has no constraint */
    OozeSym3 *known;            /* the constraint at zero velocity */
    OozeSym3 *diagonal;         /* of the rows, without compliance */
    OozeSym3 *lambda;           /* multipliers */
    OozeSym3 *before;           /* Chebyshev: multipliers one iteration earlier; CG: residual */
    OozeSym3 *direction;        /* of conjugate gradients */
    OozeSym3 *product;          /* matrix times direction */
    OozeRows *flux;             /* -dt S(change of lambda) correction */
    OozeF32x4 *base;            /* flux_i times the sum of its edges */
    OozeF32x4 *u_star;          /* velocities under external forces alone */
    OozeF32x4 *free;            /* u* + M^-1 J^T lambda: velocities without contacts */
    OozeF32x4 *change;          /* M^-1 J^T direction */
    float *hourglass;           /* of one sweep, m2/s: see OozeCorotatedLoops */
    float *edge_hourglass;      /* sum over its edges of |W'|/r times that of the neighbour */
    uint8_t *active;            /* per contact set: see ooze_contact_velocity */
    double *partial;            /* sums of fixed blocks */
    double *squares;            /* the same for squared residuals */
    OozeSolveResidual solve;
    const float *receiver; /* paper: factor on the velocity change of the receiver; NULL: 1 */
    bool with_contacts;    /* in the velocity stage */
    float weight;          /* of Chebyshev's recurrence */
    float alpha, beta;     /* of conjugate gradients */
} OozeConstraint;

/* The bound by row sums, or with a receiver's factor the plain diagonal as printed, of the edges at
   the beginning of the step. */
OozeStatus ooze_constraint_diagonal(OozeConstraint *c, OozeError *error);
typedef struct OozeConstraintLoops {
    /* free = u* + M^-1 J^T lambda, and step->u with contacts. */
    void (*start)(OozeConstraint *c);
    /* At most `iterations` of Jacobi, with Chebyshev's weights for that radius (0: plain), until
       the residual has fallen to `tolerance` of its start. */
    void (*jacobi)(OozeConstraint *c, int iterations, double radius, double tolerance);
    /* The radius is for the sweeps that find the active contacts. */
    void (*conjugate_gradients)(OozeConstraint *c, int iterations, double radius, double tolerance);
} OozeConstraintLoops;
OOZE_LOOPS_DECLARE(OozeConstraintLoops, ooze_constraint_loops);

typedef struct OozeCorotatedLoops {
    /* Hourglass coefficients for `sweeps` sweeps. */
    void (*set_damping)(OozeConstraint *c, int sweeps);
    /* One Jacobi sweep of the corotated constraint on the velocities u, which it changes.

   Motion that a linear field does not describe is invisible to gradients, so that no constraint
   resists it; the same sweep damps it by
     du_i = dt/m sum_j f_ij [n_i (u_ji - L_i x_ji) + n_j (u_ji - L_j x_ji)],  f = V |W'|/r,
   zero on linear fields, equal and opposite along edges, and without torque, because L is the best
   linear fit with just these weights. */
    void (*sweep)(OozeConstraint *c, OozeF32x4 *u);
} OozeCorotatedLoops;
OOZE_LOOPS_DECLARE(OozeCorotatedLoops, ooze_corotated_loops);

/* M^-1 J^T of the present flux. */
static inline OozeF32x4 ooze_constraint_velocity_change(const OozeConstraint *c, uint64_t i)
{
    const OozeConformationStep *s = c->step;
    OozeF32x4 push = c->base[i] + ooze_edges_flux(s->own->edges, c->flux, i);
    float factor = s->mobility[i];
    if (c->receiver) {
        factor *= c->receiver[i];
    }
    return factor * push;
}

/* One Jacobi sweep of eqs 14 to 18 as printed, kernel gradients afresh at x = start + shift. */
typedef struct OozePaperPositions {
    OozeConstraint *constraint;
    const OozeF32x4 *start;
    OozeF32x4 *shift;
    OozeF32x4 *x;
    OozeEdges edges; /* at x */
    OozeSym3 *lambda;
} OozePaperPositions;
OozeStatus ooze_paper_positions_begin(OozePaperPositions *job, OozeConstraint *c,
                                      const OozeF32x4 *start, OozeError *error);
void ooze_paper_positions_sweep(OozePaperPositions *job, OozeF32x4 *shift);

extern const OozeFormulation ooze_formulation_consistent, ooze_formulation_paper;

#endif
