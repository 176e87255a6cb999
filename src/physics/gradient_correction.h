/* The correction that makes SPH gradients exact for linear fields: Bonet and Lok 1999. Valid C17
   and CUDA. */
#ifndef OOZE_PHYSICS_GRADIENT_CORRECTION_H
#define OOZE_PHYSICS_GRADIENT_CORRECTION_H

#include "physics/tensor.h"

/* The inverse of sum V x g^T; zero where the neighbourhood does not span three dimensions, so that
   the particle has no stress rather than a wrong one. */
OOZE_FORMULA OozeSym3 ooze_gradient_correction(OozeSym3 moment, unsigned neighbours)
{
    OOZE_REAL mean = ooze_sym3_trace(moment) / 3, det = ooze_sym3_det(moment);
    if (neighbours < 6 || !(mean > (OOZE_REAL)0.25) ||
        !(det > (OOZE_REAL)0.1 * mean * mean * mean)) {
        return ooze_sym3_identity(0);
    }
    return ooze_sym3_inverse(moment);
}

#endif
