/* The upper-convected Maxwell fluid as a Lodge integral over one step (Lodge 1956), in kinematic
   units: G is the shear modulus over the density (m2/s2), viscosities are kinematic (m2/s). Valid
   C17 and CUDA.

   Q' = L Q + Q L^T - (Q - I)/tau is the rubber-like liquid whose memory decays at the rate 1/tau;
   for a strain F = I + A that grows linearly over the step its exact solution is
     Q1 = r F Q0 F^T + (1 - r) I + (m1/dt)(A + A^T) + (m2/dt^2) A A^T
     r = e^(-dt/tau), m1 = tau - (dt + tau) r, m2 = 2 tau^2 - (dt^2 + 2 dt tau + 2 tau^2) r.
   One formula covers the elastic (tau = inf), the Maxwell and the Newtonian (tau = 0) fluid. */
#ifndef OOZE_PHYSICS_LODGE_H
#define OOZE_PHYSICS_LODGE_H

#include "physics/tensor.h"

/* Coefficients of a step; from tau and dt, in double on the host. */
typedef struct OozeMemory {
    OOZE_REAL r;      /* remaining fraction of the old strain */
    OOZE_REAL m1_dt;  /* m1 / dt */
    OOZE_REAL m2_dt2; /* m2 / dt^2 */
} OozeMemory;

/* Below a = dt/tau = 1e-3 (m2: 1e-2) the differences cancel; there the series
   m1/dt = a/2 - a^2/3 + a^3/8..., m2/dt^2 = a/3 - a^2/4 + ... are used. */
OOZE_FORMULA OozeMemory ooze_memory(double tau, double dt)
{
    OozeMemory memory;
    if (!(tau > 0.0)) {
        memory.r = memory.m1_dt = memory.m2_dt2 = 0;
        return memory;
    }
    double a = dt / tau, r = exp(-a);
    double m1 = a < 1e-3 ? a * (0.5 - a * (1.0 / 3.0 - a / 8.0)) : 1.0 / a - (1.0 + 1.0 / a) * r;
    double m2 = a < 1e-2 ? a * (1.0 / 3.0 - a * (0.25 - a * (0.1 - a / 36.0)))
                         : 2.0 / (a * a) - (1.0 + 2.0 / a + 2.0 / (a * a)) * r;
    memory.r = (OOZE_REAL)r;
    memory.m1_dt = (OOZE_REAL)m1;
    memory.m2_dt2 = (OOZE_REAL)m2;
    return memory;
}

/* The end-of-step conformation for the strain increment A of the step. Stays positive definite for
   any A: the first term is F Q F^T, and the other three are an integral of (I + s A)(I + s A)^T. */
OOZE_FORMULA OozeSym3 ooze_lodge_update(OozeSym3 q, OozeMat3 a, OozeMemory memory)
{
    OozeMat3 f = a;
    f.m[0] += 1;
    f.m[4] += 1;
    f.m[8] += 1;
    OozeSym3 carried = ooze_sym3_scale(ooze_sym3_congruence(f, q), memory.r);
    OozeSym3 fresh = ooze_sym3_identity(1 - memory.r);
    OozeSym3 first = ooze_sym3_scale(ooze_mat3_symmetric(a), 2 * memory.m1_dt);
    OozeSym3 second =
        ooze_sym3_scale(ooze_sym3_congruence(a, ooze_sym3_identity(1)), memory.m2_dt2);
    return ooze_sym3_add(ooze_sym3_add(carried, fresh), ooze_sym3_add(first, second));
}

/* The implicit operator of a particle, D -> D A + A D + k tr(D) I. Its A is the stiffness
   linearised at the present Q (not at I: that is unstable for Q > 2), with a floor s that keeps it
   as stiff as the unstretched fluid where Q is nearly singular:
     A = G r dt (Q + s I) + (G m1 + nu) I, s = max(0, 1 - smallest eigenvalue of Q). */
OOZE_FORMULA OozeSym3 ooze_lodge_stiffness(OozeSym3 q, OOZE_REAL g, OOZE_REAL nu, OOZE_REAL dt,
                                           OozeMemory memory)
{
    OOZE_REAL elastic = g * memory.r * dt;
    OOZE_REAL floor = elastic > 0 ? ooze_max(0, 1 - ooze_sym3_min_eigenvalue(q)) : 0;
    OOZE_REAL viscous = g * memory.m1_dt * dt + nu;
    OozeSym3 a = ooze_sym3_scale(q, elastic);
    OOZE_REAL diagonal = elastic * floor + viscous;
    a.xx += diagonal;
    a.yy += diagonal;
    a.zz += diagonal;
    return a;
}

/* What is left at the end of the step of the stress that was there at its beginning: r G (Q - I).
   */
OOZE_FORMULA OozeSym3 ooze_lodge_retained_stress(OozeSym3 q, OOZE_REAL g, OozeMemory memory)
{
    OOZE_REAL rg = memory.r * g;
    return ooze_sym3(rg * (q.xx - 1), rg * (q.yy - 1), rg * (q.zz - 1), rg * q.xy, rg * q.xz,
                     rg * q.yz);
}

OOZE_FORMULA OozeSym3 ooze_lodge_stress(OozeSym3 d, OozeSym3 a, OOZE_REAL bulk)
{
    OozeSym3 s = ooze_sym3_anticommutator(d, a);
    OOZE_REAL p = bulk * ooze_sym3_trace(d);
    s.xx += p;
    s.yy += p;
    s.zz += p;
    return s;
}

#endif
