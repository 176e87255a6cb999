/* Differences of positions, four floats at a time. */
#ifndef OOZE_METHODS_FOUR_H
#define OOZE_METHODS_FOUR_H

#include "base/four.h"
#include "physics/periodic.h"

/* A periodic box as lanes: ooze_periodic_delta for three axes at once. */
typedef struct OozeBox {
    OozeFour length, inverse;
} OozeBox;

static inline OozeBox ooze_box(const OozePeriodic *p)
{
    OozeBox box = {{p->length[0], p->length[1], p->length[2], 0},
                   {p->inverse[0], p->inverse[1], p->inverse[2], 0}};
    return box;
}

/* Nearest image of a difference of positions; the last lane stays. Fewer than 2^22 boxes away, where the sum
   leaves no fraction bits. */
static inline OozeFour ooze_four_image(OozeFour d, OozeBox box)
{
    OozeFour images = (d * box.inverse + 0x1.8p23f) - 0x1.8p23f;
    return d - box.length * images;
}

/* x minus each of four others. */
static inline void ooze_four_ways(OozeFour x, const OozeFour *others, const uint32_t *index,
                                  OozeBox box, bool periodic, OozeFour d[4])
{
    for (int k = 0; k < 4; k++) {
        d[k] = x - others[index[k]];
        d[k] = periodic ? ooze_four_image(d[k], box) : d[k];
    }
}

static inline OozeFour ooze_four_dots(const OozeFour a[4], const OozeFour b[4])
{
    return ooze_four_sums(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]);
}

/* Plus each of four by its lane of the weight. */
static inline OozeFour ooze_four_add_weighted(OozeFour weight, const OozeFour d[4], OozeFour sum)
{
    sum = OOZE_FOUR_FMA_LANE(weight, 0, d[0], sum);
    sum = OOZE_FOUR_FMA_LANE(weight, 1, d[1], sum);
    sum = OOZE_FOUR_FMA_LANE(weight, 2, d[2], sum);
    return OOZE_FOUR_FMA_LANE(weight, 3, d[3], sum);
}

static inline OozeFour ooze_four_nearest(OozeFour d, const OozePeriodic *p)
{
    return ooze_four_image(d, ooze_box(p));
}

#endif
