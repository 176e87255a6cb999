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

static inline OozeFour ooze_four_nearest(OozeFour d, const OozePeriodic *p)
{
    return ooze_four_image(d, ooze_box(p));
}

#endif
