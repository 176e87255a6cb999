/* The copy of a frame: it gives the same file as the frame, even if the frame changes afterwards,
   and reuses its memory. */
#include "scratch_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "output/frame_copy.h"
#include "sample_frame.h"

static char *file_of(const OozeFrame *frame, const char *name, size_t *size)
{
    char path[64], *data = NULL;
    snprintf(path, sizeof path, "%s/%s.h5", folder, name);
    CHECK_OK(ooze_frame_write(frame, path, &error));
    CHECK_OK(ooze_file_read(path, 1 << 26, &data, size, &error));
    return data;
}

static void copies_and_originals_give_equal_files(void **state)
{
    (void)state;
    const uint64_t counts[] = {0, 1, 1000, 40000}; /* 40000 positions are more than one piece */
    OozeThreads *threads;
    OozeFrameCopy copy = {0};
    CHECK_OK(ooze_threads_create(3, &threads, &error));
    for (int i = 0; i < 8; i++) {
        SampleFrame *sample = sample_create(counts[i % 4], (uint64_t)i);
        size_t size, copy_size;
        char names[2][8] = {"floor", "honey"};
        sample->solids[0].name = names[0];
        sample->materials[0].name = names[1];
        char *file = file_of(&sample->frame, "frame", &size);
        CHECK_OK(ooze_frame_copy(&copy, &sample->frame, i < 4 ? NULL : threads, &error));
        assert_int_equal(ooze_frame_hash(&copy.frame), ooze_frame_hash(&sample->frame));
        /* The world goes on: nothing of the frame may be looked at any more. */
        for (int f = 0; f < SAMPLE_FIELDS; f++) {
            memset((void *)sample->fields[f].data, 0x55,
                   counts[i % 4] * (size_t)sample->fields[f].stride *
                       ooze_field_type_size(sample->fields[f].type));
        }
        memset(names, 0x55, sizeof names);
        memset(sample->solids, 0x55, sizeof sample->solids);
        memset(sample->materials, 0x55, sizeof sample->materials);
        sample_free(sample);
        char *copy_file = file_of(&copy.frame, "copy", &copy_size);
        assert_int_equal(size, copy_size);
        assert_memory_equal(file, copy_file, size);
        ooze_free(file);
        ooze_free(copy_file);
    }
    ooze_frame_copy_free(&copy);
    ooze_threads_destroy(threads);
}

/* Particles may arrive in the memory of the fields after the copy was made. */
static void a_copy_of_the_state_refers_to_the_fields(void **state)
{
    (void)state;
    OozeFrameCopy copy = {0};
    SampleFrame *sample = sample_create(1000, 0);
    CHECK_OK(ooze_frame_copy_state(&copy, &sample->frame, &error));
    assert_int_equal(ooze_frame_hash(&copy.frame), ooze_frame_hash(&sample->frame));
    for (int f = 0; f < SAMPLE_FIELDS; f++) {
        assert_ptr_equal(copy.frame.fields[f].data, sample->fields[f].data);
    }
    for (int k = 0; k < copy.frame.state_count; k++) {
        assert_ptr_not_equal(copy.frame.state[k].data, sample->frame.state[k].data);
    }
    ooze_frame_copy_free(&copy);
    sample_free(sample);
}

static void memory_of_a_copy_is_reused(void **state)
{
    (void)state;
    OozeFrameCopy copy = {0};
    SampleFrame *sample = sample_create(1000, 0), *more = sample_create(1200, 1);
    assert_int_equal(ooze_frame_copy_bytes(&copy), 0);
    CHECK_OK(ooze_frame_copy(&copy, &sample->frame, NULL, &error));
    uint64_t bytes = ooze_frame_copy_bytes(&copy),
             least = 1000 * (16 + 16 + 8 + 2 + 4 + 32 + 8 + 1 + 8);
    assert_in_range(bytes, least, 2 * least);
    ooze_memory_fail_after(
        1); /* the next allocation fails: there must be none, for a fifth more too */
    CHECK_OK(ooze_frame_copy(&copy, &sample->frame, NULL, &error));
    CHECK_OK(ooze_frame_copy(&copy, &more->frame, NULL, &error));
    ooze_memory_fail_after(0);
    assert_int_equal(ooze_frame_copy_bytes(&copy), bytes);
    ooze_frame_copy_free(&copy);
    sample_free(sample);
    sample_free(more);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(100, 0);
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeFrameCopy copy = {0};
        ooze_memory_fail_after(n);
        status = ooze_frame_copy(&copy, &sample->frame, NULL, NULL);
        ooze_memory_fail_after(0);
        failures += status == OOZE_ERROR_MEMORY;
        assert_int_equal(copy.frame.particle_count, status ? 0 : 100);
        ooze_frame_copy_free(&copy);
    }
    assert_int_equal(status, OOZE_OK);
    assert_int_equal(failures, 6); /* views, solids, materials, columns, names, data */
    sample->fields[0].count = UINT64_MAX / 8;
    OozeFrameCopy copy = {0};
    CHECK_FAILS(ooze_frame_copy(&copy, &sample->frame, NULL, &error), OOZE_ERROR_MEMORY, "");
    ooze_frame_copy_free(&copy);
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_originals_give_equal_files),
        cmocka_unit_test(a_copy_of_the_state_refers_to_the_fields),
        cmocka_unit_test(memory_of_a_copy_is_reused),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
