/* Presets in worlds that are built by calls: numbers, settings and motion are those of the scene
   file, to the last bit. */
#include "scene_text.h"

#include "ooze/world.h"
#include "world/world.h"

static OozeWorld *of_scene(const char *method, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {name: %s}\nspacing: 0.01\ntime_step: 1/480\nframe_rate: 24\n"
             "duration: 0.5\nmaterials: {m: {preset: water}, n: {preset: slime%s}}\n"
             "fluids:\n"
             "  - {material: m, shape: {type: box, size: [0.04, 0.03, 0.04], position: [0, 0.015, "
             "0]}}\n"
             "  - {material: n, velocity: [0, -1, 0], shape: {type: sphere, radius: 0.02, "
             "position: [0, 0.08, 0]}}\n"
             "emitters: [{material: m, radius: 0.015, speed: 0.5, position: [0.1, 0.1, 0], "
             "motion: {velocity: [0.1, 0, 0]}}]\n"
             "solids: [{shape: {type: plane}}, {shape: {type: box, size: [0.02, 0.02, 0.02], "
             "position: [0.2, 0.1, 0]}, motion: {velocity: [-0.3, 0, 0]}}]\n",
             method, more);
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, &(OozeBuildOptions){.threads = 1}, &world, &error));
    ooze_scene_free(scene);
    return world;
}

static void add_fluids(OozeWorld *world)
{
    OozeFluidDef box = ooze_fluid_def_default(), ball = box;
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = (OozeVec3){0.04, 0.03, 0.04};
    box.shape.position = (OozeVec3){0, 0.015, 0};
    ball.material.index = 1;
    ball.velocity = (OozeVec3){0, -1, 0};
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.02;
    ball.shape.position = (OozeVec3){0, 0.08, 0};
    CHECK_OK(ooze_world_add_fluid(world, &box, NULL, &error));
    CHECK_OK(ooze_world_add_fluid(world, &ball, NULL, &error));
    OozeEmitterDef emitter = ooze_emitter_def_default();
    emitter.radius = 0.015;
    emitter.speed = 0.5;
    emitter.position = (OozeVec3){0.1, 0.1, 0};
    emitter.motion.velocity = (OozeVec3){0.1, 0, 0};
    CHECK_OK(ooze_world_add_emitter(world, &emitter, NULL, &error));
}

/* `key` NULL: the slime has no number of its own. */
static OozeWorld *of_calls(const char *method, const char *key, double value)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = 0.01;
    def.time_step = 1.0 / 480;
    def.duration = 0.5;
    def.threads = 1;
    OozeWorld *world = NULL;
    OozeMaterialDef water, slime;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_material_preset("water", &water, &error));
    CHECK_OK(ooze_material_preset("slime", &slime, &error));
    if (key) {
        CHECK_OK(ooze_material_def_set(&slime, key, value, &error));
    }
    CHECK_OK(ooze_world_add_material(world, &water, NULL, &error));
    CHECK_OK(ooze_world_add_material(world, &slime, NULL, &error));
    OozeSolidDef plane = ooze_solid_def_default(), box = plane;
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = (OozeVec3){0.02, 0.02, 0.02};
    box.shape.position = (OozeVec3){0.2, 0.1, 0};
    box.motion.velocity = (OozeVec3){-0.3, 0, 0};
    CHECK_OK(ooze_world_add_solid(world, &plane, NULL, &error));
    CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
    add_fluids(world);
    return world;
}

static void check_numbers(const OozeWorld *a, const OozeWorld *b, const char *method)
{
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
            double x = a->materials.items[m].values[i], y = b->materials.items[m].values[i];
            if (!(x == y || (isnan(x) && isnan(y)))) {
                fail_msg("%s: number %d of material %d is %.17g and %.17g", method, i, m, x, y);
            }
        }
    }
    for (int i = 0; i < a->method->info.param_count; i++) {
        double x = ooze_method_param(a->method, a->params, i);
        double y = ooze_method_param(b->method, b->params, i);
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
}

/* A few steps: what differs in the first one differs in all. */
static void check_same(const char *method, OozeWorld *a, OozeWorld *b)
{
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ooze_world_step(a, &error));
        CHECK_OK(ooze_world_step(b, &error));
    }
    check_numbers(a, b, method);
    uint64_t n = ooze_particles_count(a->particles);
    assert_int_equal(n, ooze_particles_count(b->particles));
    assert_memory_equal(ooze_particles_positions(a->particles),
                        ooze_particles_positions(b->particles), n * sizeof(OozeFloat4));
    assert_memory_equal(ooze_particles_velocities(a->particles),
                        ooze_particles_velocities(b->particles), n * sizeof(OozeFloat4));
    ooze_world_destroy(a);
    ooze_world_destroy(b);
}

static void worlds_have_the_bits_of_scenes(void **state)
{
    (void)state;
    static const char *const methods[] = {"conformation", "blend",  "links", "springs",
                                          "cauchy",       "stress", "wcsph", "ballistic"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        check_same(methods[i], of_scene(methods[i], ""), of_calls(methods[i], NULL, 0));
    }
}

/* The same value as the preset's is a number of the user's, too. */
static void stated_numbers_stay(void **state)
{
    (void)state;
    check_same("blend", of_scene("blend", ", fluid_share: 0.3"),
               of_calls("blend", "fluid_share", 0.3));
    check_same("blend", of_scene("blend", ", modulus: 200"), of_calls("blend", "modulus", 200));
    check_same("stress", of_scene("stress", ", solvent_viscosity: 10"),
               of_calls("stress", "solvent_viscosity", 10));
    /* it replaces the modulus of the preset */
    check_same("wcsph", of_scene("wcsph", ", viscosity: 20"), of_calls("wcsph", "viscosity", 20));
}

static double number(const OozeWorld *world, const char *key)
{
    double value = NAN;
    CHECK_OK(ooze_world_get_material(world, (OozeMaterialId){0}, key, &value, &error));
    return value;
}

static void settings_and_values_of_the_user_stay(void **state)
{
    (void)state;
    OozeWorld *world = of_calls("blend", NULL, 0);
    CHECK_OK(ooze_world_set_param(world, "update_interval", 0.25, &error));
    CHECK_OK(ooze_world_set_material(world, (OozeMaterialId){0}, "fluid_share", 0.5, &error));
    CHECK_OK(ooze_world_step(world, &error));
    double interval = 0.0;
    CHECK_OK(ooze_world_get_param(world, "update_interval", &interval, &error));
    assert_true(interval == 0.25 && number(world, "fluid_share") == 0.5);
    ooze_world_destroy(world);
}

/* A definition that is written to without ooze_material_def_set. */
static void values_that_differ_from_the_preset_stay(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    def.method = "blend";
    OozeWorld *world = NULL;
    OozeMaterialDef water;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_material_preset("water", &water, &error));
    water.values[OOZE_MATERIAL_VISCOSITY] = 3.0;
    water.values[OOZE_MATERIAL_FLUID_SHARE] = 0.9;
    CHECK_OK(ooze_world_add_material(world, &water, NULL, &error));
    CHECK_OK(ooze_world_step(world, &error));
    assert_true(number(world, "viscosity") == 3.0 && number(world, "fluid_share") == 0.9);
    water.preset = "watr";
    CHECK_FAILS(ooze_world_add_material(world, &water, NULL, &error), OOZE_ERROR_ARGUMENT,
                "no preset 'watr'");
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_have_the_bits_of_scenes),
        cmocka_unit_test(stated_numbers_stay),
        cmocka_unit_test(settings_and_values_of_the_user_stay),
        cmocka_unit_test(values_that_differ_from_the_preset_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
