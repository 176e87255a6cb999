/* Differences of positions, four floats at a time. */
#ifndef OOZE_SOLVERS_VECTORS_PERIODIC_F32X4_H
#define OOZE_SOLVERS_VECTORS_PERIODIC_F32X4_H

#include "base/f32x4.h"
#include "physics/periodic.h"

/* A periodic box as lanes: ooze_periodic_delta for three axes at once. */
typedef struct OozeBox {
    OozeF32x4 length, inverse;
} OozeBox;

static inline OozeBox ooze_box(const OozePeriodic *p)
{
    OozeBox box = {{p->length[0], p->length[1], p->length[2], 0},
                   {p->inverse[0], p->inverse[1], p->inverse[2], 0}};
    return box;
}

/* Nearest image of a difference of positions, up to 2^22 boxes; adding 0x1.8p23 rounds to integers.
   The last lane is unchanged. */
static inline OozeF32x4 ooze_f32x4_image(OozeF32x4 d, OozeBox box)
{
    OozeF32x4 images = (d * box.inverse + 0x1.8p23f) - 0x1.8p23f;
    return d - box.length * images;
}

/* x minus each of four others. */
static inline void ooze_f32x4_deltas(OozeF32x4 x, const OozeF32x4 *others, const uint32_t *index,
                                     OozeBox box, bool periodic, OozeF32x4 d[4])
{
    for (int k = 0; k < 4; k++) {
        d[k] = x - others[index[k]];
        d[k] = periodic ? ooze_f32x4_image(d[k], box) : d[k];
    }
}

static inline OozeF32x4 ooze_f32x4_dots(const OozeF32x4 a[4], const OozeF32x4 b[4])
{
    return ooze_f32x4_row_sums(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]);
}

/* sum + weight[0] d[0] + ... + weight[3] d[3] */
static inline OozeF32x4 ooze_f32x4_add_weighted(OozeF32x4 weight, const OozeF32x4 d[4],
                                                OozeF32x4 sum)
{
    sum = OOZE_F32X4_FMA_LANE(weight, 0, d[0], sum);
    sum = OOZE_F32X4_FMA_LANE(weight, 1, d[1], sum);
    sum = OOZE_F32X4_FMA_LANE(weight, 2, d[2], sum);
    return OOZE_F32X4_FMA_LANE(weight, 3, d[3], sum);
}

static inline OozeF32x4 ooze_f32x4_nearest(OozeF32x4 d, const OozePeriodic *p)
{
    return ooze_f32x4_image(d, ooze_box(p));
}

#endif
