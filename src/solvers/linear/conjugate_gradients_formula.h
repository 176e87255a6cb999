/* Scalars of a preconditioned conjugate-gradient solve A x = b, r = b - A x, z = M^-1 r: when it
   stops, how long its steps are, and when it restarts. Valid C17 and CUDA, for the loops of the
   processor and of the GPU. */
#ifndef OOZE_SOLVERS_LINEAR_CONJUGATE_GRADIENTS_FORMULA_H
#define OOZE_SOLVERS_LINEAR_CONJUGATE_GRADIENTS_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/formula.h"
#include "step/report.h"

/* Residual of an iterative solve. All parts of a solve, passes and changes of solver, stop at
   the same residual: `tolerance` times the largest that one of them started with, before any
   initial guess, or times the value that `initial` was set to before they started. */
typedef struct OozeSolveResidual {
    double initial, current; /* squared: the largest at a start, and now */
    double target;           /* squared residual at which the solve stops */
    int iterations;
    bool has_tolerance; /* false: the number of iterations is fixed, and no target is missed */
} OozeSolveResidual;

/* These return whether to continue. */
OOZE_FORMULA bool ooze_solve_residual_begin(OozeSolveResidual *residual, double square,
                                            double tolerance)
{
    residual->initial = square > residual->initial ? square : residual->initial;
    residual->current = square;
    residual->target = residual->initial * tolerance * tolerance;
    residual->has_tolerance = tolerance > 0.0;
    return square > residual->target;
}

OOZE_FORMULA bool ooze_solve_residual_check(OozeSolveResidual *residual, double square)
{
    residual->current = square;
    return square > residual->target;
}

OOZE_FORMULA bool ooze_solve_residual_iterated(OozeSolveResidual *residual, double square)
{
    residual->iterations++;
    return ooze_solve_residual_check(residual, square);
}

OOZE_FORMULA bool ooze_solve_residual_converged(const OozeSolveResidual *residual)
{
    return residual->has_tolerance && residual->current <= residual->target;
}

OOZE_FORMULA void ooze_solve_residual_report(const OozeSolveResidual *residual,
                                             OozeStepReport *report)
{
    const double initial = residual->initial;
    report->iterations = residual->iterations;
    report->residual = initial > 0.0 ? sqrt(residual->current / initial) : 0.0;
    report->unconverged = residual->has_tolerance && residual->current > residual->target;
}

typedef struct OozeConjugateGradients {
    OozeSolveResidual residual;
    /* Rules. A direction is lost to rounding where p.Ap is not above min_curvature times r.z, or
       where r.z has grown to max_growth times its first value. With `restarts` the solve then
       continues from the residual, unless the direction was the residual already. */
    double min_curvature, max_growth;
    bool restarts;
    double rz, first_rz; /* r.z now and at the start */
    double pap;          /* p.Ap */
    double alpha, beta;  /* x += alpha p; p = z + beta p */
    int32_t off;         /* the iterations have ended */
    int32_t fresh;       /* p is z alone */
    int32_t lost;        /* this iteration's direction is lost to rounding */
} OozeConjugateGradients;

/* The residual is known and p = z. `square` is the measure of the residual that the tolerance
   refers to. */
OOZE_FORMULA void ooze_cg_begin(OozeConjugateGradients *cg, double rz, double square,
                                double tolerance)
{
    bool continues = ooze_solve_residual_begin(&cg->residual, square, tolerance);
    cg->rz = cg->first_rz = rz;
    cg->fresh = 1;
    cg->lost = 0;
    cg->off = !(continues && rz > 0.0);
}

/* p.Ap is known: sets the step length. */
OOZE_FORMULA void ooze_cg_step_length(OozeConjugateGradients *cg, double pap)
{
    bool grown = cg->max_growth > 0.0 && !(cg->rz < cg->max_growth * cg->first_rz);
    cg->pap = pap;
    cg->lost = grown || !(pap > cg->min_curvature * cg->rz);
    cg->alpha = cg->lost ? 0.0 : cg->rz / pap;
    cg->off = cg->lost && (cg->fresh || !cg->restarts);
}

/* r.z after the step, from sums that are known before it: exact enough to choose the next
   direction. */
OOZE_FORMULA void ooze_cg_predict(OozeConjugateGradients *cg, double ap_z, double ap_m_ap)
{
    double next = cg->rz - cg->alpha * (2.0 * ap_z - cg->alpha * ap_m_ap);
    cg->beta = cg->lost || !(next > 0.0) ? 0.0 : next / cg->rz;
}

/* r.z and the measure of the residual after the step. */
OOZE_FORMULA void ooze_cg_advanced(OozeConjugateGradients *cg, double rz, double square)
{
    cg->rz = rz;
    cg->fresh = cg->beta == 0.0;
    cg->off = !(ooze_solve_residual_iterated(&cg->residual, square) && rz > 0.0);
}

/* The same where the next direction was not predicted: sets beta too. */
OOZE_FORMULA void ooze_cg_iterated(OozeConjugateGradients *cg, double rz, double square)
{
    cg->beta = cg->lost ? 0.0 : rz / cg->rz;
    ooze_cg_advanced(cg, rz, square);
}

/* A step along an initial guess of the change: to the least error in the norm of A, and at most
   alpha = 1. */
OOZE_FORMULA double ooze_cg_guess_length(double r_p, double pap)
{
    double alpha = r_p / pap;
    alpha = alpha > 0.0 ? alpha : 0.0;
    return pap > 0.0 ? (alpha < 1.0 ? alpha : 1.0) : 0.0;
}

#endif
