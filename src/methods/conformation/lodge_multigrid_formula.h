/* Per-particle equations of the multigrid preconditioner of `lodge`: diagonal blocks of the
   operator, and what the grids are made of. Valid C17 and CUDA; see lodge_multigrid.h. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_MULTIGRID_FORMULA_H
#define OOZE_METHODS_CONFORMATION_LODGE_MULTIGRID_FORMULA_H

#include "methods/conformation/step_formula.h"
#include "solvers/contact/contact_set_formula.h"
#include "solvers/multigrid/velocity_multigrid_formula.h"

/* Rigid particle bodies count on the grids as this much stiffer than the stiffest particle. */
#define OOZE_LODGE_GRID_RIGID 10.0f
/* Longest edge that links elements, in spacings: its ends move as one piece. */
#define OOZE_LODGE_GRID_LINK 1.9f

/* ---- diagonal blocks ---- */

/* What the gradient of a particle with correction B and stiffness A adds to the diagonal block of
   those whose velocity enters it with g: with w = B g and F = g[3],
   1/2 [w (A w)^T + (w.A w) I + A (w.w) + (A w) w^T] + bulk w w^T + n (F - g.w) I. */
OOZE_FORMULA OozeSym3 ooze_lodge_gradient_block(const float g[4], OozeSym3 b, OozeSym3 a,
                                                float bulk, float n)
{
    float w[3], q[3];
    ooze_velocity_times(b, g, w);
    ooze_velocity_times(a, w, q);
    float square = ooze_velocity_dot(w, w), half = 0.5f * ooze_velocity_dot(w, q);
    float same = half + n * (g[3] - ooze_velocity_dot(g, w));
    OozeSym3 block = ooze_sym3(
        w[0] * (q[0] + bulk * w[0]) + same, w[1] * (q[1] + bulk * w[1]) + same,
        w[2] * (q[2] + bulk * w[2]) + same, 0.5f * (w[0] * q[1] + w[1] * q[0]) + bulk * w[0] * w[1],
        0.5f * (w[0] * q[2] + w[2] * q[0]) + bulk * w[0] * w[2],
        0.5f * (w[1] * q[2] + w[2] * q[1]) + bulk * w[1] * w[2]);
    return ooze_sym3_add(block, ooze_sym3_scale(a, 0.5f * square));
}

/* k n n^T of a bond of a soft body. */
OOZE_FORMULA OozeSym3 ooze_lodge_bond_block(const float n[3], float k)
{
    return ooze_sym3(k * n[0] * n[0], k * n[1] * n[1], k * n[2] * n[2], k * n[0] * n[1],
                     k * n[0] * n[2], k * n[1] * n[2]);
}

/* omega (Pi D Pi)^-1, Pi without the directions of `set`; NULL: none. */
OOZE_FORMULA OozeSym3 ooze_lodge_inverse_block(const OozeContactSet *set, OozeSym3 d)
{
    OozeMat3 pi = ooze_mat3_from_sym3(ooze_sym3_identity(1.0f));
    for (int k = 0; set && k < 3; k++) {
        OozeVector unit = ooze_vector_zero();
        ((float *)&unit)[k] = 1.0f;
        OozeVector column = ooze_contact_project(set, unit, OOZE_CONTACT_ALL);
        for (int r = 0; r < 3; r++) {
            pi.m[3 * r + k] = ((const float *)&column)[r];
        }
    }
    if (set) {
        float trace = ooze_sym3_trace(d);
        OozeSym3 out = ooze_sym3_add(ooze_sym3_identity(trace),
                                     ooze_sym3_scale(ooze_mat3_symmetric(pi), -trace));
        d = ooze_sym3_add(ooze_sym3_congruence(pi, d), out);
    }
    OozeSym3 inverse = ooze_sym3_scale(ooze_sym3_inverse(d), OOZE_VELOCITY_OMEGA);
    return set ? ooze_sym3_congruence(pi, inverse) : inverse;
}

/* Of a particle with the diagonal block d. Rigid bodies respond as a whole instead. */
OOZE_FORMULA OozeSym3 ooze_lodge_grid_inverse(const OozeConformationStep *s, uint64_t i, OozeSym3 d)
{
    return ooze_step_is_rigid(s, i) ? ooze_sym3_identity(0.0f)
                                    : ooze_lodge_inverse_block(ooze_step_contacts(s, i), d);
}

/* ---- coefficients of the grids ---- */

/* Of a particle, times dt. */
typedef struct OozeLodgeGridCoefficients {
    float mass;
    OozeSym3 stiffness;
    float bulk, shear; /* shear: tr A / 3 */
} OozeLodgeGridCoefficients;

/* Its own. A soft body's bonds resist shear by its modulus, and volume as much. */
OOZE_FORMULA OozeLodgeGridCoefficients ooze_lodge_grid_own(const OozeRheology *m,
                                                           OozeSym3 stiffness, float bulk, float dt)
{
    OozeLodgeGridCoefficients c;
    float bonds = dt * m->bond_modulus;
    OozeSym3 a = ooze_sym3_add(stiffness, ooze_sym3_identity(bonds));
    c.mass = m->relative_mass;
    c.stiffness = ooze_sym3_scale(a, dt);
    c.bulk = dt * (bulk + bonds);
    c.shear = ooze_sym3_trace(c.stiffness) / 3.0f;
    return c;
}

/* Those of a particle whose neighbours have the mean shear stiffness `mean`, if that is more. */
OOZE_FORMULA void ooze_lodge_grid_stiffen(float own, float mean, float bulk_factor,
                                          OozeSym3 *stiffness, float *bulk)
{
    if (mean > own) {
        float factor = own > 1e-6f * mean ? mean / own : 0.0f;
        OozeSym3 none = ooze_sym3_identity(mean);
        *bulk = factor > 0.0f ? factor * *bulk : bulk_factor * mean;
        *stiffness = factor > 0.0f ? ooze_sym3_scale(*stiffness, factor) : none;
    }
}

/* The stiffness has changed so much that matrices are computed again. */
OOZE_FORMULA bool ooze_lodge_grid_changed(float before, float now)
{
    return ooze_abs(now - before) > 0.25f * before;
}

/* Whether more than a third of the contacts was released. With fewer, old grids cost less in
   iterations than new ones would cost in time. */
OOZE_FORMULA bool ooze_lodge_grid_released(uint64_t released, uint64_t contacts)
{
    return 3 * released > contacts;
}

/* ---- walls and contacts ---- */

/* e.De e e^T, summed over the directions that contacts hold. */
OOZE_FORMULA OozeSym3 ooze_lodge_anchor(const OozeContactSet *set, OozeSym3 d)
{
    OozeSym3 sum = ooze_sym3_identity(0.0f);
    for (int k = 0; k < set->count; k++) {
        const float *v = (const float *)&set->direction[k];
        float dv[3];
        ooze_velocity_times(d, v, dv);
        float along = ooze_velocity_dot(v, dv);
        sum = ooze_sym3_add(sum, ooze_sym3(along * v[0] * v[0], along * v[1] * v[1],
                                           along * v[2] * v[2], along * v[0] * v[1],
                                           along * v[0] * v[2], along * v[1] * v[2]));
    }
    return sum;
}

/* A particle with its contacts, without walls, which are to be added. d: its diagonal block. */
OOZE_FORMULA OozeVelocityBoundaryParticle
ooze_lodge_boundary_particle(const OozeConformationStep *s, uint64_t i, float hourglass, OozeSym3 d)
{
    OozeVelocityBoundaryParticle p;
    const OozeContactSet *set = ooze_step_contacts(s, i);
    p.correction = ooze_step_is_singular(s, i) ? ooze_sym3_identity(1.0f) : s->correction[i];
    p.fluid = ooze_sym3_inverse(p.correction);
    p.hourglass = hourglass;
    p.anchor = set ? ooze_lodge_anchor(set, d) : ooze_sym3_identity(0.0f);
    for (int k = 0; k < 4; k++) {
        p.edge[k] = 0.0f;
    }
    return p;
}

/* Adds the edge g to a sample of a no-slip wall. */
OOZE_FORMULA void ooze_lodge_boundary_particle_add_wall(OozeVelocityBoundaryParticle *p,
                                                        const float g[4])
{
    float x[3];
    for (int k = 0; k < 4; k++) {
        p->edge[k] += g[k];
    }
    for (int k = 0; k < 3; k++) {
        x[k] = g[k] / g[3];
    }
    p->fluid = ooze_sym3_add(p->fluid, ooze_sym3(-x[0] * g[0], -x[1] * g[1], -x[2] * g[2],
                                                 -x[0] * g[1], -x[0] * g[2], -x[1] * g[2]));
}

#endif
