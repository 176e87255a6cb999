/* Shared by the constraint formulations: six multipliers a particle, and the sweeps that solve for
   them.

   Everything is in velocities: a position x stands for the velocity (x - x0)/dt, so that the
   position stage goes on with the multipliers of the velocity stage instead of applying them twice,
   and the multiplier of a row is minus a stress, whatever the time step. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_SOLVE_H
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_SOLVE_H

#include "base/isa.h"
#include "methods/conformation/constraint_formula.h"
#include "methods/conformation/gradient.h"
#include "solvers/gather.h"

typedef struct OozeConstraint {
    OozeConformationStep *step;
    const OozeConstraintMaterial *materials;
    const OozeSym3 *correction; /* of gradients; 0: the particle has no constraint */
    OozeSym3 *known;            /* the constraint at zero velocity */
    OozeSym3 *diagonal;         /* of the rows, without compliance */
    OozeSym3 *lambda;           /* multipliers so far */
    OozeSym3 *before;      /* one iteration earlier: Chebyshev; a residual: conjugate gradients */
    OozeSym3 *direction;   /* of conjugate gradients */
    OozeSym3 *product;     /* the matrix times it */
    OozeRows *flux;        /* -dt S(change of lambda) correction */
    OozeF32x4 *base;       /* flux_i times the sum of its edges */
    OozeF32x4 *star;       /* u*: velocities under external forces alone */
    OozeF32x4 *free;       /* u* + M^-1 J^T lambda: velocities without contacts */
    OozeF32x4 *change;     /* M^-1 J^T direction */
    float *hourglass;      /* of one sweep, m2/s: see OozeCorotatedLoops */
    float *edge_hourglass; /* sum over its edges of |W'|/r times that of the neighbour */
    uint8_t *active;       /* per contact set: see ooze_contact_velocity */
    double *partial;       /* fixed blocks of sums */
    double *squares;       /* the same of squared residuals, where the sum is another */
    OozeSolveResidual solve;
    const float *receiver; /* paper: factor on the velocity change of the receiver; NULL: 1 */
    bool held;             /* contacts act in the velocity stage */
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
    /* Coefficients of the hourglass term for so many sweeps. */
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

/* M^-1 J^T of the flux at hand. */
static inline OozeF32x4 ooze_constraint_pushed(const OozeConstraint *c, uint64_t i)
{
    const OozeConformationStep *s = c->step;
    OozeF32x4 push = c->base[i] + ooze_edges_flux(&s->edges, c->flux, i);
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

#endif
