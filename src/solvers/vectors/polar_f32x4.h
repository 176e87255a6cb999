/* Polar decomposition of the matrices of four particles at once. */
#ifndef OOZE_SOLVERS_VECTORS_POLAR_F32X4_H
#define OOZE_SOLVERS_VECTORS_POLAR_F32X4_H

#include "physics/polar.h"
#include "solvers/vectors/tensor_f32x4.h"

static inline OozeF32x4 ooze_mat3_f32x4_norm2(const OozeMat3F32x4 *a)
{
    OozeF32x4 sum = {0};
    for (int k = 0; k < 9; k++) {
        sum = ooze_f32x4_fma(a->m[k / 3][k % 3], a->m[k / 3][k % 3], sum);
    }
    return sum;
}

static inline OozeMat3 ooze_mat3_f32x4_lane(const OozeMat3F32x4 *a, int lane)
{
    OozeMat3 m;
    for (int k = 0; k < 9; k++) {
        m.m[k] = a->m[k / 3][k % 3][lane];
    }
    return m;
}

static inline bool ooze_f32x4_all(OozeF32x4Mask mask)
{
    return mask[0] && mask[1] && mask[2] && mask[3];
}

/* ooze_polar_newton without scaling, for matrices near a rotation. False: one of them is not, or
   does not converge. */
static inline bool ooze_polar_f32x4_near(OozeMat3F32x4 *x)
{
    for (int iteration = 0; iteration < 6; iteration++) {
        OozeMat3F32x4 c;
        for (int i = 0; i < 3; i++) {
            const OozeF32x4 *a = x->m[(i + 1) % 3], *b = x->m[(i + 2) % 3];
            for (int j = 0; j < 3; j++) {
                int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                c.m[i][j] = a[j1] * b[j2] - a[j2] * b[j1];
            }
        }
        OozeF32x4 det = x->m[0][0] * c.m[0][0] + x->m[0][1] * c.m[0][1] + x->m[0][2] * c.m[0][2];
        OozeF32x4 half_inverse_det = 0.5f / det, change = {0};
        if (iteration == 0 && !ooze_f32x4_all((det > 0.3f) & (det < 3.0f))) {
            return false;
        }
        for (int k = 0; k < 9; k++) {
            OozeF32x4 *entry = &x->m[k / 3][k % 3];
            OozeF32x4 next = ooze_f32x4_fma(half_inverse_det, c.m[k / 3][k % 3], 0.5f * *entry),
                      d = next - *entry;
            change = ooze_f32x4_fma(d, d, change);
            *entry = next;
        }
        if (ooze_f32x4_all(change < 1e-12f)) {
            return true;
        }
    }
    return false;
}

/* ooze_polar_rotation of four. */
static inline OozeMat3F32x4 ooze_polar_f32x4(const OozeMat3F32x4 *a)
{
    OozeMat3F32x4 r = *a;
    OozeF32x4 size2 = ooze_mat3_f32x4_norm2(a);
    bool near = ooze_f32x4_all((size2 > 1.5f) & (size2 < 6.0f)); /* a rotation has 3 */
    if (near && ooze_polar_f32x4_near(&r)) {
        return r;
    }
    for (int lane = 0; lane < 4; lane++) {
        OozeMat3 one = ooze_polar_rotation(ooze_mat3_f32x4_lane(a, lane));
        for (int k = 0; k < 9; k++) {
            r.m[k / 3][k % 3][lane] = one.m[k];
        }
    }
    return r;
}

#endif
