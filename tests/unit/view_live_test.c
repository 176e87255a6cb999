/* A scene that is changed while it runs: undo and reset restore it bitwise, and what is saved runs
   to the same state. */
#include "scene_text.h"

#include "scratch_folder.h"
#include "view/live.h"

static const char scene_text[] =
    "ooze: 2\n"
    "method: {name: springs}\n"
    "spacing: 0.05\n"
    "time_step: 1/120\n"
    "duration: 1\n"
    "frame_rate: 30\n"
    "materials: {honey: {density: 1000, stiffness: 0.01}}\n"
    "fluids: [{material: honey, shape: {type: box, size: [0.3, 0.3, 0.3], position: [0, 0.3, "
    "0]}}]\n"
    "emitters: [{name: jet, material: honey, radius: 0.08, speed: 0.5, position: [0, 1, 0]}]\n"
    "solids:\n"
    "  - {name: floor, shape: {type: plane}}\n"
    "  - {name: ball, shape: {type: sphere, radius: 0.1, position: [0.4, 0.1, 0]}}\n"
    "probes: [{kind: drift, name: drift}, {kind: height, every_step: true}]\n"
    "changes: [{time: 0.1, set: materials.honey.stiffness, to: 0.02, ramp: 0.1}]\n";

static OozeLive open_scene(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(scene_text, file) >= 0 && fclose(file) == 0);
    OozeLive live;
    const OozeBuildOptions options = {.threads = 1, .device = OOZE_DEVICE_CPU};
    CHECK_OK(ooze_live_open(&live, path, NULL, 0, &options, &error));
    return live;
}

static void step(OozeLive *live, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_live_step(live, &error));
    }
}

static uint64_t hash_of(OozeLive *live)
{
    return ooze_frame_hash(ooze_world_frame(live->world));
}

static void change(OozeLive *live, const char *set, const char *to, double ramp)
{
    CHECK_OK(ooze_live_begin_action(live, &error));
    CHECK_OK(ooze_live_change(live, set, to, ramp, &error));
}

/* Every kind of change there is. */
static void change_all(OozeLive *live)
{
    change(live, "materials.honey.stiffness", "0.3", 0);
    step(live, 2);
    change(live, "solids.ball.position.x", "0.1", 0.05);
    change(live, "emitters.jet.position.z", "0.2", 0.02);
    change(live, "gravity.x", "3", 0);
    step(live, 3);
    CHECK_OK(ooze_live_begin_action(live, &error));
    CHECK_OK(ooze_live_push(live, vec3(0, 0.3, 0), 0.2, vec3(1, 2, 0), &error));
    step(live, 3);
}

static void undo_returns_to_the_same_bits(void **state)
{
    (void)state;
    OozeLive live = open_scene(), untouched = open_scene();
    step(&live, 30);
    step(&untouched, 30);
    uint64_t before = hash_of(&live);
    assert_true(before == hash_of(&untouched));
    change_all(&live);
    assert_true(hash_of(&live) != before);
    while (live.action_count > 0) {
        CHECK_OK(ooze_live_undo(&live, &error));
    }
    assert_int_equal(live.row_count, 0);
    assert_true(hash_of(&live) == before);
    step(&live, 40);
    step(&untouched, 40);
    assert_true(hash_of(&live) == hash_of(&untouched));
    CHECK_FAILS(ooze_live_undo(&live, &error), OOZE_ERROR_ARGUMENT, "no change");
    ooze_live_close(&live);
    ooze_live_close(&untouched);
}

static void reset_begins_anew(void **state)
{
    (void)state;
    OozeLive live = open_scene(), untouched = open_scene();
    step(&live, 10);
    change_all(&live);
    CHECK_OK(ooze_live_reset(&live, &error));
    assert_int_equal(live.row_count, 0);
    assert_true(hash_of(&live) == hash_of(&untouched));
    step(&live, 25);
    step(&untouched, 25);
    assert_true(hash_of(&live) == hash_of(&untouched));
    ooze_live_close(&live);
    ooze_live_close(&untouched);
}

/* The saved text, run as `ooze run` runs it, has the hash that was told. */
static void saved_scene_runs_to_the_same_state(void **state)
{
    (void)state;
    OozeLive live = open_scene();
    step(&live, 7);
    change_all(&live);
    change_all(&live);
    CHECK_OK(ooze_live_undo(&live, &error)); /* what is undone is not saved */
    step(&live, 14);
    OozeText yaml = {0};
    uint64_t told = 0;
    CHECK_OK(ooze_live_save(&live, &yaml, &told, &error));
    uint64_t end = live.world->step;
    assert_true(end % 4 == 0); /* a whole frame */
    ooze_live_close(&live);

    OozeScene *scene = load_good(yaml.data);
    assert_true(scene->info.frame_count * scene->info.steps_per_frame == end);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_world_measure(world, false, &error));
    for (uint64_t i = 1; i <= end; i++) {
        CHECK_OK(ooze_world_step(world, &error));
        CHECK_OK(ooze_world_measure(world, i % scene->info.steps_per_frame != 0, &error));
    }
    OozeFrame last = *ooze_world_frame(world);
    last.index = scene->info.frame_count;
    assert_true(ooze_frame_hash(&last) == told);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    ooze_text_clear(&yaml);
}

static void mistakes_change_nothing(void **state)
{
    (void)state;
    OozeLive live = open_scene();
    CHECK_FAILS(ooze_live_change(&live, "materials.honey.stiffness", "-1", 0, &error),
                OOZE_ERROR_ARGUMENT, "stiffness");
    CHECK_FAILS(ooze_live_change(&live, "solids.bowl.position.x", "1", 0, &error),
                OOZE_ERROR_ARGUMENT, "bowl");
    CHECK_FAILS(ooze_live_push(&live, vec3(0, 0, 0), -1, vec3(0, 0, 0), &error),
                OOZE_ERROR_ARGUMENT, "radius");
    assert_int_equal(live.row_count, 0);
    OozeLive none;
    const OozeBuildOptions options = {0};
    CHECK_FAILS(ooze_live_open(&none, "/nowhere.yaml", NULL, 0, &options, &error), OOZE_ERROR_SCENE,
                "nowhere");
    ooze_live_close(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undo_returns_to_the_same_bits),
        cmocka_unit_test(reset_begins_anew),
        cmocka_unit_test(saved_scene_runs_to_the_same_state),
        cmocka_unit_test(mistakes_change_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
