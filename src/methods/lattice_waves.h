/* What sums over neighbours make of plane waves on the rest lattice: how long an explicit step may be. */
#ifndef OOZE_METHODS_LATTICE_WAVES_H
#define OOZE_METHODS_LATTICE_WAVES_H

#include "methods/method.h"

/* Of a wave exp(i k x). */
typedef struct OozeLatticeWave {
    double gradient2; /* |g|^2 of the sum for a gradient */
    double moment;    /* that sum of x, along x: 1 if it were exact */
    double spread;    /* 2 sum f (1 - cos kx) of the same pairs */
    double laplacian; /* of the viscosity kernel's: k^2 for long waves, as the others */
} OozeLatticeWave;

/* The shortest of the steps that `step` allows each material, over waves along an axis, a face's and a cube's diagonal. */
double ooze_lattice_waves_step(const OozeStepContext *context,
                               double (*step)(const OozeStepContext *context, int material,
                                              const OozeLatticeWave *wave));

#endif
