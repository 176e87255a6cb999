/* The position stage and the end of a step of the formulation `paper`, per particle, for the
   processor and the GPU: eqs 6 and 14 to 18 of Barreiro et al. 2017 as printed. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_PAPER_FORMULA_H
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_PAPER_FORMULA_H

#include "methods/conformation/constraint/constraint_formula.h"
#include "methods/conformation/plan.h"
#include "solvers/vectors/vector_formula.h"

/* Sums of one gather over the neighbours: since x^r_ji = R x0_ji, eq 16 needs no second one
   after R is known. */
typedef struct OozePaperSums {
    OozeMat3 moved, resting;    /* sum V x_ji g^T and sum V x0_ji g^T */
    OozeMat3 covariance;        /* sum x_ji x0_ji^T */
    OozeVector centre, centre0; /* sums of x_ji and x0_ji */
    OozeVector edges;           /* sum V g */
    OozeSym3 diagonal;          /* of J M^-1 J^T, once the own edges are added */
    float count;
} OozePaperSums;

OOZE_FORMULA void ooze_paper_add_outer(OozeMat3 *m, OozeVector a, OozeVector b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m->m[3 * i + j] += ooze_vector_lane(a, i) * ooze_vector_lane(b, j);
        }
    }
}

/* Adds a neighbour at x_ji, at the beginning of the step at x0_ji, with the edge V g. */
OOZE_FORMULA void ooze_paper_add(OozePaperSums *sums, OozeVector x, OozeVector x0, OozeVector g)
{
    ooze_paper_add_outer(&sums->moved, x, g);
    ooze_paper_add_outer(&sums->resting, x0, g);
    ooze_paper_add_outer(&sums->covariance, x, x0);
    sums->centre = ooze_vector_madd(sums->centre, 1.0f, x);
    sums->centre0 = ooze_vector_madd(sums->centre0, 1.0f, x0);
    sums->edges = ooze_vector_madd(sums->edges, 1.0f, g);
    sums->count += 1;
}

/* Adds the square of an edge over the mass of its end to the diagonal. */
OOZE_FORMULA void ooze_paper_add_square(OozePaperSums *sums, OozeVector g, float inverse_mass)
{
    float edge[3] = {ooze_vector_lane(g, 0), ooze_vector_lane(g, 1), ooze_vector_lane(g, 2)};
    ooze_constraint_add_square(&sums->diagonal, edge, inverse_mass);
}

/* Eq 14, with the sum over j that it lacks in print. */
OOZE_FORMULA OozeMat3 ooze_paper_rotation(const OozePaperSums *sums)
{
    OozeMat3 covariance = sums->covariance;
    for (int k = 0; k < 9; k++) {
        float mean = ooze_vector_lane(sums->centre, k / 3) / -sums->count;
        covariance.m[k] += mean * ooze_vector_lane(sums->centre0, k % 3);
    }
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

/* Which parts of the constraint act. */
typedef struct OozePaperSwitches {
    bool corotation, deviatoric_only; /* see OozeConformationSettings */
} OozePaperSwitches;

/* One sweep of a particle whose `stored` is Q - I: changes the multipliers, returns the flux. */
OOZE_FORMULA OozeMat3 ooze_paper_sweep(const OozePaperSums *sums, OozeSym3 stored,
                                       OozePaperSwitches acts, OozeConstraintMaterial material,
                                       float dt, OozeSym3 *lambda)
{
    OozeSym3 rows = ooze_paper_rows(sums, stored, acts.corotation);
    rows = ooze_constraint_limited(rows, acts.deviatoric_only);
    OozeSym3 change = ooze_paper_change(rows, *lambda, sums->diagonal, material, dt);
    *lambda = ooze_sym3_add(*lambda, change);
    return ooze_paper_flux(ooze_constraint_limited(change, acts.deviatoric_only));
}

/* Eq 6: rotates Q with the transpose of the velocity gradient l. */
OOZE_FORMULA OozeSym3 ooze_paper_conformation(OozeSym3 q, OozeMat3 l, float dt, float relaxation)
{
    return ooze_conformation_implicit(q, ooze_mat3_transpose(l), dt, relaxation);
}

#endif
