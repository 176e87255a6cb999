/* Every kind of mistake is refused at its exact line and column, with help. */
#include "scene_text.h"

#include "ooze/world.h"

#define BALL "materials: {m: {}}\nfluids:\n  - material: m\n    shape: "

static void unknown_keys(void **state)
{
    (void)state;
    expect_one(HEAD "durration: 3\n", 6, 1, "unknown key 'durration' in the scene",
               "did you mean 'duration'?");
    expect_one(HEAD BALL "{type: sphere, raduis: 1, radius: 1}\n", 9, 27,
               "unknown key 'raduis' in the shape", "did you mean 'radius'?");
    expect_one(HEAD "materials:\n  honey: {viscocity: 3}\n", 7, 11, "unknown key 'viscocity'",
               "did you mean 'viscosity'?");
    expect_one(HEAD "xylophone: 3\n", 6, 1, "unknown key 'xylophone'", "");
    expect_one("ooze: 2\nmethod: {name: ballistic, contact_distanse: 1}\nspacing: 1\n"
               "time_step: 1\nduration: 1\n",
               2, 27, "unknown key 'contact_distanse' in the method", "'contact_distance'");
}

#define CONFORMATION(settings)                                                                     \
    "ooze: 2\nmethod: {name: conformation, " settings "}\nspacing: 0.1\ntime_step: 1\nduration: "  \
    "1\n"

/* Settings of earlier versions say what to use. */
static void settings_that_are_gone(void **state)
{
    (void)state;
    expect_one(CONFORMATION("divergence_iterations: 5"), 2, 30,
               "conformation has no 'divergence_iterations' any more", "leave it out");
    expect_one(CONFORMATION("pressure: velocity_solve"), 2, 40,
               "'pressure' cannot be 'velocity_solve' any more",
               "use grid for slow flow under weight");
    expect_one(CONFORMATION("passes: 2") "changes: [{time: 0.1, set: "
                                         "method.divergence_iterations, to: 2}]\n",
               6, 28, "conformation has no 'divergence_iterations' any more", "leave it out");
    expect_one(CONFORMATION("passes: 2") "changes: [{time: 0.1, set: method.pressure, to: "
                                         "velocity_solve}]\n",
               6, 49, "'pressure' cannot be 'velocity_solve' any more", "use grid");
    expect_one(CONFORMATION("passes: 2") "render: {adaptive: true}\n", 6, 10,
               "render has no 'adaptive' any more", "leave it out");
    expect_one(CONFORMATION("velocity_preconditioner: mass"), 2, 55,
               "'velocity_preconditioner' cannot be 'mass' any more", "use diagonal");
    expect_one(CONFORMATION("pressure: velocity_solver"), 2, 40,
               "'pressure' cannot be 'velocity_solver'; choose one of: density_stage, grid", NULL);
}

/* The value that has no effect: scenes that Ooze has written state every setting. */
static void a_setting_that_is_gone_may_be_off(void **state)
{
    (void)state;
    static const char text[] = CONFORMATION("divergence_iterations: 0");
    OozeScene *scene = load_bytes(text, sizeof text - 1);
    assert_int_equal(scene->error_count, 0);
    assert_int_equal(scene->diagnostic_count, 1);
    assert_int_equal(scene->diagnostics[0].severity, OOZE_SEVERITY_WARNING);
    ooze_scene_free(scene);
}

/* Long words are cut between characters, and cannot break the line. */
static void long_words(void **state)
{
    (void)state;
    char text[1024] = HEAD "\"\\n";
    for (int i = 0; i < 100; i++) {
        strcat(text, "\xc3\xa4");
    }
    strcat(text, "\": 1\n");
    OozeScene *scene = load_bytes(text, strlen(text));
    const char *message = expect(scene, 6, 1, "unknown key ' \xc3\xa4")->message;
    assert_non_null(strstr(message, "\xc3\xa4...' in the scene"));
    assert_null(strchr(message, '\n'));
    ooze_scene_free(scene);
}

static void misplaced_keys(void **state)
{
    (void)state;
    expect_one(HEAD BALL "{type: box, size: [1, 1, 1], radius: 1}\n", 9, 41,
               "'radius' does not apply to a shape of type 'box'", "sphere, capsule");
    expect_one(HEAD "probes:\n  - {kind: count, percentile: 5}\n", 7, 19,
               "'percentile' does not apply to a probe of kind 'count'", "height, spread");
}

static void duplicates(void **state)
{
    (void)state;
    expect_one(HEAD "title: a\nseed: 1\ntitle: b\n", 8, 1,
               "'title' is given twice (first on line 6)", "one of the two");
    expect_one(HEAD BALL "{type: sphere, radius: 1, radius: 2}\n", 9, 38, "'radius' is given twice",
               NULL);
    expect_one(HEAD "solids:\n  - {name: a, shape: {type: plane}}\n"
                    "  - {name: a, shape: {type: plane}}\n",
               8, 12, "two solids are named 'a'", NULL);
}

static void wrong_types(void **state)
{
    (void)state;
    expect_one(HEAD "frame_rate: [24]\n", 6, 13, "'frame_rate' must be a number, not a list", NULL);
    expect_one(HEAD "frame_rate: fast\n", 6, 13, "'fast' is not: not a number", NULL);
    expect_one(HEAD "frame_rate: 10 * fast\n", 6, 18, "'10 * fast' is not", NULL);
    expect_one(HEAD "seed: 1.5\n", 6, 7, "'seed' must be a whole number", NULL);
    expect_one(HEAD "gravity: 9.81\n", 6, 10, "'gravity' must be a list of 3 numbers", NULL);
    expect_one(HEAD "gravity: [0, 1]\n", 6, 10, "not a list of 2", NULL);
    expect_one(HEAD "gravity: [0, x, 0]\n", 6, 14, "'gravity' must be a number", NULL);
    expect_one(HEAD "fluids: {a: 1}\n", 6, 9, "'fluids' must be a list of fluids, not a map",
               "dash");
    expect_one(HEAD "materials: [a]\n", 6, 12, "'materials' must be a map of materials", NULL);
    expect_one(HEAD "materials: {a: 3}\n", 6, 16, "a material must be a map of keys", NULL);
    expect_one(HEAD "solids: [3]\n", 6, 10, "a solid must be a map of keys", NULL);
    expect_one(HEAD "up: w\n", 6, 5, "'up' cannot be 'w'; choose one of: x, y, z", NULL);
    expect_one(HEAD "solids: [{shape: {type: plane}, collides: maybe}]\n", 6, 43,
               "'collides' must be true or false", NULL);
    expect_one(HEAD "solids: [{shape: {type: spere, radius: 1}}]\n", 6, 25,
               "'type' cannot be 'spere'", "did you mean 'sphere'?");
    expect_one(HEAD "title:\n", 6, 1, "'title' has no value", NULL);
    expect_one(HEAD "materials: {a: {color: #ff0000\n}}\n", 6, 17, "'color' has no value",
               "quotes");
    expect_one(HEAD "materials: {a: {color: red}}\n", 6, 24, "'color' must be \"#rrggbb\"", NULL);
    expect_one(HEAD "solids: [{shape: {type: plane, rotation: {axis: [0, 0, 0], degrees: 1}}}]\n",
               6, 42, "cannot be zero", NULL);
    expect_one(HEAD "solids: [{shape: {type: plane, rotation: {axle: [0, 0, 1], degrees: 1, axis: "
                    "[1, 0, 0]}}}]\n",
               6, 43, "unknown key 'axle' in the rotation", "'axis'");
    expect_one(HEAD "materials: {a.b: {}}\n", 6, 13, "a name has", NULL);
}

static void out_of_range(void **state)
{
    (void)state;
    expect_one(HEAD BALL "{type: sphere, radius: -2}\n", 9, 35,
               "'radius' is -2 m; it must be 1e-09 to 1e12 m", NULL);
    expect_one(HEAD "solids: [{shape: {type: plane}, restitution: 1.5}]\n", 6, 46,
               "'restitution' is 1.5; it must be 0 to 1", NULL);
    expect_one(HEAD "materials: {a: {density: 0}}\n", 6, 26,
               "'density' is 0 kg/m3; it must be 0.001 to 100000 kg/m3", NULL);
    expect_one(HEAD "gravity: [0, inf, 0]\n", 6, 14, "'gravity' is inf m/s2", NULL);
    expect_one(HEAD "periodic: {x: [1, -1]}\n", 6, 15, "'x' must rise", NULL);
    expect_one("ooze: 3\nmethod: {name: ballistic}\nspacing: 0.1\ntime_step: 1\nduration: 1\n", 1,
               7, "this text is in format 3, of a newer version of Ooze",
               "install a newer version");
    expect_one("ooze: 1.5\nmethod: {name: ballistic}\nspacing: 0.1\ntime_step: 1\nduration: 1\n", 1,
               7, "'ooze' is 1.5; it must be 2", NULL);
    expect_one("ooze: 1\nsolids: [3]\n", 1, 7,
               "this text is in format 1; this version of Ooze reads format 2",
               "save it to a file and run `ooze upgrade FILE`");
    expect_one(HEAD "emitters: [{material: a, radius: 1, start: 2, stop: 1}]\nmaterials: {a: {}}\n",
               6, 53, "stops at 1 s, before it starts at 2 s", NULL);
    expect_one(HEAD "solids:\n  - shape: {type: plane}\n    motion:\n      keyframes:\n"
                    "        - {time: 1}\n        - {time: 1}\n",
               11, 11, "keyframe 1 is at 1 s, not after", NULL);
    expect_one(HEAD "solids:\n  - shape: {type: plane}\n    motion: {ramp_time: -1}\n", 8, 25,
               "'ramp_time' is -1 s; it must be", NULL);
    expect_one(HEAD "probes: [{kind: thread, slice: 0}]\n", 6, 32, "'slice' is 0 spacings", NULL);
    expect_one(HEAD "probes: [{kind: thread, lower: flor}]\n"
                    "solids: [{name: floor, shape: {type: plane}}]\n",
               6, 32, "there is no solid 'flor'", "floor");
    expect_one(HEAD "probes: [{kind: height, lower: floor}]\n"
                    "solids: [{name: floor, shape: {type: plane}}]\n",
               6, 25, "'lower'", NULL);
}

static void missing(void **state)
{
    (void)state;
    OozeScene *scene = load_bytes("title: a\n", 9);
    expect(scene, 1, 1, "the scene lacks 'ooze'");
    expect(scene, 1, 1, "the scene lacks 'method'");
    expect(scene, 1, 1, "the scene lacks 'spacing'");
    expect(scene, 1, 1, "the scene lacks 'time_step'");
    expect(scene, 1, 1, "the scene lacks 'duration'");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 5);
    ooze_scene_free(scene);
    /* the misspelt key comes before what lacks because of it */
    const char *misspelt = "ooze: 2\nmethod: {name: ballistic}\ntime_step: 1/100\nduration: 1\n"
                           "spacin: 0.1\n";
    scene = load_bytes(misspelt, strlen(misspelt));
    assert_int_equal(ooze_scene_diagnostic_count(scene), 2);
    assert_non_null(strstr(ooze_scene_diagnostic(scene, 0)->message, "unknown key 'spacin'"));
    assert_string_equal(ooze_scene_diagnostic(scene, 0)->hint, "did you mean 'spacing'?");
    expect(scene, 1, 1, "the scene lacks 'spacing'");
    ooze_scene_free(scene);
    expect_one(HEAD BALL "{type: torus, radius: 1}\n", 9, 12, "the shape lacks 'tube_radius'",
               NULL);
    expect_one(HEAD BALL "{radius: 1}\n", 9, 12, "the shape lacks 'type'", NULL);
    expect_one(HEAD "materials: {a: {}}\nemitters: [{outline: star, radius: 2, material: a}]\n", 7,
               12, "the emitter lacks 'inner_radius'", NULL);
    expect_one(HEAD BALL "{type: mesh, file: no/such.obj}\n", 9, 31,
               "there is no file 'no/such.obj'", "relative");
    expect_one(HEAD BALL "{type: mesh, file: /dev/zero}\n", 9, 31, "is not a plain file", NULL);
    expect_one(HEAD "include: [no/such.yaml]\n", 6, 11, "cannot open 'no/such.yaml'", "path");
    expect_one(HEAD
               "materials: {honey: {}}\nfluids: [{material: hony, shape: {type: sphere, radius: "
               "1}}]\n",
               7, 21, "there is no material 'hony'", "did you mean 'honey'?");
    expect_one(HEAD "materials: {honey: {}}\nrender: {camera: {f_number: 2, focus: hony}}\n", 7, 39,
               "there is no material or solid 'hony' to focus on", "did you mean 'honey'?");
    expect_one(HEAD "solids: [{name: floor, shape: {type: plane}}]\n"
                    "render: {camera: {focus: spoon}}\n",
               7, 26, "there is no material or solid 'spoon' to focus on", "under materials or");
    expect_one(HEAD "materials: {honey: {}}\nrender: {camera: {follow: spoon}}\n", 7, 27,
               "there is no material 'spoon' to follow", "define it under materials");
}

static void damaged_yaml(void **state)
{
    (void)state;
    expect_one(HEAD "\ttitle: a\n", 6, 1, "not valid YAML", "tabs");
    expect_one(HEAD "title: [1, 2\n\n", 6, 13, "not valid YAML", NULL); /* where the text ends */
    expect_one(HEAD "title: a: b\n", 6, 9, "not valid YAML", NULL);
    expect_one("", 0, 0, "the file is empty", NULL);
    expect_one("# only a comment\n", 0, 0, "the file is empty", NULL);
    expect_one("- a\n- b\n", 1, 1, "a scene must be a map of keys, not a list", NULL);
    expect_one(HEAD "---\nooze: 1\n", 6, 1, "a second document begins here", NULL);
    expect_one(HEAD "title: !!str a\n", 6, 8, "tags are not part", NULL);
    expect_one(HEAD "<<: {seed: 1}\n", 6, 1, "merge keys", "include");
    expect_one(HEAD "? [a, b]\n: 1\n", 6, 3, "a key must be a single word", NULL);
    expect_one(HEAD "title: *unknown\n", 6, 8, "alias '*unknown' has no anchor", NULL);
    expect_one(HEAD "fluids: &a [*a]\n", 6, 13, "alias '*a' would contain itself", NULL);
    expect_one(HEAD "materials: &m {x: {y: *m}}\n", 6, 23, "would contain itself", NULL);
    expect_one(HEAD "title: \"a\\0b\"\n", 6, 8, "NUL", NULL);
}

static void damaged_bytes(void **state)
{
    (void)state;
    expect_one(HEAD "title: \xff\xfe\n", 6, 8, "not UTF-8", "UTF-8");
    expect_one(HEAD "title: \xc3\xa4\xc3\n", 6, 9, "not UTF-8", NULL); /* cut short */
    expect_one(HEAD "title: \xc0\x80\n", 6, 8, "not UTF-8", NULL);     /* overlong */
    expect_one(HEAD "title: \xed\xa0\x80\n", 6, 8, "not UTF-8", NULL); /* surrogate */
    expect_one(HEAD "title: \x01\n", 6, 8, "control character", NULL);
    const char nul[] = HEAD "title: a\0b\n";
    OozeScene *scene = load_bytes(nul, sizeof nul - 1);
    expect(scene, 6, 9, "NUL byte");
    ooze_scene_free(scene);
    scene = load_bytes("o\0o\0z\0e\0", 8); /* UTF-16 */
    expect(scene, 1, 2, "NUL byte");
    ooze_scene_free(scene);
}

static void all_errors_are_reported(void **state)
{
    (void)state;
    const char *text = "ooze: 2\n"
                       "method: {name: balistic}\n"
                       "spacing: -1\n"
                       "time_step: soon\n"
                       "duration: 1\n"
                       "solids:\n"
                       "  - shape: {type: sphere, radus: 1}\n"
                       "  - shape: {type: box, size: 3}\n"
                       "probes: [{kind: heigt}]\n";
    OozeScene *scene = NULL;
    OozeError first = {0};
    assert_int_equal(ooze_scene_load_text(text, strlen(text), "test.yaml", &scene, &first),
                     OOZE_ERROR_SCENE);
    assert_string_equal(expect(scene, 2, 16, "'balistic'")->hint, "did you mean 'ballistic'?");
    expect(scene, 3, 10, "'spacing' is -1 m");
    assert_string_equal(expect(scene, 4, 12, "'soon' is not")->source, "time_step: soon");
    expect(scene, 7, 27, "unknown key 'radus'");
    expect(scene, 7, 12, "lacks 'radius'");
    expect(scene, 8, 30, "'size' must be a list");
    expect(scene, 9, 17, "'kind' cannot be 'heigt'");
    assert_int_equal(ooze_scene_diagnostic_count(scene), 7);
    assert_non_null(strstr(first.message, "test.yaml:2:16: 'name' cannot be 'balistic'"));
    assert_non_null(strstr(first.message, "the first of 7 errors"));
    OozeWorld *world = NULL;
    CHECK_FAILS(ooze_scene_build(scene, NULL, &world, &error), OOZE_ERROR_SCENE, "7 errors");
    assert_null(world);
    ooze_scene_free(scene);
}

static void build_errors_are_located(void **state)
{
    (void)state;
    /* The world, not the table, knows how long a periodic box must be. */
    const char *text = HEAD "periodic: {x: [0, 0.1]}\n";
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    CHECK_FAILS(ooze_scene_build(scene, NULL, &world, &error), OOZE_ERROR_ARGUMENT, "test.yaml:");
    ooze_scene_free(scene);
    scene =
        load_good(HEAD "materials: {a: {}}\n"
                       "emitters:\n"
                       "  - {name: bad, material: a, outline: star, radius: 1, inner_radius: 2}\n");
    CHECK_FAILS(ooze_scene_build(scene, NULL, &world, &error), OOZE_ERROR_ARGUMENT,
                "test.yaml:8:5: emitters.bad: ");
    assert_null(world);
    ooze_scene_free(scene);
}

/* Names are checked after all else, and duplicate keys before: told in the order of the file. */
static void errors_come_in_the_order_of_the_file(void **state)
{
    (void)state;
    const char *text =
        "ooze: 2\nmethod: {name: ballistic}\nspacing: x\ntime_step: 1/240\nduration: 1\n"
        "fluids: [{material: nothing, shape: {type: box, size: [1, 1, 1]}}]\n"
        "title: a\n"
        "solids: [{name: s, shape: {type: ball}}]\n"
        "title: b\n"
        "gravity: down\n";
    OozeScene *scene = load_bytes(text, strlen(text));
    const int lines[] = {3, 6, 8, 9, 10};
    assert_int_equal(ooze_scene_diagnostic_count(scene), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ooze_scene_diagnostic(scene, i)->line, lines[i]);
    }
    ooze_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_come_in_the_order_of_the_file),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(settings_that_are_gone),
        cmocka_unit_test(a_setting_that_is_gone_may_be_off),
        cmocka_unit_test(long_words),
        cmocka_unit_test(misplaced_keys),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(missing),
        cmocka_unit_test(damaged_yaml),
        cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(all_errors_are_reported),
        cmocka_unit_test(build_errors_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
