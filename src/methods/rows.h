/* 3x3 matrices as three rows of four lanes, for the products that every iteration makes: the tensors
   of physics/tensor.h where registers hold rows. The fourth lane is free: a product fills it with the
   fourth lanes of the right-hand rows. */
#ifndef OOZE_METHODS_ROWS_H
#define OOZE_METHODS_ROWS_H

#include "base/four.h"
#include "physics/tensor.h"

typedef struct OozeRows {
    OozeFour row[3];
} OozeRows;

static inline OozeRows ooze_rows_zero(void)
{
    OozeFour zero = {0};
    OozeRows rows = {{zero, zero, zero}};
    return rows;
}

static inline OozeRows ooze_rows_add(OozeRows a, OozeRows b)
{
    OozeRows sum = {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
    return sum;
}

/* Last lanes repeat another entry; they mean nothing. */
static inline OozeRows ooze_rows_from_sym3(const OozeSym3 *s)
{
    _Static_assert(sizeof(OozeSym3) == 6 * sizeof(float), "six floats without gaps");
    OozeFour low = ooze_four_load(&s->xx), high = ooze_four_load(&s->zz); /* the two overlap */
    OozeRows rows = {{OOZE_FOUR_SHUFFLE(low, high, 0, 3, 6, 6),
                      OOZE_FOUR_SHUFFLE(low, high, 3, 1, 7, 7),
                      OOZE_FOUR_SHUFFLE(low, high, 6, 7, 4, 4)}};
    return rows;
}

/* rows += v g^T */
static inline OozeRows ooze_rows_outer(OozeFour v, OozeFour g, OozeRows rows)
{
    rows.row[0] = OOZE_FOUR_FMA_LANE(v, 0, g, rows.row[0]);
    rows.row[1] = OOZE_FOUR_FMA_LANE(v, 1, g, rows.row[1]);
    rows.row[2] = OOZE_FOUR_FMA_LANE(v, 2, g, rows.row[2]);
    return rows;
}

static inline OozeRows ooze_rows_product(OozeRows a, OozeRows b)
{
    OozeRows c;
    for (int k = 0; k < 3; k++) {
        OozeFour row = a.row[k][0] * b.row[0];
        row = OOZE_FOUR_FMA_LANE(a.row[k], 1, b.row[1], row);
        c.row[k] = OOZE_FOUR_FMA_LANE(a.row[k], 2, b.row[2], row);
    }
    return c;
}

/* a + a^T; last lanes mean nothing. */
static inline OozeRows ooze_rows_twice_symmetric(OozeRows a)
{
    OozeFour xy = OOZE_FOUR_SHUFFLE(a.row[0], a.row[1], 0, 4, 1, 5); /* xx yx xy yy */
    OozeFour z = OOZE_FOUR_SHUFFLE(a.row[0], a.row[1], 2, 6, 2, 6);  /* xz yz */
    OozeRows t = {{OOZE_FOUR_SHUFFLE(xy, a.row[2], 0, 1, 4, 4),
                   OOZE_FOUR_SHUFFLE(xy, a.row[2], 2, 3, 5, 5),
                   OOZE_FOUR_SHUFFLE(z, a.row[2], 0, 1, 6, 6)}};
    return ooze_rows_add(a, t);
}

static inline float ooze_rows_trace(OozeRows a)
{
    return a.row[0][0] + a.row[1][1] + a.row[2][2];
}

/* a + d I */
static inline OozeRows ooze_rows_add_diagonal(OozeRows a, float d)
{
    a.row[0] += ooze_four(d, 0, 0, 0);
    a.row[1] += ooze_four(0, d, 0, 0);
    a.row[2] += ooze_four(0, 0, d, 0);
    return a;
}

static inline OozeMat3 ooze_rows_matrix(OozeRows a)
{
    OozeMat3 m = {{a.row[0][0], a.row[0][1], a.row[0][2], a.row[1][0], a.row[1][1], a.row[1][2],
                   a.row[2][0], a.row[2][1], a.row[2][2]}};
    return m;
}

#endif
