/* Hostile and damaged input: alias and depth bombs, huge and truncated files, flipped bytes,
   running out of memory. */
#include "scene_text.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

static void expect_text(OozeText *text, const char *part)
{
    assert_false(text->failed);
    OozeScene *scene = load_bytes(text->data, text->length);
    bool found = false;
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        found = found || strstr(ooze_scene_diagnostic(scene, i)->message, part);
    }
    if (!found) {
        print_diagnostics(scene);
        fail_msg("no message with '%s'", part);
    }
    ooze_scene_free(scene);
    ooze_text_clear(text);
}

static void billion_laughs(void **state)
{
    (void)state;
    OozeText text = {0};
    ooze_text_append(&text, HEAD "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        ooze_text_append(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) {
            ooze_text_append(&text, "%s*a%d", k ? ", " : "", i - 1);
        }
        ooze_text_append(&text, "]\n");
    }
    expect_text(&text, "more than 200000 values");
}

static void depth_bombs(void **state)
{
    (void)state;
    enum { DEEP = 200000 };
    static const char *const openings[] = {"[", "{a: ", "- ", "? "};
    static const char *const parts[] = {"deeply", "deeply", "deeply", "a key must be"};
    for (int kind = 0; kind < 4; kind++) {
        OozeText text = {0};
        ooze_text_append(&text, HEAD "title:\n  ");
        for (int i = 0; i < DEEP; i++) {
            ooze_text_append(&text, "%s", openings[kind]);
        }
        expect_text(&text, parts[kind]);
    }
}

static void large_maps_and_lists(void **state)
{
    (void)state;
    OozeText text = {0};
    ooze_text_append(&text, HEAD);
    for (int i = 0; i < 100000; i++) {
        ooze_text_append(&text, "k%d: 1\n", i);
    }
    expect_text(&text, "more than 1024 keys");
    ooze_text_append(&text, HEAD "solids: [");
    for (int i = 0; i < 5000; i++) {
        ooze_text_append(&text, "{},");
    }
    ooze_text_append(&text, "]\n");
    expect_text(&text, "at most 4096 are allowed");
    ooze_text_append(&text, HEAD "gravity: [");
    for (int i = 0; i < 300000; i++) {
        ooze_text_append(&text, "1,");
    }
    ooze_text_append(&text, "]\n");
    expect_text(&text, "more than 200000 values");
    ooze_text_append(&text, HEAD);
    for (int i = 0; i < 300; i++) {
        ooze_text_append(&text, "k%d: &a%d 1\n", i, i);
    }
    expect_text(&text, "more than 256 anchors");
}

static void many_errors_are_bounded(void **state)
{
    (void)state;
    OozeText text = {0};
    ooze_text_append(&text, HEAD "materials:\n");
    for (int i = 0; i < 1000; i++) {
        ooze_text_append(&text, "  m%d: {density: -1}\n", i);
    }
    OozeScene *scene = load_bytes(text.data, text.length);
    assert_int_equal(ooze_scene_diagnostic_count(scene), OOZE_SCENE_DIAGNOSTICS_MAX + 1);
    expect(scene, 0, 0, "more than is listed");
    assert_int_equal(scene->error_count, 1000);
    ooze_scene_free(scene);
    ooze_text_clear(&text);
}

static void large_files(void **state)
{
    (void)state;
    enum { SIZE = 100 << 20 };
    char path[] = "/tmp/ooze_large_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, SIZE) == 0);
    close(fd);
    OozeScene *scene = NULL;
    clock_t begin = clock();
    CHECK_FAILS(ooze_scene_load(path, NULL, 0, &scene, &error), OOZE_ERROR_SCENE,
                "104857600 bytes; at most 16777216 are read");
    assert_true(clock() - begin < CLOCKS_PER_SEC); /* refused by its size, not read */
    expect(scene, 0, 0, "104857600 bytes");
    ooze_scene_free(scene);
    unlink(path);
    char *big = calloc(1, OOZE_SCENE_BYTES_MAX + 1);
    memset(big, 'a', OOZE_SCENE_BYTES_MAX + 1);
    scene = load_bytes(big, OOZE_SCENE_BYTES_MAX + 1);
    expect(scene, 0, 0, "at most 16777216 bytes");
    ooze_scene_free(scene);
    memset(big, '\n', OOZE_SCENE_BYTES_MAX); /* allowed, and empty */
    scene = load_bytes(big, OOZE_SCENE_BYTES_MAX);
    expect(scene, 0, 0, "empty");
    ooze_scene_free(scene);
    memset(big, 'a', OOZE_SCENE_BYTES_MAX); /* one line, one word */
    scene = load_bytes(big, OOZE_SCENE_BYTES_MAX);
    expect(scene, 1, 1, "must be a map");
    ooze_scene_free(scene);
    free(big);
}

/* ---- damage ---------------------------------------------------------------------------------- */

typedef struct Examples {
    char *text[16];
    size_t size[16];
    int count;
} Examples;

static Examples read_examples(void)
{
    Examples examples = {0};
    DIR *scenes = opendir(OOZE_SOURCE_DIR "/scenes/ballistic");
    assert_non_null(scenes);
    for (struct dirent *entry; examples.count < 16 && (entry = readdir(scenes));) {
        char path[1024];
        snprintf(path, sizeof path, OOZE_SOURCE_DIR "/scenes/ballistic/%s", entry->d_name);
        if (strstr(entry->d_name, ".yaml")) {
            CHECK_OK(ooze_file_read(path, 1 << 20, &examples.text[examples.count],
                                    &examples.size[examples.count], &error));
            examples.count++;
        }
    }
    closedir(scenes);
    assert_true(examples.count > 0);
    return examples;
}

static void free_examples(Examples *examples)
{
    for (int i = 0; i < examples->count; i++) {
        ooze_free(examples->text[i]);
    }
}

/* Loads a copy in a block of its own, so that a read beyond its end is seen. */
static void load_copy(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    OozeScene *scene = NULL;
    OozeStatus status =
        ooze_scene_load_text(copy, size, OOZE_SOURCE_DIR "/scenes/ballistic/x.yaml", &scene, NULL);
    free(copy);
    assert_non_null(scene);
    /* An error has a reason, and only errors have one. */
    assert_int_equal(status == OOZE_OK, ooze_scene_diagnostic_count(scene) == 0);
    ooze_scene_free(scene);
}

static void truncations(void **state)
{
    (void)state;
    Examples examples = read_examples();
    for (int k = 0; k < 1000; k++) {
        int i = k % examples.count;
        load_copy(examples.text[i],
                  (size_t)(ooze_random01(1, (uint64_t)k, 0) * (double)examples.size[i]));
    }
    free_examples(&examples);
}

static void flipped_bytes(void **state)
{
    (void)state;
    Examples examples = read_examples();
    for (int k = 0; k < 1000; k++) {
        int i = k % examples.count;
        char *text = examples.text[i];
        for (uint64_t flip = 0; flip <= (uint64_t)k % 4; flip++) {
            uint64_t element = (uint64_t)k;
            size_t at = (size_t)(ooze_random01(2, element, 2 * flip) * (double)examples.size[i]);
            text[at] ^= (char)(1 << (int)(8 * ooze_random01(2, element, 2 * flip + 1)));
        }
        load_copy(text, examples.size[i]);
        if (k % 100 >= 100 - examples.count) { /* damage adds up, then starts afresh */
            free_examples(&examples);
            examples = read_examples();
        }
    }
    free_examples(&examples);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Fails the n-th allocation for n = 1, 2, ... until a load goes through. Leaks show under ASan. */
static void out_of_memory(void **state)
{
    (void)state;
    const char *const path = OOZE_SOURCE_DIR "/scenes/ballistic/tumbling_solids.yaml";
    const char *const sets[] = {"solids.floor.friction=0.1", "durration=1", "title='x'"};
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeScene *scene = NULL;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        status = ooze_scene_load(path, sets, 3, &scene, &error);
        ooze_memory_fail_after(0);
        if (status == OOZE_ERROR_MEMORY) {
            assert_null(scene);
            failures++;
        }
        ooze_scene_free(scene);
    }
    assert_int_equal(status, OOZE_ERROR_SCENE); /* for 'durration' */
    assert_true(failures > 3);
    for (int page = 0; page < 2; page++) {
        status = OOZE_ERROR_MEMORY;
        for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
            char *text = NULL;
            ooze_memory_fail_after(n);
            status = page ? ooze_scene_reference(&text, NULL) : ooze_scene_schema(&text, NULL);
            ooze_memory_fail_after(0);
            assert_true((status == OOZE_OK) == (text != NULL));
            ooze_text_free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(billion_laughs),       cmocka_unit_test(depth_bombs),
        cmocka_unit_test(large_maps_and_lists), cmocka_unit_test(many_errors_are_bounded),
        cmocka_unit_test(large_files),          cmocka_unit_test(truncations),
        cmocka_unit_test(flipped_bytes),        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
