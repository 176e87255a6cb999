/* The position stage and the end of a step of the formulation `paper`, per particle, for the
   processor and the GPU: eqs 6 and 14 to 18 of Barreiro et al. 2017 as printed. */
#ifndef OOZE_METHODS_CONFORMATION_PAPER_FORMULA_H
#define OOZE_METHODS_CONFORMATION_PAPER_FORMULA_H

#include "methods/conformation/constraint_formula.h"
#include "methods/conformation/plan.h"

/* Sums of one gather over the neighbours: since x^r_ji = R x0_ji, eq 16 needs no second one
   after R is known. */
typedef struct OozePaperSums {
    OozeMat3 moved, resting;     /* sum V x_ji g^T and sum V x0_ji g^T */
    OozeMat3 covariance;         /* sum x_ji x0_ji^T */
    float centre[3], centre0[3]; /* sums of x_ji and x0_ji */
    float edges[3];              /* sum V g */
    OozeSym3 diagonal;           /* of J M^-1 J^T, once the own edges are added */
    float count;
} OozePaperSums;

OOZE_FORMULA void ooze_paper_add_outer(OozeMat3 *m, const float a[3], const float b[3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m->m[3 * i + j] += a[i] * b[j];
        }
    }
}

/* Adds a neighbour at x_ji, at the beginning of the step at x0_ji, with the edge V g. */
OOZE_FORMULA void ooze_paper_add(OozePaperSums *sums, const float x[3], const float x0[3],
                                 const float g[3])
{
    ooze_paper_add_outer(&sums->moved, x, g);
    ooze_paper_add_outer(&sums->resting, x0, g);
    ooze_paper_add_outer(&sums->covariance, x, x0);
    for (int k = 0; k < 3; k++) {
        sums->centre[k] += x[k];
        sums->centre0[k] += x0[k];
        sums->edges[k] += g[k];
    }
    sums->count += 1;
}

/* Eq 14, with the sum over j that it lacks in print. */
OOZE_FORMULA OozeMat3 ooze_paper_rotation(const OozePaperSums *sums)
{
    OozeMat3 covariance = sums->covariance;
    float centre[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = sums->centre[k] / -sums->count;
    }
    ooze_paper_add_outer(&covariance, centre, sums->centre0);
    return ooze_polar_rotation(covariance);
}

/* The rows of eq 16; `stored` is Q - I. */
OOZE_FORMULA OozeSym3 ooze_paper_rows(const OozePaperSums *sums, OozeSym3 stored, bool corotation)
{
    OozeMat3 r = corotation && sums->count > 0 ? ooze_paper_rotation(sums) : ooze_mat3_identity();
    OozeMat3 rest = ooze_mat3_scale(ooze_mat3_mul(r, sums->resting), -1);
    return ooze_sym3_add(ooze_constraint_strain(ooze_mat3_add(sums->moved, rest)), stored);
}

/* Eq 17. The compliances alpha/dt of the velocity stage become alpha/dt^2. */
OOZE_FORMULA OozeSym3 ooze_paper_change(OozeSym3 rows, OozeSym3 lambda, OozeSym3 diagonal,
                                        OozeConstraintMaterial material, float dt)
{
    return ooze_multiplier_steps(rows, lambda, diagonal, material.normal / dt, material.shear / dt);
}

/* Shift per edge and inverse mass that a change of multipliers sends to the neighbours. */
OOZE_FORMULA OozeMat3 ooze_paper_flux(OozeSym3 change)
{
    return ooze_mat3_from_sym3(ooze_sym3_scale(ooze_constraint_transpose(change), -1));
}

/* Eq 6: rotates Q with the transpose of the velocity gradient l. */
OOZE_FORMULA OozeSym3 ooze_paper_conformation(OozeSym3 q, OozeMat3 l, float dt, float relaxation)
{
    return ooze_conformation_implicit(q, ooze_mat3_transpose(l), dt, relaxation);
}

#endif
