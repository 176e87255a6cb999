/* Warnings of `ooze check`: each is found, at its line, with the right numbers; good scenes have
   none. */
#include "scene_text.h"

#include <dirent.h>

#include "base/memory.h"
#include "world/world.h"

/* Builds and checks, with another method when one is given; the warnings are the scene's
   diagnostics. */
static OozeScene *checked_with(const char *text, const OozeMethod *method)
{
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = 1};
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    world->method = method ? method : world->method;
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    ooze_world_destroy(world);
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        assert_int_equal(ooze_scene_diagnostic(scene, i)->severity, OOZE_SEVERITY_WARNING);
    }
    return scene;
}

static OozeScene *checked(const char *text)
{
    return checked_with(text, NULL);
}

static void warn_one_with(const char *text, const OozeMethod *method, int line, int column,
                          const char *part, const char *hint)
{
    OozeScene *scene = checked_with(text, method);
    const OozeDiagnostic *d = expect(scene, line, column, part);
    expect_hint(d, hint);
    if (ooze_scene_diagnostic_count(scene) != 1) {
        print_diagnostics(scene);
        fail_msg("one warning expected");
    }
    ooze_scene_free(scene);
}

static void warn_one(const char *text, int line, int column, const char *part, const char *hint)
{
    warn_one_with(text, NULL, line, column, part, hint);
}

#define M     "materials: {m: {}}\n"
#define BLOCK "fluids:\n  - {name: f, material: m, shape: {type: box, size: [1, 1, 1]}}\n"

static void nothing_to_simulate(void **state)
{
    (void)state;
    warn_one(HEAD, 0, 0, "nothing to simulate", "add a fluid");
    OozeScene *scene = checked(HEAD M "emitters: [{material: m, radius: 0.2, start: 5}]\n");
    expect(scene, 0, 0, "nothing to simulate");
    expect(scene, 7, 12, "emitter 'emitter0' is closed for the whole 1 s");
    ooze_scene_free(scene);
    scene = checked(HEAD M BLOCK);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_scene_free(scene);
}

static void empty_fluid(void **state)
{
    (void)state;
    OozeScene *scene =
        checked(HEAD M BLOCK "  - {name: thin, material: m,\n"
                             "     shape: {type: sphere, radius: 0.01, position: [9, 0, 0]}}\n");
    expect(scene, 9, 5,
           "fluid 'thin' holds no particle: its shape is thinner than the spacing of 0.1 m");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 1);
    ooze_scene_free(scene);
}

static void fluid_in_solid(void **state)
{
    (void)state;
    /* Half of a 10 x 10 x 10 block stands below a floor at its middle. */
    warn_one(HEAD M BLOCK "solids: [{name: floor, shape: {type: plane}}]\n", 8, 5,
             "500 of the 1000 particles of fluid 'f' stand inside solid 'floor'", "move");
    /* A floor that touches, or one that is only looked at, gives no warning. */
    OozeScene *scene =
        checked(HEAD M BLOCK "solids: [{shape: {type: plane, position: [0, -0.5, 0]}},\n"
                             "         {shape: {type: box, size: [9, 9, 9]}, collides: false},\n"
                             "         {shape: {type: box, size: [1, 1, 1], inverted: true}}]\n");
    print_diagnostics(scene);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_scene_free(scene);
}

static void overlapping_fluids(void **state)
{
    (void)state;
    /* The second block covers the right half of the first, shifted by 0.4 spacings. */
    warn_one(HEAD M BLOCK "  - {name: g, material: m,\n"
                          "     shape: {type: box, size: [1, 1, 1], position: [0.54, 0, 0]}}\n",
             9, 5, "fluid 'g' overlaps fluid 'f': 500 particles", "apart");
    OozeScene *scene =
        checked(HEAD M BLOCK "  - {name: g, material: m,\n"
                             "     shape: {type: box, size: [1, 1, 1], position: [1, 0, 0]}}\n");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0); /* side by side */
    ooze_scene_free(scene);
}

static void outside_the_box(void **state)
{
    (void)state;
    /* Three of the ten layers along x lie beyond 0.2. */
    warn_one(HEAD M BLOCK "periodic: {x: [-1, 0.2]}\n", 9, 11,
             "300 particles stand outside the periodic box", NULL);
}

static void thin_nozzle(void **state)
{
    (void)state;
    warn_one(HEAD M "emitters: [{material: m, radius: 0.1}]\n", 7, 12,
             "the nozzle 'emitter0' is 2 spacings wide", "widen");
    warn_one(HEAD M "emitters: [{material: m, outline: rectangle, size: [1, 0.25]}]\n", 7, 12,
             "2.5 spacings wide", NULL);
    OozeScene *scene = checked(HEAD M "emitters: [{material: m, radius: 0.15}]\n");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0); /* exactly three */
    ooze_scene_free(scene);
}

/* Nozzles that cross while both are open, and that would not: side by side, or one after the
   other. */
static void nozzles_that_overlap(void **state)
{
    (void)state;
    static const char moving[] =
        HEAD M "emitters:\n"
               "  - {name: a, material: m, radius: 0.2, position: [-0.5, 1, 0], speed: 1,\n"
               "     motion: {velocity: [1, 0, 0]}%s}\n"
               "  - {name: b, material: m, radius: 0.2, position: [%g, 1, 0], speed: 1%s}\n";
    const struct {
        const char *first;
        double x;
        const char *second;
        bool warns;
    } cases[] = {{"", 0.0, "", true},
                 {", length: 0.2", 0.0, ", length: 0.2", true},
                 {"", -1.0, "", false},
                 {", stop: 0.05", 0.0, "", false}};
    for (int i = 0; i < 4; i++) {
        char text[2048];
        snprintf(text, sizeof text, moving, cases[i].first, cases[i].x, cases[i].second);
        OozeScene *scene = checked(text);
        bool warned = false;
        for (int k = 0; k < ooze_scene_diagnostic_count(scene); k++) {
            const char *message = ooze_scene_diagnostic(scene, k)->message;
            warned = warned || strstr(message, "the nozzle 'b' emits into the nozzle 'a'");
        }
        assert_int_equal(warned, cases[i].warns);
        ooze_scene_free(scene);
    }
}

static double a_millisecond(const OozeStepContext *context)
{
    return context->material_count > 0 ? 1e-3 : INFINITY;
}

static double any_step(const OozeStepContext *context)
{
    (void)context;
    return INFINITY;
}

static void long_steps(void **state)
{
    (void)state;
    OozeMethod limited = *ooze_method_find("ballistic");
    limited.stable_step = any_step;
    /* 12 m/s / 240 = 0.05 m = half a spacing; safe would be 0.4 * 0.1 / 12 = 0.00333 s. */
    warn_one_with(HEAD M "fluids:\n  - {material: m, velocity: [0, 12, 0],\n"
                         "     shape: {type: box, size: [1, 1, 1]}}\n",
                  &limited, 4, 12, "moves 12 m/s, which is 0.5 spacings a step",
                  "at most 0.00333 s");
    warn_one_with(HEAD M "emitters: [{name: jet, material: m, radius: 0.2, speed: 24}]\n", &limited,
                  4, 12, "emitter 'jet' moves 24 m/s, which is 1 spacings a step", "0.00167");
    /* A swing of 1 m at 4 Hz reaches 2 pi 4 = 25.1 m/s. */
    warn_one_with(HEAD M BLOCK "solids:\n"
                               "  - name: bat\n"
                               "    shape: {type: sphere, radius: 1, position: [9, 0, 0]}\n"
                               "    motion: {sine: {amplitude: [0, 0, 1], frequency: 4}}\n",
                  &limited, 4, 12, "solid 'bat' moves 25.1 m/s", "at most");
    /* A method that cuts its steps is told what that costs: 240 m/s / 240 = 1 m = 10 spacings. */
    warn_one(
        "ooze: 2\nmethod: {name: conformation}\nspacing: 0.1\ntime_step: 1/240\nduration: 1\n" M
        "emitters: [{name: jet, material: m, radius: 0.2, speed: 240}]\n",
        4, 12, "divided into 10 substeps and more", "0.000417");
    /* 0.4 spacings a step are allowed. */
    OozeScene *scene =
        checked_with(HEAD M "emitters: [{material: m, radius: 0.2, speed: 9.6}]\n", &limited);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_scene_free(scene);
    /* The method's own limit. */
    limited.stable_step = a_millisecond;
    warn_one_with(HEAD M BLOCK, &limited, 4, 12, "beyond the stability of method 'ballistic'",
                  "at most 0.001 s");
    /* Free flight is exact at any step: nothing to warn of, however fast. */
    scene = checked(HEAD M "emitters: [{material: m, radius: 0.2, speed: 240}]\n");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_scene_free(scene);
}

static void frames_and_duration(void **state)
{
    (void)state;
    const char *head = "ooze: 2\nmethod: {name: ballistic}\nspacing: 0.1\n";
    char text[512];
    snprintf(text, sizeof text, "%stime_step: 1/240\nduration: 0\n" M BLOCK, head);
    warn_one(text, 5, 11, "nothing will move: a duration of 0 s", NULL);
    /* 0.2 s hold 4.8 frames at 24 a second */
    snprintf(text, sizeof text, "%stime_step: 1/240\nduration: 0.2\n" M BLOCK, head);
    warn_one(text, 5, 11, "the run ends at 0.166667 s", "whole number of frames");
    snprintf(text, sizeof text, "%stime_step: 0.001\nduration: 1\n" M BLOCK, head);
    warn_one(text, 4, 12, "shortened from 0.001 s to 0.000992063 s", "whole number");
}

static void ignored_numbers(void **state)
{
    (void)state;
    warn_one(HEAD "materials: {m: {viscosity: 5}}\n" BLOCK, 6, 17,
             "the method 'ballistic' ignores 'viscosity'", NULL);
}

/* Beside a preset: of numbers with effects another warning names those that the method does not
   show, of all others this one does. */
static void ignored_beside_presets(void **state)
{
    (void)state;
    static const struct {
        const char *method, *number, *ignored; /* NULL: none */
    } rows[] = {
        {"conformation", "stiffness: 5", "stiffness"},
        {"conformation", "viscosity: 20", NULL},
        {"wcsph", "temperature_table: [{temperature: 20, viscosity: 10}]", "temperature_table"},
        {"wcsph", "modulus: 100", NULL},
        {"ballistic", "viscosity: 20", NULL},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[512], told[128];
        snprintf(text, sizeof text,
                 "ooze: 2\nmethod: {name: %s}\nspacing: 0.1\ntime_step: 1/2000\nduration: 1\n"
                 "materials: {m: {preset: honey, %s}}\n" BLOCK,
                 rows[k].method, rows[k].number);
        OozeScene *scene = checked(text);
        int warnings = 0;
        for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
            warnings += strstr(ooze_scene_diagnostic(scene, i)->message, "ignores") != NULL;
        }
        assert_int_equal(warnings, rows[k].ignored != NULL);
        if (rows[k].ignored) {
            snprintf(told, sizeof told, "the method '%s' ignores '%s'", rows[k].method,
                     rows[k].ignored);
            expect(scene, 6, 32, told);
        }
        ooze_scene_free(scene);
    }
}

/* The scene with this method, and the number of its warnings of attraction to solids. */
static OozeScene *checked_stick(const char *method, int *warnings)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {name: %s}\nspacing: 0.1\ntime_step: 1/240\nduration: 1\n"
             "materials: {m: {density: 1000}}\n" BLOCK "solids:\n"
             "  - {name: floor, stick_distance: 0.2, stick_strength: 5, shape: {type: plane}}\n"
             "  - {name: wall, stick_distance: 0, stick_strength: 0, shape: {type: plane}}\n"
             "changes: [{time: 0.5, set: solids.floor.stick_strength, to: 1}]\n",
             method);
    OozeScene *scene = checked(text);
    *warnings = 0;
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        *warnings += strstr(ooze_scene_diagnostic(scene, i)->message, "'stick") != NULL;
    }
    return scene;
}

/* Attraction to solids: warned of where the method has none and more than zero is asked for. */
static void ignored_stick(void **state)
{
    (void)state;
    static const char *const warned[] = {"conformation", "links", "cauchy", "blend", "stress"};
    int warnings;
    ooze_scene_free(checked_stick("springs", &warnings));
    assert_int_equal(warnings, 0);
    ooze_scene_free(checked_stick("ballistic", &warnings));
    assert_int_equal(warnings, 0);
    for (size_t k = 0; k < sizeof warned / sizeof *warned; k++) {
        char told[128];
        OozeScene *scene = checked_stick(warned[k], &warnings);
        snprintf(told, sizeof told, "the method '%s' ignores 'stick_distance'", warned[k]);
        expect_hint(expect(scene, 10, 19, told), "springs");
        snprintf(told, sizeof told, "the method '%s' ignores 'stick_strength'", warned[k]);
        expect(scene, 10, 40, told);
        expect_hint(expect(scene, 12, 28, told), "springs");
        assert_int_equal(warnings, 3); /* none of the wall, whose numbers are zero */
        ooze_scene_free(scene);
    }
}

static void examples_have_no_warnings(void **state)
{
    (void)state;
    DIR *scenes = opendir(OOZE_SOURCE_DIR "/scenes/ballistic");
    assert_non_null(scenes);
    for (struct dirent *entry; (entry = readdir(scenes));) {
        if (!strstr(entry->d_name, ".yaml")) {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, OOZE_SOURCE_DIR "/scenes/ballistic/%s", entry->d_name);
        OozeScene *scene = NULL;
        OozeWorld *world = NULL;
        CHECK_OK(ooze_scene_load(path, NULL, 0, &scene, &error));
        CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
        CHECK_OK(ooze_scene_check_physics(scene, world, &error));
        print_diagnostics(scene);
        assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
        /* And they run: a few steps, something there to see. */
        for (int i = 0; i < 20; i++) {
            CHECK_OK(ooze_world_step(world, &error));
        }
        assert_true(ooze_world_frame(world)->particle_count > 0);
        CHECK_OK(ooze_world_measure(world, false, &error));
        ooze_world_destroy(world);
        ooze_scene_free(scene);
    }
    closedir(scenes);
}

/* Memory that runs out while building or checking leaks nothing and says so. */
static void out_of_memory(void **state)
{
    (void)state;
    const char *text =
        HEAD M BLOCK "  - {name: g, material: m,\n"
                     "     shape: {type: box, size: [1, 1, 1], position: [1, 0, 0]}}\n"
                     "solids: [{shape: {type: plane}}]\n"
                     "emitters: [{material: m, radius: 0.2}]\n"
                     "probes: [{kind: drift}]\n";
    OozeScene *scene = load_good(text);
    OozeBuildOptions options = {.threads = 1};
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeWorld *world = NULL;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        status = ooze_scene_build(scene, &options, &world, &error);
        status = status ? status : ooze_scene_check_physics(scene, world, &error);
        ooze_memory_fail_after(0);
        ooze_world_destroy(world);
        failures += status == OOZE_ERROR_MEMORY;
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(failures > 10);
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_simulate),
        cmocka_unit_test(empty_fluid),
        cmocka_unit_test(fluid_in_solid),
        cmocka_unit_test(overlapping_fluids),
        cmocka_unit_test(outside_the_box),
        cmocka_unit_test(thin_nozzle),
        cmocka_unit_test(nozzles_that_overlap),
        cmocka_unit_test(long_steps),
        cmocka_unit_test(frames_and_duration),
        cmocka_unit_test(ignored_numbers),
        cmocka_unit_test(ignored_beside_presets),
        cmocka_unit_test(ignored_stick),
        cmocka_unit_test(examples_have_no_warnings),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
