/* Eigenvalues and eigenvectors of a symmetric tensor. */
#ifndef OOZE_PHYSICS_EIGEN_H
#define OOZE_PHYSICS_EIGEN_H

#include "physics/tensor.h"

/* Column k of `vectors` belongs to values[k]; the order is not fixed. */
typedef struct OozeEigen3 {
    OOZE_REAL values[3];
    OozeMat3 vectors;
} OozeEigen3;

/* One rotation of Jacobi's method: makes entry (p, q) of the symmetric matrix a zero. */
OOZE_FORMULA void ooze_eigen3_rotate(OozeMat3 *a, OozeMat3 *v, int p, int q)
{
    OOZE_REAL apq = a->m[3 * p + q];
    if (apq == 0) {
        return;
    }
    OOZE_REAL theta = (a->m[3 * q + q] - a->m[3 * p + p]) / (2 * apq);
    OOZE_REAL t = 1 / (ooze_abs(theta) + OOZE_SQRT(theta * theta + 1));
    t = theta < 0 ? -t : t;
    OOZE_REAL c = 1 / OOZE_SQRT(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        OOZE_REAL akp = a->m[3 * k + p], akq = a->m[3 * k + q];
        a->m[3 * k + p] = c * akp - s * akq;
        a->m[3 * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; k++) {
        OOZE_REAL apk = a->m[3 * p + k], aqk = a->m[3 * q + k];
        a->m[3 * p + k] = c * apk - s * aqk;
        a->m[3 * q + k] = s * apk + c * aqk;
        OOZE_REAL vkp = v->m[3 * k + p], vkq = v->m[3 * k + q];
        v->m[3 * k + p] = c * vkp - s * vkq;
        v->m[3 * k + q] = s * vkp + c * vkq;
    }
}

/* Cyclic Jacobi: Golub and Van Loan, "Matrix computations", section 8.5. A sweep squares the
   off-diagonal entries, relative to the others, in the end. */
OOZE_FORMULA OozeEigen3 ooze_sym3_eigen_sweeps(OozeSym3 s, int sweeps)
{
    OozeMat3 a = ooze_mat3_from_sym3(s);
    OozeEigen3 e;
    e.vectors = ooze_mat3_from_sym3(ooze_sym3_identity(1));
    for (int sweep = 0; sweep < sweeps; sweep++) {
        ooze_eigen3_rotate(&a, &e.vectors, 0, 1);
        ooze_eigen3_rotate(&a, &e.vectors, 0, 2);
        ooze_eigen3_rotate(&a, &e.vectors, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        e.values[k] = a.m[4 * k];
    }
    return e;
}

/* Five sweeps reduce the off-diagonal entries below the rounding of single precision. */
OOZE_FORMULA OozeEigen3 ooze_sym3_eigen(OozeSym3 s)
{
    return ooze_sym3_eigen_sweeps(s, 5);
}

/* sum of f_k v_k v_k^T */
OOZE_FORMULA OozeSym3 ooze_eigen3_compose(const OozeEigen3 *e, const OOZE_REAL f[3])
{
    OozeSym3 s = ooze_sym3_identity(0);
    for (int k = 0; k < 3; k++) {
        OOZE_REAL x = e->vectors.m[k], y = e->vectors.m[3 + k], z = e->vectors.m[6 + k];
        s = ooze_sym3_add(
            s, ooze_sym3_scale(ooze_sym3(x * x, y * y, z * z, x * y, x * z, y * z), f[k]));
    }
    return s;
}

#endif
