/* The list of scenes that a page can open. */
#include "scratch_folder.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "view/library.h"

static void write_scene(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void titles_and_small_variants_are_found(void **state)
{
    (void)state;
    make("scenes");
    make("scenes/bread");
    make("scenes/cake");
    write_scene("scenes/bread/honey.yaml", "ooze: 2\ntitle: \"Honey on bread\"\n");
    write_scene("scenes/bread/honey_small.yaml", "ooze: 2\ntitle: 'Less honey'  \n");
    write_scene("scenes/bread/walls.yaml", "solids: []\ntitle: no scene\n");
    write_scene("scenes/bread/notes.txt", "ooze: 2\n");
    write_scene("scenes/cake/honey.yaml", "# title: not this\nooze: 1\r\ntitle: Cake\r\n");
    write_scene("scenes/cake/other_small.yaml", "ooze: 2\n");
    char path[256];
    snprintf(path, sizeof path, "%s/scenes/cake/honey.yaml", folder);
    OozeViewLibrary library;
    CHECK_OK(ooze_view_library_create(&library, path, &error));
    const OozeViewScene expected[] = {
        {"bread", "honey", "", "Honey on bread", -1},
        {"bread", "honey_small", "", "Less honey", 0},
        {"cake", "honey", "", "Cake", -1},
        {"cake", "other_small", "", "other_small", -1},
    };
    assert_int_equal(library.count, 4);
    for (int i = 0; i < library.count; i++) {
        assert_string_equal(library.items[i].folder, expected[i].folder);
        assert_string_equal(library.items[i].name, expected[i].name);
        assert_string_equal(library.items[i].title, expected[i].title);
        assert_int_equal(library.items[i].small_of, expected[i].small_of);
    }
    assert_string_equal(library.items[2].path, path);
    OozeText json = {0};
    ooze_view_library_describe(&library, &json);
    assert_non_null(strstr(json.data, "{\"folder\":\"bread\",\"name\":\"honey_small\","
                                      "\"title\":\"Less honey\",\"smallOf\":0}"));
    ooze_text_clear(&json);
    ooze_view_library_free(&library);
}

/* Memory that runs out at any moment is reported, or leaves out the file that was to be read. */
static void without_memory(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/scenes/cake/honey.yaml", folder);
    int count = 0, failures = 0;
    for (uint64_t n = 1; count < 4; n++) {
        OozeViewLibrary library;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        OozeStatus status = ooze_view_library_create(&library, path, &error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        failures += status == OOZE_ERROR_MEMORY;
        count = status ? 0 : library.count;
        ooze_view_library_free(&library);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_and_small_variants_are_found),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
