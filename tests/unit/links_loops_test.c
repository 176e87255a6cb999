/* Both sweeps of the links method on every instruction set against double. */
#include "methods/links/cpu/fours.h"
#include "pair_reference.h"

enum { UNEVEN = 1, LINKED = 2, COMBINATIONS = 4 };

typedef struct Stage {
    Case *c;
    OozeMachine machine;
    OozeLinksMemory memory;
    OozeLinksStep s;
    OozeF32x4 *x; /* as given */
} Stage;

/* Lengths are a tenth more or less than rest lengths, so that rounding changes no link's being
   taut. */
static float rest_of(const Case *c, uint64_t i, uint32_t j)
{
    Near d[3];
    delta_between(c, c->x[i], c->x[j], d);
    double length = fmax(length_of(d).v, 0.01 * (double)SUPPORT);
    return (float)(length * ((i + j) % 3 == 0 ? 1.1 : 0.9));
}

/* Each particle of one half is linked to one of the other, far away or not. */
static void set_links(Stage *t)
{
    Case *c = t->c;
    OozeLinksStep *s = &t->s;
    OozeLinkRows *far = &t->memory.table.far[0], *walls = &t->memory.table.walls[0];
    uint64_t half = c->n / 2;
    float *rest = case_array(c, c->fluid.first[c->n], sizeof *rest);
    far->first = case_array(c, c->n, sizeof *far->first);
    far->count = case_array(c, c->n, sizeof *far->count);
    far->items = case_array(c, 4 * c->n, sizeof(OozeLink));
    walls->first = case_array(c, c->n, sizeof *walls->first);
    walls->count = case_array(c, c->n, sizeof *walls->count);
    for (uint64_t i = 0; i < c->n; i++) {
        for (uint64_t e = c->fluid.first[i]; e < c->fluid.first[i + 1]; e++) {
            bool real = e < list_end(&c->fluid, i);
            rest[e] = real ? rest_of(c, i, c->fluid.index[e]) : OOZE_LINKS_NO_LINK;
        }
        uint64_t other = i < half ? i + half : i - half;
        far->first[i] = 4 * i;
        far->count[i] = half > 0 && other < 2 * half && other != i;
        OozeLink *row = (OozeLink *)far->items + 4 * i;
        row[0] = (OozeLink){(uint32_t)other, far->count[i] ? rest_of(c, i, (uint32_t)other) : 0};
        ooze_link_fill_up(row, far->count[i], (uint32_t)c->n);
    }
    s->rest = rest;
    s->pull = case_array(c, c->fluid.first[c->n], sizeof *s->pull);
    s->far_pull = case_array(c, 4 * c->n, sizeof *s->far_pull);
}

static Stage *stage_create(const Setting *setting, int with)
{
    Stage *t = ooze_alloc_zero(1, sizeof *t);
    assert_non_null(t);
    Case *c = t->c = case_create(setting);
    uint64_t n = c->n;
    OozeLinksStep *s = &t->s;
    t->machine = (OozeMachine){.context = &c->context, .n = n, .local = n, .all = n};
    *s = (OozeLinksStep){.machine = &t->machine, .memory = &t->memory, .near = &c->fluid};
    s->k.kernel = ooze_links_kernel(0, (double)SUPPORT);
    s->k.support = SUPPORT;
    s->k.volume = 0.0011f;
    s->k.wall_scale = 1.3f;
    s->k.samples = c->boundary.count > 0;
    s->k.strength = 0.8f;
    s->k.relaxation = 0.3f;
    s->k.pressure_scale = 1e-4f;
    s->k.pressure_reference = 1.0f / ooze_links_value(&s->k.kernel, 0.3f * SUPPORT);
    s->k.cohesion = 0.5f;
    s->k.softness = 2.0f;
    s->periodic = c->context.periodic;
    s->wraps = ooze_periodic_any(&s->periodic) != 0;
    s->even = !(with & UNEVEN);
    s->k.linked = with & LINKED;
    ooze_links_set_scales(s);
    s->x = case_array(c, n + 1, sizeof *s->x);
    s->x_lambda = case_array(c, n + 1, sizeof *s->x_lambda);
    s->shift = case_array(c, n, sizeof *s->shift);
    s->change = case_array(c, n, sizeof *s->change);
    s->inverse_mass = case_array(c, n + 1, sizeof *s->inverse_mass);
    s->effective_inverse_mass = case_array(c, n + 1, sizeof *s->effective_inverse_mass);
    s->share = case_array(c, n + 1, sizeof *s->share);
    s->excess = case_array(c, n, sizeof *s->excess);
    s->push = case_array(c, c->fluid.first[n], sizeof *s->push);
    t->x = case_array(c, n, sizeof *t->x);
    t->memory.near_walls = c->walls;
    for (uint64_t i = 0; i < n; i++) {
        t->x[i] = s->x[i] = c->x[i] * ooze_f32x4(1, 1, 1, 0);
        s->effective_inverse_mass[i] = s->even ? 1.0f : between(91, i, 0, 0.3, 2);
        s->inverse_mass[i] = !s->even && i % 5 == 2 ? 0.0f : s->effective_inverse_mass[i];
    }
    s->x[n] = ooze_f32x4(0, 0, 0, OOZE_LINKS_FAR);
    set_links(t);
    return t;
}

/* ---- in double ------------------------------------------------------------------------------- */

/* A sum, and the sum of what its terms are without sign. */
typedef struct Force {
    double v[3], size;
} Force;

static void push_along(Force *force, double weight, const Near d[3])
{
    for (int a = 0; a < 3; a++) {
        force->v[a] += weight * d[a].v;
        force->size += fabs(weight * d[a].v);
    }
}

typedef struct Pair {
    Near d[3];             /* from the other one */
    double r, value, over; /* W, W'/r */
} Pair;

static Pair pair_of(const Stage *t, uint64_t i, OozeF32x4 other)
{
    Pair p;
    delta_between(t->c, other, t->x[i], p.d);
    p.r = length_of(p.d).v;
    Cubic w = cubic(exact(p.r));
    p.value = w.value.v;
    p.over = -w.slope.v / fmax(p.r, 1e-6 * (double)SUPPORT);
    return p;
}

static double artificial(const OozeLinksStep *s, double value)
{
    return -(double)s->k.pressure_scale * pow(value * (double)s->k.pressure_reference, 4);
}

static OozeF32x4 sample_of(const Stage *t, uint64_t i, uint64_t k)
{
    OozeFloat4 at = t->c->boundary.position[t->c->walls.index[t->c->walls.first[i] + k]];
    return ooze_f32x4(at.x, at.y, at.z, 0);
}

static double sample_volume(const Stage *t, uint64_t i, uint64_t k)
{
    uint32_t b = t->c->walls.index[t->c->walls.first[i] + k];
    return (double)t->s.k.wall_scale * (double)t->c->boundary.volume[b];
}

/* Eqs 4 to 7. */
static double multiplier(const Stage *t, uint64_t i)
{
    const OozeLinksStep *s = &t->s;
    double volume = (double)s->k.volume, stiffness = 0;
    double density = volume * cubic(exact(0)).value.v;
    Force own = {{0}, 0};
    for (uint64_t e = s->near->first[i]; e < list_end(s->near, i); e++) {
        uint32_t j = s->near->index[e];
        Pair p = pair_of(t, i, t->x[j]);
        density += volume * p.value;
        double slope = volume * cubic(exact(p.r)).slope.v;
        stiffness += (double)s->effective_inverse_mass[j] * slope * slope;
        push_along(&own, volume * p.over, p.d);
    }
    for (uint64_t k = 0; k < wall_count(t->c, i); k++) {
        Pair p = pair_of(t, i, sample_of(t, i, k));
        density += sample_volume(t, i, k) * p.value;
        push_along(&own, sample_volume(t, i, k) * p.over, p.d);
    }
    double error = density - 1;
    stiffness += (double)s->effective_inverse_mass[i] *
                 (own.v[0] * own.v[0] + own.v[1] * own.v[1] + own.v[2] * own.v[2]);
    double felt = error < 0 ? (double)s->k.cohesion * error : error;
    return -(double)s->k.relaxation * felt / (stiffness + (double)s->k.softness);
}

static bool is_taut(const Stage *t, uint64_t i, uint32_t j, float rest)
{
    return rest < OOZE_LINKS_NO_LINK && pair_of(t, i, t->x[j]).r > (double)rest;
}

static int taut_links(const Stage *t, uint64_t i)
{
    const OozeLinksStep *s = &t->s;
    const OozeLinkRows *far = &t->memory.table.far[0];
    const OozeLink *row = ooze_links_of(far, i);
    int taut = far->count[i] && is_taut(t, i, row->other, row->rest);
    for (uint64_t e = s->near->first[i]; e < list_end(s->near, i); e++) {
        taut += is_taut(t, i, s->near->index[e], s->rest[e]);
    }
    return taut;
}

/* Eq 10. */
static void pull(const Stage *t, uint64_t i, uint32_t j, float rest, Force *force)
{
    const OozeLinksStep *s = &t->s;
    double both = (double)s->inverse_mass[i] + (double)s->inverse_mass[j];
    if (s->k.linked && both > 0 && is_taut(t, i, j, rest)) {
        Pair p = pair_of(t, i, t->x[j]);
        double busier = fmax(taut_links(t, i), taut_links(t, j));
        push_along(force, -(double)s->k.strength * (p.r - (double)rest) / (both * busier * p.r),
                   p.d);
    }
}

static Force correction(const Stage *t, uint64_t i, const double *lambda)
{
    const OozeLinksStep *s = &t->s;
    const OozeLinkRows *far = &t->memory.table.far[0];
    const OozeLink *row = ooze_links_of(far, i);
    Force all = {{0}, 0};
    for (uint64_t e = s->near->first[i]; e < list_end(s->near, i); e++) {
        uint32_t j = s->near->index[e];
        Pair p = pair_of(t, i, t->x[j]);
        double volume = (double)s->k.volume, kept = all.size;
        push_along(&all, volume * (lambda[i] + lambda[j] + artificial(s, p.value)) * p.over, p.d);
        all.size = kept; /* the sweeps add them one by one */
        for (int a = 0; a < 3; a++) {
            double each = fabs(lambda[i]) + fabs(lambda[j]) + fabs(artificial(s, p.value));
            all.size += fabs(volume * each * p.over * p.d[a].v);
        }
        pull(t, i, j, s->rest[e], &all);
    }
    for (uint64_t k = 0; k < wall_count(t->c, i); k++) {
        Pair p = pair_of(t, i, sample_of(t, i, k));
        double both = 2 * lambda[i] + artificial(s, p.value);
        push_along(&all, sample_volume(t, i, k) * both * p.over, p.d);
    }
    if (far->count[i]) {
        pull(t, i, row->other, row->rest, &all);
    }
    return all;
}

/* A few dozen roundings of 6e-8 each in lengths, kernels and multipliers: 1e-5 of what was added up
   leaves room for those that meet. */
static void sweeps(void **state)
{
    (void)state;
    const OozeLinksLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_links_loops);
    double worst = 0;
    for (int k = 0; k < SETTING_COUNT * COMBINATIONS; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Stage *t = stage_create(&settings[k / COMBINATIONS], k % COMBINATIONS);
            uint64_t n = t->c->n;
            double *lambda = case_array(t->c, n, sizeof *lambda);
            for (uint64_t i = 0; i < n; i++) {
                lambda[i] = multiplier(t, i);
            }
            run_all(t->c, tables[isa]->multipliers, &t->s);
            run_all(t->c, tables[isa]->correct, &t->s);
            for (uint64_t i = 0; i < n; i++) {
                Force want = correction(t, i, lambda);
                for (int a = 0; a < 3; a++) {
                    double weight = (double)t->s.inverse_mass[i], got = (double)t->s.shift[i][a];
                    double error = fabs(got - weight * want.v[a]) / (weight * want.size + 1e-9);
                    worst = fmax(worst, error);
                    assert_true(error < 1e-5);
                }
                assert_true(t->s.x[i][3] == 0.0f && t->s.shift[i][3] == 0.0f);
            }
            case_destroy(t->c);
            ooze_free(t);
        }
    }
    printf("  worst: %.2g of what was added up\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
