/* Heat: formulas, errors, scenes, frames, and engines without heat. */
#include "unit/scene_text.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "materials/material.h"
#include "physics/heat.h"
#include "unit/mirror_engine.h"
#include "unit/scratch_folder.h"
#include "world/world.h"

/* ---- formulas -------------------------------------------------------------------------------- */

static void means_and_rows(void **state)
{
    (void)state;
    CHECK_NEAR(ooze_harmonic_mean(1, 3), 1.5, 1e-15);
    assert_true(ooze_harmonic_mean(0, 5) == 0 && ooze_harmonic_mean(0, 0) == 0);
    assert_true(ooze_harmonic_mean(0.3, 7) == ooze_harmonic_mean(7, 0.3));
    CHECK_NEAR(ooze_heat_interpolate(1000, 10, 0.5), 100, 1e-10);
    CHECK_NEAR(ooze_heat_interpolate(0, 10, 0.25), 2.5, 1e-15);
    assert_true(ooze_heat_interpolate(INFINITY, 10, 0.9) == INFINITY);
    assert_true(ooze_heat_interpolate(INFINITY, 10, 1) == 10);
}

/* Weights of the stages: those of temperatures add up to 1, and one of them all is a plain step. */
static void stages_reach_far_enough(void **state)
{
    (void)state;
    assert_int_equal(ooze_heat_stages(0), 1);
    assert_int_equal(ooze_heat_stages(1), 1);
    for (double load = 1.01; load < 1e6; load *= 1.7) {
        int s = ooze_heat_stages(load);
        assert_true(s % 2 == 1 && 0.5 * s * (s + 1) >= load && (s - 2) * (s - 1) < 2 * load);
        /* of dT/dt = 1 from 0 on: after all stages the whole step has passed */
        double before = 0, earlier = 0;
        for (int j = 1; j <= s; j++) {
            OozeHeatStage stage = ooze_heat_stage(j, s);
            CHECK_NEAR(stage.mu + stage.nu, 1, 1e-15);
            double next = stage.mu * before + stage.nu * earlier + stage.mu_tilde;
            earlier = before;
            before = next;
        }
        CHECK_NEAR(before, 1, 1e-9);
    }
}

/* The paper's bound: h/dx from 2 to 4, one sweep is monotone up to s_c of 0.067 to 0.074 with its
   kernel, whose Laplacian on the lattice is within 5 % of ours. */
static void stability_bound_is_near_the_papers(void **state)
{
    (void)state;
    for (double ratio = 2.0; ratio <= 4.0; ratio += 0.5) {
        double scale = ooze_heat_scale(1, ratio);
        double bound = 1 / (ooze_heat_outflow(1, ratio) * ratio * ratio);
        print_message("  h/dx %.1f: scale %.4f, monotone to s_c = %.4f\n", ratio, scale, bound);
        CHECK_NEAR(scale, 1, 0.06);
        assert_true(bound > 0.064 && bound < 0.078);
    }
}

static void material_follows_its_table(void **state)
{
    (void)state;
    OozeTemperatureRow rows[3];
    for (int k = 0; k < 3; k++) {
        rows[k] = ooze_temperature_row_default();
        rows[k].temperature = 10.0 * k;
        rows[k].viscosity = pow(10.0, 3 - k);
        rows[k].shift = pow(4.0, -k);
    }
    OozeMaterial m = {.table = rows, .table_count = 3};
    for (int k = 0; k < OOZE_MATERIAL_PARAM_COUNT; k++) {
        m.values[k] = 1.0;
    }
    m.values[OOZE_MATERIAL_MODULUS] = 7.0;
    CHECK_NEAR(ooze_material_at(&m, -5).values[OOZE_MATERIAL_VISCOSITY], 1000, 1e-9);
    CHECK_NEAR(ooze_material_at(&m, 5).values[OOZE_MATERIAL_VISCOSITY], sqrt(1e5) / 2, 1e-9);
    CHECK_NEAR(ooze_material_at(&m, 10).values[OOZE_MATERIAL_RELAXATION], 0.25, 1e-12);
    CHECK_NEAR(ooze_material_at(&m, 99).values[OOZE_MATERIAL_VISCOSITY], 10.0 / 16, 1e-12);
    CHECK_NEAR(ooze_material_at(&m, 99).values[OOZE_MATERIAL_THINNING_RATE], 16, 1e-9);
    CHECK_NEAR(ooze_material_at(&m, 10).values[OOZE_MATERIAL_RELAXATION_2], 0.25, 1e-12);
    CHECK_NEAR(ooze_material_at(&m, 10).values[OOZE_MATERIAL_MODULUS], 7, 0);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.air_transfer = -1;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "air");
    def.air_transfer = 0;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "conductivity", 1, &error));
    CHECK_OK(ooze_material_def_set(&material, "diffusivity", 1, &error));
    CHECK_FAILS(ooze_world_add_material(world, &material, NULL, &error), OOZE_ERROR_ARGUMENT,
                "both");
    CHECK_OK(ooze_material_def_set(&material, "diffusivity", NAN, &error));
    OozeTemperatureRow rows[2] = {ooze_temperature_row_default(), ooze_temperature_row_default()};
    rows[0].temperature = rows[1].temperature = 5;
    material.temperature_table = rows;
    material.temperature_row_count = 2;
    CHECK_FAILS(ooze_world_add_material(world, &material, NULL, &error), OOZE_ERROR_ARGUMENT,
                "not above");
    rows[1].temperature = 6;
    rows[1].modulus = 10;
    CHECK_FAILS(ooze_world_add_material(world, &material, NULL, &error), OOZE_ERROR_ARGUMENT,
                "some rows only");
    rows[0].modulus = -1;
    CHECK_FAILS(ooze_world_add_material(world, &material, NULL, &error), OOZE_ERROR_ARGUMENT,
                "modulus");
    material.temperature_row_count = 0;
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.temperature = INFINITY;
    CHECK_FAILS(ooze_world_add_fluid(world, &fluid, NULL, &error), OOZE_ERROR_ARGUMENT, "degC");
    OozeHeatSourceDef source = ooze_heat_source_def_default();
    source.power = NAN;
    CHECK_FAILS(ooze_world_add_heat_source(world, &source, &error), OOZE_ERROR_ARGUMENT, "power");
    source.power = 5;
    source.temperature = 5;
    CHECK_FAILS(ooze_world_add_heat_source(world, &source, &error), OOZE_ERROR_ARGUMENT, "power");
    source.temperature = NAN;
    source.stop = -1;
    CHECK_FAILS(ooze_world_add_heat_source(world, &source, &error), OOZE_ERROR_ARGUMENT, "runs");
    OozeSolidDef solid = ooze_solid_def_default();
    solid.temperature = 1e9;
    CHECK_FAILS(ooze_world_add_solid(world, &solid, NULL, &error), OOZE_ERROR_ARGUMENT,
                "temperature");
    assert_null(ooze_frame_field(ooze_world_frame(world), "temperature"));
    ooze_world_destroy(world);
}

/* Heat that would need too many stages. */
static void too_many_stages_are_refused(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "diffusivity", 1e6, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.shape.size = vec3(0.05, 0.05, 0.05);
    fluid.temperature = 5;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC,
                "explicit limit of heat conduction");
    ooze_world_destroy(world);
}

static OozeStatus heat_everything(OozeWorld **world, OozeError *error)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.threads = 1;
    def.air_transfer = 5;
    OozeTemperatureRow row = ooze_temperature_row_default();
    row.temperature = 5;
    OozeMaterialDef material = ooze_material_def_default();
    material.temperature_table = &row;
    material.temperature_row_count = 1;
    OozeStatus status = ooze_material_def_set(&material, "melting_temperature", 30, error);
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.shape.size = vec3(0.2, 0.2, 0.2);
    fluid.temperature = 50;
    OozeSolidDef solid = ooze_solid_def_default();
    solid.temperature = 70;
    OozeHeatSourceDef source = ooze_heat_source_def_default();
    status = status ? status : ooze_world_create(&def, world, error);
    status = status ? status : ooze_world_add_solid(*world, &solid, NULL, error);
    status = status ? status : ooze_world_add_material(*world, &material, NULL, error);
    status = status ? status : ooze_world_add_fluid(*world, &fluid, NULL, error);
    status = status ? status : ooze_world_add_heat_source(*world, &source, error);
    return status ? status : ooze_world_step(*world, error);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    bool finished = false;
    for (uint64_t n = 1; n < 2000 && !finished; n++) {
        OozeWorld *world = NULL;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        OozeStatus status = heat_everything(&world, &error);
        ooze_memory_fail_after(0);
        finished = status == OOZE_OK;
        assert_true(finished || (status == OOZE_ERROR_MEMORY && error.message[0]));
        ooze_world_destroy(world);
    }
    assert_true(finished);
}

static void steady_steps_allocate_nothing(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    CHECK_OK(heat_everything(&world, &error));
    CHECK_OK(ooze_world_advance(world, 0.02, NULL, NULL, &error));
    for (int i = 0; i < 3; i++) {
        ooze_memory_fail_after(1);
        CHECK_OK(ooze_world_step(world, &error));
        assert_null(ooze_alloc(1, 1)); /* the failure was still waiting: the step took none */
    }
    ooze_memory_fail_after(0);
    ooze_world_destroy(world);
}

/* ---- scenes, frames, machines ---------------------------------------------------------------- */

static const char warm_scene[] =
    HEAD "materials:\n"
         "  chocolate:\n"
         "    conductivity: 0.2\n"
         "    melting_temperature: 34\n"
         "    temperature_table:\n"
         "      - {temperature: 20, viscosity: 1000, relaxation_time: inf}\n"
         "      - {temperature: 40, viscosity: 1/3, relaxation_time: 0.1}\n"
         "fluids:\n"
         "  - {material: chocolate, shape: {type: box, size: [0.4, 0.4, 0.4]}, temperature: -3.5}\n"
         "solids: [{name: plate, shape: {type: plane, position: [0, -0.5, 0]}, temperature: 60}]\n"
         "emitters: [{material: chocolate, radius: 0.2, position: [0, 2, 0], temperature: 45}]\n"
         "air: {temperature: 15, transfer: 8}\n"
         "heat_sources: [{shape: {type: sphere, radius: 0.1}, power: 1e5, start: 0.5}]\n"
         "changes: [{time: 0.2, set: solids.plate.temperature, to: 90, ramp: 0.1}]\n"
         "probes: [{kind: heat}]\n";

static void heat_of_scenes_is_read_and_written(void **state)
{
    (void)state;
    OozeScene *scene = load_good(warm_scene);
    OozeScene *again = load_good(ooze_scene_canonical(scene));
    assert_string_equal(ooze_scene_canonical(scene), ooze_scene_canonical(again));
    const OozeSceneDef *def = &again->def;
    assert_int_equal(def->materials[0].temperature_row_count, 2);
    assert_true(def->materials[0].temperature_table[1].viscosity == 1.0 / 3);
    assert_true(def->materials[0].temperature_table[0].relaxation_time == INFINITY);
    assert_true(isnan(def->materials[0].temperature_table[0].shift));
    assert_true(def->world.air_temperature == 15 && def->world.air_transfer == 8);
    assert_true(def->heat_sources[0].power == 1e5 && def->heat_sources[0].start == 0.5);
    assert_true(def->fluids[0].def.temperature == -3.5 && def->emitters[0].def.temperature == 45);
    assert_true(def->solids[0].temperature == 60 && isnan(def->solids[0].conductivity));
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(again, NULL, &world, &error));
    const OozeFieldView *t = ooze_frame_field(ooze_world_frame(world), "temperature");
    const OozeFieldView *phase = ooze_frame_field(ooze_world_frame(world), "phase");
    assert_true(t && phase && t->type == OOZE_FIELD_FLOAT64);
    assert_true(ooze_field_value(t, 0, 0) == -3.5 && ooze_field_value(phase, 0, 0) == 1);
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_step(world, &error));
    t = ooze_frame_field(ooze_world_frame(world), "temperature");
    double most = -1e9;
    for (uint64_t i = 0; i < t->count; i++) {
        most = fmax(most, ooze_field_value(t, i, 0));
    }
    CHECK_NEAR(most, 45, 0.1); /* from the nozzle */
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    ooze_scene_free(again);
}

static void mistakes_are_located(void **state)
{
    (void)state;
    expect_one(HEAD "materials:\n  m: {temperature_table: [{viscosity: 1}]}\n", 7, 27,
               "lacks 'temperature'", NULL);
    expect_one(HEAD "air: {temprature: 5}\n", 6, 7, "temprature", "temperature");
    expect_one(HEAD "heat_sources: [{shape: {type: box, size: [1, 1, 1]}, start: 2, stop: 1}]\n", 6,
               70, "before it starts", NULL);
}

/* What `ooze check` says: of numbers without heat, of tables that a method leaves alone, of many
   sweeps. */
static void heat_warnings_are_given(void **state)
{
    (void)state;
    const struct {
        const char *text, *part;
        int line;
    } cases[] = {
        {HEAD "materials: {m: {conductivity: 3}}\nfluids: [{material: m, shape: {type: sphere, "
              "radius: 0.3}}]\n",
         "nothing in the scene has a temperature", 6},
        {HEAD "materials: {m: {temperature_table: [{temperature: 5}]}}\nfluids: [{material: m, "
              "shape: {type: sphere, radius: 0.3}}]\n",
         "ignores 'temperature_table'", 6},
        {HEAD "materials: {m: {diffusivity: 1000}}\nfluids: [{material: m, temperature: 3, shape: "
              "{type: sphere, radius: 0.3}}]\n",
         "stages a step", 6},
        /* thin as given, but at the temperature of the fluid thick as pitch */
        {"ooze: 2\nmethod: {name: conformation, velocity_iterations: 20}\nspacing: "
         "0.01\ntime_step: 1/240\nduration: 1\n"
         "materials: {m: {viscosity: 1, temperature_table: [{temperature: 5, viscosity: 1e6}, "
         "{temperature: 50, viscosity: 1}]}}\nfluids: [{material: m, temperature: 7, shape: "
         "{type: sphere, radius: 0.3}}]\n",
         "iterations", 6},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        OozeScene *scene = load_good(cases[k].text);
        OozeWorld *world = NULL;
        CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
        CHECK_OK(ooze_scene_check_physics(scene, world, &error));
        bool told = false;
        for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
            const OozeDiagnostic *d = ooze_scene_diagnostic(scene, i);
            told = told || (d->line == cases[k].line && strstr(d->message, cases[k].part));
        }
        if (!told) {
            print_diagnostics(scene);
            fail_msg("not told: %s", cases[k].part);
        }
        ooze_world_destroy(world);
        ooze_scene_free(scene);
    }
}

/* A frame file holds temperatures to the last bit. */
static void frames_resume(void **state)
{
    (void)state;
    OozeScene *scene = load_good(warm_scene);
    OozeWorld *first = NULL, *second = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/frame.h5", folder);
    CHECK_OK(ooze_scene_build(scene, NULL, &first, &error));
    CHECK_OK(ooze_scene_build(scene, NULL, &second, &error));
    CHECK_OK(ooze_world_advance(first, 0.25, NULL, NULL, &error)); /* on the ramp of the plate */
    CHECK_OK(ooze_frame_write(ooze_world_frame(first), path, &error));
    OozeFrame *frame = NULL;
    CHECK_OK(ooze_frame_open(path, &frame, &error));
    CHECK_OK(ooze_world_restore(second, frame, &error));
    ooze_frame_close(frame);
    CHECK_OK(ooze_world_advance(first, 0.4, NULL, NULL, &error));
    CHECK_OK(ooze_world_advance(second, 0.4, NULL, NULL, &error));
    assert_true(ooze_frame_hash(ooze_world_frame(first)) ==
                ooze_frame_hash(ooze_world_frame(second)));
    double *t = (double *)(uintptr_t)ooze_frame_field(ooze_world_frame(first), "temperature")->data;
    t[0] = NAN;
    OozeError error = {0};
    assert_true(ooze_world_restore(second, ooze_world_frame(first), &error) == OOZE_ERROR_FORMAT);
    ooze_world_destroy(first);
    ooze_world_destroy(second);
    ooze_scene_free(scene);
}

/* The engine conducts heat: one with a store of its own leaves the same bits. */
static void heat_runs_on_the_engine(void **state)
{
    (void)state;
    OozeScene *scene = load_good(warm_scene);
    OozeWorld *world[2] = {NULL, NULL};
    double temperature[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ooze_scene_build(scene, NULL, &world[k], &error));
    }
    world[1]->gpu_engine = &mirror;
    world[1]->device = OOZE_DEVICE_CUDA;
    for (int k = 0; k < 2; k++) {
        for (int step = 0; step < 5; step++) {
            CHECK_OK(ooze_world_step(world[k], &error));
        }
        const OozeFrame *frame = ooze_world_frame(world[k]);
        temperature[k] = ooze_field_value(ooze_frame_field(frame, "temperature"), 0, 0);
    }
    assert_ptr_equal(world[1]->engine, &mirror);
    assert_true(temperature[0] > -3.5); /* the air warms it */
    assert_true(ooze_frame_hash(ooze_world_frame(world[0])) ==
                ooze_frame_hash(ooze_world_frame(world[1])));
    ooze_world_destroy(world[0]);
    ooze_world_destroy(world[1]);
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_rows),
        cmocka_unit_test(stages_reach_far_enough),
        cmocka_unit_test(stability_bound_is_near_the_papers),
        cmocka_unit_test(material_follows_its_table),
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(too_many_stages_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(heat_of_scenes_is_read_and_written),
        cmocka_unit_test(mistakes_are_located),
        cmocka_unit_test(heat_warnings_are_given),
        cmocka_unit_test_setup_teardown(frames_resume, make_folder, remove_folder),
        cmocka_unit_test(heat_runs_on_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
