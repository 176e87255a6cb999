/* The two sweeps of an iteration: one finds densities, multipliers and taut links, the next the corrections.

   What a pair weighs is found in the first, and kept: the slope of the kernel over the length, and the pull of a taut link before
   it is shared. It is the same number from both ends: momentum is exact. All that depends on nothing of the other end but
   where it is, solids above all, is summed up in the first sweep too. */
#include <math.h>

#include "methods/links/fours.h"
#include "methods/links/sweep.h"

/* ---- the first sweep: eqs 4 to 7, and taut links ------------------------------------------------ */

/* Of values and slopes over their scales, and volumes of particles over that of one. */
typedef struct Sum {
    OozeFour density;   /* four parts */
    OozeFour stiffness; /* four parts: w |grad|^2 of the others */
    OozeFour own;       /* gradient at the particle itself */
    OozeFour apart;     /* fourth powers of values times gradients */
    OozeFourMask taut;  /* four parts: less their number */
} Sum;

/* Numbers of a step, in registers. */
typedef struct Numbers {
    OozeBox box;
    float inverse_h, smallest;
    float steepness; /* of a particle's gradients */
    float pressure;  /* artificial, of fourth powers of values */
    float strength;  /* of a link, times what is put into `pull` */
} Numbers;

OOZE_LINKS_LOOP Numbers numbers_of(const OozeLinksStep *s)
{
    float reference = s->pressure_reference * s->kernel.value_scale;
    return (Numbers){
        .box = s->box,
        .inverse_h = s->kernel.inverse_h,
        .smallest = 1e-6f * s->support,
        .steepness = s->steepness,
        .pressure = -s->pressure_scale * (reference * reference) * (reference * reference),
        .strength = s->shared,
    };
}

/* 1 / (w_i + w_j): 0 where neither end gives way. */
OOZE_LINKS_LOOP OozeFour yielding(const OozeLinksStep *s, float weight, const uint32_t *index)
{
    OozeFour both = weight + ooze_links_pick(s->weight, index), zero = {0};
    return ooze_four_choose(both > 0.0f, 1.0f / both, zero);
}

/* Pairs at a time: three short loops over them, as one long chain of dependent numbers would keep the processor waiting. */
enum { BLOCK = 64 };

/* Of a block from entry e of the lists on. */
OOZE_LINKS_LOOP void add_block(const OozeLinksStep *s, const Numbers *n, uint64_t i, uint64_t e,
                               uint64_t count, OozeLinksKind kind, Sum *sum)
{
    const uint32_t *index = s->near->index + e;
    float *push = s->push + e;
    const OozeFour *others = s->x, x = others[i], zero = {0};
    float length[BLOCK], inverse[BLOCK], apart[BLOCK];
    for (uint64_t k = 0; k < count; k += 4) {
        OozeFour d[4];
        ooze_four_ways(x, others, index + k, n->box, kind.periodic, d);
        OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
        ooze_four_store(r, length + k);
        ooze_four_store(1.0f / ooze_four_max(r, ooze_four_splat(n->smallest)), inverse + k);
    }
    OozeFour density = sum->density, stiffness = sum->stiffness;
    OozeFourMask taut = sum->taut;
    for (uint64_t k = 0; k < count; k += 4) {
        OozeFour r = ooze_four_load(length + k), over = ooze_four_load(inverse + k);
        OozeLinksShape shape = ooze_links_shape(n->inverse_h, r, kind);
        OozeFour f = shape.slope * over, give = shape.slope, fourth = shape.value;
        if (!kind.even) {
            give *= ooze_links_pick(s->ease, index + k);
        }
        if (kind.linked) {
            OozeFour hold = ooze_four_load(s->rest + e + k);
            OozeFour stretch = ooze_four_max(r - hold, zero) * over;
            if (!kind.even) {
                stretch *= yielding(s, s->weight[i], index + k);
            }
            taut += r > hold;
            ooze_four_store(stretch, s->pull + e + k);
        }
        density += shape.value;
        stiffness = ooze_four_fma(give, shape.slope, stiffness);
        fourth *= fourth;
        ooze_four_store(f, push + k);
        ooze_four_store(fourth * fourth * f, apart + k);
    }
    sum->density = density;
    sum->stiffness = stiffness;
    sum->taut = taut;
    OozeFour own = sum->own, away = sum->apart;
    for (uint64_t k = 0; k < count; k += 4) {
        OozeFour d[4];
        ooze_four_ways(x, others, index + k, n->box, kind.periodic, d);
        own = ooze_four_add_weighted(ooze_four_load(push + k), d, own);
        away = ooze_four_add_weighted(ooze_four_load(apart + k), d, away);
    }
    sum->own = own;
    sum->apart = away;
}

OOZE_LINKS_LOOP void add_fluid(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                               OozeLinksKind kind, Sum *sum)
{
    for (uint64_t e = s->near->first[i], last = s->near->first[i + 1]; e < last; e += BLOCK) {
        add_block(s, n, i, e, last - e < BLOCK ? last - e : BLOCK, kind, sum);
    }
}

/* Of four links. */
OOZE_LINKS_LOOP OozeFour rests_of(const OozeLink *row)
{
    _Static_assert(sizeof(OozeLink) == 8, "a link is two lanes");
    OozeFour a = ooze_four_load((const float *)(const void *)row);
    OozeFour b = ooze_four_load((const float *)(const void *)(row + 2));
    return OOZE_FOUR_SHUFFLE(a, b, 1, 3, 5, 7);
}

/* Links that have become longer than the support: nothing but pull. */
OOZE_LINKS_LOOP void add_far(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                             OozeLinksKind kind, Sum *sum)
{
    const OozeLinkRows *rows = &s->memory->table.far[0];
    const OozeLink *row = ooze_links_of(rows, i);
    const uint32_t count = rows->count[i];
    float *pull = s->far_pull + rows->first[i];
    const OozeFour x = s->x[i], zero = {0};
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t index[4] = {row[k].other, row[k + 1].other, row[k + 2].other,
                                   row[k + 3].other};
        OozeFour d[4], length = rests_of(row + k);
        ooze_four_ways(x, s->x, index, n->box, kind.periodic, d);
        OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
        OozeFour stretch =
            ooze_four_max(r - length, zero) / ooze_four_max(r, ooze_four_splat(n->smallest));
        if (!kind.even) {
            stretch *= yielding(s, s->weight[i], index);
        }
        sum->taut += r > length;
        ooze_four_store(stretch, pull + k);
    }
}

/* What solids do to a particle. */
typedef struct WallSum {
    OozeFour density;         /* four parts */
    OozeFour gradient, apart; /* as in Sum, but for volumes */
    OozeFour pull;            /* of taut links, before it is shared */
} WallSum;

/* Samples move with their solids whatever pushes: no stiffness of their own. */
OOZE_LINKS_LOOP void add_samples(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                                 OozeLinksKind kind, WallSum *walls)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        OozeFour d[4];
        ooze_four_ways(s->x[i], (const OozeFour *)b->position, index, n->box, kind.periodic, d);
        OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
        OozeFour volume = s->wall_scale * ooze_links_pick(b->volume, index);
        OozeLinksShape shape = ooze_links_shape(n->inverse_h, r, kind);
        OozeFour f = volume * shape.slope / ooze_four_max(r, ooze_four_splat(n->smallest));
        OozeFour fourth = shape.value * shape.value;
        walls->density += volume * shape.value;
        walls->gradient = ooze_four_add_weighted(f, d, walls->gradient);
        walls->apart = ooze_four_add_weighted(fourth * fourth * f, d, walls->apart);
    }
    float steepness = ooze_links_steepness(&s->kernel);
    walls->gradient *= steepness;
    walls->apart *= steepness * n->pressure;
}

/* The rest length is in the last lane of where a link is held. */
OOZE_LINKS_LOOP void add_holds(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                               OozeLinksKind kind, Sum *sum, WallSum *walls)
{
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    const OozeFour *held = s->held_at + rows->first[i], x = s->x[i], zero = {0};
    const OozeFourMask place = {-1, -1, -1, 0};
    float weight = s->weight[i];
    float strength = weight > 0.0f ? s->strength / weight : 0.0f;
    for (uint32_t k = 0; k < rows->count[i]; k += 4) {
        OozeFour d[4];
        OozeFour rest = ooze_four_lasts(held[k], held[k + 1], held[k + 2], held[k + 3]);
        for (uint32_t m = 0; m < 4; m++) {
            d[m] = ooze_links_way(x, held[k + m], n->box, kind);
            d[m] = (OozeFour)((OozeFourMask)d[m] & place);
        }
        OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
        OozeFour excess = ooze_four_max(r - rest, zero);
        sum->taut += r > rest;
        walls->pull = ooze_four_add_weighted(
            strength * excess / ooze_four_max(r, ooze_four_splat(n->smallest)), d, walls->pull);
    }
}

OOZE_LINKS_LOOP void look(const OozeLinksStep *s, uint64_t begin, uint64_t end, OozeLinksKind kind)
{
    const Numbers n = numbers_of(s);
    const uint32_t *held = kind.linked ? s->memory->table.walls[0].count : NULL;
    const uint32_t *samples = s->samples ? s->memory->near_walls.count : NULL;
    const float centre = s->volume * ooze_links_value(&s->kernel, 0.0f);
    const float value = s->kernel.value_scale, steepness = n.steepness;
    for (uint64_t i = begin; i < end; i++) {
        Sum sum = {0};
        WallSum walls = {0};
        add_fluid(s, &n, i, kind, &sum);
        if (kind.linked) {
            add_far(s, &n, i, kind, &sum);
        }
        if (samples && samples[i] > 0) {
            add_samples(s, &n, i, kind, &walls);
        }
        if (held && held[i] > 0) {
            add_holds(s, &n, i, kind, &sum, &walls);
        }
        OozeFour own = steepness * sum.own + walls.gradient;
        float stiffness = steepness * steepness * ooze_four_sum(sum.stiffness) +
                          s->ease[i] * ooze_four_dot3(own, own);
        float error =
            centre - 1.0f +
            value * (s->volume * ooze_four_sum(sum.density) + ooze_four_sum(walls.density));
        float felt = error < 0.0f ? s->cohesion * error : error;
        float lambda = -s->relaxation * felt / (stiffness + s->softness);
        OozeFourMask taut = sum.taut;
        float busy = (float)-(taut[0] + taut[1] + taut[2] + taut[3]);
        float share = 1.0f / fmaxf(busy, 1.0f);
        s->excess[i] = fmaxf(error, 0.0f);
        s->share[i] = n.strength * share;
        s->change[i] = lambda * (own + walls.gradient) +
                       (steepness * n.pressure * sum.apart + walls.apart) - share * walls.pull;
        if (s->from_walls) {
            s->from_walls[i] = 2.0f * lambda * walls.gradient + walls.apart - share * walls.pull;
        }
        OozeFour arrow = s->x[i];
        arrow[3] = steepness * lambda;
        s->arrow[i] = arrow;
    }
}

/* ---- the second sweep: eqs 8, 10 and 11 --------------------------------------------------------- */

OOZE_LINKS_LOOP OozeFour from_fluid(const OozeLinksStep *s, uint64_t i, OozeBox box,
                                    OozeLinksKind kind)
{
    const uint64_t first = s->near->first[i], count = s->near->first[i + 1] - first;
    const uint32_t *index = s->near->index + first;
    const float *push = s->push + first;
    const OozeFour *arrow = s->arrow, x = arrow[i], own = ooze_four_splat(s->share[i]);
    OozeFour sum = {0}, more = {0};
    for (uint64_t e = 0; e < count; e += 4) {
        const uint32_t *j = index + e;
        OozeFour d[4], a[4];
        for (int k = 0; k < 4; k++) {
            a[k] = arrow[j[k]];
            d[k] = ooze_links_way(x, a[k], box, kind);
        }
        OozeFour weight = ooze_four_lasts(a[0], a[1], a[2], a[3]) * ooze_four_load(push + e);
        if (kind.linked) {
            OozeFour share = ooze_four_min(own, ooze_links_pick(s->share, j));
            weight -= share * ooze_four_load(s->pull + first + e);
        }
        sum = OOZE_FOUR_FMA_LANE(weight, 0, d[0], sum);
        more = OOZE_FOUR_FMA_LANE(weight, 1, d[1], more);
        sum = OOZE_FOUR_FMA_LANE(weight, 2, d[2], sum);
        more = OOZE_FOUR_FMA_LANE(weight, 3, d[3], more);
    }
    return sum + more;
}

OOZE_LINKS_LOOP OozeFour from_far(const OozeLinksStep *s, uint64_t i, OozeBox box,
                                  OozeLinksKind kind)
{
    const OozeLinkRows *rows = &s->memory->table.far[0];
    const OozeLink *row = ooze_links_of(rows, i);
    const uint32_t count = rows->count[i];
    const float *pull = s->far_pull + rows->first[i];
    const OozeFour x = s->x[i], own = ooze_four_splat(s->share[i]);
    OozeFour sum = {0};
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t index[4] = {row[k].other, row[k + 1].other, row[k + 2].other,
                                   row[k + 3].other};
        OozeFour d[4];
        ooze_four_ways(x, s->arrow, index, box, kind.periodic, d);
        OozeFour share = ooze_four_min(own, ooze_links_pick(s->share, index));
        sum = ooze_four_add_weighted(share * ooze_four_load(pull + k), d, sum);
    }
    return sum;
}

OOZE_LINKS_LOOP void correct(const OozeLinksStep *s, uint64_t begin, uint64_t end,
                             OozeLinksKind kind)
{
    const OozeBox box = s->box;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour all = s->change[i] + from_fluid(s, i, box, kind);
        if (kind.linked) {
            all -= from_far(s, i, box, kind);
        }
        all *= s->weight[i];
        all[3] = 0;
        s->x[i] += all;
        s->shift[i] += all;
    }
}

/* ---- the loops, for each kind -------------------------------------------------------------------- */

static void look_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    OOZE_LINKS_BY_KIND(look, s, begin, end);
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    OOZE_LINKS_BY_KIND(correct, s, begin, end);
}

const OozeLinksLoops OOZE_LOOPS(ooze_links_loops) = {
    .look = look_range,
    .correct = correct_range,
};
