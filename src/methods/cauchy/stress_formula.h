/* Stress of a particle, for the processor and the GPU. In the velocity solve it is
     S = S0 + D A + A D,
   S0 what remains of the stress of the beginning of the step, A the stiffness, D the strain rate
   that is solved for. */
#ifndef OOZE_METHODS_CAUCHY_STRESS_FORMULA_H
#define OOZE_METHODS_CAUCHY_STRESS_FORMULA_H

#include "methods/cauchy/constants.h"

typedef struct OozeCauchyStress {
    OozeSym3 stiffness;       /* A, m2/s */
    OozeSym3 explicit_stress; /* S0, m2/s2 */
    float viscosity;          /* m2/s: mean of A */
    float hourglass;          /* m2/s: damping of motion that gradients miss */
} OozeCauchyStress;

/* Share of the viscous stress at a shear rate. */
OOZE_FORMULA float ooze_cauchy_share(const OozeCauchyMaterial *m, float rate)
{
    if (m->model == OOZE_STRESS_VISCOUS) {
        return 1.0f;
    }
    if (m->model == OOZE_STRESS_MIXED) {
        return m->mixing >= 0.0f ? m->mixing : ooze_cauchy_mixing(rate);
    }
    return 0.0f;
}

/* mu of the elastic part, with tau = 2 mu eps. Eq 16 multiplies the strain by E*, the modulus of
   stretching, so that 2 mu is |E*| there. With Poisson's ratio 1/2, E is 3 mu. */
OOZE_FORMULA float ooze_cauchy_modulus(const OozeCauchyMaterial *m, float rate)
{
    if (m->model != OOZE_STRESS_COMPLEX) {
        return m->modulus;
    }
    float eta =
        m->measured_viscosity ? m->inverse_reference * ooze_cauchy_viscosity(rate) : m->viscosity;
    return 0.5f * ooze_complex_modulus(3.0f * m->modulus, eta, m->frequency).magnitude;
}

/* `strain`: see ooze_cauchy_strain; `l`: velocity gradient of the beginning of the step, whose
   rotation carries the old strain along. The operator D A + A D has none: without it a sheared
   Maxwell fluid is too viscous by De^2 dt/tau. */
OOZE_FORMULA OozeCauchyStress ooze_cauchy_stress(const OozeCauchyMaterial *m, OozeSym3 strain,
                                                 OozeMat3 l, float dt)
{
    OozeCauchyStress s;
    float rate = ooze_shear_rate(ooze_mat3_symmetric(l));
    float thinned = ooze_thinning(m->thinning, rate);
    float viscosity = m->solvent + thinned * (m->viscosity - m->solvent);
    strain = ooze_sym3_congruence(ooze_spin_rotation(ooze_spin(l, dt, 1)), strain);
    if (m->model == OOZE_STRESS_MAXWELL) {
        OozeSym3 q = ooze_conformation_of_strain(strain);
        float modulus = thinned * m->modulus;
        s.stiffness = ooze_lodge_stiffness(q, modulus, viscosity, dt, m->memory);
        s.explicit_stress = ooze_lodge_retained_stress(q, modulus, m->memory);
        /* a stretched lattice is unstable in such motion, the more the farther it is stretched */
        s.hourglass = viscosity + thinned * m->damping * ooze_max(1.0f, ooze_sym3_trace(q) - 3.0f);
    } else {
        float share = ooze_cauchy_share(m, rate),
              mu = (1.0f - share) * ooze_cauchy_modulus(m, rate);
        s.stiffness = ooze_sym3_identity(share * viscosity + mu * dt);
        s.explicit_stress = ooze_sym3_scale(ooze_sym3_deviator(strain), 2.0f * mu);
        s.hourglass = share * viscosity + (1.0f - share) * m->damping;
    }
    s.viscosity = ooze_sym3_trace(s.stiffness) / 3.0f;
    return s;
}

/* The strain that is stored, at the end of the step: Hencky's, half the logarithm of the
   conformation, in Maxwell's model, and the integral of D with Jaumann's rate in the others. */
OOZE_FORMULA OozeSym3 ooze_cauchy_strain(const OozeCauchyMaterial *m, OozeSym3 strain, OozeMat3 l,
                                         float dt)
{
    if (m->model == OOZE_STRESS_MAXWELL) {
        if (!(m->modulus > 0.0f)) {
            return ooze_sym3_identity(0.0f);
        }
        OozeSym3 q = ooze_conformation_of_strain(strain);
        q = ooze_lodge_update(q, ooze_cauchy_increment(l, dt), m->memory);
        return ooze_strain_of_conformation(q);
    }
    return m->model == OOZE_STRESS_VISCOUS ? ooze_sym3_identity(0.0f)
                                           : ooze_jaumann_update(strain, l, dt);
}

#endif
