/* Numbers that change in time: times, ramps, resuming with the same bits, and the scene format. */
#include "scene_text.h"

#include "base/vec3.h"
#include "world/world.h"

#define STEP (1.0 / 64.0) /* exact in binary, so that times of steps are */

static OozeWorld *make_world(void)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.time_step = STEP;
    def.threads = 2;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "drag", 2, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef solid = ooze_solid_def_default();
    solid.shape.kind = OOZE_SHAPE_PLANE;
    solid.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &solid, NULL, &error));
    OozeEmitterDef emitter = ooze_emitter_def_default();
    emitter.radius = 0.1;
    emitter.position = vec3(0, 1, 0);
    emitter.speed = 1;
    CHECK_OK(ooze_world_add_emitter(world, &emitter, NULL, &error));
    return world;
}

static OozeChangeDef change_of(OozeChangeTarget target, const char *key, double time, double value,
                               double ramp)
{
    OozeChangeDef def = ooze_change_def_default();
    def.target = target;
    def.key = key;
    def.time = time;
    def.value = value;
    def.ramp = ramp;
    return def;
}

static void add(OozeWorld *world, OozeChangeTarget target, const char *key, double time,
                double value, double ramp)
{
    OozeChangeDef def = change_of(target, key, time, value, ramp);
    CHECK_OK(ooze_world_add_change(world, &def, &error));
}

static void add_push(OozeWorld *world, double time)
{
    OozePushDef push = {.position = {0, 1, 0}, .radius = 0.3, .velocity = {0, 2, 0}, .time = time};
    CHECK_OK(ooze_world_add_push(world, &push, &error));
}

static double drag(OozeWorld *world)
{
    double value = NAN;
    CHECK_OK(ooze_world_get_material(world, (OozeMaterialId){0}, "drag", &value, &error));
    return value;
}

static void step(OozeWorld *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* Velocities added before each step are a force: with the acceleration of gravity, particles of a
   world without gravity fall like those of a world with it. */
static void added_velocities_are_a_force(void **state)
{
    (void)state;
    enum { STEPS = 32 };
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.time_step = STEP;
    def.threads = 2;
    for (int forced = 0; forced < 2; forced++) {
        OozeWorld *world = NULL;
        def.gravity = vec3(0, forced ? 0 : -9.81, 0);
        CHECK_OK(ooze_world_create(&def, &world, &error));
        OozeMaterialDef material = ooze_material_def_default();
        OozeMaterialId id;
        CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
        OozeVec3 x[2] = {{0, 10, 0}, {1, 10, 0}}, v[2] = {{0, -9.81 * STEP, 0}, {0, 0, 0}};
        CHECK_OK(ooze_world_add_particles(world, id, 2, x, NULL, &error));
        for (int i = 0; i < STEPS; i++) {
            if (forced) {
                CHECK_OK(ooze_world_add_velocities(world, 2, v, &error));
            }
            CHECK_OK(ooze_world_step(world, &error));
        }
        const OozeFieldView *at = ooze_frame_field(ooze_world_frame(world), "position");
        double t = STEPS * STEP;
        /* exact under gravity; velocities that are added first act a whole step each */
        CHECK_NEAR(ooze_field_value(at, 0, 1), 10 - 9.81 * t * (t + (forced ? STEP : 0)) / 2, 1e-5);
        if (forced) {
            assert_true(ooze_field_value(at, 1, 1) == 10); /* the other particle got none */
            v[1].z = NAN;
            CHECK_FAILS(ooze_world_add_velocities(world, 2, v, &error), OOZE_ERROR_ARGUMENT,
                        "particle 1");
            CHECK_FAILS(ooze_world_add_velocities(world, 1, v, &error), OOZE_ERROR_ARGUMENT,
                        "1 velocities for 2 particles");
        }
        ooze_world_destroy(world);
    }
}

/* A jump acts in the first step that begins at its time; a ramp passes every value between. */
static void jumps_and_ramps(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    add(world, OOZE_CHANGE_MATERIAL, "drag", 4 * STEP, 10, 0);
    add(world, OOZE_CHANGE_MATERIAL, "drag", 8 * STEP, 2, 16 * STEP);
    step(world, 4);
    assert_true(drag(world) == 2);
    step(world, 1);
    assert_true(drag(world) == 10);
    step(world, 4); /* the step that begins at 8 has been taken: the ramp stands at its foot */
    CHECK_NEAR(drag(world), 10, 1e-5);
    step(world, 4);
    CHECK_NEAR(drag(world), 10 - 8 * 4.0 / 16.0, 1e-5);
    step(world, 12);
    assert_true(drag(world) == 2);
    /* what is over does not come back over a number that the program sets */
    CHECK_OK(ooze_world_set_material(world, (OozeMaterialId){0}, "drag", 7, &error));
    step(world, 3);
    assert_true(drag(world) == 7);
    ooze_world_destroy(world);
}

/* A change that begins takes over from where the last has got to, whatever the order of adding. */
static void a_later_change_starts_from_the_present_value(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    add(world, OOZE_CHANGE_MATERIAL, "drag", 8 * STEP, 0, 8 * STEP);
    add(world, OOZE_CHANGE_MATERIAL, "drag", 0, 18, 16 * STEP);
    step(world, 9); /* halfway up the first: 2 + 16/2 */
    CHECK_NEAR(drag(world), 10, 1e-4);
    step(world, 4);
    CHECK_NEAR(drag(world), 5, 1e-4);
    step(world, 8);
    assert_true(drag(world) == 0);
    ooze_world_destroy(world);
}

static void every_number_can_change(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    add(world, OOZE_CHANGE_METHOD, "contact_distance", STEP, 0.25, 0);
    add(world, OOZE_CHANGE_SOLID, "friction", STEP, 0.5, 8 * STEP); /* no way from infinity */
    add(world, OOZE_CHANGE_SOLID, "collides", 2 * STEP, 0, 0);
    add(world, OOZE_CHANGE_EMITTER, "speed", STEP, 3, 4 * STEP);
    step(world, 4); /* the last began at 3: half of the ramp of the speed */
    double contact, friction, collides;
    CHECK_OK(ooze_world_get_param(world, "contact_distance", &contact, &error));
    CHECK_OK(ooze_world_get_solid(world, (OozeSolidId){0}, OOZE_SOLID_FRICTION, &friction, &error));
    CHECK_OK(ooze_world_get_solid(world, (OozeSolidId){0}, OOZE_SOLID_COLLIDES, &collides, &error));
    assert_true(contact == 0.25 && friction == 0.5 && collides == 0);
    CHECK_NEAR(world->emitters.items[0].state.speed, 2, 1e-5);
    ooze_world_destroy(world);
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    static const struct {
        OozeChangeDef def;
        const char *message;
    } rows[] = {
        {{OOZE_CHANGE_MATERIAL, 0, "drga", 1, 0, 0}, "drga"},
        {{OOZE_CHANGE_MATERIAL, 0, "drag", -1, 0, 0}, "drag"},
        {{OOZE_CHANGE_MATERIAL, 0, "density", NAN, 0, 0}, "density"},
        {{OOZE_CHANGE_MATERIAL, 3, "drag", 1, 0, 0}, "material 3"},
        {{OOZE_CHANGE_MATERIAL, 0, "drag", 1, -1, 0}, "time"},
        {{OOZE_CHANGE_MATERIAL, 0, "drag", 1, 0, INFINITY}, "ramp"},
        {{OOZE_CHANGE_SOLID, 0, "color", 1, 0, 0}, "color"},
        {{OOZE_CHANGE_SOLID, 0, "restitution", 2, 0, 0}, "between 0 and 1"},
        {{OOZE_CHANGE_SOLID, 0, "collides", 0, 0, 1}, "ramp"},
        {{OOZE_CHANGE_EMITTER, 0, "radius", 1, 0, 0}, "radius"},
        {{OOZE_CHANGE_EMITTER, 0, "speed", -1, 0, 0}, "speed"},
        {{OOZE_CHANGE_EMITTER, -1, "speed", 1, 0, 0}, "emitter -1"},
        {{OOZE_CHANGE_EMITTER, 0, "position.w", 1, 0, 0}, "position.w"},
        {{OOZE_CHANGE_SOLID, 0, "position.x", INFINITY, 0, 0}, "position.x"},
        {{OOZE_CHANGE_WORLD, 0, "gravity", 1, 0, 0}, "gravity"},
        {{OOZE_CHANGE_WORLD, 0, "gravity.y", NAN, 0, 0}, "gravity.y"},
        {{OOZE_CHANGE_WORLD, 0, "air.transfer", -1, 0, 0}, "air.transfer"},
        {{OOZE_CHANGE_METHOD, 0, "bulkiness", 1, 0, 0}, "bulkiness"},
        {{OOZE_CHANGE_TARGET_COUNT, 0, "speed", 1, 0, 0}, "no target"},
        {{OOZE_CHANGE_MATERIAL, 0, NULL, 1, 0, 0}, "key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_FAILS(ooze_world_add_change(world, &rows[i].def, &error), OOZE_ERROR_ARGUMENT,
                    rows[i].message);
    }
    assert_int_equal(world->changes.count, 0);
    assert_true(drag(world) == 2); /* trying a value must not leave it there */
    ooze_world_destroy(world);
}

/* Stopped within a ramp and resumed: bitwise the run that never stopped. */
static void resumes_bitwise(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int resumed = 0; resumed < 2; resumed++) {
        OozeWorld *world[2];
        for (int k = 0; k < 2; k++) {
            world[k] = make_world();
            add(world[k], OOZE_CHANGE_MATERIAL, "drag", 3 * STEP, 17, 10 * STEP);
            add(world[k], OOZE_CHANGE_EMITTER, "speed", 5 * STEP, 0.3, 20 * STEP);
            add(world[k], OOZE_CHANGE_MATERIAL, "drag", 20 * STEP, 0, 0);
            add(world[k], OOZE_CHANGE_SOLID, "position.y", 4 * STEP, 0.7, 20 * STEP);
            add(world[k], OOZE_CHANGE_EMITTER, "position.x", 2 * STEP, 0.5, 12 * STEP);
            add(world[k], OOZE_CHANGE_WORLD, "gravity.x", 6 * STEP, 3, 10 * STEP);
            add(world[k], OOZE_CHANGE_WORLD, "air.temperature", 0, 35, 0);
            add_push(world[k], 12 * STEP);
        }
        step(world[0], 9);
        if (resumed) {
            CHECK_OK(ooze_world_restore(world[1], ooze_world_frame(world[0]), &error));
        }
        OozeWorld *last = world[resumed];
        step(last, 30);
        hash[resumed] = ooze_frame_hash(ooze_world_frame(last));
        assert_true(drag(last) == 0);
        ooze_world_destroy(world[0]);
        ooze_world_destroy(world[1]);
    }
    assert_true(hash[0] == hash[1]);
}

/* A solid that follows a ramp of its position moves particles on it; gravity turns a fall. */
static void positions_and_gravity_change(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    add(world, OOZE_CHANGE_SOLID, "position.y", 4 * STEP, 0.5, 16 * STEP);
    add(world, OOZE_CHANGE_EMITTER, "position.x", 2 * STEP, 3, 0);
    add(world, OOZE_CHANGE_WORLD, "gravity.x", 8 * STEP, 4, 0);
    step(world, 13); /* the last step begins at 12: half of the ramp */
    CHECK_NEAR(world->solids.items[0].pose.position.y, 0.25, 1e-6);
    CHECK_NEAR(world->solids.items[0].previous.position.y, 0.25 - 0.5 / 16, 1e-6);
    CHECK_NEAR(world->solids.items[0].pose.velocity.y, 0.5 / (16 * STEP), 1e-4);
    assert_true(world->emitters.items[0].motion.position.x == 3);
    assert_true(world->def.gravity.x == 4);
    step(world, 20);
    assert_true(world->solids.items[0].pose.position.y == 0.5);
    assert_true(world->solids.items[0].previous.position.y == 0.5); /* it rests */
    assert_true(world->solids.items[0].pose.velocity.y == 0);
    ooze_world_destroy(world);
}

static double mean_height_speed(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    double sum = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        sum += ooze_field_value(ooze_frame_field(frame, "velocity"), i, 1);
    }
    return sum / (double)frame->particle_count;
}

/* A push acts once: one step makes the difference, later ones keep it. */
static void a_push_acts_in_one_step(void **state)
{
    (void)state;
    OozeWorld *world[2] = {make_world(), make_world()};
    double difference[3];
    OozePushDef push = {.radius = 1e6, .velocity = {0, 1, 0}, .time = 30.5 * STEP};
    CHECK_OK(ooze_world_add_push(world[1], &push, &error));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ooze_world_set_material(world[k], (OozeMaterialId){0}, "drag", 0, &error));
        CHECK_OK(ooze_world_set_emitter_speed(world[k], (OozeEmitterId){0}, 1, &error));
        step(world[k], 31);
    }
    difference[0] = mean_height_speed(world[1]) - mean_height_speed(world[0]);
    for (int i = 1; i < 3; i++) {
        step(world[0], 1);
        step(world[1], 1);
        difference[i] = mean_height_speed(world[1]) - mean_height_speed(world[0]);
    }
    assert_true(difference[0] == 0);  /* the step that begins at 31 is the first one after it */
    assert_true(difference[1] > 0.3); /* particles inside the nozzle keep their prescribed speed */
    assert_true(difference[2] > 0.3 && difference[2] < 1.001);
    push.radius = 0;
    CHECK_FAILS(ooze_world_add_push(world[0], &push, &error), OOZE_ERROR_ARGUMENT, "radius");
    ooze_world_destroy(world[0]);
    ooze_world_destroy(world[1]);
}

/* ---- in a scene ------------------------------------------------------------------------------ */

#define THINGS                                                                                     \
    "materials: {honey: {drag: 1}}\n"                                                              \
    "emitters: [{name: jet, material: honey, radius: 0.2, speed: 1}]\n"                            \
    "solids: [{name: floor, shape: {type: plane}}]\n"

static void changes_of_scenes_are_applied(void **state)
{
    (void)state;
    OozeScene *scene =
        load_good(HEAD THINGS "changes:\n"
                              "  - {time: 1/2, set: materials.honey.drag, to: 3*2, "
                              "ramp: 0.25}\n"
                              "  - {time: 0, set: solids.0.collides, to: false}\n"
                              "  - {time: 0, set: emitters.jet.speed, to: 2}\n"
                              "  - {time: 0, set: method.contact_distance, to: 1}\n");
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    assert_int_equal(world->changes.count, 4);
    assert_true(world->changes.items[0].value == 6 && world->changes.items[0].time == 0.5);
    CHECK_OK(ooze_world_advance(world, 0.75 + 1.0 / 240, NULL, NULL, &error));
    assert_true(drag(world) == 6);
    assert_true(world->emitters.items[0].state.speed == 2);
    assert_true(world->solids.items[0].params[OOZE_SOLID_COLLIDES] == 0);
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    ooze_world_destroy(world);
    /* the canonical text says the same */
    OozeScene *again = load_good(ooze_scene_canonical(scene));
    assert_string_equal(ooze_scene_canonical(scene), ooze_scene_canonical(again));
    assert_true(again->def.changes[0].def.value == 6 && again->def.changes[1].def.value == 0);
    ooze_scene_free(again);
    ooze_scene_free(scene);
}

/* What a program changes while the scene runs gives the state of a scene that says the same. */
static void a_running_world_changes_as_its_scene_would(void **state)
{
    (void)state;
    const char *rows = "changes:\n"
                       "  - {time: 0.1, set: materials.honey.drag, to: 6, ramp: 0.05}\n"
                       "  - {time: 0.1, set: solids.floor.position.y, to: -0.5, ramp: 0.2}\n"
                       "  - {time: 0.2, set: emitters.jet.position.x, to: 0.25}\n"
                       "  - {time: 0.2, set: gravity.z, to: -2}\n"
                       "  - {time: 0.2, set: air.temperature, to: 30}\n";
    char text[2048];
    snprintf(text, sizeof text, HEAD THINGS "%s", rows);
    OozeScene *whole = load_good(text), *bare = load_good(HEAD THINGS);
    OozeWorld *world[2] = {0};
    CHECK_OK(ooze_scene_build(whole, NULL, &world[0], &error));
    CHECK_OK(ooze_scene_build(bare, NULL, &world[1], &error));
    step(world[0], 90);
    step(world[1], 24);
    for (int i = 0; i < whole->def.change_count; i++) {
        const OozeSceneChange *row = &whole->def.changes[i];
        step(world[1], i == 2 ? 24 : 0);
        OozeSceneChangeText change = {row->set, row->to, row->def.time, row->def.ramp};
        CHECK_OK(ooze_scene_change_world(bare, world[1], &change, &error));
    }
    step(world[1], 42);
    assert_true(ooze_frame_hash(ooze_world_frame(world[0])) ==
                ooze_frame_hash(ooze_world_frame(world[1])));
    OozeSceneChangeText wrong = {"materials.hony.drag", "1", 0, 0};
    CHECK_FAILS(ooze_scene_change_world(bare, world[1], &wrong, &error), OOZE_ERROR_ARGUMENT,
                "no 'hony'");
    wrong.set = "gravity.w";
    CHECK_FAILS(ooze_scene_change_world(bare, world[1], &wrong, &error), OOZE_ERROR_ARGUMENT,
                "gravity");
    wrong = (OozeSceneChangeText){"materials.honey.drag", "-1", 0, 0};
    CHECK_FAILS(ooze_scene_change_world(bare, world[1], &wrong, &error), OOZE_ERROR_ARGUMENT,
                "'drag' is -1");
    assert_int_equal(ooze_scene_diagnostic_count(bare), 0);
    for (int i = 0; i < 2; i++) {
        ooze_world_destroy(world[i]);
    }
    ooze_scene_free(whole);
    ooze_scene_free(bare);
}

static void mistakes_in_changes_are_located(void **state)
{
    (void)state;
#define CHANGE(text) HEAD THINGS "changes: [{time: 0, " text "}]\n"
    expect_one(CHANGE("set: materials.hony.drag, to: 1"), 9, 26, "no 'hony'", "honey");
    expect_one(CHANGE("set: materials.honey.drga, to: 1"), 9, 26, "'drga'", "drag");
    expect_one(CHANGE("set: materials.honey, to: 1"), 9, 26, "not the path", "materials.NAME");
    expect_one(CHANGE("set: gravity, to: 1"), 9, 26, "not the path", "");
    expect_one(CHANGE("set: emitters.jet.radius, to: 1"), 9, 26, "'radius'", "speed");
    expect_one(CHANGE("set: solids.floor.color, to: 1"), 9, 26, "'color'", "");
    expect_one(CHANGE("set: materials.honey.drag, to: -1"), 9, 52, "'drag' is -1", "");
    expect_one(CHANGE("set: solids.floor.collides, to: no, ramp: 1"), 9, 63, "ramp", "leave");
    expect_one(CHANGE("set: materials.honey.drag"), 9, 11, "lacks 'to'", "");
#undef CHANGE
    OozeScene *scene =
        load_good(HEAD THINGS "changes:\n"
                              "  - {time: 2, set: materials.honey.drag, to: 1}\n"
                              "  - {time: 0, set: materials.honey.modulus, to: 1, ramp: 1}\n"
                              "  - {time: 0, set: solids.floor.friction, to: 0, ramp: 1}\n"
                              "  - {time: 0, set: solids.floor.restitution, to: 1, ramp: 1}\n");
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    expect(scene, 10, 12, "after the end");
    expect(scene, 11, 20, "ignores 'modulus'");
    expect(scene, 11, 58, "at once");
    expect(scene, 12, 56,
           "'solids.floor.friction' changes at once: it cannot be ramped from a value "
           "that is not given");
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        assert_int_not_equal(ooze_scene_diagnostic(scene, i)->line, 13); /* it has a number */
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_and_ramps),
        cmocka_unit_test(added_velocities_are_a_force),
        cmocka_unit_test(a_later_change_starts_from_the_present_value),
        cmocka_unit_test(every_number_can_change),
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(resumes_bitwise),
        cmocka_unit_test(positions_and_gravity_change),
        cmocka_unit_test(a_push_acts_in_one_step),
        cmocka_unit_test(a_running_world_changes_as_its_scene_would),
        cmocka_unit_test(changes_of_scenes_are_applied),
        cmocka_unit_test(mistakes_in_changes_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
