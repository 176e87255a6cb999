/* Several relaxation times: formulas of a particle's tensors against the theory of Maxwell modes,
   and worlds with and without them, saved and restored. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "methods/conformation/lodge_formula.h"
#include "ooze/ooze.h"

#define PI 3.14159265358979323846
static const double density = 1000;

typedef struct Number {
    const char *key;
    double value;
} Number;

static OozeMaterialDef make_def(const Number *numbers)
{
    OozeMaterialDef def = ooze_material_def_default();
    for (; numbers->key; numbers++) {
        CHECK_OK(ooze_material_def_set(&def, numbers->key, numbers->value, &error));
    }
    return def;
}

/* A material as a step of this length sees it, and how many modes it has beside the first. */
static OozeRheology make_rheology(const Number *numbers, double dt, int *more)
{
    OozeMaterialDef def = make_def(numbers);
    OozeMaterial material;
    memcpy(material.values, def.values, sizeof material.values);
    OozeStepContext context = {.dt = dt, .spacing = 0.01};
    OozeRheologyRecipe recipe = {.reference_density = density, .hourglass = 1};
    OozeRheology r = ooze_rheology(&context, &material, &recipe);
    *more = 0;
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        *more = r.more[k].modulus > 0.0f ? k + 1 : *more;
    }
    return r;
}

/* A particle that is sheared by u_x = rate y, step by step. */
typedef struct Element {
    OozeRheology r;
    int more;
    double dt;
    OozeSym3 q[OOZE_MODES];
} Element;

static Element make_element(const Number *numbers, double dt)
{
    Element e = {.dt = dt};
    e.r = make_rheology(numbers, dt, &e.more);
    for (int k = 0; k < OOZE_MODES; k++) {
        e.q[k] = ooze_sym3_identity(1);
    }
    return e;
}

static OozeMat3 shear(double rate)
{
    OozeMat3 l;
    memset(&l, 0, sizeof l);
    l.m[1] = (float)rate;
    return l;
}

/* Shear stress after a step at this rate, Pa: elastic, and that of the viscosity as thinning leaves
   it. */
static double sheared(Element *e, double rate)
{
    OozeLodgeState state = {.more = e->more, .l = shear(rate), .dt = (float)e->dt};
    memcpy(state.q, e->q, sizeof state.q);
    OozeSoftened soft = ooze_lodge_soften(&e->r, &state);
    ooze_lodge_evolve(&e->r, ooze_lodge_strain(state.l, state.dt), e->more, e->q);
    double stress = (double)soft.viscosity * rate + (double)(e->r.modulus * e->q[0].xy);
    for (int k = 0; k < e->more; k++) {
        stress += (double)(e->r.more[k].modulus * e->q[k + 1].xy);
    }
    return stress * density;
}

/* ---- theory ---------------------------------------------------------------------------------- */

static const Number two[] = {{"modulus", 300},
                             {"relaxation_time", 0.05},
                             {"modulus_2", 100},
                             {"relaxation_time_2", 1},
                             {NULL, 0}};

/* G(t) = sum G exp(-t/tau): exact but for rounding. */
static void test_step_strain(void **state)
{
    (void)state;
    const double dt = 0.01, strain = 0.02;
    Element e = make_element(two, dt);
    assert_int_equal(e.more, 1);
    double first = sheared(&e, strain / dt);
    /* within the step the strain grows, and some of it is forgotten */
    double grown = 300 * 0.05 / dt * (1 - exp(-dt / 0.05)) + 100 / dt * (1 - exp(-dt));
    CHECK_NEAR(first / strain / grown, 1, 1e-4);
    double g1 = (double)(e.r.modulus * e.q[0].xy) * density, g2 = first - g1;
    for (int i = 1; i <= 200; i++) {
        double stress = sheared(&e, 0), t = i * dt;
        CHECK_NEAR(stress / (g1 * exp(-t / 0.05) + g2 * exp(-t)), 1, 1e-4);
    }
    MEASURED("long after, over the slow mode alone",
             sheared(&e, 0) / (100 * strain * exp(-2.01) * (1 - exp(-dt)) / dt), 0.999, 1.001);
}

/* Fourier coefficients of the stress in the last of some periods of a small strain sin(w t). */
static void oscillate(const Number *numbers, double omega, double *storage, double *loss)
{
    const int steps = 1000, periods = omega < 1 ? 4 : 12;
    const double dt = 2 * PI / omega / steps, strain = 1e-3;
    Element e = make_element(numbers, dt);
    *storage = *loss = 0;
    for (int i = 0; i < steps * periods; i++) {
        double t = (i + 1) * dt;
        double rate = strain * (sin(omega * t) - sin(omega * (t - dt))) / dt;
        double stress = sheared(&e, rate);
        if (i >= steps * (periods - 1)) {
            *storage += 2 * stress * sin(omega * t) / (steps * strain);
            *loss += 2 * stress * cos(omega * t) / (steps * strain);
        }
    }
}

static void test_oscillation(void **state)
{
    (void)state;
    const double g[4] = {300, 100, 30, 10}, tau[4] = {0.05, 1, 5, INFINITY};
    const Number four[] = {{"modulus", g[0]},          {"relaxation_time", tau[0]},
                           {"modulus_2", g[1]},        {"relaxation_time_2", tau[1]},
                           {"modulus_3", g[2]},        {"relaxation_time_3", tau[2]},
                           {"modulus_4", g[3]},        {"solvent_viscosity", 0.5},
                           {"relaxation_time_4", NAN}, {NULL, 0}};
    for (int k = -2; k <= 4; k++) {
        double omega = pow(10, 0.5 * k), storage, loss, exact = 0, exact_loss = 0.5 * omega;
        for (int m = 0; m < 4; m++) {
            double x = omega * tau[m];
            exact += isinf(x) ? g[m] : g[m] * x * x / (1 + x * x);
            exact_loss += isinf(x) ? 0 : g[m] * x / (1 + x * x);
        }
        oscillate(four, omega, &storage, &loss);
        printf("  omega %g: G' %g Pa, G'' %g Pa\n", omega, storage, loss);
        /* the stress at the end of a step stands for the step: half a step of phase, 0.003 rad */
        MEASURED("G' over theory", storage / exact, 0.99, 1.01);
        MEASURED("G'' over theory", loss / exact_loss, 0.99, 1.01);
    }
}

/* The operator's linearised stress is what the update comes to: S0 + C[D] = sum G (Q1 - I) for
   small steps. */
static void test_operator(void **state)
{
    (void)state;
    const double dt = 0.01, rate = 0.1;
    Element e = make_element(two, dt);
    for (int i = 0; i < 30; i++) {
        sheared(&e, 1);
    }
    OozeLodgeState at = {.more = e.more, .l = shear(rate), .dt = (float)dt, .later_pass = true};
    memcpy(at.q, e.q, sizeof at.q);
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&e.r, &at);
    OozeSym3 told = ooze_sym3_add(
        c.explicit_stress, ooze_lodge_stress(ooze_mat3_symmetric(at.l), c.stiffness, c.bulk));
    double exact = sheared(&e, rate);
    CHECK_NEAR((double)told.xy * density / exact, 1, 2e-3); /* the turn is to second order */
    CHECK_NEAR((double)c.stress,
               sqrt((double)(told.xx * told.xx + told.yy * told.yy + told.zz * told.zz +
                             2 * (told.xy * told.xy + told.xz * told.xz + told.yz * told.yz))),
               1e-6 * fabs((double)c.stress));
}

/* ---- yielding -------------------------------------------------------------------------------- */

/* However the modulus is shared out, stress ends at the sum of the moduli times the limit, and
   below it nothing changes. */
static void test_yield(void **state)
{
    (void)state;
    const double dt = 1e-3;
    const Number shared[] = {
        {"modulus", 300}, {"modulus_2", 100}, {"yield_strain", 0.05}, {NULL, 0}};
    Element e = make_element(shared, dt);
    for (int i = 0; i < 40; i++) {
        CHECK_NEAR(sheared(&e, 1) / (400 * (i + 1) * dt), 1, 1e-4);
    }
    double stress = 0;
    for (int i = 0; i < 400; i++) {
        stress = sheared(&e, 1);
    }
    /* dev Q has a normal part as well: xy is short of the limit by half its square */
    MEASURED("stress over sum of moduli times limit", stress / (400 * 0.05), 0.997, 1.0001);
    /* a mode that has relaxed leaves more room to the other */
    const Number quick[] = {{"modulus", 300},
                            {"modulus_2", 100},
                            {"relaxation_time_2", 1e-3},
                            {"yield_strain", 0.05},
                            {NULL, 0}};
    e = make_element(quick, dt);
    for (int i = 0; i < 1000; i++) {
        stress = sheared(&e, 0.2);
    }
    MEASURED("the same", stress / (400 * 0.05), 0.997, 1.0001);
    MEASURED("elastic strain of the mode that stays", (double)e.q[0].xy, 0.06, 0.067);
}

/* Herschel-Bulkley: yield stress + K rate^n, and elastic below. */
static void test_herschel_bulkley(void **state)
{
    (void)state;
    const double modulus = 500, limit = 0.05, eta = 8, at = 10, n = 0.4;
    const Number paste[] = {{"modulus", modulus},
                            {"yield_strain", limit},
                            {"solvent_viscosity", eta},
                            {"thinning", OOZE_THINNING_POWER_LAW},
                            {"thinning_rate", at},
                            {"thinning_exponent", n},
                            {NULL, 0}};
    double low = 0, high = 0;
    for (int k = -1; k <= 2; k++) {
        double rate = pow(10, k), dt = 1e-3 / rate, stress = 0;
        Element e = make_element(paste, dt);
        for (int i = 0; i < 1000; i++) {
            stress = sheared(&e, rate);
        }
        double law = modulus * limit + eta * pow(at, 1 - n) * pow(rate, n);
        printf("  rate %g 1/s: %g Pa, %g by the law\n", rate, stress, law);
        MEASURED("stress over the law", stress / law, 0.997, 1.001);
        low = k == -1 ? stress : low;
        high = stress;
    }
    double slope = log((high - modulus * limit) / (low - modulus * limit)) / log(1000);
    MEASURED("slope of what is above the yield stress", slope, n - 0.01, n + 0.01);
    Element e = make_element(paste, 1e-3);
    sheared(&e, 20); /* strain 0.02 */
    CHECK_NEAR(sheared(&e, 0), modulus * 0.02, 1e-3 * modulus * 0.02);
    CHECK_NEAR(sheared(&e, 0), modulus * 0.02, 1e-3 * modulus * 0.02);
}

/* Without a limit, thinning still acts on the moduli, of all modes alike, and not on the
   solvent. */
static void test_thinning(void **state)
{
    (void)state;
    const double rate = 30;
    Number thins[] = {{"modulus", 300},           {"relaxation_time", 0.001},
                      {"modulus_2", 100},         {"relaxation_time_2", 0.01},
                      {"thinning_rate", 3},       {"thinning_exponent", 0.5},
                      {"solvent_viscosity", 0.1}, {NULL, 0}};
    int more;
    OozeRheology r = make_rheology(thins, 1e-3, &more);
    OozeLodgeState at = {.more = more, .l = shear(rate), .dt = 1e-3f};
    for (int k = 0; k < OOZE_MODES; k++) {
        at.q[k] = ooze_sym3_identity(1);
    }
    OozeSoftened soft = ooze_lodge_soften(&r, &at);
    CHECK_NEAR((double)soft.elastic, pow(1 + 100, -0.25), 1e-4);
    CHECK_NEAR((double)soft.viscosity, 0.1 / density, 1e-9);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static OozeWorld *make_world(const Number *numbers)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = 0.02;
    def.time_step = 1.0 / 240;
    def.threads = 2;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = make_def(numbers);
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.radius = 0.03;
    nozzle.position = vec3(0.1, 0.25, 0.1);
    nozzle.speed = 1;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    for (int i = 0; i < 216; i++) {
        OozeVec3 x = vec3(0.02 * (i % 6 + 0.5), 0.02 * (i / 6 % 6 + 0.5), 0.02 * (i / 36 + 0.5));
        OozeVec3 u = vec3(4 * x.y, -0.5, -x.x);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &u, &error));
    }
    return world;
}

static void run(OozeWorld *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static uint64_t hash_of(OozeWorld *world)
{
    return ooze_frame_hash(ooze_world_frame(world));
}

static const OozeFieldView *field(OozeWorld *world, const char *name)
{
    return ooze_frame_field(ooze_world_frame(world), name);
}

static double largest(OozeWorld *world, const char *name)
{
    const OozeFieldView *view = field(world, name);
    double most = 0;
    for (uint64_t i = 0; view && i < view->count; i++) {
        most = fmax(most, fabs(ooze_field_value(view, i, 3)));
    }
    return most;
}

/* Two modes of half the modulus are one of the whole: the same motion, but for rounding. */
static void test_equal_modes(void **state)
{
    (void)state;
    const Number one[] = {{"modulus", 400}, {"relaxation_time", 0.2}, {NULL, 0}};
    const Number halves[] = {{"modulus", 200},
                             {"relaxation_time", 0.2},
                             {"modulus_2", 200},
                             {"relaxation_time_2", 0.2},
                             {NULL, 0}};
    OozeWorld *a = make_world(one), *b = make_world(halves);
    run(a, 30);
    run(b, 30);
    const OozeFieldView *x = field(a, "position"), *y = field(b, "position");
    assert_true(x->count == y->count && x->count > 216);
    double apart = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        for (int k = 0; k < 3; k++) {
            apart = fmax(apart, fabs(ooze_field_value(x, i, k) - ooze_field_value(y, i, k)));
        }
    }
    /* contact and the ends of solves choose by rounding: a hundredth of a spacing is far below what
       they move */
    MEASURED("farthest apart, in spacings", apart / 0.02, 0, 0.01);
    assert_true(memcmp(field(b, "conformation")->data, field(b, "conformation_2")->data,
                       x->count * 8 * sizeof(float)) == 0);
    assert_null(field(a, "conformation_2"));
    ooze_world_destroy(a);
    ooze_world_destroy(b);
}

/* Memory that modes take is theirs alone, and no more than 32 bytes a particle each. */
static void test_memory(void **state)
{
    (void)state;
    const Number gap[] = {{"viscosity", 1}, {"modulus_3", 100}, {NULL, 0}};
    const Number none[] = {{"viscosity", 1}, {"relaxation_time_2", 1}, {NULL, 0}};
    OozeWorld *with = make_world(gap), *without = make_world(none);
    OozeWorldStats a, b;
    ooze_world_stats(without, &a);
    ooze_world_stats(with, &b);
    /* capacity 1024 and 16 spare; a gap is filled */
    assert_int_equal(b.particle_bytes - a.particle_bytes, 2 * 32 * (1024 + 16));
    assert_null(field(without, "conformation_2"));
    assert_non_null(field(with, "conformation_2"));
    assert_non_null(field(with, "conformation_3"));
    assert_null(field(with, "conformation_4"));
    run(with, 5);
    assert_true(largest(with, "conformation_2") == 0.0 && largest(with, "conformation_3") > 1e-3);
    ooze_world_destroy(with);
    ooze_world_destroy(without);
}

/* A world that goes on from a frame cannot tell. */
static void test_restore(void **state)
{
    (void)state;
    OozeWorld *a = make_world(two), *b = make_world(two);
    run(a, 10);
    assert_true(largest(a, "conformation_2") > 1e-3);
    CHECK_OK(ooze_world_restore(b, ooze_world_frame(a), &error));
    assert_true(hash_of(a) == hash_of(b));
    run(a, 10);
    run(b, 10);
    assert_true(hash_of(a) == hash_of(b));
    /* of a mode that its scene does not tell of */
    const Number one[] = {{"modulus", 300}, {"relaxation_time", 0.05}, {NULL, 0}};
    OozeWorld *c = make_world(one), *d = make_world(one);
    OozeMaterialId id = {0};
    CHECK_OK(ooze_world_set_material(c, id, "modulus_2", 100, &error));
    run(c, 10);
    CHECK_OK(ooze_world_restore(d, ooze_world_frame(c), &error));
    run(c, 5);
    run(d, 5);
    assert_true(hash_of(c) == hash_of(d));
    /* and back to a time before it: it starts at rest */
    OozeWorld *e = make_world(one);
    run(e, 3);
    CHECK_OK(ooze_world_restore(d, ooze_world_frame(e), &error));
    assert_true(largest(d, "conformation_2") == 0.0);
    run(d, 5);
    run(e, 5);
    assert_true(memcmp(field(d, "position")->data, field(e, "position")->data,
                       field(e, "position")->count * 16) == 0);
    OozeWorld *all[] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++) {
        ooze_world_destroy(all[i]);
    }
}

/* A mode that comes and goes while the fluid flows. */
static void test_changes(void **state)
{
    (void)state;
    const Number one[] = {{"viscosity", 5}, {NULL, 0}};
    OozeWorld *world = make_world(one);
    OozeChangeDef come = ooze_change_def_default(), go;
    come.key = "modulus_2";
    come.value = 200;
    come.time = 5.0 / 240;
    go = come;
    go.value = NAN;
    go.time = 10.0 / 240;
    CHECK_OK(ooze_world_add_change(world, &come, &error));
    CHECK_OK(ooze_world_add_change(world, &go, &error));
    run(world, 5);
    assert_true(largest(world, "conformation_2") == 0.0);
    run(world, 5);
    assert_true(largest(world, "conformation_2") > 1e-3);
    run(world, 1); /* forgotten: one that came back would find nothing of it */
    assert_true(largest(world, "conformation_2") == 0.0);
    ooze_world_destroy(world);
}

/* Whatever allocation fails, the world is as before and nothing is lost. */
static void test_out_of_memory(void **state)
{
    (void)state;
    const Number one[] = {{"viscosity", 5}, {NULL, 0}};
    OozeWorld *world = make_world(one);
    OozeMaterialId id = {0};
    OozeError why;
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (int n = 1; status && n < 50; n++) {
        ooze_memory_fail_after(n);
        status = ooze_world_set_material(world, id, "modulus_2", 100, &why);
        ooze_memory_fail_after(0);
        failures += status == OOZE_ERROR_MEMORY;
        double value = 0;
        CHECK_OK(ooze_world_get_material(world, id, "modulus_2", &value, &error));
        assert_true(status ? isnan(value) : value == 100);
    }
    assert_true(!status && failures > 0);
    OozeMaterialDef def = make_def(two);
    CHECK_OK(ooze_material_def_set(&def, "modulus_4", 5, &error));
    status = OOZE_ERROR_MEMORY;
    for (int n = 1; status && n < 50; n++) {
        ooze_memory_fail_after(n);
        status = ooze_world_add_material(world, &def, NULL, &why);
        ooze_memory_fail_after(0);
    }
    assert_false(status);
    run(world, 2);
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_strain),      cmocka_unit_test(test_oscillation),
        cmocka_unit_test(test_operator),         cmocka_unit_test(test_yield),
        cmocka_unit_test(test_herschel_bulkley), cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_equal_modes),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_restore),          cmocka_unit_test(test_changes),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
