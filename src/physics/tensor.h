/* Small tensors: 3x3 matrices and symmetric tensors. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_TENSOR_H
#define OOZE_PHYSICS_TENSOR_H

#include "physics/formula.h"

/* Row major: m[3 * row + column]. */
typedef struct OozeMat3 {
    OOZE_REAL m[9];
} OozeMat3;

/* Order of the stored conformation tensor: xx, yy, zz, xy, xz, yz. */
typedef struct OozeSym3 {
    OOZE_REAL xx, yy, zz, xy, xz, yz;
} OozeSym3;

OOZE_FORMULA OozeSym3 ooze_sym3(OOZE_REAL xx, OOZE_REAL yy, OOZE_REAL zz, OOZE_REAL xy,
                                OOZE_REAL xz, OOZE_REAL yz)
{
    OozeSym3 s;
    s.xx = xx;
    s.yy = yy;
    s.zz = zz;
    s.xy = xy;
    s.xz = xz;
    s.yz = yz;
    return s;
}

OOZE_FORMULA OozeSym3 ooze_sym3_identity(OOZE_REAL d)
{
    return ooze_sym3(d, d, d, 0, 0, 0);
}

OOZE_FORMULA OozeSym3 ooze_sym3_add_pressure(OozeSym3 s, OOZE_REAL p)
{
    s.xx += p;
    s.yy += p;
    s.zz += p;
    return s;
}

OOZE_FORMULA OozeSym3 ooze_sym3_add(OozeSym3 a, OozeSym3 b)
{
    return ooze_sym3(a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz);
}

OOZE_FORMULA OozeSym3 ooze_sym3_scale(OozeSym3 a, OOZE_REAL s)
{
    return ooze_sym3(a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s);
}

OOZE_FORMULA OOZE_REAL ooze_sym3_trace(OozeSym3 a)
{
    return a.xx + a.yy + a.zz;
}

/* a : b */
OOZE_FORMULA OOZE_REAL ooze_sym3_dot(OozeSym3 a, OozeSym3 b)
{
    return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + 2 * (a.xy * b.xy + a.xz * b.xz + a.yz * b.yz);
}

/* a without its mean normal part. */
OOZE_FORMULA OozeSym3 ooze_sym3_deviator(OozeSym3 a)
{
    OOZE_REAL mean = ooze_sym3_trace(a) / 3;
    return ooze_sym3(a.xx - mean, a.yy - mean, a.zz - mean, a.xy, a.xz, a.yz);
}

OOZE_FORMULA OOZE_REAL ooze_sym3_det(OozeSym3 a)
{
    return a.xx * (a.yy * a.zz - a.yz * a.yz) - a.xy * (a.xy * a.zz - a.yz * a.xz) +
           a.xz * (a.xy * a.yz - a.yy * a.xz);
}

/* The inverse; the caller has made sure that the determinant is not near 0. */
OOZE_FORMULA OozeSym3 ooze_sym3_inverse(OozeSym3 a)
{
    OOZE_REAL s = 1 / ooze_sym3_det(a);
    return ooze_sym3((a.yy * a.zz - a.yz * a.yz) * s, (a.xx * a.zz - a.xz * a.xz) * s,
                     (a.xx * a.yy - a.xy * a.xy) * s, (a.xz * a.yz - a.xy * a.zz) * s,
                     (a.xy * a.yz - a.xz * a.yy) * s, (a.xy * a.xz - a.xx * a.yz) * s);
}

OOZE_FORMULA OOZE_REAL ooze_abs(OOZE_REAL x)
{
    return x < 0 ? -x : x;
}

OOZE_FORMULA OOZE_REAL ooze_min(OOZE_REAL a, OOZE_REAL b)
{
    return a < b ? a : b;
}

OOZE_FORMULA OOZE_REAL ooze_max(OOZE_REAL a, OOZE_REAL b)
{
    return a > b ? a : b;
}

OOZE_FORMULA OozeMat3 ooze_mat3_zero(void)
{
    OozeMat3 r;
    for (int k = 0; k < 9; k++) {
        r.m[k] = 0;
    }
    return r;
}

OOZE_FORMULA OozeMat3 ooze_mat3_from_sym3(OozeSym3 a)
{
    OozeMat3 r;
    r.m[0] = a.xx;
    r.m[1] = a.xy;
    r.m[2] = a.xz;
    r.m[3] = a.xy;
    r.m[4] = a.yy;
    r.m[5] = a.yz;
    r.m[6] = a.xz;
    r.m[7] = a.yz;
    r.m[8] = a.zz;
    return r;
}

/* s v, of which the components are in `out`. */
OOZE_FORMULA void ooze_sym3_apply(OozeSym3 s, const OOZE_REAL *v, OOZE_REAL *out)
{
    out[0] = s.xx * v[0] + s.xy * v[1] + s.xz * v[2];
    out[1] = s.xy * v[0] + s.yy * v[1] + s.yz * v[2];
    out[2] = s.xz * v[0] + s.yz * v[1] + s.zz * v[2];
}

OOZE_FORMULA OozeMat3 ooze_mat3_add(OozeMat3 a, OozeMat3 b)
{
    OozeMat3 r;
    for (int k = 0; k < 9; k++) {
        r.m[k] = a.m[k] + b.m[k];
    }
    return r;
}

OOZE_FORMULA OozeMat3 ooze_mat3_scale(OozeMat3 a, OOZE_REAL s)
{
    OozeMat3 r;
    for (int k = 0; k < 9; k++) {
        r.m[k] = a.m[k] * s;
    }
    return r;
}

OOZE_FORMULA OozeMat3 ooze_mat3_mul(OozeMat3 a, OozeMat3 b)
{
    OozeMat3 r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r.m[3 * i + j] =
                a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
        }
    }
    return r;
}

OOZE_FORMULA OozeMat3 ooze_mat3_transpose(OozeMat3 a)
{
    OozeMat3 r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r.m[3 * i + j] = a.m[3 * j + i];
        }
    }
    return r;
}

OOZE_FORMULA OOZE_REAL ooze_mat3_det(OozeMat3 a)
{
    return a.m[0] * (a.m[4] * a.m[8] - a.m[5] * a.m[7]) -
           a.m[1] * (a.m[3] * a.m[8] - a.m[5] * a.m[6]) +
           a.m[2] * (a.m[3] * a.m[7] - a.m[4] * a.m[6]);
}

/* Sum of the squares of all entries. */
OOZE_FORMULA OOZE_REAL ooze_mat3_norm2(OozeMat3 a)
{
    OOZE_REAL s = 0;
    for (int k = 0; k < 9; k++) {
        s += a.m[k] * a.m[k];
    }
    return s;
}

/* (a + a^T) / 2 */
OOZE_FORMULA OozeSym3 ooze_mat3_symmetric(OozeMat3 a)
{
    const OOZE_REAL half = (OOZE_REAL)0.5;
    return ooze_sym3(a.m[0], a.m[4], a.m[8], half * (a.m[1] + a.m[3]), half * (a.m[2] + a.m[6]),
                     half * (a.m[5] + a.m[7]));
}

/* a s, a full matrix times a symmetric one. */
OOZE_FORMULA OozeMat3 ooze_mat3_mul_sym3(OozeMat3 a, OozeSym3 s)
{
    return ooze_mat3_mul(a, ooze_mat3_from_sym3(s));
}

/* f s f^T */
OOZE_FORMULA OozeSym3 ooze_sym3_congruence(OozeMat3 f, OozeSym3 s)
{
    OozeMat3 fs = ooze_mat3_mul_sym3(f, s);
    return ooze_mat3_symmetric(ooze_mat3_mul(fs, ooze_mat3_transpose(f)));
}

/* d a + a d for symmetric d and a: symmetric. */
OOZE_FORMULA OozeSym3 ooze_sym3_anticommutator(OozeSym3 d, OozeSym3 a)
{
    OozeMat3 p = ooze_mat3_mul(ooze_mat3_from_sym3(d), ooze_mat3_from_sym3(a));
    return ooze_sym3_scale(ooze_mat3_symmetric(p), 2);
}

/* Smallest eigenvalue of a symmetric tensor by Newton's method on the characteristic polynomial
   from below, where it is convex: needs no trigonometry and is monotone. */
OOZE_FORMULA OOZE_REAL ooze_sym3_min_eigenvalue(OozeSym3 a)
{
    const OOZE_REAL third = (OOZE_REAL)(1.0 / 3.0);
    OOZE_REAL mean = ooze_sym3_trace(a) * third;
    OozeSym3 b = ooze_sym3(a.xx - mean, a.yy - mean, a.zz - mean, a.xy, a.xz, a.yz);
    OOZE_REAL p = (b.xx * b.xx + b.yy * b.yy + b.zz * b.zz) * (OOZE_REAL)0.5 + b.xy * b.xy +
                  b.xz * b.xz + b.yz * b.yz;
    OOZE_REAL q = ooze_sym3_det(b);
    /* roots of t^3 - p t - q: all in [-2 s, 2 s] with s = sqrt(p / 3) */
    OOZE_REAL s = OOZE_SQRT(p * third);
    OOZE_REAL t = -2 * s;
    for (int k = 0; k < 12; k++) {
        OOZE_REAL slope = 3 * t * t - p;
        OOZE_REAL step = (t * t * t - p * t - q);
        if (!(slope > 0) || !(step < 0)) {
            break;
        }
        OOZE_REAL move = step / slope;
        t -= move;
        if (move > (OOZE_REAL)-1e-7 * s) { /* below the rounding of what comes out */
            break;
        }
    }
    return mean + t;
}

#endif
