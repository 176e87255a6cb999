/* Pairs in double: differences, distances, the cubic spline, edges. */
#ifndef OOZE_TESTS_PAIR_REFERENCE_H
#define OOZE_TESTS_PAIR_REFERENCE_H

#include "loops_case.h"
#include "rounding.h"

/* b - a, of nearest images: a float loses half a unit of the difference before it is wrapped. */
static inline void delta_between(const Case *c, OozeF32x4 a, OozeF32x4 b, Near d[3])
{
    const OozePeriodic *p = &c->context.periodic;
    for (int k = 0; k < 3; k++) {
        d[k] = minus(exact((double)b[k]), exact((double)a[k]));
        if (p->length[k] > 0.0f) {
            double length = (double)p->length[k];
            d[k] = minus(d[k], exact(length * rint(d[k].v / length)));
        }
    }
}

static inline Near length_of(const Near d[3])
{
    return root(dot3(d, d));
}

typedef struct Cubic {
    Near value, slope; /* W, and -dW/dr */
} Cubic;

/* The spline by its two pieces, as written down in physics/kernels.h; the bound by what the loops
   compute, a^2 - b^2 and 2 a^3 - b^3 with a = 1 - q, b = 1 - 2q, which cancel near the centre.
   Constants carry the rounding of their own five steps. */
static inline Cubic cubic(Near r)
{
    const double h = (double)SUPPORT, s = 8.0 / (OOZE_PI * h * h * h), q = r.v / h;
    Near scale = {s, 5 * ROUNDING * s}, slope = {6 * s / h, 8 * ROUNDING * 6 * s / h};
    Near ratio = times((Near){1 / h, ROUNDING / h}, r);
    Near a = at_least(minus(exact(1), ratio), 0),
         b = at_least(minus(exact(1), scaled(2, ratio)), 0);
    Near aa = times(a, a), bb = times(b, b);
    Cubic out = {times(scale, minus(scaled(2, times(a, aa)), times(b, bb))),
                 times(slope, minus(aa, bb))};
    double t = q < 1 ? 1 - q : 0;
    out.value.v = s * (q < 0.5 ? 1 - 6 * q * q + 6 * q * q * q : 2 * t * t * t);
    out.slope.v = 6 * s / h * (q < 0.5 ? 2 * q - 3 * q * q : t * t);
    return out;
}

/* -W'/r; 0 for particles in the same place, see ooze_kernel_gradient_scale. */
static inline Near slope_over(Near slope, Near r)
{
    return r.v <= (double)SUPPORT * OOZE_KERNEL_NEAREST ? exact(0) : over(slope, r);
}

/* 1 - (r/h)^2 */
static inline Near strain_weight(Near r)
{
    double h = (double)SUPPORT;
    Near q = times((Near){1 / h, ROUNDING / h}, r);
    return at_least(minus(exact(1), times(q, q)), 0);
}

/* Particle i as a near end to entry e of a list. */
static inline void delta_to(const Case *c, uint64_t i, uint64_t e, Near d[3])
{
    delta_between(c, c->x[i], c->x[c->fluid.index[e]], d);
}

static inline void delta_to_sample(const Case *c, uint64_t i, uint64_t e, Near d[3])
{
    OozeFloat4 p = c->boundary.position[c->walls.index[e]];
    delta_between(c, c->x[i], ooze_f32x4(p.x, p.y, p.z, 0), d);
}

/* The part of each list that counts; padding follows it. */
static inline uint64_t list_end(const OozeNeighbours *list, uint64_t i)
{
    return list->first[i] + list->count[i];
}

static inline uint64_t wall_count(const Case *c, uint64_t i)
{
    return c->boundary.count ? c->walls.count[i] : 0;
}

#endif
