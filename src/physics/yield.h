/* Yielding: elastic strain beyond a limit flows. Valid C17 and CUDA.

   The elastic shear strain of a conformation Q is |dev Q| / sqrt 2, which for simple shear by gamma
   is gamma (to second order). Flow is a radial return of the deviatoric part to the limit (Simo,
   Comput. Methods Appl. Mech. Eng. 99, 1992) that keeps det Q exactly: if it kept the trace
   instead, every further shear would add to the trace, and so to an isotropic tension that no flow
   relieves. */
#ifndef OOZE_PHYSICS_YIELD_H
#define OOZE_PHYSICS_YIELD_H

#include "physics/tensor.h"

/* d : d */
OOZE_FORMULA OOZE_REAL ooze_sym3_norm2(OozeSym3 d)
{
    return ooze_sym3_dot(d, d);
}

OOZE_FORMULA OOZE_REAL ooze_elastic_strain(OozeSym3 q)
{
    return OOZE_SQRT(ooze_sym3_norm2(ooze_sym3_deviator(q)) / 2);
}

/* Fraction of the elastic strain that remains after yielding: 1 within the limit. */
OOZE_FORMULA OOZE_REAL ooze_yield_share(OozeSym3 q, OOZE_REAL limit)
{
    OOZE_REAL strain = ooze_elastic_strain(q);
    return strain > limit ? limit / strain : 1;
}

/* Q with that fraction of its elastic strain: positive definite, det Q unchanged. With the returned
   deviator D the mean m solves det(m I + D) = m^3 - (D:D/2) m + det D = det Q. A smaller deviator
   with the same mean has a larger determinant, so Newton's method descends from trace/3 on a convex
   branch to the only root above -(smallest eigenvalue of D). */
OOZE_FORMULA OozeSym3 ooze_yield_to(OozeSym3 q, OOZE_REAL share)
{
    if (!(share < 1)) {
        return q;
    }
    OozeSym3 d = ooze_sym3_scale(ooze_sym3_deviator(q), share);
    OOZE_REAL half = ooze_sym3_norm2(d) / 2, constant = ooze_sym3_det(d) - ooze_sym3_det(q);
    OOZE_REAL mean = ooze_sym3_trace(q) / 3;
    for (int k = 0; k < 16; k++) {
        OOZE_REAL slope = 3 * mean * mean - half;
        OOZE_REAL excess = mean * (mean * mean - half) + constant;
        if (!(slope > 0) || !(excess > 0)) {
            break; /* converged to rounding */
        }
        mean -= excess / slope;
    }
    /* where rounding exceeds a tiny determinant, Q stays positive definite at its expense */
    mean = ooze_max(mean, (OOZE_REAL)1e-4 * OOZE_SQRT(half) - ooze_sym3_min_eigenvalue(d));
    d.xx += mean;
    d.yy += mean;
    d.zz += mean;
    return d;
}

#endif
