/* Von Neumann analysis of explicit steps: SPH sums over plane waves on the rest lattice. */
#ifndef OOZE_SOLVERS_LATTICE_WAVES_H
#define OOZE_SOLVERS_LATTICE_WAVES_H

#include "solvers/step_context.h"

/* SPH sums over a wave exp(i k x). */
typedef struct OozeLatticeWave {
    double gradient2; /* |g|^2 of the sum for a gradient */
    double moment;    /* the gradient sum of the field x: 1 where it is exact */
    double spread;    /* 2 sum f (1 - cos kx) of the same pairs */
    double laplacian; /* of the viscosity kernel's: k^2 for long waves, as the others */
} OozeLatticeWave;

/* The smallest step that `step` allows over all materials and waves along an axis, a face diagonal
   and a cube diagonal. */
double ooze_lattice_waves_step(const OozeStepContext *context,
                               double (*step)(const OozeStepContext *context, int material,
                                              const OozeLatticeWave *wave));

#endif
