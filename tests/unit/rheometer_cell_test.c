/* The rheometer's cell: recording stress does not change the world, failures leak nothing, and
   known fluids have their viscosity. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "rheometer/cell.h"
#include "rheometer/experiment.h"
#include "world/world.h"

static const double spacing = 0.01, dt = 1.0 / 240.0;

static OozeMaterialDef make_viscous(double viscosity)
{
    OozeMaterialDef def = ooze_material_def_default();
    def.name = "sample";
    CHECK_OK(ooze_material_def_set(&def, "viscosity", viscosity, &error));
    return def;
}

static OozeSample make_sample(const OozeMaterialDef *material, const char *method)
{
    return (OozeSample){.method = method,
                        .material = material,
                        .spacing = spacing,
                        .support_ratio = 2.2,
                        .time_step = dt,
                        .jitter = 0.1};
}

/* ---- stress that is told --------------------------------------------------------------------- */

/* A shaken cube of 216 particles that falls for some steps. */
static uint64_t run_hash(const char *method, bool ask, double *largest)
{
    OozeWorldDef def = ooze_world_def_default();
    OozeMaterialDef material = make_viscous(5);
    OozeMaterialId id;
    OozeWorld *world = NULL;
    def.method = method;
    def.spacing = spacing;
    def.time_step = dt;
    def.threads = 1;
    CHECK_OK(ooze_material_def_set(&material, "relaxation_time", 0.1, &error));
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
    for (uint64_t i = 0; i < 216; i++) {
        OozeVec3 x =
            vec3_scale(vec3((double)(i % 6) + 0.1 * ooze_random01(3, i, 0),
                            (double)(i / 6 % 6) + 0.1 * ooze_random01(3, i, 1), (double)(i / 36)),
                       spacing);
        OozeVec3 v = vec3(x.y * 20, 0, 0);
        CHECK_OK(ooze_world_add_particles(world, id, 1, &x, &v, &error));
    }
    if (ask) {
        ooze_world_record_stress(world);
    }
    for (int i = 0; i < 12; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    assert_true(ask == (ooze_world_stress(world) != NULL)); /* no memory where it is not recorded */
    *largest = 0.0;
    for (uint64_t i = 0; ask && i < 216; i++) {
        *largest = fmax(*largest, fabs((double)ooze_world_stress(world)[i].xy));
    }
    uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    ooze_world_destroy(world);
    return hash;
}

static void recording_stress_changes_no_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"conformation", "stress"};
    for (int m = 0; m < 2; m++) {
        double largest, none;
        assert_true(run_hash(methods[m], true, &largest) == run_hash(methods[m], false, &none));
        printf("  %s: largest shear stress %.3g Pa\n", methods[m], largest);
        assert_true(largest > 0.0);
    }
}

/* ---- the cell -------------------------------------------------------------------------------- */

/* Flow is steady from the first step in a fluid without memory: stress by both ways is eta rate. */
static void viscosity_of_honey_is_measured(void **state)
{
    (void)state;
    OozeMaterialDef honey = make_viscous(10);
    OozeSample sample = make_sample(&honey, "conformation");
    OozeCell *cell = NULL;
    OozeCellReading r = {0};
    CHECK_OK(ooze_cell_create(&sample, OOZE_CELL_SHEAR, 0, &cell, &error));
    for (int i = 0; i < 60; i++) {
        CHECK_OK(ooze_cell_step(cell, 5.0, &r, &error));
    }
    ooze_cell_destroy(cell);
    CHECK_NEAR(r.time, 60 * dt, 1e-12);
    CHECK_NEAR(r.strain, 5 * 60 * dt, 1e-12);
    CHECK_NEAR(r.local_rate, 5, 0.05); /* the affine flow is a solution: 1 % for the disorder */
    CHECK_NEAR(r.reported, 50, 1.0);   /* 2 % */
    CHECK_NEAR(r.momentum, 50, 1.5);   /* 3 %: of one step */
    CHECK_NEAR(r.normal, 0, 1.0);      /* no memory, no normal stress */
}

static OozeCellReading shear_for(const OozeMaterialDef *material, int steps)
{
    OozeSample sample = make_sample(material, "conformation");
    OozeCell *cell = NULL;
    OozeCellReading r = {0};
    CHECK_OK(ooze_cell_create(&sample, OOZE_CELL_SHEAR, 0, &cell, &error));
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_cell_step(cell, 5.0, &r, &error));
    }
    ooze_cell_destroy(cell);
    return r;
}

/* A compliance is 1/modulus times the density, also in layers that are heavier: the same fluid in
   other words. */
static void compliance_and_modulus_give_the_same_reading(void **state)
{
    (void)state;
    OozeMaterialDef one = ooze_material_def_default(), other = one;
    one.name = other.name = "sample";
    CHECK_OK(ooze_material_def_set(&one, "relaxation_time", 0.05, &error));
    CHECK_OK(ooze_material_def_set(&other, "relaxation_time", 0.05, &error));
    CHECK_OK(ooze_material_def_set(&one, "modulus", 2000, &error));
    CHECK_OK(ooze_material_def_set(&other, "compliance", 0.5, &error)); /* 1000 kg/m3 */
    OozeCellReading a = shear_for(&one, 40), b = shear_for(&other, 40);
    double expected = 2000 * 0.05 * 5 * -expm1(-40 * dt / 0.05);
    CHECK_NEAR(a.reported, expected, 0.02 * expected);
    CHECK_NEAR(b.reported, a.reported, 1e-4 * expected); /* the same but for rounding */
    CHECK_NEAR(b.momentum, a.momentum, 1e-3 * expected);
}

static void extensional_viscosity_is_measured(void **state)
{
    (void)state;
    OozeMaterialDef honey = make_viscous(10);
    OozeSample sample = make_sample(&honey, "conformation");
    OozeCell *cell = NULL;
    OozeCellReading r = {0};
    CHECK_OK(ooze_cell_create(&sample, OOZE_CELL_STRETCH, 0.1, &cell, &error));
    for (int i = 0; i < 12; i++) {
        CHECK_OK(ooze_cell_step(cell, 2.0, &r, &error));
    }
    ooze_cell_destroy(cell);
    CHECK_NEAR(r.local_rate, 2, 0.02);
    CHECK_NEAR(r.reported, 3 * 10 * 2, 3.0); /* Trouton; 5 % */
    assert_true(isnan(r.momentum));
    CHECK_NEAR(r.strain, 0.1, 1e-12);
}

/* Extends a sample and returns the least and the largest viscosity by stress in the last half of
   the steps. */
static void stretch(const OozeSample *s, double rate, int steps, double *least, double *largest)
{
    OozeCell *cell = NULL;
    OozeCellReading r = {0};
    *least = INFINITY;
    *largest = -INFINITY;
    CHECK_OK(ooze_cell_create(s, OOZE_CELL_STRETCH, rate * steps * s->time_step, &cell, &error));
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_cell_step(cell, rate, &r, &error));
        if (i >= steps / 2) {
            *least = fmin(*least, r.reported / rate);
            *largest = fmax(*largest, r.reported / rate);
        }
    }
    ooze_cell_destroy(cell);
    printf("  strain %.2f: %.4g to %.4g Pa s\n", r.strain, *least, *largest);
}

/* The honey of the template `pour` to twice the strain that one lattice bears: Trouton, 3 eta, in
   every step. */
static void a_viscous_fluid_is_stretched_beyond_its_lattice(void **state)
{
    (void)state;
    OozeMaterialDef honey = make_viscous(50);
    OozeSample sample = make_sample(&honey, "conformation");
    double least, largest;
    sample.spacing = 0.0015;
    sample.time_step = 1.0 / 360.0;
    stretch(&sample, 4.5, 80, &least, &largest);
    CHECK_NEAR(least, 3 * 50, 3.0); /* 2 % */
    CHECK_NEAR(largest, 3 * 50, 3.0);
}

/* A Maxwell fluid in steady extension: 2 eta/(1 - 2 tau e) + eta/(1 + tau e). After four relaxation
   times 0.04 of the axial part is still missing. */
static void a_maxwell_fluid_is_stretched_to_its_steady_state(void **state)
{
    (void)state;
    const double eta = 400, tau = 0.1, rate = 1.0, de = tau * rate;
    OozeMaterialDef maxwell = make_viscous(eta);
    CHECK_OK(ooze_material_def_set(&maxwell, "relaxation_time", tau, &error));
    OozeSample sample = make_sample(&maxwell, "conformation");
    double least, largest, steady = 2 * eta / (1 - 2 * de) + eta / (1 + de);
    stretch(&sample, rate, 192, &least, &largest); /* 8 tau */
    CHECK_NEAR(largest, steady, 0.01 * steady);
    CHECK_NEAR(least, steady, 0.05 * steady);
    OozeTheory theory = ooze_theory(&maxwell, spacing, dt);
    CHECK_NEAR(ooze_theory_stretch(&theory, rate, 100 * tau) / rate, steady, 1e-6 * steady);
}

static void unknown_methods_are_refused(void **state)
{
    (void)state;
    OozeMaterialDef honey = make_viscous(10);
    OozeSample sample = make_sample(&honey, "porridge");
    OozeCell *cell = NULL;
    CHECK_FAILS(ooze_cell_create(&sample, OOZE_CELL_SHEAR, 0, &cell, &error), OOZE_ERROR_ARGUMENT,
                "porridge");
    assert_null(cell);
    /* an experiment says so too, and its points are empty */
    OozeTheory theory = ooze_theory(&honey, spacing, dt);
    OozeExperiment e = {.kind = OOZE_EXPERIMENT_FLOW, .count = 2, .x = {1, 2}, .seconds = 0.1};
    CHECK_FAILS(ooze_experiments_run(&e, 1, &sample, &theory, NULL, &error), OOZE_ERROR_ARGUMENT,
                "porridge");
    assert_true(isnan(e.y[0][0].reported) && isnan(e.y[0][1].expected));
}

/* Every allocation on the way may fail; nothing leaks (checked under ASan). Those that fill the
   cell repeat: some of them stand for all. */
static void out_of_memory_is_survived(void **state)
{
    (void)state;
    OozeMaterialDef honey = make_viscous(10);
    OozeSample sample = make_sample(&honey, "conformation");
    sample.jitter = 0.0;
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status && n < 4000) {
        OozeError error = {0};
        OozeCell *cell = NULL;
        OozeCellReading r;
        ooze_memory_fail_after(++n);
        status = ooze_cell_create(&sample, OOZE_CELL_SHEAR, 0, &cell, &error);
        assert_true((cell == NULL) == (status != OOZE_OK));
        status = status ? status : ooze_cell_step(cell, 1.0, &r, &error);
        ooze_memory_fail_after(0);
        ooze_cell_destroy(cell);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
    }
    printf("  %llu allocations\n", (unsigned long long)n);
    assert_int_equal(status, OOZE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_stress_changes_no_bit),
        cmocka_unit_test(viscosity_of_honey_is_measured),
        cmocka_unit_test(compliance_and_modulus_give_the_same_reading),
        cmocka_unit_test(extensional_viscosity_is_measured),
        cmocka_unit_test(a_viscous_fluid_is_stretched_beyond_its_lattice),
        cmocka_unit_test(a_maxwell_fluid_is_stretched_to_its_steady_state),
        cmocka_unit_test(unknown_methods_are_refused),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
