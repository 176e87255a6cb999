/* The rotation nearest to a 3x3 matrix. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_POLAR_H
#define OOZE_PHYSICS_POLAR_H

#include "physics/rigid_fit.h"
#include "physics/tensor.h"

/* Below this determinant, over the cube of the root mean square singular value, Newton's iteration
   converges slowly or to a reflection; the quaternion fit does neither and costs more. */
#define OOZE_POLAR_NEWTON_DET 0.05

/* Cofactors: det(a) times the transpose of the inverse. */
OOZE_FORMULA OozeMat3 ooze_mat3_cofactor(OozeMat3 a)
{
    OozeMat3 c;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[3 * i + j] =
                a.m[3 * i1 + j1] * a.m[3 * i2 + j2] - a.m[3 * i1 + j2] * a.m[3 * i2 + j1];
        }
    }
    return c;
}

OOZE_FORMULA OozeMat3 ooze_mat3_identity(void)
{
    OozeMat3 r = ooze_mat3_zero();
    r.m[0] = r.m[4] = r.m[8] = 1;
    return r;
}

/* Newton's iteration of Higham 1986, X <- (g X + X^-T / g) / 2, for a determinant well above 0,
   with Frobenius scaling g; near a rotation g is about 1 and its roots are not computed. */
OOZE_FORMULA OozeMat3 ooze_polar_newton(OozeMat3 a)
{
    const OOZE_REAL half = (OOZE_REAL)0.5;
    OozeMat3 x = a;
    for (int k = 0; k < 8; k++) {
        OozeMat3 c = ooze_mat3_cofactor(x);
        OOZE_REAL det = x.m[0] * c.m[0] + x.m[1] * c.m[1] + x.m[2] * c.m[2];
        OOZE_REAL c2 = ooze_mat3_norm2(c), x2 = ooze_mat3_norm2(x), even = x2 * det * det;
        OOZE_REAL near = half, far = half / det, change = 0;
        if (c2 < half * even || c2 > 2 * even) {
            OOZE_REAL scale = OOZE_SQRT(OOZE_SQRT(c2 / x2) / det);
            near *= scale;
            far /= scale;
        }
        for (int e = 0; e < 9; e++) {
            OOZE_REAL next = near * x.m[e] + far * c.m[e];
            OOZE_REAL d = next - x.m[e];
            change += d * d;
            x.m[e] = next;
        }
        if (change < (OOZE_REAL)1e-12) { /* quadratic: the next change would be its square */
            break;
        }
    }
    return x;
}

/* The same for any matrix that is not 0, by the quaternion fit. */
OOZE_FORMULA_CALL OozeMat3 ooze_polar_fit(OozeMat3 a)
{
    double m[9], r[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m[3 * j + i] = (double)a.m[3 * i + j];
        }
    }
    ooze_rigid_fit(m, r);
    OozeMat3 best;
    for (int k = 0; k < 9; k++) {
        best.m[k] = (OOZE_REAL)r[k];
    }
    return best;
}

/* The rotation R that maximises tr(R^T a): the polar factor where det a > 0, and the nearest proper
   rotation where a is a reflection or singular. Identity for a = 0 or NaN. */
OOZE_FORMULA OozeMat3 ooze_polar_rotation(OozeMat3 a)
{
    OOZE_REAL norm2 = ooze_mat3_norm2(a);
    if (!(norm2 > 0) || !(norm2 < (OOZE_REAL)1e30)) {
        return ooze_mat3_identity();
    }
    OOZE_REAL size = OOZE_SQRT(norm2 * (OOZE_REAL)(1.0 / 3.0));
    a = ooze_mat3_scale(a, 1 / size);
    return ooze_mat3_det(a) > (OOZE_REAL)OOZE_POLAR_NEWTON_DET ? ooze_polar_newton(a)
                                                               : ooze_polar_fit(a);
}

#endif
