/* Deviatoric stress of the method `cauchy`: the models of Mukai, Matsui and Chang 2018, and the
   strain with an objective rate. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_CAUCHY_H
#define OOZE_PHYSICS_CAUCHY_H

#include "physics/eigen.h"
#include "physics/power.h"
#include "physics/spin.h"

/* In the order of the choices of the material key `stress_model`. */
typedef enum OozeStressModel {
    OOZE_STRESS_MAXWELL, /* upper-convected Maxwell and Oldroyd-B, in log-conformation form */
    OOZE_STRESS_MIXED,   /* eq 3: alpha tau_v + (1 - alpha) tau_e, side by side */
    OOZE_STRESS_VISCOUS, /* alpha = 1 */
    OOZE_STRESS_ELASTIC, /* alpha = 0 */
    OOZE_STRESS_COMPLEX, /* eq 20: |E*| times the strain */
    OOZE_STRESS_MODEL_COUNT
} OozeStressModel;

/* Shear rate at which the parabolas of eqs 9 and 21 are lowest, 1/s. The measurements that they fit
   decrease with the rate: the lowest value is kept beyond. */
#define OOZE_CAUCHY_FASTEST_MIXING    (3.07e-2 / (2 * 4.99e-4))
#define OOZE_CAUCHY_FASTEST_VISCOSITY (1.11e-2 / (2 * 1.80e-4))

/* Eq 9: share of the viscous stress at a shear rate sqrt(2 D:D), 1/s. */
OOZE_FORMULA OOZE_REAL ooze_cauchy_mixing(OOZE_REAL rate)
{
    rate = ooze_min(rate, (OOZE_REAL)OOZE_CAUCHY_FASTEST_MIXING);
    return ((OOZE_REAL)4.99e-4 * rate - (OOZE_REAL)3.07e-2) * rate + 1;
}

/* Eq 21: viscosity at a shear rate, Pa s. */
OOZE_FORMULA OOZE_REAL ooze_cauchy_viscosity(OOZE_REAL rate)
{
    rate = ooze_min(rate, (OOZE_REAL)OOZE_CAUCHY_FASTEST_VISCOSITY);
    return ((OOZE_REAL)1.80e-4 * rate - (OOZE_REAL)1.11e-2) * rate + (OOZE_REAL)3.62e-1;
}

/* Eq 15: complex modulus of a spring E and a dashpot eta in series at the angular frequency omega;
   `storage` and `loss` are its real and imaginary part. */
typedef struct OozeComplexModulus {
    OOZE_REAL storage, loss, magnitude;
} OozeComplexModulus;

OOZE_FORMULA OozeComplexModulus ooze_complex_modulus(OOZE_REAL e, OOZE_REAL eta, OOZE_REAL omega)
{
    OozeComplexModulus m;
    OOZE_REAL x = omega * eta, sum = x * x + e * e;
    m.storage = sum > 0 ? e * x * x / sum : 0;
    m.loss = sum > 0 ? e * e * x / sum : 0;
    m.magnitude = OOZE_SQRT(m.storage * m.storage + m.loss * m.loss);
    return m;
}

/* Strain after a step of length dt with the velocity gradient l: d eps/dt = D + W eps - eps W, the
   objective rate of Zaremba and Jaumann, W the antisymmetric part of l and D the deviatoric
   symmetric one. Of second order; a pure rotation keeps the invariants of the strain to rounding.
 */
OOZE_FORMULA OozeSym3 ooze_jaumann_update(OozeSym3 eps, OozeMat3 l, OOZE_REAL dt)
{
    OozeSym3 half = ooze_sym3_scale(ooze_sym3_deviator(ooze_mat3_symmetric(l)), dt / 2);
    OozeMat3 rotation = ooze_spin_rotation(ooze_spin(l, dt, 1));
    return ooze_sym3_add(ooze_sym3_congruence(rotation, ooze_sym3_add(eps, half)), half);
}

/* The conformation exp(2 eps) of a Hencky strain, and the Hencky strain of a conformation, whose
   eigenvalues count as at least 1e-6. */
OOZE_FORMULA OozeSym3 ooze_conformation_of_strain(OozeSym3 eps)
{
    OozeEigen3 e = ooze_sym3_eigen(eps);
    OOZE_REAL f[3];
    for (int k = 0; k < 3; k++) {
        f[k] = ooze_exp(2 * e.values[k]);
    }
    return ooze_eigen3_compose(&e, f);
}

OOZE_FORMULA OozeSym3 ooze_strain_of_conformation(OozeSym3 q)
{
    OozeEigen3 e = ooze_sym3_eigen(q);
    OOZE_REAL f[3];
    for (int k = 0; k < 3; k++) {
        f[k] = (OOZE_REAL)0.5 * ooze_log(ooze_max(e.values[k], (OOZE_REAL)1e-6));
    }
    return ooze_eigen3_compose(&e, f);
}

/* The increment F - I of the deformation of a step: R (I + dt D + dt^2 D^2/2) R, R half the
   rotation of the step. It is of second order, and unlike I + dt L it does not stretch in a pure
   rotation. */
OOZE_FORMULA OozeMat3 ooze_cauchy_increment(OozeMat3 l, OOZE_REAL dt)
{
    OozeMat3 d = ooze_mat3_scale(ooze_mat3_from_sym3(ooze_mat3_symmetric(l)), dt);
    OozeMat3 half = ooze_spin_rotation(ooze_spin(l, dt / 2, (OOZE_REAL)0.5));
    OOZE_REAL size2 = ooze_mat3_norm2(d);
    d = size2 > (OOZE_REAL)0.25 ? ooze_mat3_scale(d, (OOZE_REAL)0.5 / OOZE_SQRT(size2)) : d;
    OozeMat3 f = ooze_mat3_add(d, ooze_mat3_scale(ooze_mat3_mul(d, d), (OOZE_REAL)0.5));
    for (int k = 0; k < 9; k += 4) {
        f.m[k] += 1;
    }
    f = ooze_mat3_mul(half, ooze_mat3_mul(f, half));
    for (int k = 0; k < 9; k += 4) {
        f.m[k] -= 1;
    }
    return f;
}

#endif
