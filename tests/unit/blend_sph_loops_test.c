/* Densities and forces of the blend method's SPH half on every instruction set against double; and
   that pair forces are opposite. */
#include "loops_case.h"

#include "methods/blend/cpu/loops.h"

/* What a step may have; all combinations are run. */
enum { ELASTIC = 1, BLENDED = 2, PRINTED = 4, COMBINATIONS = 8 };

typedef struct Stage {
    Case *c;
    OozeMachine machine;
    OozeBlendStep s;
    OozeBlendMaterial materials[2];
} Stage;

static void set_particles(Stage *t, int with)
{
    OozeBlendStep *s = &t->s;
    uint16_t *material = case_array(t->c, t->c->n, sizeof *material);
    for (uint64_t i = 0; i < t->c->n; i++) {
        material[i] = i % 3 == 1;
        s->x[i] = t->c->x[i] * ooze_f32x4(1, 1, 1, 0);
        s->u[i] = ooze_f32x4(between(31, i, 0, -1, 1), between(31, i, 1, -1, 1),
                             between(31, i, 2, -1, 1), 0);
        /* two reference steps, and particles without a shape */
        float step = i % 11 == 5 ? NAN : (float)(1 + i % 7 / 5);
        s->shape[i] = s->x[i] + ooze_f32x4(between(32, i, 0, -0.1, 0.1), 0.2f, 0, 0);
        s->shape[i][3] = step;
        s->state[i].viscosity = t->materials[material[i]].viscosity;
        s->state[i].fluid_share = with & ELASTIC ? between(33, i, 0, 0, 1) : 1.0f;
        s->wall[i] = t->c->setting->walls
                         ? ooze_f32x4(between(34, i, 0, -2, 2), between(34, i, 1, -2, 2), 0.5f,
                                      between(34, i, 2, 0, 0.3))
                         : ooze_f32x4(0, 0, 0, 0);
    }
    s->material = material;
}

static Stage *stage_create(const Setting *setting, int with)
{
    Stage *t = ooze_alloc_zero(1, sizeof *t);
    assert_non_null(t);
    Case *c = t->c = case_create(setting);
    uint64_t n = c->n;
    OozeBlendStep *s = &t->s;
    t->materials[0] = (OozeBlendMaterial){.relative_mass = 1, .viscosity = 0.003f};
    t->materials[1] = (OozeBlendMaterial){.relative_mass = 2.5f, .viscosity = 0.001f};
    t->machine = (OozeMachine){.context = &c->context, .n = n};
    *s = (OozeBlendStep){.machine = &t->machine, .materials = t->materials};
    s->compares_shapes = with & ELASTIC;
    s->k = (OozeBlendConstants){.support = SUPPORT,
                                .sound = 3,
                                .volume = 0.0014f,
                                .gradient_scale = 0.0011f,
                                .viscous = 0.0009f,
                                .radius2 = 0.03f,
                                .blended_pressure = with & (BLENDED | PRINTED),
                                .published = with & PRINTED};
    s->x = case_array(c, n + 1, sizeof *s->x);
    s->u = case_array(c, n + 1, sizeof *s->u);
    s->shape = case_array(c, n + 1, sizeof *s->shape);
    s->state = case_array(c, n + 1, sizeof *s->state);
    s->acceleration = case_array(c, n, sizeof *s->acceleration);
    s->wall = case_array(c, n, sizeof *s->wall);
    s->density = case_array(c, n, sizeof *s->density);
    set_particles(t, with);
    s->x[n] = ooze_f32x4(1e18f, 1e18f, 1e18f, 0);
    return t;
}

/* ---- in double ------------------------------------------------------------------------------- */

static double distance(const Stage *t, uint64_t i, uint64_t j, double d[3])
{
    for (int k = 0; k < 3; k++) {
        d[k] = (double)t->s.x[j][k] - (double)t->s.x[i][k];
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double poly6(double r)
{
    double h = (double)SUPPORT, t = r < h ? 1 - r * r / (h * h) : 0;
    return 315 / (64 * M_PI * h * h * h) * t * t * t;
}

static double density(const Stage *t, uint64_t i)
{
    double sum = 0, d[3];
    for (uint64_t j = 0; j < t->c->n; j++) {
        sum += (double)t->s.k.volume * poly6(distance(t, i, j, d));
    }
    return sum + (double)t->s.wall[i][3];
}

static bool same_region(const Stage *t, uint64_t i, uint64_t j)
{
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
        double d = (double)t->s.shape[i][k] - (double)t->s.shape[j][k];
        d2 += d * d;
    }
    return t->s.shape[i][3] == t->s.shape[j][3] && d2 < (double)t->s.k.radius2;
}

/* A sum, and the sum of the sizes of its terms. */
typedef struct Force {
    double v[3], size;
} Force;

static void add(Force *f, double scale, const double d[3])
{
    for (int k = 0; k < 3; k++) {
        f->v[k] += scale * d[k];
        f->size += fabs(scale * d[k]);
    }
}

/* Force on i by j over the volume of a particle and the density of the first material. */
static void add_pair(const Stage *t, uint64_t i, uint64_t j, Force *f)
{
    const OozeBlendStep *s = &t->s;
    const OozeBlendState *a = &s->state[i], *b = &s->state[j];
    double h = (double)SUPPORT, d[3], v[3], r = distance(t, i, j, d), q = fmin(r / h, 1);
    double share = s->compares_shapes && same_region(t, i, j)
                       ? 0.5 * ((double)a->fluid_share + (double)b->fluid_share)
                       : 1;
    double over = (double)a->inverse_density * (double)b->inverse_density;
    for (int k = 0; k < 3; k++) {
        v[k] = (double)s->u[j][k] - (double)s->u[i][k];
    }
    double slope = -45 / (M_PI * h * h * h * h) * (1 - q) * (1 - q);
    double laplacian = 45 / (M_PI * pow(h, 5)) * (1 - q);
    double push = 0.5 * ((double)a->pressure + (double)b->pressure) * slope / r;
    if (r > h * OOZE_KERNEL_NEAREST) {
        add(f, (s->k.blended_pressure ? share : 1) * (double)s->k.gradient_scale * over * push, d);
    }
    double drag = 0.5 * ((double)a->viscosity + (double)b->viscosity) * (double)s->k.viscous;
    add(f, share * over * drag * laplacian, v);
}

static void add_printed(const Stage *t, uint64_t i, uint64_t j, Force *f)
{
    const OozeBlendStep *s = &t->s;
    const OozeBlendState *a = &s->state[i], *b = &s->state[j];
    double h = (double)SUPPORT, d[3], r = distance(t, i, j, d), q2 = fmin(r * r / (h * h), 1);
    double over = (double)a->fluid_share * (double)a->inverse_density * (double)b->inverse_density;
    double scale = 315 / (64 * M_PI * h * h * h), w = 1 - q2;
    const double u[3] = {(double)s->u[j][0], (double)s->u[j][1], (double)s->u[j][2]};
    double slope = -6 * scale / h * sqrt(q2) * w * w;
    double laplacian = -6 * scale / (h * h) * w * (3 - 7 * q2);
    if (r > h * OOZE_KERNEL_NEAREST) {
        add(f, over * (double)s->k.gradient_scale * (double)b->pressure * slope / r, d);
    }
    add(f, over * (double)s->k.volume * (double)a->viscosity * laplacian, u);
}

static Force force(const Stage *t, uint64_t i)
{
    const OozeBlendStep *s = &t->s;
    const OozeBlendState *own = &s->state[i];
    Force f = {.size = 0};
    for (uint64_t j = 0; j < t->c->n; j++) {
        if (s->k.published) {
            add_printed(t, i, j, &f); /* itself included, which only viscosity has a term of */
        } else if (j != i) {
            add_pair(t, i, j, &f);
        }
    }
    const double wall[3] = {(double)s->wall[i][0], (double)s->wall[i][1], (double)s->wall[i][2]};
    double share = s->k.blended_pressure ? (double)own->fluid_share : 1;
    add(&f, share * (double)own->pressure * (double)own->inverse_density, wall);
    double inverse = 1 / (double)s->materials[s->material[i]].relative_mass;
    for (int k = 0; k < 3; k++) {
        f.v[k] *= inverse;
    }
    f.size *= inverse;
    return f;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Some dozen roundings of 6e-8 each: 1e-5 of what is added up. */
static void check_stage(Stage *t, double *worst)
{
    OozeBlendStep *s = &t->s;
    double sum[3] = {0}, sizes = 1e-9;
    for (uint64_t i = 0; i < t->c->n; i++) {
        double want = density(t, i);
        CHECK_NEAR((double)s->density[i], want, 1e-5 * want);
        CHECK_NEAR((double)s->state[i].inverse_density * want, 1, 2e-5);
        double mass = (double)s->materials[s->material[i]].relative_mass;
        double p = mass * 9 * ((double)s->density[i] - 1 - 1e-5);
        CHECK_NEAR((double)s->state[i].pressure, s->k.published ? p : fmax(p, 0),
                   1e-5 * mass * 9 * want);
    }
    for (uint64_t i = 0; i < t->c->n; i++) {
        Force want = force(t, i);
        double mass = (double)s->materials[s->material[i]].relative_mass;
        for (int k = 0; k < 3; k++) {
            double got = (double)s->acceleration[i][k];
            double error = fabs(got - want.v[k]) / (want.size + 1e-6);
            *worst = fmax(*worst, error);
            sum[k] += mass * got;
            assert_true(error < 1e-5);
        }
        sizes += mass * want.size;
        assert_true(s->acceleration[i][3] == 0.0f);
    }
    if (!s->k.published && !t->c->setting->walls) {
        for (int k = 0; k < 3; k++) { /* momentum */
            CHECK_NEAR(sum[k] / sizes, 0, 1e-6);
        }
    }
}

static void sums(void **state)
{
    (void)state;
    const OozeBlendLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_blend_loops);
    double worst = 0;
    for (int k = 0; k < SETTING_COUNT * COMBINATIONS; k++) {
        if (settings[k / COMBINATIONS].periodic) { /* which the method refuses */
            continue;
        }
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Stage *t = stage_create(&settings[k / COMBINATIONS], k % COMBINATIONS);
            run_all(t->c, tables[isa]->sum_density, &t->s);
            run_all(t->c, tables[isa]->sum_forces, &t->s);
            check_stage(t, &worst);
            case_destroy(t->c);
            ooze_free(t);
        }
    }
    printf("  worst: %.2g of what is added up\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
