/* Lines, multipliers and corrections of the density stage on every instruction set against
   double. */
#include "pair_reference.h"
#include "solvers/density/cpu/density_sweep.h"

/* What a sweep may have beside particles; all combinations are run. */
enum { WITH_START = 1, UNEVEN = 2, RIGID = 4, ACCELERATED = 8, COMBINATIONS = 16 };

typedef struct Stage {
    Case *c;
    int with;
    OozeDensityJob job;
    OozeDensitySweep sweep;
    OozeF32x4 *x;         /* positions as they were before corrections */
    OozeF32x4 *x0_lambda; /* as given */
    OozeProjectedMultiplier *multiplier;
    float *shifted; /* x component of shifts as they were, one a particle */
} Stage;

/* Starts of the step: a little behind, some pairs having passed each other meanwhile. */
static void set_start(Stage *t)
{
    Case *c = t->c;
    OozeDensitySweep *s = &t->sweep;
    OozeF32x4 *first = case_array(c, c->n, sizeof *first);
    uint32_t *order = case_array(c, c->n, sizeof *order);
    uint8_t *pair_flags = case_array(c, c->n + 1, sizeof *pair_flags);
    for (uint64_t i = 0; i < c->n; i++) {
        double far = i % 4 == 0 ? 0.08 : 0.01;
        t->x0_lambda[i] =
            s->x[i] - ooze_f32x4(between(71, i, 0, -far, far), between(71, i, 1, -far, far),
                                 between(71, i, 2, -far, far), 0);
        order[i] = (uint32_t)(c->n - 1 - i); /* the caller's order is another */
        first[order[i]] = s->x[i];
    }
    memcpy(s->x0_lambda, t->x0_lambda, c->n * sizeof *t->x0_lambda);
    s->first = first;
    s->order = order;
    s->pair_flags = pair_flags;
    s->line = case_array(c, c->fluid.first[c->n], sizeof *s->line);
}

static void set_particles(Stage *t)
{
    OozeDensitySweep *s = &t->sweep;
    for (uint64_t i = 0; i < t->c->n; i++) {
        s->x[i] = t->c->x[i] * ooze_f32x4(1, 1, 1, 0);
        s->mobility[i] = t->with & UNEVEN ? (i % 9 == 3 ? 0.0f : between(72, i, 0, 0.3, 2)) : 1.0f;
        if (t->with & UNEVEN) {
            s->effective_inverse_mass[i] = i % 16 < 2 ? between(72, i, 1, 0, 1.5) : 1.0f;
            s->density_target[i] = between(72, i, 2, 0.9, 1.3);
            s->ignores_boundary[i] = i % 6 == 1;
        }
        if (t->with & RIGID) {
            s->rigid[i] = (uint16_t)(i % 3); /* two bodies and fluid */
        }
        t->multiplier[i] =
            (OozeProjectedMultiplier){between(73, i, 0, 0, 1e-4), between(73, i, 1, 0, 1e-4)};
        s->multiplier[i] = t->multiplier[i];
        s->shift[i] = ooze_f32x4(between(74, i, 0, -0.1, 0.1), 0, 0, 0);
        t->shifted[i] = s->shift[i][0];
    }
    memcpy(t->x, s->x, t->c->n * sizeof *t->x);
}

static Stage *stage_create(const Setting *setting, int with)
{
    Stage *t = ooze_alloc_zero(1, sizeof *t);
    assert_non_null(t);
    Case *c = t->c = case_create(setting);
    uint64_t n = c->n, edges = c->fluid.first[n], chunks = n / OOZE_DENSITY_GRAIN + 1;
    OozeDensitySweep *s = &t->sweep;
    t->with = with;
    t->job = (OozeDensityJob){.context = &c->context,
                              .n = n,
                              .support = SUPPORT,
                              .volume = 0.0011f,
                              .wall_scale = 1.3f,
                              .plain = !(with & ACCELERATED)};
    *s = (OozeDensitySweep){.job = &t->job,
                            .list = &c->fluid,
                            .walls = &c->walls,
                            .cubic = ooze_cubic(SUPPORT, t->job.volume),
                            .even = !(with & UNEVEN),
                            .momentum = 0.4f};
    s->x = case_array(c, n + 1, sizeof *s->x);
    s->x0_lambda = case_array(c, n + 1, sizeof *s->x0_lambda);
    s->shift = case_array(c, n + 1, sizeof *s->shift);
    s->mobility = case_array(c, n + 1, sizeof *s->mobility);
    s->effective_inverse_mass =
        with & UNEVEN ? case_array(c, n + 1, sizeof *s->effective_inverse_mass) : s->mobility;
    s->density_target = with & UNEVEN ? case_array(c, n + 1, sizeof *s->density_target) : NULL;
    s->ignores_boundary = with & UNEVEN ? case_array(c, n + 1, sizeof *s->ignores_boundary) : NULL;
    s->rigid = with & RIGID ? case_array(c, n + 1, sizeof *s->rigid) : NULL;
    s->push = case_array(c, edges, sizeof *s->push);
    s->wall_push = case_array(c, c->boundary.count ? n : 0, sizeof *s->wall_push);
    s->multiplier = case_array(c, n + 1, sizeof *s->multiplier);
    s->excess = case_array(c, chunks, sizeof *s->excess);
    s->sum = case_array(c, chunks, sizeof *s->sum);
    s->unfinished = case_array(c, chunks, sizeof *s->unfinished);
    t->x = case_array(c, n, sizeof *t->x);
    t->x0_lambda = case_array(c, n + 1, sizeof *t->x0_lambda);
    t->multiplier = case_array(c, n, sizeof *t->multiplier);
    t->shifted = case_array(c, n, sizeof *t->shifted);
    set_particles(t);
    s->x[n] = ooze_f32x4(0, 0, 0, OOZE_DENSITY_FAR);
    if (with & WITH_START) {
        set_start(t);
    }
    return t;
}

static void stage_destroy(Stage *t)
{
    case_destroy(t->c);
    ooze_free(t);
}

/* ---- lines ---- */

static Near inverse_length(Near square)
{
    double least = (double)SUPPORT * OOZE_KERNEL_NEAREST;
    return over(exact(1), root(square.v > least * least
                                   ? square
                                   : (Near){least * least, 4 * ROUNDING * least * least}));
}

/* A line as it is kept, in the upper two bytes of a float: rounding to eight binary digits loses up
   to 2^-8. */
static double line_at(const OozeDensitySweep *s, uint64_t e)
{
    uint32_t bits = (uint32_t)s->line[e] << 16;
    float line;
    memcpy(&line, &bits, sizeof line);
    return (double)line;
}

static Near shortened(Near a)
{
    return (Near){a.v, a.e + 0x1p-8 * (fabs(a.v) + a.e)};
}

/* A pair has turned where its line makes more than 45 degrees with the one it had; what is nearer
   to that than rounding may be either. */
static void compare_lines(Comparison *job, const Stage *t)
{
    const OozeDensitySweep *s = &t->sweep;
    uint64_t turned_ones = 0;
    for (uint64_t i = 0; i < t->c->n; i++) {
        bool any = false, uneven = false;
        for (uint64_t e = s->list->first[i]; e < list_end(s->list, i); e++) {
            uint32_t j = s->list->index[e];
            Near now[3], then[3];
            delta_between(t->c, t->x[j], t->x[i], now);
            delta_between(t->c, t->x0_lambda[j], t->x0_lambda[i], then);
            Near square = dot3(now, now), square0 = dot3(then, then), along = dot3(now, then);
            Near spare = minus(times(along, along), scaled(0.5, times(square, square0)));
            bool turned = !(along.v > 0 && spare.v > 0), got = line_at(s, e) < 0.0;
            any |= got;
            uneven |= s->effective_inverse_mass[j] != 1.0f && !s->even;
            if (fabs(along.v) > along.e && fabs(spare.v) > spare.e) {
                assert_int_equal(got, turned);
            }
            Near want = shortened(inverse_length(got ? square : square0));
            compare(job, "line", i, line_at(s, e), got ? negative(want) : want);
        }
        assert_int_equal(s->pair_flags[i] & OOZE_DENSITY_ROTATED, any); /* padding turns nothing */
        assert_int_equal((s->pair_flags[i] & OOZE_DENSITY_UNEVEN) != 0, uneven);
        turned_ones += any;
    }
    assert_true(t->c->n < 100 || (turned_ones > 0 && turned_ones < t->c->n) ||
                t->c->setting->shape == SHAPE_CLUMP);
}

/* ---- multipliers ---- */

typedef struct Expected {
    Near unfinished, density, multiplier, projected, extrapolated;
} Expected;

/* The slope over a distance that is at least the smallest. */
static Near push_of(Near slope, Near r)
{
    double least = (double)SUPPORT * OOZE_KERNEL_NEAREST;
    return over(slope, r.v < least ? (Near){least, 2 * ROUNDING * least} : r);
}

static void add_samples(const Stage *t, uint64_t i, Sum *density, Sum gradient[3], Comparison *job)
{
    const OozeDensitySweep *s = &t->sweep;
    Sum push[3] = {{0}};
    for (uint64_t k = 0; k < wall_count(t->c, i); k++) {
        uint32_t b = t->c->walls.index[t->c->walls.first[i] + k];
        OozeFloat4 p = t->c->boundary.position[b];
        Near d[3];
        delta_between(t->c, ooze_f32x4(p.x, p.y, p.z, 0), t->x[i], d);
        Near r = length_of(d), volume = exact((double)t->c->boundary.volume[b]);
        Cubic w = cubic(r);
        /* over the volume of fluid and times it again */
        Near scale = {(double)t->job.wall_scale, 3 * ROUNDING * (double)t->job.wall_scale};
        volume = s->ignores_boundary && s->ignores_boundary[i] ? exact(0) : times(scale, volume);
        Near f = push_of(times(volume, w.slope), r);
        add(density, times(volume, w.value));
        for (int a = 0; a < 3; a++) {
            add(&gradient[a], times(f, d[a]));
            add(&push[a], times(f, d[a]));
        }
    }
    for (int a = 0; a < 3 && wall_count(t->c, i) > 0; a++) {
        compare(job, "push of walls", i, (double)s->wall_push[i][a], total(&push[a]));
    }
}

static Expected expect(const Stage *t, uint64_t i, Comparison *job)
{
    const OozeDensitySweep *s = &t->sweep;
    Sum density = {0}, square = {0}, gradient[3] = {{0}};
    Near volume = exact((double)t->job.volume),
         eps = exact(0.05 / ((double)SUPPORT * (double)SUPPORT));
    for (uint64_t e = s->list->first[i]; e < list_end(s->list, i); e++) {
        uint32_t j = s->list->index[e];
        Near d[3];
        delta_between(t->c, t->x[j], t->x[i], d);
        Near r = length_of(d);
        Cubic w = cubic(r);
        bool yields = !s->rigid || !s->rigid[i] || s->rigid[i] != s->rigid[j];
        Near slope = yields ? times(volume, w.slope) : exact(0), push = push_of(slope, r);
        add(&density, times(volume, w.value));
        add(&square, times(exact((double)s->effective_inverse_mass[j]), times(slope, slope)));
        for (int a = 0; a < 3; a++) {
            add(&gradient[a], times(push, d[a]));
        }
        if (s->line) {
            push = times(slope, size_of(exact(line_at(s, e))));
        }
        compare(job, "push", i, (double)s->push[e], push);
    }
    add(&density, times(volume, cubic(exact(0)).value));
    add_samples(t, i, &density, gradient, job);
    Near own[3] = {total(&gradient[0]), total(&gradient[1]), total(&gradient[2])};
    Expected out = {.density = total(&density)};
    Near density_target = exact(s->density_target ? (double)s->density_target[i] : 1.0),
         c = minus(out.density, density_target);
    Near all =
        plus(total(&square), times(exact((double)s->effective_inverse_mass[i]), dot3(own, own)));
    eps.e = 4 * ROUNDING * eps.v;
    Near wanted = over(c, plus(all, eps)), before = exact((double)t->multiplier[i].extrapolated);
    Near pushed = at_least(times(before, plus(all, eps)), 0);
    out.unfinished = (Near){c.v > 0 ? c.v : fmin(-c.v, pushed.v), fmax(c.e, pushed.e)};
    out.projected = at_least(plus(before, scaled(0.3, wanted)), 0);
    out.projected.e += ROUNDING * fabs(0.3 * wanted.v); /* of the 0.3 */
    Near more = minus(out.projected, exact((double)t->multiplier[i].projected));
    out.extrapolated = plus(out.projected, times(exact((double)s->momentum), more));
    out.multiplier = t->job.plain ? at_least(wanted, 0) : minus(out.extrapolated, before);
    return out;
}

static void compare_multipliers(Comparison *job, const Stage *t)
{
    const OozeDensitySweep *s = &t->sweep;
    for (uint64_t begin = 0; begin < t->c->n; begin += OOZE_DENSITY_GRAIN) {
        Near excess = {0}, sum = {0}, unfinished = {0};
        for (uint64_t i = begin; i < t->c->n && i < begin + OOZE_DENSITY_GRAIN; i++) {
            Expected want = expect(t, i, job);
            Near over_rest = at_least(minus(want.density, exact(1)), 0);
            excess = (Near){fmax(excess.v, over_rest.v), fmax(excess.e, over_rest.e)};
            sum = (Near){sum.v + over_rest.v, sum.e + over_rest.e};
            unfinished = (Near){unfinished.v + want.unfinished.v, unfinished.e + want.unfinished.e};
            compare(job, "multiplier", i, (double)s->x0_lambda[i][3], want.multiplier);
            if (!t->job.plain) {
                compare(job, "found", i, (double)s->multiplier[i].projected, want.projected);
                compare(job, "carried", i, (double)s->multiplier[i].extrapolated,
                        want.extrapolated);
            }
            for (int a = 0; a < 3; a++) {
                assert_true(s->x0_lambda[i][a] == (s->line ? t->x0_lambda[i][a] : t->x[i][a]));
            }
        }
        compare(job, "excess", begin, (double)s->excess[begin / OOZE_DENSITY_GRAIN], excess);
        compare(job, "sum", begin, s->sum[begin / OOZE_DENSITY_GRAIN], sum);
        compare(job, "unfinished", begin, s->unfinished[begin / OOZE_DENSITY_GRAIN], unfinished);
    }
    for (uint64_t i = 0; i < t->c->n; i++) { /* padding exerts no force */
        for (uint64_t e = list_end(s->list, i); e < s->list->first[i + 1]; e++) {
            assert_true(s->push[e] == 0.0f);
        }
    }
}

/* ---- corrections ---- */

static void compare_corrections(Comparison *job, const Stage *t)
{
    const OozeDensitySweep *s = &t->sweep;
    for (uint64_t i = 0; i < t->c->n; i++) {
        Near own = exact((double)s->x0_lambda[i][3]), d[3];
        Sum sum[3] = {{0}};
        for (uint64_t e = s->list->first[i]; e < list_end(s->list, i); e++) {
            uint32_t j = s->list->index[e];
            const OozeF32x4 *from = s->line && line_at(s, e) >= 0.0 ? t->x0_lambda : t->x;
            delta_between(t->c, from[j], from[i], d);
            Near push =
                times(plus(own, exact((double)s->x0_lambda[j][3])), exact((double)s->push[e]));
            for (int a = 0; a < 3; a++) {
                add(&sum[a], times(push, d[a]));
            }
        }
        for (int a = 0; a < 3 && wall_count(t->c, i) > 0; a++) {
            add(&sum[a], times(own, exact((double)s->wall_push[i][a])));
        }
        for (int a = 0; a < 3; a++) {
            Near shift = times(exact((double)s->mobility[i]), total(&sum[a]));
            Near before = exact(a == 0 ? (double)t->shifted[i] : 0.0);
            compare(job, "shift", i, (double)s->shift[i][a], plus(before, shift));
            compare(job, "x", i, (double)s->x[i][a], plus(exact((double)t->x[i][a]), shift));
        }
        assert_true(s->x[i][3] == 0.0f && s->shift[i][3] == 0.0f);
    }
}

/* Pairs push each other by the same, where all are as heavy: momentum. The bound is that of all
   shifts. */
static void compare_momentum(Comparison *job, const Stage *t)
{
    const OozeDensitySweep *s = &t->sweep;
    for (int a = 0; a < 3; a++) {
        double sum = 0.0, bound = 0.0;
        for (uint64_t i = 0; i < t->c->n; i++) {
            double before = a == 0 ? (double)t->shifted[i] : 0.0;
            sum += (double)s->shift[i][a] - before;
            bound += 2 * ROUNDING * (fabs(before) + fabs((double)s->shift[i][a]));
            double terms = fmin(s->list->count[i], 2 * sqrt(s->list->count[i])) + 8;
            for (uint64_t e = s->list->first[i]; e < list_end(s->list, i); e++) {
                double lambda = fabs((double)s->x0_lambda[i][3]) +
                                fabs((double)s->x0_lambda[s->list->index[e]][3]);
                bound += terms * ROUNDING * lambda * fabs((double)s->push[e]) * (double)SUPPORT;
            }
        }
        compare(job, "momentum", (uint64_t)a, sum, (Near){0.0, bound});
    }
}

static void sweeps(void **state)
{
    (void)state;
    const OozeDensityLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_density_loops);
    Comparison lines = {.subject = "lines"}, multipliers = {.subject = "multipliers"},
               corrections = {.subject = "corrections"}, momentum = {.subject = "pushes of pairs"};
    for (int k = 0; k < SETTING_COUNT * COMBINATIONS; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            const Setting *setting = &settings[k / COMBINATIONS];
            Stage *t = stage_create(setting, k % COMBINATIONS);
            const OozeDensityLoops *loops = tables[isa];
            lines.setting = multipliers.setting = corrections.setting = momentum.setting =
                setting->name;
            lines.isa = multipliers.isa = corrections.isa = momentum.isa =
                ooze_isa_name((OozeIsa)isa);
            if (t->with & WITH_START) {
                run_all(t->c, loops->lines, &t->sweep);
                compare_lines(&lines, t);
            }
            run_all(t->c, loops->multipliers, &t->sweep);
            compare_multipliers(&multipliers, t);
            run_all(t->c, loops->corrections, &t->sweep);
            compare_corrections(&corrections, t);
            if (!setting->walls && !(t->with & UNEVEN)) {
                compare_momentum(&momentum, t);
            }
            stage_destroy(t);
        }
    }
    conclude(&lines);
    conclude(&multipliers);
    conclude(&corrections);
    conclude(&momentum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
