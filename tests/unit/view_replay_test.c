/* Every number that a page can change, in every method, and presets: undo leaves nothing of the
   change behind, and the saved scene runs to the same bits. */
#include "scene_text.h"

#include "scratch_folder.h"
#include "view/live.h"

/* `materials`: those of the scene, honey among them; `jet`: that of the nozzle. */
static OozeLive open_scene_of(const char *method, const char *materials, const char *jet,
                              const char *more)
{
    char path[256];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "ooze: 2\n"
            "method: {name: %s}\n"
            "spacing: 0.05\n"
            "time_step: 1/240\n"
            "duration: 1\n"
            "frame_rate: 60\n"
            "materials: {%s}\n"
            "fluids: [{material: honey, shape: {type: box, size: [0.2, 0.2, 0.2], position: [0, "
            "0.12, 0]}}]\n"
            "emitters: [{name: jet, material: %s, radius: 0.06, speed: 0.5, position: [0, 0.5, "
            "0]}]\n"
            "solids:\n"
            "  - {name: floor, shape: {type: plane}}\n%s",
            method, materials, jet, more);
    assert_int_equal(fclose(file), 0);
    OozeLive live;
    const OozeBuildOptions options = {.threads = 1, .device = OOZE_DEVICE_CPU};
    CHECK_OK(ooze_live_open(&live, path, NULL, 0, &options, &error));
    return live;
}

static OozeLive open_scene(const char *method, const char *more)
{
    return open_scene_of(method, "honey: {density: 1000}", "honey", more);
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

/* A value of the parameter's range, as a page would send it. */
static void choose_value(const OozeKey *row, char text[64])
{
    double value = fmin(fmax(0.5, row->min), row->max);
    char choice[OOZE_CHOICE_MAX];
    switch (row->type) {
    case OOZE_KEY_SWITCH:
        snprintf(text, 64, "true");
        break;
    case OOZE_KEY_CHOICE:
        assert_true(ooze_key_choice(row, 1, choice) || ooze_key_choice(row, 0, choice));
        snprintf(text, 64, "%s", choice);
        break;
    case OOZE_KEY_INTEGER:
        snprintf(text, 64, "%.0f", fmin(fmax(3.0, row->min), row->max));
        break;
    default:
        snprintf(text, 64, "%g", value);
        break;
    }
}

/* The hash of the last frame of a run of the saved text. */
static uint64_t replay(const char *yaml)
{
    OozeScene *scene = load_bytes(yaml, strlen(yaml));
    assert_int_equal(scene->error_count, 0);
    OozeWorld *world = NULL;
    const OozeBuildOptions options = {.threads = 1, .device = OOZE_DEVICE_CPU};
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    uint64_t end = scene->info.frame_count * scene->info.steps_per_frame;
    for (uint64_t i = 0; i < end; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    OozeFrame last = *ooze_world_frame(world);
    last.index = scene->info.frame_count;
    uint64_t hash = ooze_frame_hash(&last);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return hash;
}

/* `part`: what the saved text has as well. */
static bool replays_with(OozeLive *live, const char *part)
{
    OozeText yaml = {0};
    uint64_t told = 0;
    CHECK_OK(ooze_live_save(live, &yaml, &told, &error));
    if (!strstr(yaml.data, part)) {
        fail_msg("there is no '%s' in\n%s", part, yaml.data);
    }
    bool same = replay(yaml.data) == told;
    ooze_text_clear(&yaml);
    return same;
}

static bool replays(OozeLive *live)
{
    return replays_with(live, "");
}

/* Changes one number, takes it back, changes it again and saves; false: it was refused. */
static bool try_parameter(OozeLive *live, const OozeViewParameter *parameter, const char *method)
{
    char value[64];
    uint64_t before = hash_of(live), start = live->world->step;
    choose_value(&parameter->row, value);
    CHECK_OK(ooze_live_begin_action(live, &error));
    if (ooze_live_change(live, parameter->path, value, 0.0, NULL)) {
        ooze_live_cancel_action(live);
        if (hash_of(live) != before) {
            fail_msg("%s: %s = %s was refused, but has changed the state", method, parameter->path,
                     value);
        }
        return false;
    }
    bool stable = true; /* some values make the fluid explode */
    while (stable && (live->world->step < start + 2 || live->world->step % 4 != 0)) {
        stable = ooze_live_step(live, NULL) == OOZE_OK;
    }
    if (stable && !replays(live)) {
        fail_msg("%s: %s = %s runs to other bits", method, parameter->path, value);
    }
    CHECK_OK(ooze_live_undo(live, &error));
    if (hash_of(live) != before || live->row_count != 0) {
        fail_msg("%s: undo of %s = %s leaves something behind", method, parameter->path, value);
    }
    return true;
}

static void try_all(const char *method, const char *more, int least)
{
    OozeLive live = open_scene(method, more), untouched = open_scene(method, more);
    int taken = 0;
    step(&live, 6);
    step(&untouched, 6);
    for (int i = 0; i < live.parameters.count; i++) {
        taken += try_parameter(&live, &live.parameters.items[i], method);
    }
    print_message("  %s: %d of %d numbers were taken\n", method, taken, live.parameters.count);
    assert_true(taken >= least);
    step(&live, 6);
    step(&untouched, 6);
    assert_true(hash_of(&live) == hash_of(&untouched));
    assert_true(replays(&live));
    ooze_live_close(&live);
    ooze_live_close(&untouched);
}

static void numbers_of_every_method_are_undone_and_replayed(void **state)
{
    (void)state;
    for (int i = 0; i < ooze_method_count(); i++) {
        try_all(ooze_method_info(i)->name, "", 10);
    }
}

static const char ball[] = "  - {name: ball, density: 500, shape: {type: sphere, radius: 0.05, "
                           "position: [0, 0.4, 0]}}\n";

/* The old value stays and the simulation goes on; values that wait for their step count. */
static void what_a_step_would_refuse_is_refused(void **state)
{
    (void)state;
    OozeLive live = open_scene("conformation", ball);
    step(&live, 2);
    CHECK_OK(ooze_live_change(&live, "method.impact_passes", "2", 0, &error));
    CHECK_FAILS(ooze_live_change(&live, "method.pressure", "grid", 0, &error), OOZE_ERROR_ARGUMENT,
                "pressure: grid does not take impact passes");
    step(&live, 2);
    double value = 1.0;
    CHECK_OK(ooze_world_get_param(live.world, "pressure", &value, &error));
    assert_true(value == 0.0);
    assert_int_equal(live.row_count, 1); /* the one that was taken */
    ooze_live_close(&live);
    live = open_scene("conformation", "");
    CHECK_OK(ooze_live_change(&live, "method.pressure", "grid", 0, &error));
    CHECK_FAILS(ooze_live_change(&live, "method.impact_passes", "2", 0, &error),
                OOZE_ERROR_ARGUMENT, "does not take impact passes");
    CHECK_OK(ooze_live_change(&live, "method.pressure", "density_stage", 0, &error));
    CHECK_OK(ooze_live_change(&live, "method.impact_passes", "2", 0, &error));
    step(&live, 2);
    ooze_live_close(&live);
}

/* A scene with such a change is wrong before it runs. */
static void a_change_that_a_step_would_refuse_is_an_error_of_the_scene(void **state)
{
    (void)state;
    static const char text[] =
        "ooze: 2\n"
        "method: {name: conformation, pressure: grid}\n"
        "spacing: 0.1\n"
        "time_step: 1/240\n"
        "duration: 1\n"
        "fluids: [{material: m, shape: {type: box, size: [0.3, 0.3, 0.3]}}]\n"
        "materials: {m: {density: 1000, viscosity: 5}}\n"
        "changes:\n"
        "  - {time: 0.1, set: method.impact_passes, to: 2}\n"
        "  - {time: 0.2, set: method.pressure, to: density_stage}\n"
        "  - {time: 0.3, set: method.pressure, to: grid}\n"
        "  - {time: 0.4, set: method.impact_passes, to: 0}\n";
    OozeScene *scene = load_bytes(text, sizeof text - 1);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    (void)ooze_scene_check_physics(scene, world, NULL);
    expect(scene, 9, 22, "does not take impact passes");
    expect(scene, 11, 22, "does not take impact passes");
    assert_int_equal(scene->error_count, 2);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

/* ---- presets --------------------------------------------------------------------------------- */

/* Fails unless both worlds have the same numbers of material 0 and the same settings. */
static void check_same_numbers(const OozeWorld *world, const OozeWorld *other, const char *what)
{
    const OozeMethodInfo *info = &world->method->info;
    const double *a = world->materials.items[0].values, *b = other->materials.items[0].values;
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))) {
            fail_msg("%s: %s is %g, and %g in a scene with the preset", what,
                     ooze_material_params(NULL)[i].key, a[i], b[i]);
        }
    }
    for (int i = 0; i < info->param_count; i++) {
        double x = world->params[i], y = other->params[i];
        if (!(x == y || (isnan(x) && isnan(y)))) {
            fail_msg("%s: %s is %g, and %g in a scene with the preset", what, info->params[i].key,
                     x, y);
        }
    }
}

/* One number that the preset must replace is changed by hand before. `rows`: of the preset, with
   the settings of the method that follow from it. */
static void try_preset(const char *method, const char *from, const char *to, int rows)
{
    char material[64], part[64];
    snprintf(material, sizeof material, "honey: {preset: %s}", from);
    OozeLive live = open_scene_of(method, material, "honey", "");
    OozeLive start = open_scene_of(method, material, "honey", "");
    snprintf(material, sizeof material, "honey: {preset: %s}", to);
    OozeLive stated = open_scene_of(method, material, "honey", "");
    step(&live, 5);
    uint64_t before = hash_of(&live);
    CHECK_OK(ooze_live_begin_action(&live, &error));
    CHECK_OK(ooze_live_change(&live, "materials.honey.surface_tension", "0.03", 0.0, &error));
    CHECK_OK(ooze_live_choose_preset(&live, 0, to, &error));
    assert_int_equal(live.row_count, 1 + rows);
    step(&live, 7);
    check_same_numbers(live.world, stated.world, to);
    snprintf(part, sizeof part, "} # preset %s\n", to);
    if (!replays_with(&live, part)) {
        fail_msg("%s: %s instead of %s runs to other bits", method, to, from);
    }
    CHECK_OK(ooze_live_undo(&live, &error));
    assert_true(hash_of(&live) == before && live.row_count == 0);
    check_same_numbers(live.world, start.world, from);
    step(&live, 3);
    assert_true(replays(&live));
    ooze_live_close(&live);
    ooze_live_close(&start);
    ooze_live_close(&stated);
}

static void a_preset_replaces_all_numbers(void **state)
{
    (void)state;
    try_preset("conformation", "ketchup", "water", 1);
    try_preset("conformation", "honey", "jelly", 1);
    try_preset("blend", "jelly", "water", 1);
    try_preset("blend", "water", "slime", 2); /* and the update interval */
    try_preset("links", "jelly", "honey", 1);
    try_preset("springs", "water", "jelly", 2); /* and springs of their own length at first */
    try_preset("cauchy", "honey", "ketchup", 1);
    try_preset("wcsph", "jelly", "water", 1);
}

/* The other material has its numbers for the settings of the method, which stay. */
static void a_preset_beside_other_materials_keeps_the_settings(void **state)
{
    (void)state;
    static const char materials[] = "honey: {preset: water}, tar: {preset: slime}";
    OozeLive live = open_scene_of("blend", materials, "tar", "");
    double interval = 0.0, now = 0.0;
    CHECK_OK(ooze_world_get_param(live.world, "update_interval", &interval, &error));
    step(&live, 2);
    CHECK_OK(ooze_live_begin_action(&live, &error));
    CHECK_OK(ooze_live_choose_preset(&live, 0, "dough", &error));
    assert_int_equal(live.row_count, 1);
    step(&live, 2);
    CHECK_OK(ooze_world_get_param(live.world, "update_interval", &now, &error));
    assert_true(now == interval);
    assert_true(replays_with(&live, "# preset dough\n"));
    ooze_live_close(&live);
}

static void a_preset_that_is_not_there_changes_nothing(void **state)
{
    (void)state;
    OozeLive live = open_scene("conformation", "");
    int changes = live.world->changes.count;
    CHECK_FAILS(ooze_live_choose_preset(&live, 0, "watr", &error), OOZE_ERROR_ARGUMENT, "watr");
    assert_int_equal(live.row_count, 0);
    assert_int_equal(live.world->changes.count, changes);
    ooze_live_close(&live);
}

/* Rows of `changes` with all numbers of a material. */
static void numbers_of_a_material_are_rows_of_a_scene(void **state)
{
    (void)state;
    static const char head[] = "materials: {m: {density: 900, viscosity: 5}}\n"
                               "changes: [{time: 0.5, ";
    static const struct {
        const char *row, *message;
        int column;
    } wrong[] = {
        {"set: materials.m}", "the change lacks 'to'", 11},
        {"set: materials.m, to: 1, numbers: {}}", "both 'to' and 'numbers'", 11},
        {"set: materials.m.viscosity, numbers: {}}", "is not the path of a material", 28},
        {"set: gravity.y, numbers: {}}", "is not the path of a material", 28},
        {"set: materials.m, ramp: 1, numbers: {}}", "change at once", 47},
        {"set: materials.m, numbers: {viscosity: -1}}", "it must be", 62},
        {"set: materials.m, numbers: {color: 1}}", "unknown key 'color'", 51},
        {"set: materials.n, numbers: {}}", "no 'n' among the materials", 28},
    };
    char text[1024];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, HEAD "%s%s]\n", head, wrong[i].row);
        expect_one(text, 7, wrong[i].column, wrong[i].message, NULL);
    }
    snprintf(text, sizeof text, HEAD "%sset: materials.m, numbers: {drag: 2}}]\n", head);
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    while (world->time < 0.6) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    const double *values = world->materials.items[0].values;
    assert_true(values[OOZE_MATERIAL_DRAG] == 2 && isnan(values[OOZE_MATERIAL_VISCOSITY]) &&
                values[OOZE_MATERIAL_DENSITY] == 1000);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_method_are_undone_and_replayed),
        cmocka_unit_test(what_a_step_would_refuse_is_refused),
        cmocka_unit_test(a_change_that_a_step_would_refuse_is_an_error_of_the_scene),
        cmocka_unit_test(a_preset_replaces_all_numbers),
        cmocka_unit_test(a_preset_beside_other_materials_keeps_the_settings),
        cmocka_unit_test(a_preset_that_is_not_there_changes_nothing),
        cmocka_unit_test(numbers_of_a_material_are_rows_of_a_scene),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
