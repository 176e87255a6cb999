/* Helpers of the inner loops of the links method, which process four neighbours at a time. Lists
   are padded with particle n, whose distance along the fourth axis makes its weight 0. */
#ifndef OOZE_METHODS_LINKS_CPU_FOURS_H
#define OOZE_METHODS_LINKS_CPU_FOURS_H

#include "methods/links/cpu/loops.h"

/* A loop that is compiled once for every kind. */
#define OOZE_LINKS_LOOP static inline __attribute__((always_inline))

/* Variants of the loops: constants at each call. */
typedef struct OozeLinksKind {
    bool periodic, mixed;
    bool even;   /* all inverse masses are 1 */
    bool linked; /* links have strength */
} OozeLinksKind;

/* Whether OOZE_LINKS_BY_KIND selects `even`. */
static inline bool ooze_links_is_even(const OozeLinksStep *s)
{
    return s->even && !s->wraps && !s->k.kernel.mixed;
}

/* Calls `loop` with the constants of a step. */
#define OOZE_LINKS_BY_KIND(loop, s, begin, end)                                                    \
    do {                                                                                           \
        if ((s)->k.kernel.mixed) {                                                                 \
            loop(s, begin, end, (OozeLinksKind){true, true, false, (s)->k.linked});                \
        } else if ((s)->wraps) {                                                                   \
            loop(s, begin, end, (OozeLinksKind){true, false, false, (s)->k.linked});               \
        } else if (!(s)->even) {                                                                   \
            loop(s, begin, end, (OozeLinksKind){false, false, false, (s)->k.linked});              \
        } else if ((s)->k.linked) {                                                                \
            loop(s, begin, end, (OozeLinksKind){false, false, true, true});                        \
        } else {                                                                                   \
            loop(s, begin, end, (OozeLinksKind){false, false, true, false});                       \
        }                                                                                          \
    } while (0)

static inline OozeF32x4 ooze_links_delta(OozeF32x4 x, OozeF32x4 other, OozeBox box,
                                         OozeLinksKind kind)
{
    return kind.periodic ? ooze_f32x4_image(x - other, box) : x - other;
}

static inline OozeF32x4 ooze_links_pick(const float *from, const uint32_t *index)
{
    return ooze_f32x4(from[index[0]], from[index[1]], from[index[2]], from[index[3]]);
}

/* ooze_links_value over value_scale, and ooze_links_slope over ooze_links_steepness. */
typedef struct OozeLinksShape {
    OozeF32x4 value, slope;
} OozeLinksShape;

static inline OozeLinksShape ooze_links_shape(float inverse_h, OozeF32x4 r, OozeLinksKind kind)
{
    OozeF32x4 zero = {0}, one = ooze_f32x4_splat(1.0f);
    OozeF32x4 t = ooze_f32x4_max(ooze_f32x4_fma(ooze_f32x4_splat(-inverse_h), r, one), zero);
    OozeF32x4 tt = t * t;
    if (kind.mixed) {
        OozeF32x4 s = t * (1.0f + inverse_h * r);
        return (OozeLinksShape){s * s * s, tt};
    }
    OozeF32x4 twice = ooze_f32x4_splat(-2.0f * inverse_h);
    OozeF32x4 inner = ooze_f32x4_max(ooze_f32x4_fma(twice, r, one), zero), ii = inner * inner;
    OozeF32x4 cube = t * tt;
    return (OozeLinksShape){ooze_f32x4_fma(cube, ooze_f32x4_splat(2.0f), -(inner * ii)), ii - tt};
}

static inline float ooze_links_steepness(const OozeLinksKernel *k)
{
    return k->mixed ? k->slope_scale : 6.0f * k->slope_scale;
}

/* Scales of the results of the first sweep. */
static inline void ooze_links_set_scales(OozeLinksStep *s)
{
    s->steepness = s->k.volume * ooze_links_steepness(&s->k.kernel);
    s->shared = ooze_links_is_even(s) ? 0.5f * s->k.strength : s->k.strength;
}

#endif
