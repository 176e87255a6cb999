/* The key table, and the pages made from it. */
#include "scene_text.h"

#include "base/file.h"
#include "base/memory.h"
#include "world/probes/probe.h"

static void check_page(OozeStatus (*make)(char **, OozeError *), const char *path, const char *how)
{
    char *made = NULL, *kept = NULL;
    size_t size;
    CHECK_OK(make(&made, &error));
    CHECK_OK(ooze_file_read(path, 1 << 24, &kept, &size, &error));
    if (strcmp(made, kept) != 0) {
        fail_msg("%s is out of date: run `%s`", path, how);
    }
    ooze_text_free(made);
    ooze_free(kept);
}

static void pages_are_up_to_date(void **state)
{
    (void)state;
    check_page(ooze_scene_reference, OOZE_SOURCE_DIR "/docs/scene-format.md",
               "build/ooze reference > docs/scene-format.md");
    check_page(ooze_scene_schema, OOZE_SOURCE_DIR "/docs/scene.schema.json",
               "build/ooze schema > docs/scene.schema.json");
}

static void the_example_works(void **state)
{
    (void)state;
    char *page = NULL;
    CHECK_OK(ooze_scene_reference(&page, &error));
    char *begin = strstr(page, "```yaml\n") + strlen("```yaml\n");
    char *end = strstr(begin, "```");
    OozeScene *scene = NULL;
    CHECK_OK(ooze_scene_load_text(begin, (size_t)(end - begin), "example.yaml", &scene, &error));
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    print_diagnostics(scene);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    ooze_text_free(page);
}

/* Every row makes sense on its own and stands on the page and in the schema. */
static void every_key_is_on_the_page_and_in_the_schema(void **state)
{
    (void)state;
    char *page = NULL, *json = NULL;
    CHECK_OK(ooze_scene_reference(&page, &error));
    CHECK_OK(ooze_scene_schema(&json, &error));
    const OozeSection *sections[OOZE_SECTIONS_MAX];
    int count = ooze_scene_sections(sections);
    assert_true(count >= 12);
    for (int s = 0; s < count; s++) {
        OozeKey row;
        for (int i = 0; ooze_section_key(sections[s], -1, i, &row); i++) {
            char cell[64], property[64];
            snprintf(cell, sizeof cell, "| `%s` |", row.key);
            snprintf(property, sizeof property, "\"%s\": {", row.key);
            assert_non_null(strstr(page, cell));
            assert_non_null(strstr(json, property));
            assert_true(row.help && row.help[0] && row.unit);
            assert_true(row.min <= row.max);
            assert_true(row.offset < sections[s]->size);
            for (int j = 0; j < i; j++) {
                OozeKey other;
                ooze_section_key(sections[s], -1, j, &other);
                assert_string_not_equal(row.key, other.key);
            }
        }
    }
    ooze_text_free(page);
    ooze_text_free(json);
}

static int count_choices(const OozeSection *section, const char *key)
{
    OozeKey row;
    char name[OOZE_CHOICE_MAX];
    int count = 0;
    assert_true(ooze_section_find(section, -1, key, &row));
    while (ooze_key_choice(&row, count, name)) {
        assert_int_equal(ooze_key_find_choice(&row, name), count);
        count++;
    }
    return count;
}

static const OozeSection *section_of(const char *key)
{
    OozeKey row;
    assert_true(ooze_section_find(&ooze_scene_root, -1, key, &row));
    return row.section;
}

/* Words and enums are two lists of the same things. */
static void words_match_enums(void **state)
{
    (void)state;
    assert_int_equal(count_choices(&ooze_section_shape, "type"), OOZE_SHAPE_KIND_COUNT);
    assert_int_equal(count_choices(section_of("emitters"), "outline"), OOZE_OUTLINE_COUNT);
    assert_int_equal(count_choices(section_of("probes"), "kind"), OOZE_PROBE_KIND_COUNT);
    assert_int_equal(count_choices(section_of("fluids"), "fill"), OOZE_FILL_FITTED + 1);
    assert_int_equal(count_choices(section_of("method"), "name"), ooze_method_count());
    OozeKey row;
    assert_true(ooze_section_find(&ooze_section_shape, -1, "type", &row));
    assert_int_equal(ooze_key_find_choice(&row, "plane"), OOZE_SHAPE_PLANE);
    assert_int_equal(ooze_key_find_choice(&row, "torus"), OOZE_SHAPE_TORUS);
    assert_int_equal(ooze_key_find_choice(&row, "mesh"), OOZE_SHAPE_MESH);
    assert_true(ooze_section_find(&ooze_section_motion, -1, "interpolation", &row));
    assert_int_equal(ooze_key_find_choice(&row, "linear"), OOZE_MOTION_LINEAR);
    assert_true(ooze_section_find(section_of("emitters"), -1, "outline", &row));
    assert_int_equal(ooze_key_find_choice(&row, "star"), OOZE_OUTLINE_STAR);
    assert_true(ooze_section_find(section_of("fluids"), -1, "fill", &row));
    assert_int_equal(ooze_key_find_choice(&row, "jittered"), OOZE_FILL_JITTERED);
}

/* What a kind of probe says it uses are rows of the table, and apply to that kind. */
static void probe_keys_are_rows(void **state)
{
    (void)state;
    const OozeSection *probes = section_of("probes");
    for (int kind = 0; kind < OOZE_PROBE_KIND_COUNT; kind++) {
        char keys[256];
        snprintf(keys, sizeof keys, "%s", ooze_probe_kinds[kind].keys);
        for (char *word = strtok(keys, " "); word; word = strtok(NULL, " ")) {
            OozeKey row;
            if (!ooze_section_find(probes, kind, word, &row) || !ooze_key_applies(&row, kind)) {
                fail_msg("probe '%s' uses '%s', which is no key", ooze_probe_kinds[kind].name,
                         word);
            }
        }
    }
    OozeKey row;
    assert_true(ooze_section_find(probes, OOZE_PROBE_COUNT, "bins", &row));
    assert_false(ooze_key_applies(&row, OOZE_PROBE_COUNT));
    assert_true(ooze_key_applies(&row, OOZE_PROBE_PROFILE));
}

static void numbers_are_short_and_exact(void **state)
{
    (void)state;
    char text[OOZE_NUMBER_MAX];
    assert_string_equal(ooze_number_text(0.1, text), "0.1");
    assert_string_equal(ooze_number_text(1000.0, text), "1000");
    assert_string_equal(ooze_number_text(-9.81, text), "-9.81");
    assert_string_equal(ooze_number_text(1.0 / 240.0, text), "0.004166666666666667");
    assert_string_equal(ooze_number_text(INFINITY, text), "inf");
    assert_string_equal(ooze_float_text(0.1f, text), "0.1");
    const double awkward[] = {1e-308, 5e-324, 1e300, 0.1 + 0.2, M_PI, 123456789012345680.0};
    for (int i = 0; i < 6; i++) {
        assert_true(strtod(ooze_number_text(awkward[i], text), NULL) == awkward[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_up_to_date),
        cmocka_unit_test(the_example_works),
        cmocka_unit_test(every_key_is_on_the_page_and_in_the_schema),
        cmocka_unit_test(words_match_enums),
        cmocka_unit_test(probe_keys_are_rows),
        cmocka_unit_test(numbers_are_short_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
