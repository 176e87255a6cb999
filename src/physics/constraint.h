/* Conformation as a constraint: Barreiro et al. 2017, eqs 6, 7 and 10 to 18, as printed and as
   corrected. Symmetric tensors stand for the six rows xx, yy, zz, xy, xz, yz. Valid C17 and CUDA.

   Kinematic units: masses are relative to that of a particle of the reference density, so that the
   compliance alpha is density over modulus, s2/m2, whatever the spacing. */
#ifndef OOZE_PHYSICS_CONSTRAINT_H
#define OOZE_PHYSICS_CONSTRAINT_H

#include "physics/polar.h"
#include "physics/tensor.h"

/* ---- the six rows ------------------------------------------------------------------------- */

/* The rows of eq 10 for a velocity gradient L: L + L^T. */
OOZE_FORMULA OozeSym3 ooze_constraint_strain(OozeMat3 l)
{
    return ooze_sym3_scale(ooze_mat3_symmetric(l), 2);
}

/* A_ij^T lambda = S g: twice the multipliers of the diagonal rows, once the others. */
OOZE_FORMULA OozeSym3 ooze_constraint_transpose(OozeSym3 l)
{
    return ooze_sym3(2 * l.xx, 2 * l.yy, 2 * l.zz, l.xy, l.xz, l.yz);
}

/* Adds the squares x, y, z of a gradient's components over the mass to the diagonal of J M^-1 J^T.
   */
OOZE_FORMULA void ooze_constraint_add_squares(OozeSym3 *d, OOZE_REAL x, OOZE_REAL y, OOZE_REAL z)
{
    d->xx += 4 * x;
    d->yy += 4 * y;
    d->zz += 4 * z;
    d->xy += x + y;
    d->xz += x + z;
    d->yz += y + z;
}

/* The same of one gradient. */
OOZE_FORMULA void ooze_constraint_add_square(OozeSym3 *d, const OOZE_REAL g[3],
                                             OOZE_REAL inverse_mass)
{
    ooze_constraint_add_squares(d, g[0] * g[0] * inverse_mass, g[1] * g[1] * inverse_mass,
                                g[2] * g[2] * inverse_mass);
}

/* Sum over the six rows of |A|, per axis: the column sums of the bound below. */
OOZE_FORMULA void ooze_constraint_add_column(OOZE_REAL column[3], const OOZE_REAL g[3])
{
    OOZE_REAL x = ooze_abs(g[0]), y = ooze_abs(g[1]), z = ooze_abs(g[2]);
    column[0] += 2 * x + y + z;
    column[1] += x + 2 * y + z;
    column[2] += x + y + 2 * z;
}

/* Adds |A| times the column sums: the row sums of |J| M^-1 |J|^T, which bound every eigenvalue of
   J M^-1 J^T (Gershgorin), at corners and thin sheets as well. */
OOZE_FORMULA void ooze_constraint_add_bound(OozeSym3 *d, const OOZE_REAL g[3],
                                            const OOZE_REAL column[3])
{
    OOZE_REAL x = ooze_abs(g[0]), y = ooze_abs(g[1]), z = ooze_abs(g[2]);
    d->xx += 2 * x * column[0];
    d->yy += 2 * y * column[1];
    d->zz += 2 * z * column[2];
    d->xy += y * column[0] + x * column[1];
    d->xz += z * column[0] + x * column[2];
    d->yz += z * column[1] + y * column[2];
}

/* Without the mean of the three diagonal rows: a constraint on shear alone. */
OOZE_FORMULA OozeSym3 ooze_constraint_deviator(OozeSym3 c)
{
    OOZE_REAL mean = ooze_sym3_trace(c) * (OOZE_REAL)(1.0 / 3.0);
    return ooze_sym3(c.xx - mean, c.yy - mean, c.zz - mean, c.xy, c.xz, c.yz);
}

/* The row sums overestimate the eigenvalues: over this factor they are still stable on lattices,
   jittered blocks, edges and corners. */
#define OOZE_ROW_SUM_SHARE 2.5f

/* Relaxation factor beta / n of the paper, n the number of neighbours. */
OOZE_FORMULA OOZE_REAL ooze_constraint_relaxation(unsigned neighbours)
{
    return 5 / ooze_max((OOZE_REAL)neighbours, 1);
}

/* ---- compliance and multipliers ----------------------------------------------------------- */

/* One row of eqs 11 and 17: (-C - a lambda) / (D + a). A row without neighbours and compliance
   moves nothing. */
OOZE_FORMULA OOZE_REAL ooze_multiplier_step(OOZE_REAL c, OOZE_REAL lambda, OOZE_REAL diagonal,
                                            OOZE_REAL compliance)
{
    OOZE_REAL total = diagonal + compliance;
    return total > 0 ? -(c + compliance * lambda) / total : 0;
}

/* All six; `normal` is the compliance of the diagonal rows. With equal compliances the modulus of a
   shear along the axes would be half that of the same shear at 45 degrees; twice the compliance on
   the diagonal rows, which the transpose doubles, makes the material isotropic. */
OOZE_FORMULA OozeSym3 ooze_multiplier_steps(OozeSym3 c, OozeSym3 lambda, OozeSym3 diagonal,
                                            OOZE_REAL normal, OOZE_REAL shear)
{
    return ooze_sym3(ooze_multiplier_step(c.xx, lambda.xx, diagonal.xx, normal),
                     ooze_multiplier_step(c.yy, lambda.yy, diagonal.yy, normal),
                     ooze_multiplier_step(c.zz, lambda.zz, diagonal.zz, normal),
                     ooze_multiplier_step(c.xy, lambda.xy, diagonal.xy, shear),
                     ooze_multiplier_step(c.xz, lambda.xz, diagonal.xz, shear),
                     ooze_multiplier_step(c.yz, lambda.yz, diagonal.yz, shear));
}

/* Residual of the rows: -C - a lambda. */
OOZE_FORMULA OozeSym3 ooze_constraint_residual(OozeSym3 c, OozeSym3 l, OOZE_REAL normal,
                                               OOZE_REAL shear)
{
    return ooze_sym3(-c.xx - normal * l.xx, -c.yy - normal * l.yy, -c.zz - normal * l.zz,
                     -c.xy - shear * l.xy, -c.xz - shear * l.xz, -c.yz - shear * l.yz);
}

OOZE_FORMULA OOZE_REAL ooze_constraint_dot(OozeSym3 a, OozeSym3 b)
{
    return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + a.xy * b.xy + a.xz * b.xz + a.yz * b.yz;
}

/* Weight omega_k of sweep k of the Chebyshev semi-iteration (Golub and Van Loan, section 11.2.8)
   from omega_{k-1}; `rho2` is the square of the spectral radius, 0: plain Jacobi. */
OOZE_FORMULA double ooze_chebyshev_weight(int k, double rho2, double previous)
{
    double later = k == 1 ? 2.0 / (2.0 - rho2) : 4.0 / (4.0 - rho2 * previous);
    return k == 0 ? 1.0 : later;
}

/* Conjugate gradients stop as divergent when the squared residual has grown by this factor. */
#define OOZE_CONSTRAINT_GROWTH 100.0

/* Compliance a and stored share of the constraint C = share (Q0 - I) + dt (L + L^T) for a fluid of
   modulus G, relaxation time tau and solvent viscosity nu: -lambda = C / a is then the stress at
   the end of the step, G (Q1 - I) + nu (L + L^T), with Q1 of ooze_corotated_update. In steady shear
   that is a viscosity G tau + nu for every dt. */
typedef struct OozeConstraintLaw {
    OOZE_REAL compliance;
    OOZE_REAL share; /* of the strain that is stored */
} OozeConstraintLaw;

OOZE_FORMULA OozeConstraintLaw ooze_constraint_law(double g, double tau, double nu, double dt)
{
    OozeConstraintLaw s;
    double kept = tau > 0.0 ? 1.0 / (1.0 + dt / tau) : 0.0;
    double stiffness = g * kept + nu / dt;
    s.compliance = (OOZE_REAL)(stiffness > 1e-20 ? 1.0 / stiffness : 1e20);
    s.share = (OOZE_REAL)(stiffness > 1e-20 ? g * kept / stiffness : 0.0);
    return s;
}

/* Coefficient of the hourglass term in one of `sweeps` sweeps of the position stage; `edges` is the
   sum of a particle's edge weights. The shortest mode loses at most four times the limit 0.35 of
   its velocity in a sweep; it would grow where it lost more than twice its velocity. */
OOZE_FORMULA OOZE_REAL ooze_sweep_damping(OOZE_REAL hourglass, int sweeps, OOZE_REAL weight,
                                          OOZE_REAL dt, OOZE_REAL edges)
{
    OOZE_REAL most = (OOZE_REAL)0.35 * weight / (dt * ooze_max(edges, (OOZE_REAL)1e-20));
    return ooze_min(hourglass / (OOZE_REAL)(sweeps > 0 ? sweeps : 1), most);
}

/* ---- conformation at the end of the step --------------------------------------------------- */

/* Lower bound of the eigenvalues of a conformation, and upper bound of the strain of one step. */
#define OOZE_CONFORMATION_MIN 0.05f
#define OOZE_STEP_STRAIN_MAX  0.5f

/* Solves the Lyapunov equation m q + q m^T = r for symmetric q: six equations by Gaussian
   elimination with partial pivoting. 0 where the equations are singular. */
OOZE_FORMULA int ooze_lyapunov(OozeMat3 m, OozeSym3 r, OozeSym3 *q)
{
    static const int row_of[6] = {0, 1, 2, 0, 0, 1}, column_of[6] = {0, 1, 2, 1, 2, 2};
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    OOZE_REAL a[6][7];
    for (int k = 0; k < 6; k++) {
        int i = row_of[k], j = column_of[k];
        for (int e = 0; e < 6; e++) {
            a[k][e] = 0;
        }
        for (int l = 0; l < 3; l++) {
            a[k][place[3 * l + j]] += m.m[3 * i + l];
            a[k][place[3 * l + i]] += m.m[3 * j + l];
        }
    }
    a[0][6] = r.xx;
    a[1][6] = r.yy;
    a[2][6] = r.zz;
    a[3][6] = r.xy;
    a[4][6] = r.xz;
    a[5][6] = r.yz;
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int e = k + 1; e < 6; e++) {
            pivot = ooze_abs(a[e][k]) > ooze_abs(a[pivot][k]) ? e : pivot;
        }
        if (!(ooze_abs(a[pivot][k]) > (OOZE_REAL)1e-6)) {
            return 0;
        }
        for (int e = k; e < 7; e++) {
            OOZE_REAL t = a[k][e];
            a[k][e] = a[pivot][e];
            a[pivot][e] = t;
        }
        for (int i = k + 1; i < 6; i++) {
            OOZE_REAL f = a[i][k] / a[k][k];
            for (int e = k; e < 7; e++) {
                a[i][e] -= f * a[k][e];
            }
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int e = k + 1; e < 6; e++) {
            a[k][6] -= a[k][e] * a[e][6];
        }
        a[k][6] /= a[k][k];
    }
    *q = ooze_sym3(a[0][6], a[1][6], a[2][6], a[3][6], a[4][6], a[5][6]);
    return 1;
}

/* Implicit Euler for Q' = L Q + Q L^T - (Q - I)/tau: ((1 + dt/tau)/2 I - dt L) Q + transposed = Q0
   + (dt/tau) I. Eq 6 as printed is this with L of eq 9 transposed, which rotates Q against the
   material; the caller chooses by the L it passes. With tau = 0 the result is I; where the
   equations are singular, Q is unchanged. */
OOZE_FORMULA OozeSym3 ooze_conformation_implicit(OozeSym3 q0, OozeMat3 l, OOZE_REAL dt,
                                                 OOZE_REAL tau)
{
    if (!(tau > 0)) {
        return ooze_sym3_identity(1);
    }
    OOZE_REAL decay = dt / tau, half = (1 + decay) * (OOZE_REAL)0.5;
    OozeMat3 m = ooze_mat3_scale(l, -dt);
    m.m[0] += half;
    m.m[4] += half;
    m.m[8] += half;
    OozeSym3 q;
    return ooze_lyapunov(m, ooze_sym3_add(q0, ooze_sym3_identity(decay)), &q) ? q : q0;
}

/* Q - I scaled down until the smallest eigenvalue of Q is `least`. */
OOZE_FORMULA OozeSym3 ooze_conformation_at_least(OozeSym3 q, OOZE_REAL least)
{
    OOZE_REAL smallest = ooze_sym3_min_eigenvalue(q);
    if (!(smallest < least)) {
        return q;
    }
    OOZE_REAL s = (1 - least) / (1 - smallest);
    return ooze_sym3_add(ooze_sym3_identity(1 - s), ooze_sym3_scale(q, s));
}

/* Twice the strain of the deformation f beyond the rotation r: (f - r) + (f - r)^T, its norm
   limited to `most`. A pure rotation has none. */
OOZE_FORMULA OozeSym3 ooze_corotated_strain(OozeMat3 f, OozeMat3 r, OOZE_REAL most)
{
    OozeSym3 d = ooze_constraint_strain(ooze_mat3_add(f, ooze_mat3_scale(r, -1)));
    OOZE_REAL size = OOZE_SQRT(ooze_mat3_norm2(ooze_mat3_from_sym3(d)));
    return size > most ? ooze_sym3_scale(d, most / size) : d;
}

/* The conformation that matches the constraint: rotated with the material, then linear in the
   strain of the step, Q1 - I = (R (Q0 - I) R^T + strain) / (1 + dt/tau), `kept` = 1 / (1 + dt/tau).
   */
OOZE_FORMULA OozeSym3 ooze_corotated_update(OozeSym3 q, OozeMat3 r, OozeSym3 strain, OOZE_REAL kept)
{
    OozeSym3 rotated = ooze_sym3_add(ooze_sym3_congruence(r, q), strain);
    return ooze_sym3_add(ooze_sym3_scale(rotated, kept), ooze_sym3_identity(1 - kept));
}

#endif
