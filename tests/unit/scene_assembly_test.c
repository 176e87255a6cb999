/* Includes, overrides and the canonical text of a scene. */
#include "scene_text.h"

#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "materials/material.h"
#include "unit/scratch_folder.h"

/* ---- files of a test ------------------------------------------------------------------------- */

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    char sub[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(sub, sizeof sub, "%.*s", (int)(strrchr(path, '/') - path), path);
    CHECK_OK(ooze_make_folder(sub, &error));
    CHECK_OK(ooze_file_write_atomic(path, text, strlen(text), &error));
    return path;
}

static OozeScene *load_path(const char *path, const char *const *overrides, int count)
{
    OozeScene *scene = NULL;
    ooze_scene_load(path, overrides, count, &scene, NULL);
    assert_non_null(scene);
    return scene;
}

static OozeScene *load_set(const char *text, const char *override)
{
    return load_path(write_file("set.yaml", text), &override, 1);
}

/* ---- includes -------------------------------------------------------------------------------- */

static void includes_merge(void **state)
{
    (void)state;
    write_file("presets/base.yaml", "materials:\n"
                                    "  honey: {density: 1400, drag: 1}\n"
                                    "  water: {}\n"
                                    "gravity: [0, -1, 0]\n"
                                    "solids: [{name: floor, shape: {type: plane}}]\n");
    write_file("presets/more.yaml", "include: base.yaml\n" /* relative to itself */
                                    "materials: {honey: {drag: 2}}\n"
                                    "seed: 5\n");
    const char *path =
        write_file("main.yaml", HEAD "include: [presets/base.yaml, presets/more.yaml]\n"
                                     "gravity: [0, -2, 0]\n"
                                     "materials: {oil: {density: 900}}\n"
                                     "solids: [{name: lid, shape: {type: plane}}]\n");
    OozeScene *scene = load_path(path, NULL, 0);
    print_diagnostics(scene);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    const OozeSceneDef *def = &scene->def;
    assert_true(def->world.gravity.y == -2.0); /* replaced, not appended to */
    assert_true(def->world.seed == 5);
    assert_int_equal(def->material_count, 3);
    assert_string_equal(def->materials[0].name, "honey");
    const double *honey = def->materials[0].values;
    assert_true(honey[OOZE_MATERIAL_DENSITY] == 1400.0); /* kept from the first file */
    assert_true(honey[OOZE_MATERIAL_DRAG] == 2.0);       /* changed by the second */
    assert_string_equal(def->materials[2].name, "oil");
    assert_int_equal(def->solid_count, 2); /* base.yaml is included twice and counts once */
    assert_string_equal(def->solids[0].name, "floor");
    assert_string_equal(def->solids[1].name, "lid");
    ooze_scene_free(scene);
}

static void include_errors(void **state)
{
    (void)state;
    write_file("bad.yaml", "materials:\n  honey: {densty: 1}\n");
    OozeScene *scene = load_path(write_file("a.yaml", HEAD "include: [bad.yaml]\n"), NULL, 0);
    const OozeDiagnostic *d = expect(scene, 2, 11, "unknown key 'densty'");
    assert_non_null(strstr(d->file, "/bad.yaml"));
    assert_string_equal(d->source, "  honey: {densty: 1}");
    ooze_scene_free(scene);

    write_file("one.yaml", "include: two.yaml\n");
    write_file("two.yaml", "include: [one.yaml]\n");
    scene = load_path(write_file("a.yaml", HEAD "include: [one.yaml]\n"), NULL, 0);
    d = expect(scene, 1, 11, "includes itself");
    assert_non_null(strstr(d->file, "/two.yaml"));
    ooze_scene_free(scene);

    scene = load_path(write_file("a.yaml", HEAD "include: a.yaml\n"), NULL, 0);
    expect(scene, 6, 10, "includes itself");
    ooze_scene_free(scene);
    scene = load_path(write_file("a.yaml", HEAD "include: [/dev/null, ., {a: 1}]\n"), NULL, 0);
    expect(scene, 6, 11, "is not a plain file");
    expect(scene, 6, 22, "not a plain file");
    expect(scene, 6, 25, "an include must be the path");
    ooze_scene_free(scene);

    for (int i = 0; i < 20; i++) { /* a chain too long */
        char name[32], text[64];
        snprintf(name, sizeof name, "chain%d.yaml", i);
        snprintf(text, sizeof text, "include: chain%d.yaml\n", i + 1);
        write_file(name, text);
    }
    scene = load_path(write_file("a.yaml", HEAD "include: chain0.yaml\n"), NULL, 0);
    expect(scene, 1, 10, "too many includes");
    ooze_scene_free(scene);
}

static void missing_scene(void **state)
{
    (void)state;
    OozeScene *scene = NULL;
    CHECK_FAILS(ooze_scene_load("no/such/scene.yaml", NULL, 0, &scene, &error), OOZE_ERROR_SCENE,
                "cannot open 'no/such/scene.yaml'");
    expect(scene, 0, 0, "cannot open");
    assert_string_equal(ooze_scene_diagnostic(scene, 0)->file, "no/such/scene.yaml");
    assert_null(ooze_scene_diagnostic(scene, 1));
    assert_null(ooze_scene_diagnostic(scene, -1));
    ooze_scene_free(scene);
}

/* ---- overrides ------------------------------------------------------------------------------- */

#define THINGS                                                                                     \
    HEAD "materials: {honey: {density: 1400}}\n"                                                   \
         "solids:\n"                                                                               \
         "  - {name: floor, shape: {type: plane}}\n"                                               \
         "  - shape: {type: sphere, radius: 1}\n"                                                  \
         "probes: [{kind: height}]\n"

static void overrides_change_values(void **state)
{
    (void)state;
    const char *const sets[] = {
        "materials.honey.drag=12",
        "solids.floor.friction=1/8",
        "solids.1.shape.radius=2*3",
        "solids.solid1.shape.position=[1, 2, 3]",
        "solids.floor.motion.velocity=[0, 1, 0]", /* a section that was not there */
        "method.contact_distance=1",
        "duration=7",
        "title=a = b",
        "duration=8", /* the later wins */
        "probes.0.percentile=10",
    };
    OozeScene *scene = load_path(write_file("o.yaml", THINGS), sets, 10);
    print_diagnostics(scene);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    const OozeSceneDef *def = &scene->def;
    assert_true(def->materials[0].values[OOZE_MATERIAL_DRAG] == 12.0 &&
                def->materials[0].values[OOZE_MATERIAL_DENSITY] == 1400.0);
    assert_true(def->solids[0].friction == 0.125);
    assert_true(def->solids[1].shape.radius == 6.0 && def->solids[1].shape.position.z == 3.0);
    assert_true(def->solids[0].motion.velocity.y == 1.0);
    assert_true(def->method.params[0] == 1.0 && def->duration == 8.0);
    assert_string_equal(def->title, "a = b");
    assert_true(def->probes[0].def.percentile == 10.0);
    ooze_scene_free(scene);
}

static void refuse_set(const char *override, int column, const char *part, const char *hint)
{
    OozeScene *scene = load_set(THINGS, override);
    const OozeDiagnostic *d = expect(scene, 1, column, part);
    assert_string_equal(d->file, "--set");
    assert_string_equal(d->source, override);
    expect_hint(d, hint);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 1);
    ooze_scene_free(scene);
}

static void override_errors(void **state)
{
    (void)state;
    refuse_set("durration=3", 1, "unknown key 'durration'", "'duration'");
    refuse_set("materials.hony.drag=3", 11, "there is no 'hony' among the materials", "'honey'");
    refuse_set("solids.flor.friction=3", 8, "there is no 'flor' among the solids", "'floor'");
    refuse_set("solids.2.friction=3", 8, "there is no '2' among the solids", NULL);
    refuse_set("solids.floor.fricton=3", 14, "unknown key 'fricton' in the solid", "'friction'");
    refuse_set("solids.floor.friction=-3", 23, "'friction' is -3; it must be 0 to 1e12, or inf",
               NULL);
    refuse_set("solids.floor.friction=abc", 23, "'abc' is not", NULL);
    refuse_set("solids.floor.shape.radius=1", 20, "does not apply to a shape of type 'plane'",
               NULL);
    refuse_set("solids.floor=3", 8, "is a whole solid", NULL);
    refuse_set("duration.x=3", 1, "'duration' has no keys of its own", NULL);
    refuse_set("method.contact_distanc=3", 8, "unknown key 'contact_distanc'", "contact_distance");
    refuse_set("duration", 1, "KEY.PATH=VALUE", NULL);
    refuse_set("=3", 1, "KEY.PATH=VALUE", NULL);
    refuse_set("duration.=3", 1, "KEY.PATH=VALUE", NULL);
    refuse_set("include=a.yaml", 1, "an include cannot be given", NULL);
    refuse_set("gravity=[1, 2", 14, "not valid YAML", NULL);
    refuse_set("title=\xff", 7, "not UTF-8", NULL);
    OozeScene *scene = load_set(THINGS, "duration=");
    expect(scene, 0, 0, "the override has no value");
    ooze_scene_free(scene);
}

/* ---- canonical ------------------------------------------------------------------------------- */

static void check_round_trip(const OozeScene *scene)
{
    const char *text = ooze_scene_canonical(scene);
    assert_true(strlen(text) > 20);
    OozeScene *again = load_good(text);
    assert_string_equal(ooze_scene_canonical(again), text);
    assert_true(again->info.time_step == scene->info.time_step);
    assert_int_equal(again->def.solid_count, scene->def.solid_count);
    for (int i = 0; i < scene->def.solid_count; i++) {
        const OozeSolidDef *a = &scene->def.solids[i], *b = &again->def.solids[i];
        assert_memory_equal(&a->shape.rotation, &b->shape.rotation, sizeof a->shape.rotation);
        assert_memory_equal(&a->shape.position, &b->shape.position, sizeof a->shape.position);
        assert_memory_equal(a->color, b->color, sizeof a->color);
        for (int k = 0; k < a->motion.keyframe_count; k++) {
            assert_memory_equal(&a->motion.keyframes[k], &b->motion.keyframes[k],
                                sizeof(OozeKeyframe));
        }
    }
    ooze_scene_free(again);
}

static void canonical_text_is_read_back(void **state)
{
    (void)state;
    OozeScene *scene = load_good(
        HEAD
        "title: \"quote \\\" back \\\\ bell \\a line\\u2028 nel \\x85 snow \\u2603 \\U0001F40C\"\n"
        "gravity: [1/3, -sqrt(2), 1e-300]\n"
        "periodic: {y: [-1/3, 1]}\n"
        "materials: {'two words': {density: 1e3/7, color: '#123456'}}\n"
        "fluids: [{material: two words, shape: {type: cone, radius: 1/3, height: 0.1}}]\n"
        "solids:\n"
        "  - {shape: {type: plane, rotation: {axis: [1, 2, 1/3], degrees: 100/7}},\n"
        "     friction: inf}\n"
        "  - shape: {type: sphere, radius: 0.1, rotation: [10, 20, 100/3]}\n"
        "    motion:\n"
        "      keyframes: [{time: 0}, {time: 1/3, rotation: [1, 2, 3], position: [0, 1/7, 0]}]\n"
        "      sine: {amplitude: [0, 1/9, 0], frequency: 1/3}\n"
        "emitters:\n"
        "  - {material: two words, outline: shape, shape: {type: box, size: [1, 1, 1]}}\n"
        "sinks: [{shape: {type: plane, inverted: true}}]\n"
        "probes: [{kind: profile, end: [1, 0, 0]}, {kind: azimuth, material: two words}]\n");
    check_round_trip(scene);
    ooze_scene_free(scene);
}

static void canonical_text_of_examples_is_read_back(void **state)
{
    (void)state;
    DIR *scenes = opendir(OOZE_SOURCE_DIR "/scenes/ballistic");
    assert_non_null(scenes);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(scenes));) {
        if (!strstr(entry->d_name, ".yaml")) {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, OOZE_SOURCE_DIR "/scenes/ballistic/%s", entry->d_name);
        OozeScene *scene = load_path(path, NULL, 0);
        print_diagnostics(scene);
        assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
        check_round_trip(scene);
        ooze_scene_free(scene);
        count++;
    }
    closedir(scenes);
    assert_true(count >= 6);
}

static void canonical_text_contains_includes_and_overrides(void **state)
{
    (void)state;
    write_file("p.yaml", "materials: {honey: {density: 1300}}\n");
    const char *set = "materials.honey.drag=3";
    OozeScene *scene = load_path(write_file("main.yaml", HEAD "include: p.yaml\n"), &set, 1);
    const char *text = ooze_scene_canonical(scene);
    assert_null(strstr(text, "include"));
    assert_non_null(strstr(text, "density: 1300\n"));
    assert_non_null(strstr(text, "drag: 3\n"));
    assert_non_null(strstr(text, "time_step: 0.004166666666666667\n"));
    ooze_scene_free(scene);
}

/* A mesh is kept by absolute path and checksum: found from anywhere, refused once changed. */
static void files_have_absolute_paths_and_checksums(void **state)
{
    (void)state;
    const char *triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    write_file("parts/tri.obj", triangle);
    write_file("parts/tri.yaml", "solids: [{shape: {type: mesh, file: tri.obj}}]\n");
    OozeScene *scene =
        load_path(write_file("main.yaml", HEAD "include: parts/tri.yaml\n"), NULL, 0);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    char *text = ooze_copy_text(ooze_scene_canonical(scene));
    char expected[256];
    snprintf(expected, sizeof expected, "file: \"%s/parts/tri.obj\"\n", folder);
    assert_non_null(strstr(text, expected));
    check_round_trip(scene);
    ooze_scene_free(scene);
    write_file("parts/tri.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    scene = load_bytes(text, strlen(text));
    assert_int_equal(ooze_scene_diagnostic_count(scene), 1);
    assert_non_null(strstr(ooze_scene_diagnostic(scene, 0)->message, "the file has changed"));
    ooze_scene_free(scene);
    write_file("parts/tri.obj", triangle);
    ooze_scene_free(load_good(text));
    ooze_free(text);
}

/* Filling a scene of millions of particles takes minutes; a run that is resumed has them. */
static void worlds_to_be_restored_are_not_filled(void **state)
{
    (void)state;
    OozeScene *scene = load_good(HEAD "materials: {water: {}}\n"
                                      "fluids: [{material: water, temperature: 300,\n"
                                      "          shape: {type: box, size: [1, 1, 1]}}]\n");
    OozeBuildOptions options = {.to_be_restored = true};
    OozeWorld *filled = NULL, *restored = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &filled, &error));
    CHECK_OK(ooze_scene_build(scene, &options, &restored, &error));
    assert_int_equal(ooze_world_frame(filled)->particle_count, 1000);
    assert_int_equal(ooze_world_frame(restored)->particle_count, 0);
    CHECK_OK(ooze_world_step(filled, &error));
    CHECK_OK(ooze_world_restore(restored, ooze_world_frame(filled), &error));
    for (int k = 0; k < 2; k++) {
        assert_true(ooze_frame_hash(ooze_world_frame(filled)) ==
                    ooze_frame_hash(ooze_world_frame(restored)));
        CHECK_OK(ooze_world_step(filled, &error));
        CHECK_OK(ooze_world_step(restored, &error));
    }
    ooze_world_destroy(filled);
    ooze_world_destroy(restored);
    ooze_scene_free(scene);
}

static void locale_does_not_matter(void **state)
{
    (void)state;
    /* Where the system has a locale with decimal commas, it must not show. */
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (int i = 0; i < 3 && !setlocale(LC_ALL, names[i]); i++) {
    }
    OozeScene *scene = load_good(HEAD "gravity: [0.25, 1/8, 0]\n");
    assert_true(scene->def.world.gravity.x == 0.25);
    assert_non_null(strstr(ooze_scene_canonical(scene), "gravity: [0.25, 0.125, 0]"));
    ooze_scene_free(scene);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(includes_merge),
        cmocka_unit_test(include_errors),
        cmocka_unit_test(missing_scene),
        cmocka_unit_test(overrides_change_values),
        cmocka_unit_test(override_errors),
        cmocka_unit_test(canonical_text_is_read_back),
        cmocka_unit_test(canonical_text_of_examples_is_read_back),
        cmocka_unit_test(canonical_text_contains_includes_and_overrides),
        cmocka_unit_test(files_have_absolute_paths_and_checksums),
        cmocka_unit_test(worlds_to_be_restored_are_not_filled),
        cmocka_unit_test(locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
