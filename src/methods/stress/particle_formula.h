/* What a particle of the stress method computes from its strain and velocity gradient, for the
   processor and the GPU. */
#ifndef OOZE_METHODS_STRESS_PARTICLE_FORMULA_H
#define OOZE_METHODS_STRESS_PARTICLE_FORMULA_H

#include "methods/stress/stability_formula.h"
#include "physics/ucm.h"

/* Q of the field `conformation`, which holds Q - I: eight floats a particle, the last two of them
   unused. */
OOZE_FORMULA OozeSym3 ooze_stress_conformation(const float *strain)
{
    return ooze_sym3(1 + strain[0], 1 + strain[1], 1 + strain[2], strain[3], strain[4], strain[5]);
}

/* Adds a step of length dt of eq 3 to the strain, with the velocity gradient l at its end. */
OOZE_FORMULA void ooze_stress_carry(float *strain, OozeMat3 l, float rate, float dt)
{
    OozeSym3 d = ooze_ucm_rate(ooze_stress_conformation(strain), l, rate);
    strain[0] += dt * d.xx;
    strain[1] += dt * d.yy;
    strain[2] += dt * d.zz;
    strain[3] += dt * d.xy;
    strain[4] += dt * d.xz;
    strain[5] += dt * d.yz;
}

/* 0 where the correction of gradients is singular: there is no stress either. */
OOZE_FORMULA float ooze_stress_hourglass(const OozeStressMaterial *m, OozeSym3 correction)
{
    bool singular = correction.xx == 0.0f;
    return singular ? 0.0f : (float)m->hourglass;
}

/* Over the density of the first material. */
OOZE_FORMULA OozeSym3 ooze_stress_of(const OozeStressMaterial *m, const float *strain, OozeMat3 l)
{
    return ooze_ucm_stress(ooze_stress_conformation(strain), l, (float)m->modulus,
                           (float)m->viscosity);
}

/* F = sigma B - n L. The force on a particle is sum (F_i + F_j) g + (n_i + n_j) f u_ji over its
   edges g = f x_ji. */
OOZE_FORMULA OozeMat3 ooze_stress_flux(OozeSym3 stress, OozeSym3 correction, OozeMat3 l,
                                       float hourglass)
{
    OozeMat3 t = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    return ooze_mat3_add(t, ooze_mat3_scale(l, -hourglass));
}

/* w of the stability bound: ooze_stress_edge_stiffness with a bound of the stretch. */
OOZE_FORMULA float ooze_stress_particle_stiffness(const OozeStressMaterial *m, const float *strain,
                                                  OozeSym3 correction, double dt)
{
    float normal = strain[0] * strain[0] + strain[1] * strain[1] + strain[2] * strain[2];
    float shear = strain[3] * strain[3] + strain[4] * strain[4] + strain[5] * strain[5];
    double stretch = 1.0 + sqrt((double)(normal + 2.0f * shear)); /* at least Q's largest */
    double norm = ooze_stress_correction_norm(correction);
    return (float)ooze_stress_edge_stiffness(m, norm, stretch, dt);
}

/* Terms of a particle's row of the stability bound: an edge to a particle of stiffness `other`, and
   one to a wall, which does not move and has no row. */
OOZE_FORMULA float ooze_stress_row_term(float own, float other, float weight)
{
    return 2.0f * (own + other) * weight;
}
OOZE_FORMULA float ooze_stress_wall_row_term(float own, float weight)
{
    return own * weight;
}

/* Density above rest, and the density that the density stage leaves in this step. */
OOZE_FORMULA float ooze_stress_excess(float density)
{
    return fmaxf(density - 1.0f, 0.0f);
}
OOZE_FORMULA float ooze_stress_density_target(float excess, float kept_share)
{
    return 1.0f + kept_share * excess;
}

#endif
