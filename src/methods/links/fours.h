/* What the inner loops of the links method share: four neighbours at a time. Lists are padded with the particle n, which is so
   far away along the fourth axis that it weighs nothing. */
#ifndef OOZE_METHODS_LINKS_FOURS_H
#define OOZE_METHODS_LINKS_FOURS_H

#include "base/machine.h"
#include "methods/links/workspace.h"

/* A loop that is compiled once for every kind, whatever the compiler thinks of its length. */
#define OOZE_LINKS_LOOP static inline __attribute__((always_inline))

/* Which loops to compile: constants at each call. */
typedef struct OozeLinksKind {
    bool periodic, mixed;
    bool even;   /* all weights are 1, and so is all ease */
    bool linked; /* links have strength */
} OozeLinksKind;

/* Whether loops take all weights for 1: the rule of the next. */
static inline bool ooze_links_is_even(const OozeLinksStep *s)
{
    return s->even && !s->periodic && !s->kernel.mixed;
}

/* Calls `loop` with the constants of a step. */
#define OOZE_LINKS_BY_KIND(loop, s, begin, end)                                                    \
    do {                                                                                           \
        if ((s)->kernel.mixed) {                                                                   \
            loop(s, begin, end, (OozeLinksKind){true, true, false, (s)->linked});                  \
        } else if ((s)->periodic) {                                                                \
            loop(s, begin, end, (OozeLinksKind){true, false, false, (s)->linked});                 \
        } else if (!(s)->even) {                                                                   \
            loop(s, begin, end, (OozeLinksKind){false, false, false, (s)->linked});                \
        } else if ((s)->linked) {                                                                  \
            loop(s, begin, end, (OozeLinksKind){false, false, true, true});                        \
        } else {                                                                                   \
            loop(s, begin, end, (OozeLinksKind){false, false, true, false});                       \
        }                                                                                          \
    } while (0)

static inline OozeFour ooze_links_way(OozeFour x, OozeFour other, OozeBox box, OozeLinksKind kind)
{
    return kind.periodic ? ooze_four_image(x - other, box) : x - other;
}

static inline OozeFour ooze_links_pick(const float *from, const uint32_t *index)
{
    return ooze_four(from[index[0]], from[index[1]], from[index[2]], from[index[3]]);
}

/* ooze_links_value over its scale, and ooze_links_slope over that of ooze_links_steepness. */
typedef struct OozeLinksShape {
    OozeFour value, slope;
} OozeLinksShape;

static inline OozeLinksShape ooze_links_shape(float inverse_h, OozeFour r, OozeLinksKind kind)
{
    OozeFour zero = {0}, one = ooze_four_splat(1.0f);
    OozeFour t = ooze_four_max(ooze_four_fma(ooze_four_splat(-inverse_h), r, one), zero);
    OozeFour tt = t * t;
    if (kind.mixed) {
        OozeFour s = t * (1.0f + inverse_h * r);
        return (OozeLinksShape){s * s * s, tt};
    }
    OozeFour twice = ooze_four_splat(-2.0f * inverse_h);
    OozeFour inner = ooze_four_max(ooze_four_fma(twice, r, one), zero), ii = inner * inner;
    OozeFour cube = t * tt;
    return (OozeLinksShape){ooze_four_fma(cube, ooze_four_splat(2.0f), -(inner * ii)), ii - tt};
}

static inline float ooze_links_steepness(const OozeLinksKernel *k)
{
    return k->mixed ? k->slope_scale : 6.0f * k->slope_scale;
}

/* The scales of what the first sweep leaves to the second, and to solids that give way. */
static inline void ooze_links_know_scales(OozeLinksStep *s)
{
    s->steepness = s->volume * ooze_links_steepness(&s->kernel);
    s->shared = ooze_links_is_even(s) ? 0.5f * s->strength : s->strength;
}

#endif
