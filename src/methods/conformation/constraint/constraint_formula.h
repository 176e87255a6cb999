/* Per-particle formulas of the method constraint, for the processor and the GPU. See
   docs/methods/conformation.md. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_CONSTRAINT_FORMULA_H
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_CONSTRAINT_FORMULA_H

#include <stdbool.h>

#include "physics/constraint.h"
#include "physics/spin.h"

/* Rows, or a change of their multipliers, without the part that `deviatoric_only` leaves free. */
OOZE_FORMULA OozeSym3 ooze_constraint_limited(OozeSym3 rows, bool deviatoric_only)
{
    return deviatoric_only ? ooze_constraint_deviator(rows) : rows;
}

/* The constraint at zero velocity. The stored strain Q - I rotates with the velocity gradient l,
   and the stretch of I + W beyond a rotation is subtracted. */
OOZE_FORMULA OozeSym3 ooze_constraint_known(OozeSym3 stored, OozeMat3 l, float dt, float share)
{
    OozeSpin w = ooze_spin(l, dt, 0.5f);
    OozeSym3 rotated = ooze_sym3_congruence(ooze_spin_rotation(w), stored);
    return ooze_sym3_add(ooze_sym3_scale(rotated, share), ooze_spin_square(w));
}

/* Rows of the corotated constraint: the stored strain, rotated by r, and the strain of the
   deformation f of the step beyond that rotation. */
OOZE_FORMULA OozeSym3 ooze_constraint_corotated(OozeSym3 stored, OozeMat3 f, OozeMat3 r,
                                                float share)
{
    OozeSym3 rotated = ooze_sym3_congruence(r, stored);
    OozeSym3 strain = ooze_constraint_strain(ooze_mat3_add(f, ooze_mat3_scale(r, -1)));
    return ooze_sym3_add(ooze_sym3_scale(rotated, share), strain);
}

/* The stress of a change of multipliers, times dt. */
OOZE_FORMULA OozeSym3 ooze_constraint_stress(OozeSym3 change, float dt)
{
    return ooze_sym3_scale(ooze_constraint_transpose(change), -dt);
}

/* Momentum per edge that a change of multipliers sends to the neighbours. */
OOZE_FORMULA OozeMat3 ooze_constraint_flux(OozeSym3 change, OozeSym3 correction, float dt)
{
    OozeMat3 stress = ooze_mat3_from_sym3(ooze_constraint_stress(change, dt));
    return ooze_mat3_mul_sym3(stress, correction);
}

/* A Jacobi step of the multipliers with the weight w of Chebyshev's recurrence:
   lambda + change becomes before + w (lambda + change - before). */
OOZE_FORMULA OozeSym3 ooze_chebyshev_change(OozeSym3 change, OozeSym3 lambda, OozeSym3 before,
                                            float w)
{
    OozeSym3 past = ooze_sym3_add(lambda, ooze_sym3_scale(before, -1.0f));
    return ooze_sym3_add(ooze_sym3_scale(change, w), ooze_sym3_scale(past, w - 1.0f));
}

/* The residual r of conjugate gradients over the diagonal: a step of the multipliers from r, which
   has the compliance in it already. */
OOZE_FORMULA OozeSym3 ooze_constraint_preconditioned(OozeSym3 r, OozeSym3 diagonal, float normal,
                                                     float shear)
{
    return ooze_multiplier_steps(ooze_sym3_scale(r, -1), ooze_sym3_identity(0), diagonal, normal,
                                 shear);
}

/* Corrected gradient of an edge. */
OOZE_FORMULA void ooze_constraint_corrected(OozeSym3 b, const float g[3], float out[3])
{
    out[0] = b.xx * g[0] + b.xy * g[1] + b.xz * g[2];
    out[1] = b.xy * g[0] + b.yy * g[1] + b.yz * g[2];
    out[2] = b.xz * g[0] + b.yz * g[1] + b.zz * g[2];
}

/* Deformation of a step with velocity gradient l. */
OOZE_FORMULA OozeMat3 ooze_constraint_deformation(OozeMat3 l, float dt)
{
    return ooze_mat3_add(ooze_mat3_identity(), ooze_mat3_scale(l, dt));
}

/* Conformation at the end of a step with velocity gradient l. */
OOZE_FORMULA OozeSym3 ooze_constraint_conformation(OozeSym3 q, OozeMat3 l, bool corotation,
                                                   float dt, float relaxation)
{
    OozeMat3 f = ooze_constraint_deformation(l, dt);
    OozeMat3 r = corotation ? ooze_polar_rotation(f) : ooze_mat3_identity();
    float kept = relaxation > 0.0f ? 1.0f / (1.0f + dt / relaxation) : 0.0f;
    OozeSym3 strain = ooze_corotated_strain(f, r, OOZE_STEP_STRAIN_MAX);
    return ooze_conformation_at_least(ooze_corotated_update(q, r, strain, kept),
                                      OOZE_CONFORMATION_MIN);
}

#endif
