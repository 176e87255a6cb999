#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/frame_file.h"
#include "output/frame_header.h"
#include "unit/sample_frame.h"

static char folder[] = "/tmp/ooze_frame_XXXXXX";
static char path[256], copy[256];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/frame.h5", folder);
    snprintf(copy, sizeof copy, "%s/copy.h5", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(copy);
    return rmdir(folder);
}

static void check_equal_fields(const OozeFieldView *a, const OozeFieldView *b, int count)
{
    for (int i = 0; i < count; i++) {
        assert_string_equal(a[i].name, b[i].name);
        assert_string_equal(a[i].unit, b[i].unit);
        assert_string_equal(a[i].help, b[i].help);
        assert_int_equal(a[i].type, b[i].type);
        assert_int_equal(a[i].components, b[i].components);
        assert_int_equal(a[i].count, b[i].count);
        assert_true(!a[i].columns == !b[i].columns);
        for (int k = 0; a[i].columns && k < a[i].components; k++) {
            assert_string_equal(a[i].columns[k], b[i].columns[k]);
        }
        size_t size = ooze_field_type_size(a[i].type);
        for (uint64_t k = 0; k < a[i].count; k++) {
            assert_memory_equal((const char *)a[i].data + k * (size_t)a[i].stride * size,
                                (const char *)b[i].data + k * (size_t)b[i].stride * size,
                                size * (size_t)a[i].components);
        }
    }
}

static void check_equal(const OozeFrame *a, const OozeFrame *b)
{
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->step, b->step);
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_true(a->spacing == b->spacing && a->support == b->support);
    assert_int_equal(a->up, b->up);
    assert_string_equal(a->method, b->method);
    assert_int_equal(a->particle_count, b->particle_count);
    assert_int_equal(a->field_count, b->field_count);
    assert_int_equal(a->state_count, b->state_count);
    assert_int_equal(a->solid_count, b->solid_count);
    assert_int_equal(a->material_count, b->material_count);
    check_equal_fields(a->fields, b->fields, a->field_count);
    check_equal_fields(a->state, b->state, a->state_count);
    for (int i = 0; i < a->solid_count; i++) {
        assert_string_equal(a->solids[i].name, b->solids[i].name);
        assert_memory_equal(&a->solids[i].pose, &b->solids[i].pose, sizeof a->solids[i].pose);
    }
    for (int i = 0; i < a->material_count; i++) {
        assert_string_equal(a->materials[i].name, b->materials[i].name);
        assert_true(a->materials[i].density == b->materials[i].density);
        assert_memory_equal(a->materials[i].color, b->materials[i].color,
                            sizeof a->materials[i].color);
    }
    assert_true(ooze_frame_hash(a) == ooze_frame_hash(b));
}

static uint64_t file_size(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? (uint64_t)info.st_size : 0;
}

static void all_values_are_read_back(void **state)
{
    (void)state;
    /* 100,000 rows make several packing blocks; 0 and 1 are the edges. */
    const uint64_t counts[] = {0, 1, 1000, 100000};
    for (int i = 0; i < 4; i++) {
        SampleFrame *sample = sample_create(counts[i], 7 + (uint64_t)i);
        OozeFrame *back = NULL;
        CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
        CHECK_OK(ooze_frame_open(path, &back, &error));
        check_equal(&sample->frame, back);
        ooze_frame_close(back);
        assert_int_equal(ooze_frame_file_bytes(&sample->frame), file_size(path));
        sample_free(sample);
    }
}

static void a_frame_without_solids_and_state_is_read_back(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(3, 0);
    sample->frame.solid_count = sample->frame.material_count = sample->frame.state_count = 0;
    sample->frame.field_count = 4;
    OozeFrame *back = NULL;
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    CHECK_OK(ooze_frame_open(path, &back, &error));
    check_equal(&sample->frame, back);
    ooze_frame_close(back);
    sample_free(sample);
}

static void equal_frames_give_equal_files(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(500, 2);
    char *a = NULL, *b = NULL;
    size_t a_size, b_size;
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    CHECK_OK(ooze_frame_write(&sample->frame, copy, &error));
    CHECK_OK(ooze_file_read(path, 1 << 24, &a, &a_size, &error));
    CHECK_OK(ooze_file_read(copy, 1 << 24, &b, &b_size, &error));
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    ooze_free(a);
    ooze_free(b);
    sample_free(sample);
}

static void the_header_describes_the_frame(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(12, 5);
    OozeFrameHeader block;
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    CHECK_OK(ooze_frame_header_load(path, &block, &error));
    assert_int_equal(block.index, 5);
    assert_int_equal(block.step, 53);
    assert_true(block.time == sample->frame.time);
    assert_int_equal(block.particle_count, 12);
    assert_int_equal(block.length, file_size(path));
    assert_true(block.layout == ooze_frame_layout(&sample->frame));
    sample->fields[8].components = 1;
    assert_true(block.layout != ooze_frame_layout(&sample->frame));
    sample_free(sample);
}

static void write_bytes(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A frame that cannot be read answers with one of two statuses and a message; nothing is leaked. */
static void check_refused(const char *what, uint64_t at)
{
    OozeError error = {0};
    OozeFrame *frame = (OozeFrame *)&error;
    OozeStatus status = ooze_frame_open(copy, &frame, &error);
    if ((status != OOZE_ERROR_FORMAT && status != OOZE_ERROR_FILE) || frame ||
        !strstr(error.message, copy) || !error.hint[0]) {
        fail_msg("%s at %llu: %s '%s' (%s)", what, (unsigned long long)at, ooze_status_name(status),
                 error.message, error.hint);
    }
}

static void damage_is_refused(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(40, 1);
    char *data = NULL;
    size_t size;
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    CHECK_OK(ooze_file_read(path, 1 << 24, &data, &size, &error));
    for (uint64_t i = 0; i < 1000; i++) {
        size_t cut = (size_t)((double)size * ooze_random01(1, i, 0));
        write_bytes(copy, data, i == 0 ? 0 : cut);
        check_refused("cut", cut);
        size_t at = (size_t)((double)size * ooze_random01(2, i, 0));
        char old = data[at];
        data[at] = (char)(old ^ (1 + (int)(255 * ooze_random01(3, i, 0))));
        write_bytes(copy, data, size);
        check_refused("flip", at);
        data[at] = old;
    }
    data = ooze_grow(data, size, size + 1, 1);
    data[size] = 0;
    write_bytes(copy, data, size + 1);
    CHECK_FAILS(ooze_frame_open(copy, &(OozeFrame *){NULL}, &error), OOZE_ERROR_FORMAT,
                "is damaged: it has");
    ooze_free(data);
    sample_free(sample);
}

static void files_that_are_no_frames_are_refused(void **state)
{
    (void)state;
    OozeFrame *frame;
    CHECK_FAILS(ooze_frame_open("/nonexistent/x.h5", &frame, &error), OOZE_ERROR_FILE,
                "cannot open '/nonexistent/x.h5'");
    CHECK_FAILS(ooze_frame_open(folder, &frame, &error), OOZE_ERROR_FILE, "not a plain file");
    CHECK_FAILS(ooze_frame_open("/dev/zero", &frame, &error), OOZE_ERROR_FILE, "not a plain file");
    write_bytes(copy, "\x89HDF\r\n\x1a\n and so on", 19);
    CHECK_FAILS(ooze_frame_open(copy, &frame, &error), OOZE_ERROR_FORMAT, "not an Ooze frame");
    unlink(copy);
    assert_int_equal(mkfifo(copy, 0600), 0);
    CHECK_FAILS(ooze_frame_open(copy, &frame, &error), OOZE_ERROR_FILE, "not a plain file");
}

static void meaningless_frames_are_not_written(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(4, 1);
    OozeFrame *frame = &sample->frame;
    unlink(copy);
    ((uint16_t *)sample->fields[3].data)[2] = SAMPLE_MATERIALS;
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT,
                "particle 2 is of material 3, of 3");
    ((uint16_t *)sample->fields[3].data)[2] = 0;
    sample->fields[5].count = 3;
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT,
                "field 'stress' has 3 rows for 4 particles");
    sample->fields[5].count = 4;
    sample->fields[5].name = "age";
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT, "are called 'age'");
    sample->fields[5].name = "a/b";
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT, "bad name");
    sample->fields[5].name = "stress";
    sample->fields[2].name = "number";
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT,
                "field 'id' is missing");
    sample->fields[2].name = "id";
    static const char *const twice[] = {"a", "a"}, *const spaced[] = {"a", "b c"};
    sample->state[1].columns = twice;
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT,
                "'emitter.phase' has a column without a name of its own");
    sample->state[1].columns = spaced;
    CHECK_FAILS(ooze_frame_write(frame, copy, &error), OOZE_ERROR_ARGUMENT, "a name of its own");
    assert_false(ooze_file_exists(copy));
    sample_free(sample);
}

/* ---- writes that fail -------------------------------------------------------------------- */

static void check_nothing_left(const char *name)
{
    char part[512];
    snprintf(part, sizeof part, "%s.part", name);
    assert_false(ooze_file_exists(part));
}

static void full_disk_is_an_error(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(20000, 1);
    uint64_t whole = ooze_frame_file_bytes(&sample->frame);
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    unlink(copy);
    /* The limit falls into every part of the file in turn, the metadata at its end too. */
    for (uint64_t i = 0; i < 40; i++) {
        limit = old;
        limit.rlim_cur = whole * i / 40;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        OozeError error = {0};
        OozeStatus status = ooze_frame_write(&sample->frame, copy, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, OOZE_ERROR_WRITE);
        assert_non_null(strstr(error.message, copy));
        assert_false(ooze_file_exists(copy));
        check_nothing_left(copy);
    }
    signal(SIGXFSZ, handler);
    CHECK_OK(ooze_frame_write(&sample->frame, copy, &error));
    sample_free(sample);
}

static void full_file_system_names_its_cause(void **state)
{
    (void)state;
    char point[300], name[400];
    snprintf(point, sizeof point, "%s/small", folder);
    snprintf(name, sizeof name, "%s/frame.h5", point);
    assert_int_equal(mkdir(point, 0700), 0);
    if (mount("none", point, "tmpfs", 0, "size=256k") != 0) {
        rmdir(point);
        /* the limit on the size of a file, above, covers the rest */
        SKIP_TEST("only root may mount a file system");
    }
    SampleFrame *small = sample_create(100, 1), *large = sample_create(20000, 2);
    CHECK_OK(ooze_frame_write(&small->frame, name, &error));
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(ooze_frame_write(&large->frame, name, &error), OOZE_ERROR_WRITE,
                    "No space left on device");
        check_nothing_left(name);
    }
    OozeFrame *back = NULL; /* the frame that stood there still does */
    CHECK_OK(ooze_frame_open(name, &back, &error));
    check_equal(&small->frame, back);
    ooze_frame_close(back);
    assert_int_equal(mount("none", point, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    CHECK_FAILS(ooze_frame_write(&small->frame, name, &error), OOZE_ERROR_WRITE,
                "Read-only file system");
    sample_free(small);
    sample_free(large);
    assert_int_equal(umount(point), 0);
    rmdir(point);
}

static void paths_that_cannot_be_written_are_errors(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(4, 1);
    unlink(copy);
    assert_int_equal(mkdir(copy, 0700), 0);
    CHECK_FAILS(ooze_frame_write(&sample->frame, copy, &error), OOZE_ERROR_WRITE, copy);
    check_nothing_left(copy);
    rmdir(copy);
    CHECK_FAILS(ooze_frame_write(&sample->frame, "/nonexistent/a.h5", &error), OOZE_ERROR_WRITE,
                "/nonexistent/a.h5");
    CHECK_FAILS(ooze_frame_write(&sample->frame, "/proc/a.h5", &error), OOZE_ERROR_WRITE, "/proc");
    sample_free(sample);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(4, 1);
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    int failures[2] = {0, 0};
    for (int reading = 0; reading < 2; reading++) {
        OozeStatus status = OOZE_ERROR_MEMORY;
        for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
            OozeFrame *back = NULL;
            ooze_memory_fail_after(n);
            status = reading ? ooze_frame_open(path, &back, NULL)
                             : ooze_frame_write(&sample->frame, copy, NULL);
            ooze_memory_fail_after(0);
            failures[reading] += status == OOZE_ERROR_MEMORY;
            check_nothing_left(copy);
            ooze_frame_close(back);
        }
        assert_int_equal(status, OOZE_OK);
    }
    assert_true(failures[0] >= 5 && failures[1] >= 4 * SAMPLE_FIELDS);
    sample_free(sample);
}

/* HDF5's own printing is as the program left it. */
static herr_t own_printer(hid_t stack, void *data)
{
    (void)stack, (void)data;
    return 0;
}

static void error_handlers_of_hdf5_are_restored(void **state)
{
    (void)state;
    int mark = 0;
    H5E_auto2_t print = NULL;
    void *data = NULL;
    H5Eset_auto2(H5E_DEFAULT, own_printer, &mark);
    SampleFrame *sample = sample_create(4, 1);
    OozeFrame *back = NULL;
    CHECK_OK(ooze_frame_write(&sample->frame, path, &error));
    CHECK_OK(ooze_frame_open(path, &back, &error));
    ooze_frame_close(back);
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    assert_true(print == own_printer && data == &mark);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values_are_read_back),
        cmocka_unit_test(a_frame_without_solids_and_state_is_read_back),
        cmocka_unit_test(equal_frames_give_equal_files),
        cmocka_unit_test(the_header_describes_the_frame),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(files_that_are_no_frames_are_refused),
        cmocka_unit_test(meaningless_frames_are_not_written),
        cmocka_unit_test(full_disk_is_an_error),
        cmocka_unit_test(full_file_system_names_its_cause),
        cmocka_unit_test(paths_that_cannot_be_written_are_errors),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(error_handlers_of_hdf5_are_restored),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
