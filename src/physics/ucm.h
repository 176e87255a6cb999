/* The upper-convected Maxwell fluid stepped explicitly, in kinematic units (moduli and viscosities
   over the density). Valid C17 and CUDA.

   Barreiro et al. 2017, eqs 1 to 4, with L_ab = du_a/dx_b, for which the convected derivative has
   the terms L Q + Q L^T. */
#ifndef OOZE_PHYSICS_UCM_H
#define OOZE_PHYSICS_UCM_H

#include "physics/tensor.h"

/* Eq 3: Q' = L Q + Q L^T - (Q - I) / tau; `rate` is 1 / tau. */
OOZE_FORMULA OozeSym3 ooze_ucm_rate(OozeSym3 q, OozeMat3 l, OOZE_REAL rate)
{
    OozeSym3 carried = ooze_sym3_scale(ooze_mat3_symmetric(ooze_mat3_mul_sym3(l, q)), 2);
    OozeSym3 relaxed = ooze_sym3_scale(q, -rate);
    relaxed.xx += rate;
    relaxed.yy += rate;
    relaxed.zz += rate;
    return ooze_sym3_add(carried, relaxed);
}

/* Eq 4 with a Newtonian solvent: sigma = G (Q - I) + 2 nu D. */
OOZE_FORMULA OozeSym3 ooze_ucm_stress(OozeSym3 q, OozeMat3 l, OOZE_REAL g, OOZE_REAL nu)
{
    OozeSym3 s = ooze_sym3_scale(ooze_mat3_symmetric(l), 2 * nu);
    return ooze_sym3_add(
        s, ooze_sym3(g * (q.xx - 1), g * (q.yy - 1), g * (q.zz - 1), g * q.xy, g * q.xz, g * q.yz));
}

/* The longest stable step of
     u1 = u0 - dt (w s0 + gamma u0),  s1 = s0 - dt rate s0 + dt w u1,
   a wave of angular frequency w whose velocity is damped at gamma and whose stress relaxes at
   `rate`: both roots of its characteristic polynomial lie in the unit circle when w^2 dt^2 + 2
   (gamma + rate) dt <= 4 (a stabilising term of order dt^2 gamma rate is neglected). Infinite when
   all three are 0. */
OOZE_FORMULA double ooze_ucm_stable_step(double w, double gamma, double rate)
{
    double b = gamma + rate;
    /* the positive root in the form that needs no special case for w = 0 */
    return 4.0 / (b + sqrt(b * b + 4.0 * w * w));
}

#endif
