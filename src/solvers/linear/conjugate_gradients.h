/* Preconditioned conjugate gradients on the processor. The vectors and the operator belong to
   the caller: their sweeps are fused, and unknowns may be velocities, multipliers or pressures. */
#ifndef OOZE_SOLVERS_LINEAR_CONJUGATE_GRADIENTS_H
#define OOZE_SOLVERS_LINEAR_CONJUGATE_GRADIENTS_H

#include "base/threads.h"
#include "particles/halo.h"
#include "solvers/linear/conjugate_gradients_formula.h"

typedef struct OozeCgOperations {
    /* Operator: ap = A p. Returns p.Ap. */
    double (*multiply)(void *user);
    /* x += alpha p, r -= alpha ap. Returns r.z; `square` is what the tolerance refers to. */
    double (*advance)(void *user, double alpha, double *square);
    /* Preconditioner: p = z + beta p. */
    void (*update)(void *user, double beta);
} OozeCgOperations;

/* At most `iterations`, after ooze_cg_begin. */
void ooze_conjugate_gradients(OozeConjugateGradients *cg, const OozeCgOperations *operations,
                              void *user, int iterations);

/* Runs a loop in blocks of `grain`, of which each leaves a sum in partial[begin / grain], and
   adds them in order: the same sum for any number of threads. */
typedef struct OozeBlockSum {
    OozeThreads *threads;
    uint64_t n;
    int grain;
    double *partial;
    OozeHalo *halo; /* blocks of other processes belong to the sum; NULL: there are none */
} OozeBlockSum;
double ooze_block_sum(const OozeBlockSum *sum, OozeRangeBody body, void *data);

#endif
