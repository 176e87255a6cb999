#include "check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/run_folder.h"
#include "unit/sample_frame.h"
#include "unit/scratch_folder.h"

static char path[256];

/* Every test has a run of its own. */
static OozeRunFolder *fresh_run(const char *name)
{
    OozeRunFolder *run = NULL;
    snprintf(path, sizeof path, "%s/deep/%s", folder, name);
    CHECK_OK(ooze_run_create(path, "title: test\n", &run, &error));
    return run;
}

static void add_frame(OozeRunFolder *run, uint64_t index)
{
    SampleFrame *sample = sample_create(index * 3, index);
    CHECK_OK(ooze_run_write_frame(run, &sample->frame, &error));
    sample_free(sample);
}

static char *text_of(const OozeRunFolder *run, const char *name)
{
    char *file = ooze_run_file_path(run, name), *text = NULL;
    size_t size;
    CHECK_OK(ooze_file_read(file, 1 << 24, &text, &size, &error));
    ooze_free(file);
    return text;
}

static void put_text(const OozeRunFolder *run, const char *name, const char *text)
{
    char *file = ooze_run_file_path(run, name);
    CHECK_OK(ooze_file_write_atomic(file, text, strlen(text), &error));
    ooze_free(file);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

static void new_run_contains_its_scene(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("new");
    assert_int_equal(run->frame_count, 0);
    assert_false(run->has_checkpoint);
    char *scene = text_of(run, "scene.yaml");
    assert_string_equal(scene, "title: test\n");
    ooze_free(scene);
    ooze_run_close(run);
}

static void second_run_is_refused(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("taken"), *other = NULL;
    add_frame(run, 0);
    ooze_run_close(run);
    CHECK_FAILS(ooze_run_create(path, "x", &other, &error), OOZE_ERROR_WRITE,
                "holds a run already (1 frames)");
    assert_null(other);
}

static void unsuitable_folders_are_refused(void **state)
{
    (void)state;
    OozeRunFolder *run = NULL;
    CHECK_FAILS(ooze_run_open("/nonexistent", false, &run, &error), OOZE_ERROR_FILE,
                "cannot open '/nonexistent'");
    CHECK_FAILS(ooze_run_open("/tmp", true, &run, &error), OOZE_ERROR_FILE, "not a run folder");
    CHECK_FAILS(ooze_run_open("/dev/null", true, &run, &error), OOZE_ERROR_FILE,
                "not a run folder");
    CHECK_FAILS(ooze_run_create("/dev/null", "x", &run, &error), OOZE_ERROR_WRITE, "/dev/null");
    CHECK_FAILS(ooze_run_create("/proc/ooze", "x", &run, &error), OOZE_ERROR_WRITE, "/proc/ooze");
    assert_false(ooze_file_exists("/tmp/.lock"));
}

static void frames_are_listed_in_order(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("order");
    const uint64_t written[] = {2, 0, 1000000, 12345678, 1, 2};
    for (int i = 0; i < 6; i++) {
        SampleFrame *sample = sample_create(2, written[i]);
        CHECK_OK(ooze_run_write_frame(run, &sample->frame, &error));
        sample_free(sample);
    }
    put_text(run, "frames/frame_1.h5", "not a name of ours");
    put_text(run, "frames/frame_000003.h5.part", "a kill left this");
    put_text(run, "frames/frame_000004.h5x", "nor this");
    put_text(run, "checkpoint.h5.part", "and this");
    const uint64_t expected[] = {0, 1, 2, 1000000, 12345678};
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(run->frame_count, 5);
        assert_memory_equal(run->frames, expected, sizeof expected);
        ooze_run_close(run);
        run = NULL;
        CHECK_OK(ooze_run_open(path, pass == 0, &run, &error));
    }
    char *part = ooze_run_file_path(run, "frames/frame_000003.h5.part");
    char *kept = ooze_run_file_path(run, "frames/frame_000004.h5x");
    char *checkpoint = ooze_run_file_path(run, "checkpoint.h5.part");
    assert_false(ooze_file_exists(part));
    assert_true(ooze_file_exists(kept));
    assert_false(ooze_file_exists(checkpoint));
    ooze_free(part);
    ooze_free(kept);
    ooze_free(checkpoint);
    ooze_run_close(run);
}

static void two_writers_are_refused(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("lock"), *other = NULL;
    pid_t child = fork();
    if (child == 0) {
        OozeError error = {0};
        bool refused = ooze_run_open(path, true, &other, &error) == OOZE_ERROR_WRITE &&
                       strstr(error.message, "another ooze is writing") &&
                       ooze_run_create(path, "x", &other, &error) == OOZE_ERROR_WRITE &&
                       strstr(error.message, "another ooze is writing") &&
                       ooze_run_open(path, false, &other, &error) == OOZE_OK;
        _exit(refused ? 0 : 1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    ooze_run_close(run);
    CHECK_OK(ooze_run_open(path, true, &other, &error)); /* free again */
    ooze_run_close(other);
}

static uint64_t latest_step(const OozeRunFolder *run, int expected_skipped)
{
    OozeFrame *frame = NULL;
    int skipped = -1;
    CHECK_OK(ooze_run_latest(run, &frame, &skipped, &error));
    assert_int_equal(skipped, expected_skipped);
    uint64_t step = frame->step;
    ooze_frame_close(frame);
    return step;
}

static void latest_state_is_the_one_with_most_steps(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("latest");
    OozeFrame *frame = NULL;
    CHECK_FAILS(ooze_run_latest(run, &frame, NULL, &error), OOZE_ERROR_FILE, "holds no frame");
    SampleFrame *checkpoint = sample_create(4, 1);
    checkpoint->frame.step = 15; /* between frames 1 (13) and 2 (23) */
    CHECK_OK(ooze_run_write_checkpoint(run, &checkpoint->frame, &error));
    assert_int_equal(latest_step(run, 0), 15);
    for (uint64_t i = 0; i < 4; i++) {
        add_frame(run, i);
    }
    ooze_run_close(run);
    CHECK_OK(ooze_run_open(path, true, &run, &error));
    assert_true(run->has_checkpoint);
    assert_int_equal(latest_step(run, 0), 33);
    put_text(run, "frames/frame_000003.h5", "gone"); /* damaged from its first byte on */
    assert_int_equal(latest_step(run, 1), 23);
    char *name = ooze_run_frame_path(run, 2), *data = NULL;
    size_t size;
    CHECK_OK(ooze_file_read(name, 1 << 24, &data, &size, &error));
    data[size - 1] ^= 1; /* the first block is well, the contents are not */
    CHECK_OK(ooze_file_write_atomic(name, data, size, &error));
    assert_int_equal(latest_step(run, 2), 15);
    put_text(run, "checkpoint.h5", "gone");
    assert_int_equal(latest_step(run, 2), 13);
    put_text(run, "frames/frame_000001.h5", "gone");
    put_text(run, "frames/frame_000000.h5", "gone");
    int skipped = 0;
    CHECK_FAILS(ooze_run_latest(run, &frame, &skipped, &error), OOZE_ERROR_FILE, "5 damaged");
    assert_int_equal(skipped, 5);
    ooze_free(name);
    ooze_free(data);
    sample_free(checkpoint);
    ooze_run_close(run);
}

static void index_names_every_frame(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("index");
    for (uint64_t i = 0; i < 3; i++) {
        add_frame(run, i + 1);
        char *text = text_of(run, "run.xdmf"); /* kept up from the first frame on */
        assert_int_equal(count_of(text, "<Grid Name=\"frame "), (int)i + 1);
        assert_int_equal(count_of(text, ":/particles/"), SAMPLE_FIELDS * ((int)i + 1));
        ooze_free(text);
    }
    char *whole = text_of(run, "run.xdmf");
    assert_non_null(strstr(whole, "<Time Value=\"0.126\"/>"));
    assert_non_null(strstr(whole, "Dimensions=\"9 3\" NumberType=\"Float\" Precision=\"4\" "
                                  "Format=\"HDF\">frames/frame_000003.h5:/particles/position<"));
    ooze_run_close(run);
    /* Opened again, the same index comes from the files. */
    CHECK_OK(ooze_run_open(path, true, &run, &error));
    CHECK_OK(ooze_run_write_xdmf(run, &error));
    char *again = text_of(run, "run.xdmf");
    assert_string_equal(whole, again);
    ooze_free(again);
    put_text(run, "frames/frame_000009.h5", "damaged");
    ooze_run_close(run);
    CHECK_OK(ooze_run_open(path, true, &run, &error));
    add_frame(run, 3);
    again = text_of(run, "run.xdmf");
    assert_string_equal(whole, again);
    ooze_free(again);
    ooze_free(whole);
    ooze_run_close(run);
}

static void long_run_writes_its_index_rarely(void **state)
{
    (void)state;
    OozeRunFolder *run = fresh_run("long");
    int writes = 0;
    SampleFrame *sample = sample_create(1, 0);
    for (uint64_t i = 0; i < 400; i++) {
        sample->frame.index = i;
        CHECK_OK(ooze_run_write_frame(run, &sample->frame, &error));
        writes += run->unindexed == 0;
    }
    /* 100 for the first hundred, then every 2nd, 3rd and 4th: 100 + 50 + 33 + 25 and a few. */
    assert_in_range(writes, 200, 215);
    CHECK_OK(ooze_run_write_xdmf(run, &error));
    char *text = text_of(run, "run.xdmf");
    assert_int_equal(count_of(text, "<Grid Name=\"frame "), 400);
    ooze_free(text);
    sample_free(sample);
    ooze_run_close(run);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeRunFolder *run = NULL;
        OozeFrame *frame = NULL;
        SampleFrame *sample = sample_create(3, 0);
        snprintf(path, sizeof path, "%s/memory%d", folder, failures);
        ooze_memory_fail_after(n);
        status = ooze_run_create(path, "x", &run, NULL);
        status = status ? status : ooze_run_write_frame(run, &sample->frame, NULL);
        status = status ? status : ooze_run_write_checkpoint(run, &sample->frame, NULL);
        ooze_run_close(run);
        run = NULL;
        status = status ? status : ooze_run_open(path, true, &run, NULL);
        status = status ? status : ooze_run_write_xdmf(run, NULL);
        status = status ? status : ooze_run_latest(run, &frame, NULL, NULL);
        ooze_memory_fail_after(0);
        failures += status == OOZE_ERROR_MEMORY;
        ooze_frame_close(frame);
        ooze_run_close(run);
        sample_free(sample);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(failures > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_run_contains_its_scene),
        cmocka_unit_test(second_run_is_refused),
        cmocka_unit_test(unsuitable_folders_are_refused),
        cmocka_unit_test(frames_are_listed_in_order),
        cmocka_unit_test(two_writers_are_refused),
        cmocka_unit_test(latest_state_is_the_one_with_most_steps),
        cmocka_unit_test(index_names_every_frame),
        cmocka_unit_test(long_run_writes_its_index_rarely),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
