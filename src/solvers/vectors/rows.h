/* 3x3 matrices as three rows of four lanes: the tensors of physics/tensor.h in vector registers.
   The fourth lane is free: a product fills it with the fourth lanes of the right-hand rows. */
#ifndef OOZE_SOLVERS_VECTORS_ROWS_H
#define OOZE_SOLVERS_VECTORS_ROWS_H

#include "base/f32x4.h"
#include "physics/tensor.h"

typedef struct OozeRows {
    OozeF32x4 row[3];
} OozeRows;

static inline OozeRows ooze_rows_zero(void)
{
    OozeF32x4 zero = {0};
    OozeRows rows = {{zero, zero, zero}};
    return rows;
}

static inline OozeRows ooze_rows_add(OozeRows a, OozeRows b)
{
    OozeRows sum = {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
    return sum;
}

/* rows += v g^T */
static inline OozeRows ooze_rows_outer(OozeF32x4 v, OozeF32x4 g, OozeRows rows)
{
    rows.row[0] = OOZE_F32X4_FMA_LANE(v, 0, g, rows.row[0]);
    rows.row[1] = OOZE_F32X4_FMA_LANE(v, 1, g, rows.row[1]);
    rows.row[2] = OOZE_F32X4_FMA_LANE(v, 2, g, rows.row[2]);
    return rows;
}

static inline OozeMat3 ooze_rows_matrix(OozeRows a)
{
    OozeMat3 m = {{a.row[0][0], a.row[0][1], a.row[0][2], a.row[1][0], a.row[1][1], a.row[1][2],
                   a.row[2][0], a.row[2][1], a.row[2][2]}};
    return m;
}

#endif
