/* Dynamic solids in scenes: keys, errors and warnings, probe, changes, USD. */
#include "unit/scene_text.h"
#include "unit/scratch_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "output/export.h"
#include "world/world.h"

#define BODIES                                                                                     \
    HEAD "solids:\n"                                                                               \
         "  - {name: floor, shape: {type: plane}}\n"                                               \
         "  - {name: box, shape: {type: box, size: [0.2, 0.2, 0.2], position: [0, 2, 0]},\n"       \
         "     density: 500, motion: {velocity: [1, 0, 0]}}\n"                                     \
         "  - {name: wheel, shape: {type: cylinder, radius: 0.1, height: 0.1, position: [3, 1, "   \
         "0]}, density: 800}\n"                                                                    \
         "probes:\n"                                                                               \
         "  - {name: b, kind: solid, solid: box}\n"

#define AXLE                                                                                       \
    "joints:\n"                                                                                    \
    "  - {name: axle, type: hinge, solid: wheel, axis: [0, 1, 0], speed: 120, force: inf}\n"       \
    "changes:\n"                                                                                   \
    "  - {time: 0.5, set: joints.axle.speed, to: -360}\n"

/* With the joint if this build has a solver of joints. */
static const char *bodies_text(void)
{
    return ooze_dynamics_find() ? BODIES AXLE : BODIES;
}

static OozeWorld *build(const char *text)
{
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    ooze_scene_free(scene);
    return world;
}

static OozeStatus try_build(const char *text, OozeError *error)
{
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    OozeStatus status = ooze_scene_build(scene, NULL, &world, error);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return status;
}

/* The box is of 4 kg, and flies; the wheel does as its motor says. */
static void a_scene_of_bodies(void **state)
{
    (void)state;
    OozeWorld *world = build(bodies_text());
    OozeProbeReading reading;
    CHECK_NEAR(world->solids.items[1].mass.mass, 4.0, 1e-12);
    for (int i = 0; i < 60; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, (OozeProbeId){0}, &reading, &error));
    assert_int_equal(reading.column_count, 18);
    assert_string_equal(reading.columns[4], "b.vy");
    CHECK_NEAR(reading.values[0], 0.25, 1e-12);
    CHECK_NEAR(reading.values[4], -9.81 * 0.25, 1e-12);
    CHECK_NEAR(reading.values[9], 0.0, 1e-15);
    CHECK_NEAR(reading.values[13], 0.0, 0.0); /* no particle pushes it */
    if (ooze_dynamics_find()) {
        CHECK_NEAR(world->solids.items[2].pose.spin.y, ooze_radians(120), 1e-6);
        for (int i = 0; i < 90; i++) {
            CHECK_OK(ooze_world_step(world, &error));
        }
        CHECK_NEAR(world->solids.items[2].pose.spin.y, ooze_radians(-360), 1e-6);
    }
    ooze_world_destroy(world);
}

/* A solid that was added after the last step: its load is not known. */
static void a_solid_added_after_a_step_has_no_load(void **state)
{
    (void)state;
    OozeWorld *world = build(bodies_text());
    CHECK_OK(ooze_world_step(world, &error));
    OozeSolidDef ball = ooze_solid_def_default();
    ball.name = "late";
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.05;
    ball.shape.position = vec3(0, 5, 0);
    ball.density = 500;
    CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    OozeProbeDef def = ooze_probe_def_default();
    def.kind = OOZE_PROBE_SOLID;
    def.name = "late";
    def.solid = "late";
    OozeProbeId id;
    OozeProbeReading reading;
    CHECK_OK(ooze_world_add_probe(world, &def, &id, &error));
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, id, &reading, &error));
    CHECK_NEAR(reading.values[1], 5.0, 1e-12);
    for (int k = 12; k < 18; k++) {
        assert_true(isnan(reading.values[k]));
    }
    ooze_world_destroy(world);
}

/* The lower limit of a joint cannot be set above the upper one. */
static void joint_limits_out_of_order_are_refused(void **state)
{
    (void)state;
    if (!ooze_dynamics_find()) {
        SKIP_TEST("without ODE there are no joints");
    }
    OozeWorld *world = build(bodies_text());
    OozeJointId id = {0};
    CHECK_OK(ooze_world_set_joint(world, id, OOZE_JOINT_HIGH, 50.0, &error));
    CHECK_OK(ooze_world_set_joint(world, id, OOZE_JOINT_LOW, -50.0, &error));
    CHECK_FAILS(ooze_world_set_joint(world, id, OOZE_JOINT_LOW, 75.0, &error), OOZE_ERROR_ARGUMENT,
                "goes from low = 75 to high = 50");
    ooze_world_destroy(world);
}

static void impossible_joints_are_refused(void **state)
{
    (void)state;
    const char *wrong = HEAD "joints: [{type: hinge, solid: dor, axis: [0, 1, 0]}]\n"
                             "solids: [{name: door, shape: {type: sphere, radius: 1}}]\n";
    OozeScene *scene = load_bytes(wrong, strlen(wrong));
    expect(scene, 6, 31, "there is no solid 'dor'");
    ooze_scene_free(scene);
    OozeWorld *world = build(HEAD "solids: [{name: door, shape: {type: sphere, radius: 1}}]\n");
    OozeJointDef joint = ooze_joint_def_default();
    joint.name = "hook";
    joint.solid.index = 0;
    if (ooze_dynamics_find()) {
        CHECK_FAILS(ooze_world_add_joint(world, &joint, NULL, &error), OOZE_ERROR_ARGUMENT,
                    "no dynamic solid");
        joint.solid.index = 7;
        CHECK_FAILS(ooze_world_add_joint(world, &joint, NULL, &error), OOZE_ERROR_ARGUMENT,
                    "between solids 7 and -1");
    } else {
        CHECK_FAILS(ooze_world_add_joint(world, &joint, NULL, &error), OOZE_ERROR_UNSUPPORTED,
                    "no ODE");
        CHECK_FAILS(try_build(BODIES AXLE, &error), OOZE_ERROR_UNSUPPORTED, "no joint 'axle'");
    }
    ooze_world_destroy(world);
}

#define COMPOUND(parts)                                                                            \
    HEAD "solids:\n  - {name: tool, density: 1000, shape: {type: compound, parts: [" parts "]}}\n"

/* Each part with its own place; the canonical text says the same again. */
static void a_compound(void **state)
{
    (void)state;
    const char *text =
        COMPOUND("{type: box, size: [0.1, 0.4, 0.1]}, {type: sphere, radius: 0.1, position: [1, 0, "
                 "0]}, {type: cylinder, radius: 0.1, height: 0.2, position: [0, 1, 0], rotation: "
                 "[90, 0, 0]}");
    OozeScene *scene = load_good(text);
    OozeScene *again = load_good(ooze_scene_canonical(scene));
    assert_string_equal(ooze_scene_canonical(scene), ooze_scene_canonical(again));
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(again, NULL, &world, &error));
    const double pi = 3.14159265358979323846, mass = 4.0 + pi * (4.0 / 3.0 + 2.0);
    CHECK_NEAR(world->solids.items[0].mass.mass, mass, 1e-12);
    CHECK_NEAR(world->solids.items[0].mass.centre.y, 2.0 * pi / mass, 1e-12);
    CHECK_OK(ooze_export_usda_solids(again, folder, &error));
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    ooze_scene_free(again);
    CHECK_FAILS(try_build(COMPOUND("{type: plane}"), &error), OOZE_ERROR_ARGUMENT,
                "part 1 of the compound is a plane");
    CHECK_FAILS(try_build(COMPOUND("{type: compound, parts: [{type: sphere, radius: 1}]}"), &error),
                OOZE_ERROR_ARGUMENT, "part 1 of the compound is a compound itself");
    const char *lacking = HEAD "solids: [{name: tool, shape: {type: compound}}]\n";
    scene = load_bytes(lacking, strlen(lacking));
    expect(scene, 6, 30, "the shape lacks 'parts'");
    ooze_scene_free(scene);
    const char *misplaced =
        HEAD "solids: [{name: tool, shape: {type: sphere, radius: 1, parts: []}}]\n";
    scene = load_bytes(misplaced, strlen(misplaced));
    expect(scene, 6, 56, "'parts' does not apply to a shape of type 'sphere'");
    ooze_scene_free(scene);
}

static bool warns(const char *text, const char *part)
{
    OozeScene *scene = load_bytes(text, strlen(text));
    OozeWorld *world = NULL;
    bool found = false;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    ooze_world_destroy(world);
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        found = found || strstr(ooze_scene_diagnostic(scene, i)->message, part);
    }
    ooze_scene_free(scene);
    return found;
}

#define BALL(name, x, radius, density)                                                             \
    "  - {name: " name ", shape: {type: sphere, radius: " radius ", position: [" x                 \
    ", 0, 0]}, density: " density "}\n"

static void overlaps_and_unequal_masses_are_warned_of(void **state)
{
    (void)state;
    const char *inside = HEAD "solids:\n" BALL("a", "0", "1", "500") BALL("b", "1", "1", "500");
    const char *unlike =
        HEAD "solids:\n" BALL("a", "0", "1", "9000") BALL("b", "1.05", "0.05", "100");
    const char *good = HEAD "solids:\n" BALL("a", "0", "1", "500") BALL("b", "2", "1", "500");
    assert_true(warns(inside, "solids 'a' and 'b' start 1 m inside each other"));
    assert_true(warns(unlike, "masses so unlike are poorly solved"));
    assert_false(warns(good, "solids 'a' and 'b'"));
    assert_false(warns(good, "nothing to simulate"));
}

/* Poses with each frame, shapes once, under one name. */
static void usd_has_shapes_and_poses(void **state)
{
    (void)state;
    char path[512];
    OozeScene *scene = load_good(bodies_text());
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_world_step(world, &error));
    snprintf(path, sizeof path, "%s/frame.usda", folder);
    CHECK_OK(ooze_export_usda(ooze_world_frame(world), path, &error));
    CHECK_OK(ooze_export_usda_solids(scene, folder, &error));
    const char *const files[] = {"frame.usda"};
    const double times[] = {0.0};
    CHECK_OK(ooze_export_usda_stage(folder, files, times, 1, OOZE_AXIS_Y, &error));
    const char *const names[] = {"frame.usda", "solids.usda", "run.usda"};
    const char *const parts[][3] = {
        {"def Xform \"box\"", "xformOp:translate.timeSamples", "custom double3 velocity"},
        {"over \"wheel\"", "def Mesh \"shape\"", "faceVertexIndices"},
        {"subLayers = [@./solids.usda@]", "def Xform \"ooze\"", "clips"},
    };
    for (int f = 0; f < 3; f++) {
        char *text = NULL;
        size_t size = 0;
        snprintf(path, sizeof path, "%s/%s", folder, names[f]);
        CHECK_OK(ooze_file_read(path, 1 << 24, &text, &size, &error));
        for (int k = 0; k < 3; k++) {
            assert_non_null(strstr(text, parts[f][k]));
        }
        assert_true(f != 1 || !strstr(text, "floor")); /* planes have no end */
        ooze_free(text);
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_of_bodies),
        cmocka_unit_test(a_solid_added_after_a_step_has_no_load),
        cmocka_unit_test(joint_limits_out_of_order_are_refused),
        cmocka_unit_test(impossible_joints_are_refused),
        cmocka_unit_test(a_compound),
        cmocka_unit_test(overlaps_and_unequal_masses_are_warned_of),
        cmocka_unit_test_setup_teardown(usd_has_shapes_and_poses, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
