/* Von Neumann analysis of explicit steps: SPH sums over plane waves on the rest lattice. */
#ifndef OOZE_SOLVERS_PAIRS_LATTICE_WAVES_H
#define OOZE_SOLVERS_PAIRS_LATTICE_WAVES_H

#include "step/context.h"

/* SPH sums over a wave exp(i k x). */
typedef struct OozeLatticeWave {
    double gradient2; /* |sum f x sin kx|^2, of the gradient */
    double moment;    /* sum f x^2: 1 where the gradient of a linear field is exact */
    double spread;    /* 2 sum f (1 - cos kx) */
    double laplacian; /* sum V lap W (1 - cos kx) with the viscosity kernel; k^2 for long waves */
} OozeLatticeWave;

/* The smallest step that `step` allows over all materials and waves along an axis, a face diagonal
   and a cube diagonal. */
double ooze_lattice_waves_step(const OozeStepContext *context,
                               double (*step)(const OozeStepContext *context, int material,
                                              const OozeLatticeWave *wave));

#endif
