/* The two sweeps of an iteration: one finds densities, multipliers and taut links, the next the corrections. Four neighbours
   at a time; lists are padded with the particle n, which is so far away along the fourth axis that it weighs nothing.

   Corrections of a pair are the same number from both ends, with opposite sign, times each end's weight: momentum is exact. */
#include <math.h>

#include "methods/links/sweep.h"

/* ---- four at a time --------------------------------------------------------------------------- */

/* Which loops to compile: constants at each call. */
typedef struct Kind {
    bool periodic, mixed;
} Kind;

static inline OozeFour apart(OozeFour x, OozeFour other, OozeBox box, Kind kind)
{
    return kind.periodic ? ooze_four_image(x - other, box) : x - other;
}

static inline OozeFour squares(const OozeFour d[4])
{
    return ooze_four_sums(d[0] * d[0], d[1] * d[1], d[2] * d[2], d[3] * d[3]);
}

static inline OozeFour add_weighted(OozeFour weight, const OozeFour d[4], OozeFour sum)
{
    sum = OOZE_FOUR_FMA_LANE(weight, 0, d[0], sum);
    sum = OOZE_FOUR_FMA_LANE(weight, 1, d[1], sum);
    sum = OOZE_FOUR_FMA_LANE(weight, 2, d[2], sum);
    return OOZE_FOUR_FMA_LANE(weight, 3, d[3], sum);
}

static inline OozeFour pick(const float *from, const uint32_t *index)
{
    return ooze_four(from[index[0]], from[index[1]], from[index[2]], from[index[3]]);
}

/* ooze_links_value and ooze_links_slope. */
static inline OozeFour values(const OozeLinksKernel *k, OozeFour r, Kind kind)
{
    OozeFour zero = {0}, q = k->inverse_h * r, t = ooze_four_max(1.0f - q, zero);
    if (kind.mixed) {
        OozeFour s = t * (1.0f + q);
        return k->value_scale * s * s * s;
    }
    OozeFour inner = ooze_four_max(1.0f - (q + q), zero);
    return k->value_scale * ((t + t) * t * t - inner * inner * inner);
}

static inline OozeFour slopes(const OozeLinksKernel *k, OozeFour r, Kind kind)
{
    OozeFour zero = {0}, q = k->inverse_h * r, t = ooze_four_max(1.0f - q, zero);
    if (kind.mixed) {
        return k->slope_scale * (t * t);
    }
    OozeFour inner = ooze_four_max(1.0f - (q + q), zero);
    return (6.0f * k->slope_scale) * (inner * inner - t * t);
}

/* Distances, and 1 over them: particles in one place have no direction between them. */
typedef struct Ways {
    OozeFour d[4];
    OozeFour r, inverse;
} Ways;

static inline void measure(const OozeLinksStep *s, Ways *w)
{
    OozeFour zero = {0}, smallest = ooze_four_splat(1e-6f * s->support);
    w->r = ooze_four_sqrt(squares(w->d));
    w->inverse = ooze_four_choose(w->r > smallest, 1.0f / ooze_four_max(w->r, smallest), zero);
}

static inline void ways_to(const OozeLinksStep *s, OozeFour x, const OozeFour *others,
                           const uint32_t *index, Kind kind, Ways *w)
{
    for (int k = 0; k < 4; k++) {
        w->d[k] = apart(x, others[index[k]], s->box, kind);
    }
    measure(s, w);
}

/* ---- the first sweep: eqs 4 to 7, and taut links ------------------------------------------------ */

typedef struct Sum {
    OozeFour density;   /* four parts */
    OozeFour stiffness; /* four parts: w |grad|^2 of the others */
    OozeFour own;       /* gradient at the particle itself */
} Sum;

static inline void add_fluid(const OozeLinksStep *s, uint64_t i, Kind kind, Sum *sum)
{
    const OozeNeighbours *near = &s->memory->near;
    OozeFour density = {0};
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        Ways w;
        ways_to(s, s->x[i], s->x, index, kind, &w);
        OozeFour slope = s->volume * slopes(&s->kernel, w.r, kind);
        density += values(&s->kernel, w.r, kind);
        sum->stiffness += pick(s->ease, index) * slope * slope;
        sum->own = add_weighted(slope * w.inverse, w.d, sum->own);
    }
    sum->density += s->volume * density;
}

/* Samples move with their solids whatever pushes: no stiffness of their own. */
static inline void add_walls(const OozeLinksStep *s, uint64_t i, Kind kind, Sum *sum)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        Ways w;
        ways_to(s, s->x[i], (const OozeFour *)b->position, index, kind, &w);
        OozeFour volume = s->wall_scale * pick(b->volume, index);
        sum->density += volume * values(&s->kernel, w.r, kind);
        OozeFour slope = volume * slopes(&s->kernel, w.r, kind);
        sum->own = add_weighted(slope * w.inverse, w.d, sum->own);
    }
}

static const float NEVER_TAUT = 4e18f; /* longer than the way to the particle that fills up */

/* Four links of a row from k on, filled up. */
static inline void take_links(const OozeLink *row, uint32_t k, uint32_t count, uint32_t filler,
                              uint32_t other[4], OozeFour *rest)
{
    for (uint32_t m = 0; m < 4; m++) {
        bool real = k + m < count;
        other[m] = real ? row[k + m].other : filler;
        (*rest)[m] = real ? row[k + m].rest : NEVER_TAUT;
    }
}

/* Copies the taut links of a row; gives their number. */
static inline uint32_t find_taut(const OozeLinksStep *s, uint64_t i, Kind kind, OozeLink *taut)
{
    const OozeLinkRows *rows = &s->memory->table.fluid[0];
    const OozeLink *row = ooze_links_of(rows, i);
    uint32_t count = rows->count[i], found = 0;
    for (uint32_t k = 0; k < count; k += 4) {
        uint32_t other[4];
        OozeFour rest = {0}, d[4];
        take_links(row, k, count, (uint32_t)s->n, other, &rest);
        for (int m = 0; m < 4; m++) {
            d[m] = apart(s->x[i], s->x[other[m]], s->box, kind);
        }
        OozeFourMask is_taut = squares(d) > rest * rest;
        for (uint32_t m = 0; m < 4; m++) {
            if (is_taut[m]) {
                taut[found++] = row[k + m];
            }
        }
    }
    return found;
}

/* To where a link is held; its rest length comes along. */
static inline OozeFour way_to_hold(const OozeLinksStep *s, uint64_t i, OozeFour held, Kind kind)
{
    OozeFour d = apart(s->x[i], held, s->box, kind);
    d[3] = 0;
    return d;
}

static inline uint32_t count_taut_walls(const OozeLinksStep *s, uint64_t i, Kind kind)
{
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    const OozeFour *held = s->held_at + rows->first[i];
    uint32_t found = 0;
    for (uint32_t k = 0; k < rows->count[i]; k++) {
        OozeFour d = way_to_hold(s, i, held[k], kind);
        found += ooze_four_dot3(d, d) > held[k][3] * held[k][3];
    }
    return found;
}

static inline void look(const OozeLinksStep *s, uint64_t begin, uint64_t end, Kind kind)
{
    const OozeLinkRows *rows = &s->memory->table.fluid[0];
    const OozeLinkRows *taut = &s->memory->table.fluid[1];
    float centre = s->volume * ooze_links_value(&s->kernel, 0.0f);
    for (uint64_t i = begin; i < end; i++) {
        Sum sum = {{0}, {0}, {0}};
        add_fluid(s, i, kind, &sum);
        if (s->samples) {
            add_walls(s, i, kind, &sum);
        }
        float stiffness =
            ooze_four_sum(sum.stiffness) + s->ease[i] * ooze_four_dot3(sum.own, sum.own);
        float error = centre + ooze_four_sum(sum.density) - 1.0f;
        float felt = error < 0.0f ? s->cohesion * error : error;
        s->lambda[i] = -s->relaxation * felt / (stiffness + s->softness);
        s->excess[i] = fmaxf(error, 0.0f);
        taut->count[i] = find_taut(s, i, kind, (OozeLink *)taut->items + rows->first[i]);
        s->busy[i] = (float)(taut->count[i] + count_taut_walls(s, i, kind));
    }
}

/* ---- the second sweep: eqs 8, 10 and 11 --------------------------------------------------------- */

static inline OozeFour artificial(const OozeLinksStep *s, OozeFour r, Kind kind)
{
    OozeFour q = s->pressure_reference * values(&s->kernel, r, kind), q2 = q * q;
    return -s->pressure_scale * (q2 * q2);
}

static inline OozeFour push_fluid(const OozeLinksStep *s, uint64_t i, Kind kind)
{
    const OozeNeighbours *near = &s->memory->near;
    OozeFour push = {0};
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        Ways w;
        ways_to(s, s->x[i], s->x, index, kind, &w);
        OozeFour both = (s->lambda[i] + pick(s->lambda, index)) + artificial(s, w.r, kind);
        push = add_weighted(both * slopes(&s->kernel, w.r, kind) * w.inverse, w.d, push);
    }
    return s->volume * push;
}

static inline OozeFour push_walls(const OozeLinksStep *s, uint64_t i, Kind kind)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    OozeFour push = {0};
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        Ways w;
        ways_to(s, s->x[i], (const OozeFour *)b->position, index, kind, &w);
        OozeFour both = s->wall_scale * pick(b->volume, index) *
                        (2.0f * s->lambda[i] + artificial(s, w.r, kind));
        push = add_weighted(both * slopes(&s->kernel, w.r, kind) * w.inverse, w.d, push);
    }
    return push;
}

/* ooze_link_correction of four links, over the length. */
static inline OozeFour pull_links(const OozeLinksStep *s, uint64_t i, Kind kind)
{
    const OozeLinkRows *taut = &s->memory->table.fluid[1];
    const OozeLink *row = (const OozeLink *)taut->items + s->memory->table.fluid[0].first[i];
    OozeFour pull = {0}, zero = {0}, busy = ooze_four_splat(s->busy[i]);
    for (uint32_t k = 0; k < taut->count[i]; k += 4) {
        uint32_t other[4];
        OozeFour rest = {0}, d[4];
        take_links(row, k, taut->count[i], (uint32_t)s->n, other, &rest);
        for (int m = 0; m < 4; m++) {
            d[m] = apart(s->x[i], s->x[other[m]], s->box, kind);
        }
        OozeFour r = ooze_four_sqrt(squares(d)), both = s->weight[i] + pick(s->weight, other);
        OozeFour busier = ooze_four_max(busy, pick(s->busy, other));
        OozeFour size = s->strength * (r - rest) / (both * busier * r);
        pull = add_weighted(ooze_four_choose((r > rest) & (both > 0.0f), -size, zero), d, pull);
    }
    return pull;
}

static inline OozeFour pull_walls(const OozeLinksStep *s, uint64_t i, Kind kind)
{
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    const OozeFour *held = s->held_at + rows->first[i];
    OozeFour pull = {0};
    for (uint32_t k = 0; k < rows->count[i]; k++) {
        OozeFour d = way_to_hold(s, i, held[k], kind);
        float r2 = ooze_four_dot3(d, d), rest = held[k][3];
        if (r2 > rest * rest) {
            float r = sqrtf(r2);
            pull -= d * (ooze_link_correction(r, rest, s->strength, 1.0f / s->busy[i], s->weight[i],
                                              0.0f) /
                         r);
        }
    }
    return pull;
}

static inline void correct(const OozeLinksStep *s, uint64_t begin, uint64_t end, Kind kind)
{
    for (uint64_t i = begin; i < end; i++) {
        OozeFour all = push_fluid(s, i, kind) + pull_links(s, i, kind) + pull_walls(s, i, kind);
        if (s->samples) {
            all += push_walls(s, i, kind);
        }
        all[3] = 0;
        s->change[i] = s->weight[i] * all;
    }
}

/* ---- the loops, for each kind -------------------------------------------------------------------- */

static void look_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    if (s->kernel.mixed) {
        look(s, begin, end, (Kind){true, true});
    } else if (s->periodic) {
        look(s, begin, end, (Kind){true, false});
    } else {
        look(s, begin, end, (Kind){false, false});
    }
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    if (s->kernel.mixed) {
        correct(s, begin, end, (Kind){true, true});
    } else if (s->periodic) {
        correct(s, begin, end, (Kind){true, false});
    } else {
        correct(s, begin, end, (Kind){false, false});
    }
}

const OozeLinksLoops OOZE_LOOPS(ooze_links_loops) = {
    .look = look_range,
    .correct = correct_range,
};
