/* Materials by name: a complete table, and scenes that use it as defaults. */
#include "scene_text.h"

#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "materials/material.h"
#include "unit/scratch_folder.h"

/* ---- the table ------------------------------------------------------------------------------- */

static const char *const expected[] = {
    "water",     "oil",        "honey", "syrup", "cream", "whipped_cream", "yoghurt",
    "ketchup",   "toothpaste", "dough", "clay",  "slime", "jelly",         "chewing_gum",
    "chocolate", "lava",       "mucus", "wax",   "pdms",  "egg_white",
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

static void table_is_complete(void **state)
{
    (void)state;
    assert_int_equal(ooze_preset_count(), EXPECTED);
    assert_null(ooze_preset_info(-1));
    assert_null(ooze_preset_info(EXPECTED));
    int param_count, look_count;
    const OozeParamInfo *params = ooze_material_params(&param_count);
    const OozeLookInfo *looks = ooze_looks(&look_count);
    for (int i = 0; i < EXPECTED; i++) {
        const OozePresetInfo *info = ooze_preset_info(i);
        assert_string_equal(info->name, expected[i]);
        assert_true(info->summary[0] && info->model[0] && info->number_count >= 2);
        OozeMaterialDef def;
        CHECK_OK(ooze_material_preset(info->name, &def, &error));
        assert_string_equal(def.name, info->name);
        assert_true(def.look.type > 0 && def.look.type < look_count); /* never `auto` */
        assert_string_equal(looks[def.look.type].name, info->look);
        int given = 0;
        for (int k = 0; k < param_count; k++) {
            given += def.values[k] != params[k].initial && !isnan(def.values[k]);
        }
        for (int k = 0; k < info->number_count; k++) {
            const OozePresetNumber *number = &info->numbers[k];
            int index = ooze_param_find(params, param_count, number->key);
            assert_true(index >= 0 && def.values[index] == number->value);
            assert_true(number->source[0] && ooze_preset_origin_name(number->origin));
        }
        assert_int_equal(given, info->number_count); /* none twice, none that says nothing */
    }
    assert_string_equal(ooze_preset_origin_name(OOZE_PRESET_MEASURED), "measured");
    assert_null(ooze_preset_origin_name(OOZE_PRESET_ORIGIN_COUNT));
}

/* Every measured number cites a source: a year, or a book without one. */
static void measured_numbers_have_a_source(void **state)
{
    (void)state;
    int measured = 0, artistic = 0;
    for (int i = 0; i < EXPECTED; i++) {
        const OozePresetInfo *info = ooze_preset_info(i);
        for (int k = 0; k < info->number_count; k++) {
            const OozePresetNumber *number = &info->numbers[k];
            measured += number->origin == OOZE_PRESET_MEASURED;
            artistic += number->origin == OOZE_PRESET_ARTISTIC;
            bool cited = strstr(number->source, "(19") || strstr(number->source, "(20") ||
                         strstr(number->source, "Handbook") || strstr(number->source, "ICUMSA") ||
                         strstr(number->source, "data sheets") ||
                         strstr(number->source, "NETZSCH") || strstr(number->source, "by its name");
            if (number->origin == OOZE_PRESET_MEASURED && !cited) {
                fail_msg("%s of %s is measured, but by which?", number->key, info->name);
            }
        }
    }
    assert_true(measured >= 20 && artistic >= 5);
}

static void unknown_names(void **state)
{
    (void)state;
    OozeMaterialDef def = ooze_material_def_default();
    OozeError slip = {0};
    assert_int_equal(ooze_material_preset("hony", &def, &slip), OOZE_ERROR_ARGUMENT);
    assert_string_equal(slip.message, "there is no preset 'hony'");
    assert_string_equal(slip.hint, "did you mean 'honey'?");
    assert_string_equal(def.name, "fluid"); /* untouched */
    CHECK_FAILS(ooze_material_preset("", &def, &error), OOZE_ERROR_ARGUMENT, "no preset ''");
    CHECK_FAILS(ooze_material_preset(NULL, &def, &error), OOZE_ERROR_ARGUMENT, "name");
    CHECK_FAILS(ooze_material_preset("honey", NULL, &error), OOZE_ERROR_ARGUMENT, "def");
}

/* Each is taken by the method without complaint and moves: a small block falls for some steps. */
static void conformation_runs_every_preset(void **state)
{
    (void)state;
    for (int i = 0; i < EXPECTED; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ooze: 2\nmethod: {name: conformation}\nspacing: 0.002\n"
                 "time_step: 1/480\nduration: 1\nmaterials: {m: {preset: %s}}\n"
                 "fluids: [{material: m, shape: {type: box, size: [0.012, 0.012, 0.012], position: "
                 "[0, 0.006, 0]}}]\nsolids: [{shape: {type: plane}, friction: inf}]\n",
                 expected[i]);
        OozeScene *scene = load_good(text);
        OozeWorld *world = NULL;
        OozeBuildOptions options = {.threads = 1};
        CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
        CHECK_OK(ooze_scene_check_physics(scene, world, &error));
        if (ooze_scene_diagnostic_count(scene) > 0) {
            print_diagnostics(scene);
            fail_msg("preset %s has something wrong", expected[i]);
        }
        for (int k = 0; k < 20; k++) {
            CHECK_OK(ooze_world_step(world, &error));
        }
        OozeWorldStats stats;
        ooze_world_stats(world, &stats);
        assert_int_equal(stats.particles, 6 * 6 * 6);
        ooze_world_destroy(world);
        ooze_scene_free(scene);
    }
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static const OozeMaterialDef *material_of(const OozeScene *scene, int index)
{
    assert_true(index < scene->def.material_count);
    return &scene->def.materials[index];
}

static bool is_same(const OozeMaterialDef *a, const OozeMaterialDef *b, int except)
{
    bool same = a->look.type == b->look.type;
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        bool both = a->values[i] == b->values[i] || (isnan(a->values[i]) && isnan(b->values[i]));
        same = same && (i == except || both);
    }
    return same && memcmp(a->color, b->color, sizeof a->color) == 0;
}

static void scene_takes_a_preset(void **state)
{
    (void)state;
    OozeMaterialDef def;
    for (int i = 0; i < EXPECTED; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "materials: {mine: {preset: %s}}\n", expected[i]);
        OozeScene *scene = load_good(text);
        CHECK_OK(ooze_material_preset(expected[i], &def, &error));
        assert_true(is_same(material_of(scene, 0), &def, -1)); /* bit for bit, through text */
        assert_string_equal(material_of(scene, 0)->name, "mine");
        ooze_scene_free(scene);
    }
}

static void numbers_of_the_scene_override(void **state)
{
    (void)state;
    OozeMaterialDef honey;
    CHECK_OK(ooze_material_preset("honey", &honey, &error));
    OozeScene *scene = load_good(HEAD "materials:\n"
                                      "  a: {viscosity: 20, preset: honey}\n"
                                      "  b: {preset: honey, color: [0, 0.5, 1]}\n"
                                      "  honey: {density: 7}\n"
                                      "  c: {preset: honey, look: {depth: 0.25}}\n"
                                      "  d: {preset: honey, look: wax}\n");
    assert_true(material_of(scene, 0)->values[OOZE_MATERIAL_VISCOSITY] == 20.0);
    assert_true(is_same(material_of(scene, 0), &honey, OOZE_MATERIAL_VISCOSITY));
    assert_true(material_of(scene, 1)->color[1] == 0.5f);
    const OozeMaterialDef *named = material_of(scene, 2); /* a name alone takes nothing */
    assert_true(named->values[OOZE_MATERIAL_DENSITY] == 7.0);
    assert_true(isnan(named->values[OOZE_MATERIAL_VISCOSITY]) && named->look.type == 0);
    assert_true(material_of(scene, 3)->look.depth == 0.25);
    assert_int_equal(material_of(scene, 3)->look.type, honey.look.type);
    int look_count;
    assert_string_equal(ooze_looks(&look_count)[material_of(scene, 4)->look.type].name, "wax");
    ooze_scene_free(scene);
}

/* Two of viscosity, modulus and relaxation time make the third: the preset must not make it
   three. */
static void given_numbers_replace_the_modulus(void **state)
{
    (void)state;
    OozeScene *scene = load_good(HEAD "materials:\n"
                                      "  a: {preset: slime, viscosity: 50}\n"
                                      "  b: {preset: slime, compliance: 2}\n"
                                      "  c: {preset: slime, modulus: 9}\n"
                                      "  d: {preset: ketchup, viscosity: 50}\n");
    OozeMaterialDef slime, ketchup;
    CHECK_OK(ooze_material_preset("slime", &slime, &error));
    CHECK_OK(ooze_material_preset("ketchup", &ketchup, &error));
    const double *a = material_of(scene, 0)->values, *b = material_of(scene, 1)->values;
    assert_true(a[OOZE_MATERIAL_VISCOSITY] == 50.0 && isnan(a[OOZE_MATERIAL_MODULUS]));
    assert_true(a[OOZE_MATERIAL_RELAXATION] == slime.values[OOZE_MATERIAL_RELAXATION]);
    assert_true(b[OOZE_MATERIAL_COMPLIANCE] == 2.0 && isnan(b[OOZE_MATERIAL_MODULUS]));
    assert_true(material_of(scene, 2)->values[OOZE_MATERIAL_MODULUS] == 9.0);
    assert_true(is_same(material_of(scene, 2), &slime, OOZE_MATERIAL_MODULUS));
    /* a yield strain is nothing without its modulus */
    assert_true(is_same(material_of(scene, 3), &ketchup, OOZE_MATERIAL_VISCOSITY));
    ooze_scene_free(scene);
}

/* A material with the name of a preset and without numbers gives a warning. */
static void names_of_presets_without_numbers_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *material;
        int warnings;
    } cases[] = {{"honey: {}", 1},
                 {"honey: {density: 1400}", 1},
                 {"honey: {preset: honey}", 0},
                 {"honey: {viscosity: 5}", 0},
                 {"treacle: {}", 0}};
    for (int i = 0; i < 5; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ooze: 2\nmethod: {name: conformation}\nspacing: 0.01\ntime_step: 1/240\n"
                 "duration: 1\nmaterials: {%s}\nfluids: [{material: %.*s, shape: {type: box, size: "
                 "[0.1, 0.1, 0.1]}}]\n",
                 cases[i].material, (int)strcspn(cases[i].material, ":"), cases[i].material);
        OozeScene *scene = load_good(text);
        OozeWorld *world = NULL;
        OozeBuildOptions options = {.threads = 1};
        CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
        CHECK_OK(ooze_scene_check_physics(scene, world, &error));
        assert_int_equal(ooze_scene_diagnostic_count(scene), cases[i].warnings);
        if (cases[i].warnings) {
            expect_hint(expect(scene, 6, 13, "a name alone gives it no numbers"),
                        "`preset: honey`");
        }
        ooze_world_destroy(world);
        ooze_scene_free(scene);
    }
}

/* What is kept with a run holds the numbers and not the name, and reads the same again. */
static void canonical_text_has_the_numbers(void **state)
{
    (void)state;
    OozeScene *scene = load_good(HEAD "materials: {m: {preset: ketchup, density: 1000}}\n");
    const char *text = ooze_scene_canonical(scene);
    assert_null(strstr(text, "preset"));
    assert_non_null(strstr(text, "density: 1000\n"));
    assert_non_null(strstr(text, "thinning: power_law\n"));
    assert_non_null(strstr(text, "type: glossy\n"));
    OozeScene *again = load_good(text);
    assert_string_equal(ooze_scene_canonical(again), text);
    assert_true(is_same(material_of(again, 0), material_of(scene, 0), -1));
    ooze_scene_free(again);
    ooze_scene_free(scene);
}

static void overrides_and_includes(void **state)
{
    (void)state;
    char base[256], path[256];
    snprintf(base, sizeof base, "%s/base.yaml", folder);
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    const char *below = "materials: {mine: {preset: honey, drag: 3}}\n";
    const char *above = HEAD "include: base.yaml\nmaterials: {mine: {preset: oil, density: 900}}\n";
    CHECK_OK(ooze_file_write_atomic(base, below, strlen(below), &error));
    CHECK_OK(ooze_file_write_atomic(path, above, strlen(above), &error));
    OozeMaterialDef def;
    OozeScene *scene = NULL;
    CHECK_OK(ooze_scene_load(path, NULL, 0, &scene, &error));
    CHECK_OK(ooze_material_preset("oil", &def, &error));
    def.values[OOZE_MATERIAL_DRAG] = 3.0;
    assert_true(is_same(material_of(scene, 0), &def, OOZE_MATERIAL_DENSITY));
    assert_true(material_of(scene, 0)->values[OOZE_MATERIAL_DENSITY] == 900.0);
    ooze_scene_free(scene);

    const char *const sets[] = {"materials.mine.preset=jelly", "materials.mine.modulus=50",
                                "materials.mine.density=1"};
    CHECK_OK(ooze_scene_load(path, sets, 3, &scene, &error));
    const double *values = material_of(scene, 0)->values;
    assert_true(values[OOZE_MATERIAL_MODULUS] == 50.0 && values[OOZE_MATERIAL_DENSITY] == 1.0);
    assert_true(isnan(values[OOZE_MATERIAL_VISCOSITY])); /* nothing of oil is left */
    ooze_scene_free(scene);

    const char *const slip[] = {"materials.mine.preset=ketchp"};
    CHECK_FAILS(ooze_scene_load(path, slip, 1, &scene, &error), OOZE_ERROR_SCENE, "'ketchp'");
    expect_hint(expect(scene, 1, 23, "'preset' cannot be 'ketchp'"), "did you mean 'ketchup'?");
    ooze_scene_free(scene);
}

static void mistakes_in_presets_are_located(void **state)
{
    (void)state;
    expect_one(HEAD "materials: {m: {preset: hony}}\n", 6, 25, "'preset' cannot be 'hony'",
               "did you mean 'honey'?");
    expect_one(HEAD "materials: {m: {preset: [honey, oil]}}\n", 6, 25, "'preset' must be one word",
               NULL);
    expect_one(HEAD "materials: {m: {preset: }}\n", 6, 17, "'preset' has no value", NULL);
    expect_one(HEAD "materials: {m: {preset: honey, viscosity: -1}}\n", 6, 43, "'viscosity' is -1",
               NULL);
    expect_one(HEAD "materials: {m: {preset: honey, viscosty: 1}}\n", 6, 32, "unknown key",
               "viscosity");
    expect_one(HEAD "materials: [preset, honey]\n", 6, 12, "'materials' must be a map", NULL);
    expect_one(HEAD "materials: {m: honey}\n", 6, 16, "must be a map of keys", NULL);
}

/* Fails the n-th allocation for n = 1, 2, ... until a load goes through. Leaks show under ASan. */
static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    const char *text = HEAD "materials: {m: {preset: ketchup, density: 900}, n: {preset: water}}\n";
    bool good = false;
    for (uint64_t n = 1; !good && n < 500; n++) {
        OozeScene *scene = NULL;
        ooze_memory_fail_after(n);
        OozeStatus status = ooze_scene_load_text(text, strlen(text), "test.yaml", &scene, NULL);
        ooze_memory_fail_after(0);
        good = status == OOZE_OK;
        assert_true(good || status == OOZE_ERROR_MEMORY);
        ooze_scene_free(scene);
    }
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),
        cmocka_unit_test(measured_numbers_have_a_source),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(conformation_runs_every_preset),
        cmocka_unit_test(scene_takes_a_preset),
        cmocka_unit_test(numbers_of_the_scene_override),
        cmocka_unit_test(given_numbers_replace_the_modulus),
        cmocka_unit_test(names_of_presets_without_numbers_are_warned_of),
        cmocka_unit_test(canonical_text_has_the_numbers),
        cmocka_unit_test(overrides_and_includes),
        cmocka_unit_test(mistakes_in_presets_are_located),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
