/* 3x3 tensors of four particles at once, one particle a lane: for the part of an iteration between
   its two gathers. */
#ifndef OOZE_SOLVERS_VECTORS_TENSOR_F32X4_H
#define OOZE_SOLVERS_VECTORS_TENSOR_F32X4_H

#include "solvers/vectors/rows.h"

typedef struct OozeMat3F32x4 {
    OozeF32x4 m[3][3];
} OozeMat3F32x4;

/* Of four tensors, contiguous in memory. */
static inline OozeMat3F32x4 ooze_mat3_f32x4_from_sym3(const OozeSym3 *s)
{
    OozeF32x4 low[4], high[4]; /* xx yy zz xy, and zz xy xz yz */
    ooze_f32x4_transpose(ooze_f32x4_load(&s[0].xx), ooze_f32x4_load(&s[1].xx),
                         ooze_f32x4_load(&s[2].xx), ooze_f32x4_load(&s[3].xx), low);
    ooze_f32x4_transpose(ooze_f32x4_load(&s[0].zz), ooze_f32x4_load(&s[1].zz),
                         ooze_f32x4_load(&s[2].zz), ooze_f32x4_load(&s[3].zz), high);
    OozeMat3F32x4 out = {
        {{low[0], low[3], high[2]}, {low[3], low[1], high[3]}, {high[2], high[3], low[2]}}};
    return out;
}

static inline OozeMat3F32x4 ooze_mat3_f32x4_product(const OozeMat3F32x4 *a, const OozeMat3F32x4 *b)
{
    OozeMat3F32x4 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            OozeF32x4 sum = a->m[i][0] * b->m[0][j];
            sum = ooze_f32x4_fma(a->m[i][1], b->m[1][j], sum);
            c.m[i][j] = ooze_f32x4_fma(a->m[i][2], b->m[2][j], sum);
        }
    }
    return c;
}

/* a + a^T */
static inline OozeMat3F32x4 ooze_mat3_f32x4_twice_symmetric(const OozeMat3F32x4 *a)
{
    OozeMat3F32x4 c;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            c.m[i][j] = c.m[j][i] = a->m[i][j] + a->m[j][i];
        }
    }
    return c;
}

/* From the rows of four particles; `last`: their last lanes. */
static inline OozeMat3F32x4 ooze_mat3_f32x4_from_rows(const OozeRows rows[4], OozeF32x4 last[3])
{
    OozeMat3F32x4 out;
    for (int k = 0; k < 3; k++) {
        OozeF32x4 column[4];
        ooze_f32x4_transpose(rows[0].row[k], rows[1].row[k], rows[2].row[k], rows[3].row[k],
                             column);
        out.m[k][0] = column[0];
        out.m[k][1] = column[1];
        out.m[k][2] = column[2];
        last[k] = column[3];
    }
    return out;
}

/* Inverse of ooze_mat3_f32x4_from_rows. */
static inline void ooze_mat3_f32x4_to_rows(const OozeMat3F32x4 *a, const OozeF32x4 last[3],
                                           OozeRows rows[4])
{
    for (int k = 0; k < 3; k++) {
        OozeF32x4 row[4];
        ooze_f32x4_transpose(a->m[k][0], a->m[k][1], a->m[k][2], last[k], row);
        for (int j = 0; j < 4; j++) {
            rows[j].row[k] = row[j];
        }
    }
}

#endif
