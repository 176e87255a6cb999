/* The two sweeps of an iteration: one finds densities, multipliers and taut links, the next the
   corrections.

   The first sweep stores per pair the slope of the kernel over the length and the stretch of a taut
   link. Both ends compute the same numbers, so that momentum is conserved. It also sums all terms
   without the multiplier of the other end, such as those of solids. */
#include <math.h>

#include "methods/links/cpu/fours.h"

/* ---- the first sweep: eqs 4 to 7, and taut links ---------------------------------------- */

/* Sums over neighbours; values and slopes over their scales, without the volume. */
typedef struct Sum {
    OozeF32x4 density;    /* four partial sums */
    OozeF32x4 stiffness;  /* four partial sums: w_j |grad_j C|^2 */
    OozeF32x4 own;        /* gradient at the particle itself */
    OozeF32x4 separating; /* fourth powers of values times gradients */
    OozeF32x4Mask taut;   /* four partial sums: minus the number of taut links */
} Sum;

/* Constants of a step. */
typedef struct Numbers {
    OozeBox box;
    float inverse_h, smallest;
    float steepness; /* scale of slopes, with the volume */
    float pressure;  /* artificial pressure over the fourth power of values */
    float strength;  /* factor of `pull` */
} Numbers;

OOZE_LINKS_LOOP Numbers numbers_of(const OozeLinksStep *s)
{
    float reference = s->k.pressure_reference * s->k.kernel.value_scale;
    return (Numbers){
        .box = ooze_box(&s->periodic),
        .inverse_h = s->k.kernel.inverse_h,
        .smallest = 1e-6f * s->k.support,
        .steepness = s->steepness,
        .pressure = -s->k.pressure_scale * (reference * reference) * (reference * reference),
        .strength = s->shared,
    };
}

/* 1 / (w_i + w_j); 0 where both are 0. */
OOZE_LINKS_LOOP OozeF32x4 over_inverse_masses(const OozeLinksStep *s, float inverse_mass,
                                              const uint32_t *index)
{
    OozeF32x4 both = inverse_mass + ooze_links_pick(s->inverse_mass, index), zero = {0};
    return ooze_f32x4_select(both > 0.0f, 1.0f / both, zero);
}

/* Pairs are processed in blocks by three short loops: one long chain of dependent operations would
   stall the processor. */
enum { BLOCK = 64 };

/* Adds the pairs of a block that begins at entry e of the lists. */
OOZE_LINKS_LOOP void add_block(const OozeLinksStep *s, const Numbers *n, uint64_t i, uint64_t e,
                               uint64_t count, OozeLinksKind kind, Sum *sum)
{
    const uint32_t *index = s->near->index + e;
    float *push = s->push + e;
    const OozeF32x4 *others = s->x, x = others[i], zero = {0};
    float length[BLOCK], inverse[BLOCK], separating[BLOCK];
    for (uint64_t k = 0; k < count; k += 4) {
        OozeF32x4 d[4];
        ooze_f32x4_deltas(x, others, index + k, n->box, kind.periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        ooze_f32x4_store(r, length + k);
        ooze_f32x4_store(1.0f / ooze_f32x4_max(r, ooze_f32x4_splat(n->smallest)), inverse + k);
    }
    OozeF32x4 density = sum->density, stiffness = sum->stiffness;
    OozeF32x4Mask taut = sum->taut;
    for (uint64_t k = 0; k < count; k += 4) {
        OozeF32x4 r = ooze_f32x4_load(length + k), over = ooze_f32x4_load(inverse + k);
        OozeLinksShape shape = ooze_links_shape(n->inverse_h, r, kind);
        OozeF32x4 f = shape.slope * over, weighted_slope = shape.slope, fourth = shape.value;
        if (!kind.even) {
            weighted_slope *= ooze_links_pick(s->effective_inverse_mass, index + k);
        }
        if (kind.linked) {
            OozeF32x4 rest = ooze_f32x4_load(s->rest + e + k);
            OozeF32x4 stretch = ooze_f32x4_max(r - rest, zero) * over;
            if (!kind.even) {
                stretch *= over_inverse_masses(s, s->inverse_mass[i], index + k);
            }
            taut += r > rest;
            ooze_f32x4_store(stretch, s->pull + e + k);
        }
        density += shape.value;
        stiffness = ooze_f32x4_fma(weighted_slope, shape.slope, stiffness);
        fourth *= fourth;
        ooze_f32x4_store(f, push + k);
        ooze_f32x4_store(fourth * fourth * f, separating + k);
    }
    sum->density = density;
    sum->stiffness = stiffness;
    sum->taut = taut;
    OozeF32x4 own = sum->own, separating_sum = sum->separating;
    for (uint64_t k = 0; k < count; k += 4) {
        OozeF32x4 d[4];
        ooze_f32x4_deltas(x, others, index + k, n->box, kind.periodic, d);
        own = ooze_f32x4_add_weighted(ooze_f32x4_load(push + k), d, own);
        separating_sum =
            ooze_f32x4_add_weighted(ooze_f32x4_load(separating + k), d, separating_sum);
    }
    sum->own = own;
    sum->separating = separating_sum;
}

OOZE_LINKS_LOOP void add_fluid(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                               OozeLinksKind kind, Sum *sum)
{
    for (uint64_t e = s->near->first[i], last = s->near->first[i + 1]; e < last; e += BLOCK) {
        add_block(s, n, i, e, last - e < BLOCK ? last - e : BLOCK, kind, sum);
    }
}

/* Rest lengths of four links. */
OOZE_LINKS_LOOP OozeF32x4 rests_of(const OozeLink *row)
{
    _Static_assert(sizeof(OozeLink) == 8, "a link is two lanes");
    OozeF32x4 a = ooze_f32x4_load((const float *)(const void *)row);
    OozeF32x4 b = ooze_f32x4_load((const float *)(const void *)(row + 2));
    return OOZE_F32X4_SHUFFLE(a, b, 1, 3, 5, 7);
}

/* Adds links longer than the support. */
OOZE_LINKS_LOOP void add_far(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                             OozeLinksKind kind, Sum *sum)
{
    const OozeLinkRows *rows = &s->memory->table.far[0];
    const OozeLink *row = ooze_links_of(rows, i);
    const uint32_t count = rows->count[i];
    float *pull = s->far_pull + rows->first[i];
    const OozeF32x4 x = s->x[i], zero = {0};
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t index[4] = {row[k].other, row[k + 1].other, row[k + 2].other,
                                   row[k + 3].other};
        OozeF32x4 d[4], length = rests_of(row + k);
        ooze_f32x4_deltas(x, s->x, index, n->box, kind.periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 stretch =
            ooze_f32x4_max(r - length, zero) / ooze_f32x4_max(r, ooze_f32x4_splat(n->smallest));
        if (!kind.even) {
            stretch *= over_inverse_masses(s, s->inverse_mass[i], index);
        }
        sum->taut += r > length;
        ooze_f32x4_store(stretch, pull + k);
    }
}

/* Sums over solids. */
typedef struct WallSum {
    OozeF32x4 density;              /* four partial sums */
    OozeF32x4 gradient, separating; /* as in Sum, with volumes */
    OozeF32x4 pull;                 /* of taut links, without the share */
} WallSum;

/* Adds boundary samples, which have no stiffness: their inverse mass is 0. */
OOZE_LINKS_LOOP void add_samples(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                                 OozeLinksKind kind, WallSum *walls)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->machine->context->boundary;
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        OozeF32x4 d[4];
        ooze_f32x4_deltas(s->x[i], (const OozeF32x4 *)b->position, index, n->box, kind.periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 volume = s->k.wall_scale * ooze_links_pick(b->volume, index);
        OozeLinksShape shape = ooze_links_shape(n->inverse_h, r, kind);
        OozeF32x4 f = volume * shape.slope / ooze_f32x4_max(r, ooze_f32x4_splat(n->smallest));
        OozeF32x4 fourth = shape.value * shape.value;
        walls->density += volume * shape.value;
        walls->gradient = ooze_f32x4_add_weighted(f, d, walls->gradient);
        walls->separating = ooze_f32x4_add_weighted(fourth * fourth * f, d, walls->separating);
    }
    float steepness = ooze_links_steepness(&s->k.kernel);
    walls->gradient *= steepness;
    walls->separating *= steepness * n->pressure;
}

/* The rest length is in the last lane of where a link is held. */
OOZE_LINKS_LOOP void add_wall_links(const OozeLinksStep *s, const Numbers *n, uint64_t i,
                                    OozeLinksKind kind, Sum *sum, WallSum *walls)
{
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    const OozeF32x4 *held = s->held_at + rows->first[i], x = s->x[i], zero = {0};
    const OozeF32x4Mask place = {-1, -1, -1, 0};
    float inverse_mass = s->inverse_mass[i];
    float strength = inverse_mass > 0.0f ? s->k.strength / inverse_mass : 0.0f;
    for (uint32_t k = 0; k < rows->count[i]; k += 4) {
        OozeF32x4 d[4];
        OozeF32x4 rest = ooze_f32x4_last_lanes(held[k], held[k + 1], held[k + 2], held[k + 3]);
        for (uint32_t m = 0; m < 4; m++) {
            d[m] = ooze_links_delta(x, held[k + m], n->box, kind);
            d[m] = (OozeF32x4)((OozeF32x4Mask)d[m] & place);
        }
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 excess = ooze_f32x4_max(r - rest, zero);
        sum->taut += r > rest;
        walls->pull = ooze_f32x4_add_weighted(
            strength * excess / ooze_f32x4_max(r, ooze_f32x4_splat(n->smallest)), d, walls->pull);
    }
}

OOZE_LINKS_LOOP void find_multipliers(const OozeLinksStep *s, uint64_t begin, uint64_t end,
                                      OozeLinksKind kind)
{
    const Numbers n = numbers_of(s);
    const uint32_t *held = kind.linked ? s->memory->table.walls[0].count : NULL;
    const uint32_t *samples = s->k.samples ? s->memory->near_walls.count : NULL;
    const float centre = s->k.volume * ooze_links_value(&s->k.kernel, 0.0f);
    const float value = s->k.kernel.value_scale, steepness = n.steepness;
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
            add_wall_links(s, &n, i, kind, &sum, &walls);
        }
        OozeF32x4 own = steepness * sum.own + walls.gradient;
        float stiffness = steepness * steepness * ooze_f32x4_sum(sum.stiffness) +
                          s->effective_inverse_mass[i] * ooze_f32x4_dot3(own, own);
        float error =
            centre - 1.0f +
            value * (s->k.volume * ooze_f32x4_sum(sum.density) + ooze_f32x4_sum(walls.density));
        float lambda =
            ooze_links_multiplier(error, s->k.cohesion, s->k.relaxation, stiffness, s->k.softness);
        OozeF32x4Mask taut = sum.taut;
        float share = ooze_link_share((float)-(taut[0] + taut[1] + taut[2] + taut[3]));
        s->excess[i] = fmaxf(error, 0.0f);
        s->share[i] = n.strength * share;
        s->change[i] = lambda * (own + walls.gradient) +
                       (steepness * n.pressure * sum.separating + walls.separating) -
                       share * walls.pull;
        if (s->from_walls) {
            s->from_walls[i] =
                2.0f * lambda * walls.gradient + walls.separating - share * walls.pull;
        }
        OozeF32x4 x_lambda = s->x[i];
        x_lambda[3] = steepness * lambda;
        s->x_lambda[i] = x_lambda;
    }
}

/* ---- the second sweep: eqs 8, 10 and 11 ------------------------------------------------- */

OOZE_LINKS_LOOP OozeF32x4 from_fluid(const OozeLinksStep *s, uint64_t i, OozeBox box,
                                     OozeLinksKind kind)
{
    const uint64_t first = s->near->first[i], count = s->near->first[i + 1] - first;
    const uint32_t *index = s->near->index + first;
    const float *push = s->push + first;
    const OozeF32x4 *x_lambda = s->x_lambda, x = x_lambda[i], own = ooze_f32x4_splat(s->share[i]);
    OozeF32x4 sum = {0}, more = {0};
    for (uint64_t e = 0; e < count; e += 4) {
        const uint32_t *j = index + e;
        OozeF32x4 d[4], a[4];
        for (int k = 0; k < 4; k++) {
            a[k] = x_lambda[j[k]];
            d[k] = ooze_links_delta(x, a[k], box, kind);
        }
        OozeF32x4 weight =
            ooze_f32x4_last_lanes(a[0], a[1], a[2], a[3]) * ooze_f32x4_load(push + e);
        if (kind.linked) {
            OozeF32x4 share = ooze_f32x4_min(own, ooze_links_pick(s->share, j));
            weight -= share * ooze_f32x4_load(s->pull + first + e);
        }
        sum = OOZE_F32X4_FMA_LANE(weight, 0, d[0], sum);
        more = OOZE_F32X4_FMA_LANE(weight, 1, d[1], more);
        sum = OOZE_F32X4_FMA_LANE(weight, 2, d[2], sum);
        more = OOZE_F32X4_FMA_LANE(weight, 3, d[3], more);
    }
    return sum + more;
}

OOZE_LINKS_LOOP OozeF32x4 from_far(const OozeLinksStep *s, uint64_t i, OozeBox box,
                                   OozeLinksKind kind)
{
    const OozeLinkRows *rows = &s->memory->table.far[0];
    const OozeLink *row = ooze_links_of(rows, i);
    const uint32_t count = rows->count[i];
    const float *pull = s->far_pull + rows->first[i];
    const OozeF32x4 x = s->x[i], own = ooze_f32x4_splat(s->share[i]);
    OozeF32x4 sum = {0};
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t index[4] = {row[k].other, row[k + 1].other, row[k + 2].other,
                                   row[k + 3].other};
        OozeF32x4 d[4];
        ooze_f32x4_deltas(x, s->x_lambda, index, box, kind.periodic, d);
        OozeF32x4 share = ooze_f32x4_min(own, ooze_links_pick(s->share, index));
        sum = ooze_f32x4_add_weighted(share * ooze_f32x4_load(pull + k), d, sum);
    }
    return sum;
}

OOZE_LINKS_LOOP void correct(const OozeLinksStep *s, uint64_t begin, uint64_t end,
                             OozeLinksKind kind)
{
    const OozeBox box = ooze_box(&s->periodic);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 all = s->change[i] + from_fluid(s, i, box, kind);
        if (kind.linked) {
            all -= from_far(s, i, box, kind);
        }
        all *= s->inverse_mass[i];
        all[3] = 0;
        s->x[i] += all;
        s->shift[i] += all;
    }
}

/* ---- the loops, for each kind ----------------------------------------------------------- */

static void multipliers_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    OOZE_LINKS_BY_KIND(find_multipliers, s, begin, end);
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    OOZE_LINKS_BY_KIND(correct, s, begin, end);
}

const OozeLinksLoops OOZE_LOOPS(ooze_links_loops) = {
    .multipliers = multipliers_range,
    .correct = correct_range,
};
