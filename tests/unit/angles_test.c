/* Geometric angles are in degrees and angular velocities in degrees per second, in the keys of a
   scene, in the API and in readings: 360 deg/s is a revolution per second in each of them. */
#include "scene_text.h"

#include <dirent.h>
#include <regex.h>

#include "base/vec3.h"
#include "methods/method.h"
#include "ooze/ooze.h"
#include "scene/keys.h"
#include "world/probes/probe.h"
#include "world/world.h"

/* The angular frequency of an oscillation (omega) is a frequency, and is in rad/s. */
static bool mentions_radians(const char *text)
{
    regex_t radians;
    assert_int_equal(regcomp(&radians, "(^|[^A-Za-z_])rad(ian)?s?([^A-Za-z_]|$)",
                             REG_EXTENDED | REG_ICASE | REG_NOSUB),
                     0);
    bool found = text && regexec(&radians, text, 0, NULL, 0) == 0;
    regfree(&radians);
    return found && !strstr(text, "omega");
}

enum { SECTIONS_MAX = 128 };

typedef struct Walk {
    const OozeSection *seen[SECTIONS_MAX];
    int seen_count, keys, angles;
} Walk;

static void check_row(Walk *walk, const char *where, const char *key, const char *unit,
                      const char *help)
{
    if (mentions_radians(unit) || mentions_radians(help)) {
        fail_msg("%s.%s: unit '%s', '%s'", where, key, unit, help);
    }
    walk->keys++;
    walk->angles += unit && strncmp(unit, "deg", 3) == 0 && strncmp(unit, "degC", 4) != 0;
}

static void walk_section(Walk *walk, const OozeSection *section)
{
    for (int i = 0; i < walk->seen_count; i++) {
        if (walk->seen[i] == section) {
            return;
        }
    }
    assert_true(walk->seen_count < SECTIONS_MAX);
    walk->seen[walk->seen_count++] = section;
    assert_false(mentions_radians(section->help));
    for (int i = 0; i < section->key_count; i++) {
        const OozeKey *row = &section->keys[i];
        check_row(walk, section->name, row->key, row->unit, row->help);
        if (row->section) {
            walk_section(walk, row->section);
        }
    }
}

static void no_key_is_in_radians(void **state)
{
    (void)state;
    Walk walk = {.keys = 0};
    walk_section(&walk, &ooze_scene_root);
    walk_section(&walk, &ooze_section_rotation);
    for (int i = 0; i < OOZE_PROBE_KIND_COUNT; i++) {
        check_row(&walk, "probe", ooze_probe_kinds[i].name, "", ooze_probe_kinds[i].help);
    }
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    for (int i = 0; i < count; i++) {
        check_row(&walk, "material", params[i].key, params[i].unit, params[i].help);
    }
    /* spin twice, phase, roll, limits and speed of a joint, degrees, field of view */
    assert_true(walk.keys > 150 && walk.angles >= 9);
}

static void no_header_is_in_radians(void **state)
{
    (void)state;
    const char *folder = OOZE_SOURCE_DIR "/include/ooze";
    DIR *entries = opendir(folder);
    int lines = 0;
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[4096], line[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            lines++;
            if (mentions_radians(line)) {
                fail_msg("%s: %s", entry->d_name, line);
            }
        }
        if (file) {
            fclose(file);
        }
    }
    closedir(entries);
    assert_true(lines > 500);
}

/* ---- a revolution per second ----------------------------------------------------------------- */

enum { PADDLE };

/* Angle (deg) by which a solid has rotated about y, from -180 to 180. */
static double heading(const OozeWorld *world, int solid)
{
    OozeQuat q = world->solids.items[solid].pose.rotation;
    OozeVec3 x = quat_rotate(q, vec3(1, 0, 0));
    return atan2(-x.z, x.x) * 180.0 / M_PI;
}

static void run(OozeWorld *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* A quarter of a revolution after 0.25 s, a full one after 1 s; the view and the probe show it. */
static void check_paddle(OozeWorld *world)
{
    run(world, 60);
    CHECK_NEAR(heading(world, PADDLE), 90.0, 1e-9);
    run(world, 180);
    CHECK_NEAR(heading(world, PADDLE), 0.0, 1e-9);
    CHECK_NEAR(ooze_world_frame(world)->solids[PADDLE].pose.spin.y, 360.0, 1e-12);
    OozeProbeReading reading;
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, (OozeProbeId){0}, &reading, &error));
    assert_string_equal(reading.columns[7], "p.wy");
    assert_string_equal(reading.units[7], "deg/s");
    CHECK_NEAR(reading.values[7], 360.0, 1e-12);
}

/* The fluid is 0.3 m from the axis: 360 deg/s give 0.3 * 2 pi m/s. */
static void check_fluid(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    assert_true(frame->particle_count > 0);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double arm = hypot(ooze_field_value(x, i, 0) - 5.0, ooze_field_value(x, i, 2));
        CHECK_NEAR(hypot(ooze_field_value(v, i, 0), ooze_field_value(v, i, 2)), 2.0 * M_PI * arm,
                   1e-5);
    }
}

static OozeWorld *scene_world(void)
{
    OozeScene *scene = load_good(
        HEAD
        "gravity: [0, 0, 0]\n"
        "materials: {grain: {density: 1000}}\n"
        "fluids:\n"
        "  - {material: grain, shape: {type: box, size: [0.4, 0.2, 0.4], position: [5, 0, 0]},"
        " spin: [0, 360, 0]}\n"
        "solids:\n"
        "  - {name: paddle, shape: {type: box, size: [1, 1, 1]}, motion: {spin: [0, 360, 0]}}\n"
        "probes:\n"
        "  - {name: p, kind: solid, solid: paddle}\n");
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    ooze_scene_free(scene);
    return world;
}

static OozeWorld *api_world(void)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "ballistic";
    def.spacing = 0.1;
    def.time_step = 1.0 / 240.0;
    def.gravity = vec3(0, 0, 0);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef grain = ooze_material_def_default();
    OozeFluidDef fluid = ooze_fluid_def_default();
    CHECK_OK(ooze_world_add_material(world, &grain, &fluid.material, &error));
    fluid.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    fluid.shape.size = vec3(0.4, 0.2, 0.4);
    fluid.shape.position = vec3(5, 0, 0);
    fluid.spin = vec3(0, 360, 0);
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    OozeSolidDef paddle = ooze_solid_def_default();
    paddle.name = "paddle";
    paddle.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    paddle.shape.size = vec3(1, 1, 1);
    paddle.motion.spin = vec3(0, 360, 0);
    CHECK_OK(ooze_world_add_solid(world, &paddle, NULL, &error));
    OozeProbeDef probe = ooze_probe_def_default();
    probe.name = "p";
    probe.kind = OOZE_PROBE_SOLID;
    probe.solid = "paddle";
    CHECK_OK(ooze_world_add_probe(world, &probe, NULL, &error));
    return world;
}

static void spin_of_360_is_a_revolution_per_second(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = k == 0 ? scene_world() : api_world();
        check_fluid(world);
        check_paddle(world);
        OozeSolidPose pose = ooze_world_frame(world)->solids[PADDLE].pose;
        pose.spin = vec3(0, -720, 0); /* from the end of the next step on */
        CHECK_OK(ooze_world_set_solid_pose(world, (OozeSolidId){PADDLE}, &pose, &error));
        run(world, 1 + 30);
        CHECK_NEAR(heading(world, PADDLE), -90.0, 1e-9);
        ooze_world_destroy(world);
    }
}

/* A motor of 360 deg/s, a change to -180 deg/s on a ramp, and a stop at 30 degrees. */
static void hinges_are_in_degrees(void **state)
{
    (void)state;
    if (!ooze_dynamics_find()) {
        SKIP_TEST("without ODE there are no joints");
    }
    OozeScene *scene = load_good(
        HEAD
        "gravity: [0, 0, 0]\n"
        "solids:\n"
        "  - {name: wheel, shape: {type: box, size: [1, 0.1, 0.1]}, density: 1000}\n"
        "  - {name: door, shape: {type: box, size: [1, 0.1, 0.1], position: [0, 3, 0]},"
        " density: 1000}\n"
        "joints:\n"
        "  - {name: axle, type: hinge, solid: wheel, axis: [0, 1, 0], speed: 360, force: inf}\n"
        "  - {name: hinge, type: hinge, solid: door, axis: [0, 1, 0], speed: 180, force: 50,"
        " low: -10, high: 30}\n"
        "changes:\n"
        "  - {time: 1, set: joints.axle.speed, to: -180, ramp: 0.5}\n");
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    ooze_scene_free(scene);
    run(world, 120);
    const OozeFrame *frame = ooze_world_frame(world);
    CHECK_NEAR(frame->solids[0].pose.spin.y, 360.0, 1e-3);
    CHECK_NEAR(fabs(heading(world, 1)), 30.0, 0.1);
    run(world, 120 + 60); /* half of the ramp from 360 to -180 */
    CHECK_NEAR(ooze_world_frame(world)->solids[0].pose.spin.y, 90.0, 5.0);
    run(world, 120);
    CHECK_NEAR(ooze_world_frame(world)->solids[0].pose.spin.y, -180.0, 1e-3);
    CHECK_FAILS(ooze_world_set_joint(world, (OozeJointId){1}, OOZE_JOINT_HIGH, 180, &error),
                OOZE_ERROR_ARGUMENT, "high of joint 'hinge' is 180");
    ooze_world_destroy(world);
}

/* A phase of 90 degrees starts at the largest displacement; a roll of 90 degrees exchanges width
   and height of a rectangle. */
static void phase_and_roll_are_in_degrees(void **state)
{
    (void)state;
    OozeScene *scene = load_good(
        HEAD "materials: {grain: {density: 1000}}\n"
             "solids:\n"
             "  - {name: bob, shape: {type: sphere, radius: 1, position: [0, 9, 0]},\n"
             "     motion: {sine: {amplitude: [0.5, 0, 0], frequency: 1, phase: 90}}}\n"
             "emitters:\n"
             "  - {material: grain, outline: rectangle, size: [1, 0.1], direction: [0, 1, 0],"
             " speed: 24}\n"
             "  - {material: grain, outline: rectangle, size: [1, 0.1], direction: [0, 1, 0],"
             " speed: 24, position: [50, 0, 0], roll: 90}\n");
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    ooze_scene_free(scene);
    CHECK_NEAR(world->solids.items[0].pose.position.x, 0.5, 1e-12);
    run(world, 4);
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double width[2][2] = {{0}}; /* largest distance along x and z, of both jets */
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        int jet = ooze_field_value(x, i, 0) > 25.0;
        width[jet][0] = fmax(width[jet][0], fabs(ooze_field_value(x, i, 0) - 50.0 * jet));
        width[jet][1] = fmax(width[jet][1], fabs(ooze_field_value(x, i, 2)));
    }
    assert_true(fabs(width[0][0] - width[0][1]) > 0.3);
    CHECK_NEAR(width[1][0], width[0][1], 1e-4);
    CHECK_NEAR(width[1][1], width[0][0], 1e-4);
    ooze_world_destroy(world);
}

/* The frames of the fixtures hold a spin of 5 rad/s, with that unit. */
static void frames_of_earlier_versions_are_converted(void **state)
{
    (void)state;
    OozeFrame *frame = NULL;
    CHECK_OK(ooze_frame_open(OOZE_SOURCE_DIR "/tests/fixtures/runs/springs/frames/frame_000002.h5",
                             &frame, &error));
    assert_string_equal(frame->solids[1].name, "paddle");
    CHECK_NEAR(frame->solids[1].pose.spin.y, 5.0 * 180.0 / M_PI, 1e-12);
    ooze_frame_close(frame);
}

/* Degrees in the view of a frame cost no bit of the spin of a dynamic solid. */
static void restored_spins_are_exact(void **state)
{
    (void)state;
    OozeWorld *worlds[2];
    uint64_t seed = 1;
    for (int k = 0; k < 2; k++) {
        worlds[k] = api_world();
        for (int i = 0; i < 50; i++) {
            OozeSolidDef ball = ooze_solid_def_default();
            ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
            ball.shape.radius = 0.1;
            ball.shape.position = vec3(20 + i, 0, 0);
            ball.density = 1000;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            ball.motion.spin = vec3(0, 1e-16 * (double)(seed >> 1), 0);
            CHECK_OK(ooze_world_add_solid(worlds[k], &ball, NULL, &error));
        }
    }
    run(worlds[0], 2);
    const OozeFrame *frame = ooze_world_frame(worlds[0]);
    CHECK_OK(ooze_world_restore(worlds[1], frame, &error));
    for (int i = 0; i < frame->solid_count; i++) {
        assert_memory_equal(&worlds[0]->solids.items[i].pose, &worlds[1]->solids.items[i].pose,
                            sizeof(OozePose));
    }
    assert_true(ooze_frame_hash(frame) == ooze_frame_hash(ooze_world_frame(worlds[1])));
    ooze_world_destroy(worlds[0]);
    ooze_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_is_in_radians),
        cmocka_unit_test(no_header_is_in_radians),
        cmocka_unit_test(spin_of_360_is_a_revolution_per_second),
        cmocka_unit_test(hinges_are_in_degrees),
        cmocka_unit_test(phase_and_roll_are_in_degrees),
        cmocka_unit_test(frames_of_earlier_versions_are_converted),
        cmocka_unit_test(restored_spins_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
