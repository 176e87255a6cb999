/* Vector loops of a sweep of the density solve: directions of pairs, changes of multipliers, and
   the position corrections that follow from them. */
#include "solvers/density/cpu/density_sweep.h"

#include "physics/kernels.h"
#include "solvers/density/density_formula.h"
#include "solvers/pairs/wall_gradient_f32x4.h"

/* ---- lines ---- */

static void lines_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeDensitySweep *s = data;
    const OozePeriodic *p = &s->job->context->periodic;
    bool periodic = ooze_periodic_any(p);
    OozeBox box = ooze_box(p);
    OozeF32x4 smallest = ooze_f32x4_splat(s->cubic.smallest * s->cubic.smallest);
    const uint32_t *index = s->list->index;
    const OozeF32x4 *first = s->x, *x0_lambda = s->x0_lambda;
    uint16_t *line = s->line;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4Mask any = {0};
        for (uint64_t e = s->list->first[i], last = s->list->first[i + 1]; e < last; e += 4) {
            OozeF32x4 now[4], then[4];
            ooze_f32x4_deltas(first[i], first, index + e, box, periodic, now);
            ooze_f32x4_deltas(x0_lambda[i], x0_lambda, index + e, box, periodic, then);
            OozeF32x4 square = ooze_f32x4_dots(now, now), square0 = ooze_f32x4_dots(then, then),
                      along = ooze_f32x4_dots(now, then);
            OozeF32x4Mask same = (along > 0.0f) & (along * along > 0.5f * square * square0);
            same |= square >= OOZE_DENSITY_FAR; /* padding */
            OozeF32x4 length = ooze_f32x4_sqrt(ooze_f32x4_max(square, smallest));
            OozeF32x4 length0 = ooze_f32x4_sqrt(ooze_f32x4_max(square0, smallest));
            ooze_f32x4_store_bf16(ooze_f32x4_select(same, 1.0f / length0, -1.0f / length),
                                  line + e);
            any |= ~same;
        }
        bool rotated = any[0] || any[1] || any[2] || any[3], uneven = false;
        for (uint64_t e = s->list->first[i], last = s->list->first[i + 1]; !s->even && e < last;
             e++) {
            uneven = uneven ||
                     (s->effective_inverse_mass[index[e]] != 1.0f && index[e] != s->list->dummy);
        }
        s->pair_flags[i] =
            (uint8_t)((rotated ? OOZE_DENSITY_ROTATED : 0) | (uneven ? OOZE_DENSITY_UNEVEN : 0));
    }
}

/* ---- multipliers ---- */

/* Sums over the neighbours of a particle. */
typedef struct Sums {
    OozeF32x4 gradient; /* of its own density */
    float density, square;
} Sums;

/* Weights of four pairs: 0 within a rigid body, whose distances are fixed; otherwise 1. */
static OozeF32x4 pair_factors(const OozeDensitySweep *s, uint64_t i, const uint32_t *j)
{
    uint16_t own = s->rigid[i];
    return ooze_f32x4(s->rigid[j[0]] != own, s->rigid[j[1]] != own, s->rigid[j[2]] != own,
                      s->rigid[j[3]] != own);
}

static inline Sums sum_fluid(const OozeDensitySweep *s, uint64_t i, OozeBox box, bool periodic)
{
    const OozeCubic cubic = s->cubic;
    const OozeF32x4 *others = s->x, x = others[i], smallest = ooze_f32x4_splat(cubic.smallest);
    const uint64_t first = s->list->first[i];
    const uint32_t *j = s->list->index + first, *last = j + s->list->first[i + 1] - first;
    const bool uneven = !s->even && (!s->line || s->pair_flags[i] & OOZE_DENSITY_UNEVEN);
    const float *effective_inverse_mass = uneven ? s->effective_inverse_mass : NULL;
    const uint16_t *line = s->line ? s->line + first : NULL;
    float *push = s->push + first;
    const bool rigid = ooze_density_is_rigid(s, i);
    OozeF32x4 sum = {0}, value = {0}, square = {0};
    for (; j < last; j += 4, push += 4) {
        OozeF32x4 d[4];
        ooze_f32x4_deltas(x, others, j, box, periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 slope = ooze_cubic_f32x4_slope(&cubic, r, &value);
        if (rigid) {
            slope *= pair_factors(s, i, j);
        }
        OozeF32x4 over_r = slope / ooze_f32x4_max(r, smallest);
        OozeF32x4 weighted = slope * slope;
        if (effective_inverse_mass) {
            weighted *= ooze_f32x4(effective_inverse_mass[j[0]], effective_inverse_mass[j[1]],
                                   effective_inverse_mass[j[2]], effective_inverse_mass[j[3]]);
        }
        square += weighted;
        sum = ooze_f32x4_add_weighted(over_r, d, sum);
        if (line) {
            OozeF32x4 along = ooze_f32x4_load_bf16(line);
            over_r = slope * ooze_f32x4_max(along, -along);
            line += 4;
        }
        ooze_f32x4_store(over_r, push);
    }
    Sums sums = {sum, cubic.value * ooze_f32x4_sum(value), ooze_f32x4_sum(square)};
    return sums;
}

/* Adds the boundary samples near particle i, which push it along the sum of their gradients. */
static inline void add_walls(const OozeDensitySweep *s, uint64_t i, OozeBox box, Sums *sums)
{
    const OozeWallSamples walls = {s->walls, s->job->context->boundary, box, s->cubic};
    float ignores_boundary = s->ignores_boundary && s->ignores_boundary[i] ? 0.0f : 1.0f;
    float scale = ignores_boundary * s->job->wall_scale / s->job->volume;
    OozeF32x4 push = ooze_wall_gradient(&walls, i, s->x[i], scale, &sums->density);
    sums->gradient += push;
    s->wall_push[i] = push;
}

static inline void multipliers(OozeDensitySweep *s, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeDensityJob *job = s->job;
    OozeBox box = ooze_box(&job->context->periodic);
    bool walls = job->context->boundary->count > 0;
    float own = job->volume * ooze_cubic_value(0, job->support), excess = 0.0f;
    float density[OOZE_DENSITY_GRAIN], square[OOZE_DENSITY_GRAIN];
    double total = 0.0, unfinished = 0.0;
    float eps = ooze_density_epsilon(job->support);
    for (uint64_t i = begin; i < end; i++) {
        Sums sums = sum_fluid(s, i, box, periodic);
        if (walls && s->walls->count[i] > 0) {
            add_walls(s, i, box, &sums);
        }
        density[i - begin] = own + sums.density;
        square[i - begin] =
            sums.square +
            s->effective_inverse_mass[i] * ooze_f32x4_dot3(sums.gradient, sums.gradient) + eps;
        if (s->solid_diagonal) {
            square[i - begin] += s->solid_diagonal[i];
        }
        if (!s->line) {
            s->x0_lambda[i] = s->x[i];
        }
    }
    /* a loop of its own, so that the gathers do not wait for the divisions */
    for (uint64_t i = begin; i < end; i++) {
        float over = density[i - begin] - 1.0f;
        excess = over > excess ? over : excess;
        total += over > 0.0f ? (double)over : 0.0;
        float c = s->density_target ? density[i - begin] - s->density_target[i] : over;
        float wanted = c / square[i - begin];
        unfinished +=
            (double)ooze_density_unfinished(c, s->multiplier[i].extrapolated, square[i - begin]);
        s->x0_lambda[i][3] = job->plain
                                 ? ooze_plain_step(wanted)
                                 : ooze_projected_step(&s->multiplier[i], wanted, s->momentum);
    }
    s->excess[begin / OOZE_DENSITY_GRAIN] = excess;
    s->sum[begin / OOZE_DENSITY_GRAIN] = total;
    s->unfinished[begin / OOZE_DENSITY_GRAIN] = unfinished;
}

static void multipliers_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    if (ooze_periodic_any(&s->job->context->periodic)) {
        multipliers(s, begin, end, true);
    } else {
        multipliers(s, begin, end, false);
    }
}

/* ---- corrections ---- */

/* For a particle with rotated lines, which are those of `first`. */
static OozeF32x4 push_rotated(const OozeDensitySweep *s, uint64_t i)
{
    const OozePeriodic *p = &s->job->context->periodic;
    OozeF32x4 shift = {0};
    for (uint64_t e = s->list->first[i], last = e + s->list->count[i]; e < last; e++) {
        uint32_t j = s->list->index[e];
        OozeF32x4 d = s->line[e] >> 15 ? s->first[s->order[i]] - s->first[s->order[j]]
                                       : s->x0_lambda[i] - s->x0_lambda[j];
        d = ooze_f32x4_nearest(d, p);
        shift += (s->x0_lambda[i][3] + s->x0_lambda[j][3]) * s->push[e] * d;
    }
    return shift;
}

static inline OozeF32x4 push_along(const OozeDensitySweep *s, uint64_t i, OozeBox box,
                                   bool periodic)
{
    const OozeF32x4 *others = s->x0_lambda, x = others[i];
    const uint64_t first = s->list->first[i];
    const uint32_t *j = s->list->index + first, *last = j + s->list->first[i + 1] - first;
    const float *push = s->push + first;
    OozeF32x4 shift = {0}, more = {0};
    for (; j < last; j += 4, push += 4) {
        OozeF32x4 other[4], d[4];
        for (int k = 0; k < 4; k++) {
            other[k] = others[j[k]];
            d[k] = x - other[k];
            d[k] = periodic ? ooze_f32x4_image(d[k], box) : d[k];
        }
        OozeF32x4 lambda = x[3] + ooze_f32x4_last_lanes(other[0], other[1], other[2], other[3]);
        OozeF32x4 weight = lambda * ooze_f32x4_load(push);
        shift = OOZE_F32X4_FMA_LANE(weight, 0, d[0], shift);
        more = OOZE_F32X4_FMA_LANE(weight, 1, d[1], more);
        shift = OOZE_F32X4_FMA_LANE(weight, 2, d[2], shift);
        more = OOZE_F32X4_FMA_LANE(weight, 3, d[3], more);
    }
    return shift + more;
}

static inline void corrections(OozeDensitySweep *s, uint64_t begin, uint64_t end, bool periodic)
{
    bool walls = s->job->context->boundary->count > 0;
    OozeBox box = ooze_box(&s->job->context->periodic);
    for (uint64_t i = begin; i < end; i++) {
        float lambda = s->x0_lambda[i][3];
        OozeF32x4 shift = s->line && s->pair_flags[i] & OOZE_DENSITY_ROTATED
                              ? push_rotated(s, i)
                              : push_along(s, i, box, periodic);
        if (walls && s->walls->count[i] > 0) {
            shift += lambda * s->wall_push[i];
        }
        shift *= s->mobility[i];
        shift[3] = 0;
        s->x[i] += shift;
        s->shift[i] += shift;
    }
}

static void corrections_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeDensitySweep *s = data;
    if (ooze_periodic_any(&s->job->context->periodic)) {
        corrections(s, begin, end, true);
    } else {
        corrections(s, begin, end, false);
    }
}

const OozeDensityLoops OOZE_LOOPS(ooze_density_loops) = {
    .lines = lines_range,
    .multipliers = multipliers_range,
    .corrections = corrections_range,
};
