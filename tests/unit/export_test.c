/* Exporters. With a folder as argument the program writes a run and its exports there instead, for
   the tests that open them with other programs' readers. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/export.h"
#include "output/run_folder.h"
#include "unit/sample_frame.h"
#include "unit/scratch_folder.h"

enum { SAMPLE_FRAMES = 4 };
/* An empty frame in the middle, one of a single particle, and rows enough to fill the buffers. */
static const uint64_t sample_counts[SAMPLE_FRAMES] = {5, 0, 1, 20000};

static void path_of(const OozeExportFormat *format, uint64_t number, char *path)
{
    snprintf(path, 256, "%s/frame_%06llu%s", folder, (unsigned long long)number, format->extension);
}

static const OozeExportFormat *format_of(const char *name)
{
    for (int i = 0; i < ooze_export_format_count; i++) {
        if (strcmp(ooze_export_formats[i].name, name) == 0) {
            return &ooze_export_formats[i];
        }
    }
    fail_msg("there is no format '%s'", name);
    return NULL;
}

static char *export_sample(const char *name, uint64_t count, size_t *size)
{
    const OozeExportFormat *format = format_of(name);
    SampleFrame *sample = sample_create(count, 1);
    char path[256], *data = NULL;
    path_of(format, count, path);
    CHECK_OK(format->write_frame(&sample->frame, path, &error));
    CHECK_OK(ooze_file_read(path, 1 << 28, &data, size, &error));
    sample_free(sample);
    return data;
}

static void formats_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"ply", "vtp", "bgeo", "usda", "csv"};
    assert_int_equal(ooze_export_format_count, 5);
    for (int i = 0; i < 5; i++) {
        const OozeExportFormat *format = format_of(names[i]);
        assert_int_equal(format->extension[0], '.');
        assert_string_equal(format->extension + 1, names[i]);
    }
}

/* Bytes per particle follow from the field list: 4 per float, and what the format makes of the
   rest. */
static void binary_sizes_follow_from_the_fields(void **state)
{
    (void)state;
    const size_t ply_row = 12 + 12 + 8 + 4 + 4 + 24 + 8 + 1 + 8;
    const size_t bgeo_row = 4 * (4 + 3 + 2 + 1 + 1 + 6 + 1 + 1 + 2); /* ids in two halves */
    size_t none, many;
    ooze_free(
        export_sample("ply", 10, &none)); /* as many digits in the header as 1010 has less 2 */
    ooze_free(export_sample("ply", 1010, &many));
    assert_int_equal(many - none, 1000 * ply_row + 2);
    ooze_free(export_sample("bgeo", 10, &none));
    ooze_free(export_sample("bgeo", 1010, &many));
    assert_int_equal(many - none, 1000 * bgeo_row);
}

static void csv_has_units_and_rows(void **state)
{
    (void)state;
    size_t size;
    char *text = export_sample("csv", 3, &size);
    const char *header = "position_x [m],position_y [m],position_z [m],velocity_x [m/s],"
                         "velocity_y [m/s],velocity_z [m/s],id,material,density [kg/m3],"
                         "stress_0 [Pa],";
    assert_memory_equal(text, header, strlen(header));
    int lines = 0, commas = 0;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
        commas += *c == ',';
    }
    assert_int_equal(lines, 4);
    assert_int_equal(commas, 4 * (3 + 3 + 1 + 1 + 1 + 6 + 1 + 1 + 2 - 1));
    SampleFrame *sample = sample_create(3, 1);
    char row[128]; /* nine digits bring a float back exactly */
    snprintf(row, sizeof row, "\r\n%.9g,", ((const float *)sample->fields[0].data)[4]);
    assert_non_null(strstr(text, row));
    sample_free(sample);
    ooze_free(text);
}

static void odd_names_are_made_safe(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(2, 1);
    sample->fields[4].name = "1 \"<&>\n";
    sample->fields[4].unit = "a,\"b\"\n";
    for (int i = 0; i < ooze_export_format_count; i++) {
        const OozeExportFormat *format = &ooze_export_formats[i];
        char path[256], *data = NULL;
        size_t size;
        path_of(format, 7, path);
        CHECK_OK(format->write_frame(&sample->frame, path, &error));
        CHECK_OK(ooze_file_read(path, 1 << 24, &data, &size, &error));
        if (strcmp(format->name, "vtp") == 0) {
            assert_non_null(strstr(data, "Name=\"1 &quot;&lt;&amp;&gt;?\""));
        } else if (strcmp(format->name, "csv") == 0) {
            assert_non_null(strstr(data, ",\"_1______ [a,\"\"b\"\"\n]\","));
        } else if (strcmp(format->name, "usda") == 0) {
            assert_non_null(strstr(data, "float[] primvars:_1______ ("));
            assert_non_null(strstr(data, "doc = \"a,\\\"b\\\"?\""));
        } else if (strcmp(format->name, "ply") == 0) {
            assert_non_null(strstr(data, "\nproperty float _1______\n"));
        }
        ooze_free(data);
    }
    sample_free(sample);
}

/* Whatever fails, no half file stays behind. */
static void check_gone(const char *path)
{
    char part[300];
    snprintf(part, sizeof part, "%s.part", path);
    assert_false(ooze_file_exists(path));
    assert_false(ooze_file_exists(part));
}

static void full_disk_is_an_error(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(20000, 1);
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < ooze_export_format_count; i++) {
        char path[256];
        path_of(&ooze_export_formats[i], 8, path);
        limit = old;
        limit.rlim_cur = 500000; /* less than any format needs for 20,000 particles */
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        OozeStatus status = ooze_export_formats[i].write_frame(&sample->frame, path, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, OOZE_ERROR_WRITE);
        check_gone(path);
        CHECK_FAILS(ooze_export_formats[i].write_frame(&sample->frame, "/proc/x", &error),
                    OOZE_ERROR_WRITE, "/proc/x");
    }
    signal(SIGXFSZ, handler);
    sample_free(sample);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    SampleFrame *sample = sample_create(5, 1);
    const char *files[] = {"a", "b"};
    const double times[] = {0.0, 0.5};
    for (int i = 0; i < ooze_export_format_count; i++) {
        const OozeExportFormat *format = &ooze_export_formats[i];
        OozeStatus status = OOZE_ERROR_MEMORY;
        char path[256];
        int failures = -1;
        path_of(format, 9, path);
        for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++, failures++) {
            ooze_memory_fail_after(n);
            status = format->write_frame(&sample->frame, path, NULL);
            if (!status && format->write_index) {
                status = format->write_index(folder, files, times, 2, OOZE_AXIS_Y, NULL);
            }
            ooze_memory_fail_after(0);
        }
        assert_int_equal(status, OOZE_OK);
        assert_true(failures >= 3);
    }
    sample_free(sample);
}

/* ---- samples for other readers ------------------------------------------------------------ */

static OozeStatus write_samples(const char *place, OozeError *error)
{
    OozeRunFolder *run = NULL;
    char path[1024], names[SAMPLE_FRAMES][64];
    const char *files[SAMPLE_FRAMES];
    double times[SAMPLE_FRAMES];
    snprintf(path, sizeof path, "%s/run", place);
    OozeStatus status = ooze_run_create(path, "title: samples\n", &run, error);
    for (int f = 0; f < ooze_export_format_count && !status; f++) {
        const OozeExportFormat *format = &ooze_export_formats[f];
        for (uint64_t i = 0; i < SAMPLE_FRAMES && !status; i++) {
            SampleFrame *sample = sample_create(sample_counts[i], i);
            status = f == 0 ? ooze_run_write_frame(run, &sample->frame, error) : OOZE_OK;
            snprintf(path, sizeof path, "%s/%s", place, format->name);
            status = status ? status : ooze_make_folder(path, error);
            snprintf(names[i], sizeof names[i], "frame_%06d%s", (int)i, format->extension);
            files[i] = names[i];
            times[i] = sample->frame.time;
            snprintf(path, sizeof path, "%s/%s/%s", place, format->name, names[i]);
            status = status ? status : format->write_frame(&sample->frame, path, error);
            sample_free(sample);
        }
        snprintf(path, sizeof path, "%s/%s", place, format->name);
        if (!status && format->write_index) {
            status = format->write_index(path, files, times, SAMPLE_FRAMES, OOZE_AXIS_Z, error);
        }
    }
    ooze_run_close(run);
    return status;
}

static void samples_are_written(void **state)
{
    (void)state;
    char path[256];
    CHECK_OK(write_samples(folder, &error));
    snprintf(path, sizeof path, "%s/vtp/run.pvd", folder);
    assert_true(ooze_file_exists(path));
    snprintf(path, sizeof path, "%s/usda/run.usda", folder);
    assert_true(ooze_file_exists(path));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        OozeError error = {0};
        OozeStatus status = write_samples(argv[1], &error);
        fprintf(stderr, "%s", error.message);
        return status ? 1 : 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(binary_sizes_follow_from_the_fields),
        cmocka_unit_test(csv_has_units_and_rows),
        cmocka_unit_test(odd_names_are_made_safe),
        cmocka_unit_test(full_disk_is_an_error),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(samples_are_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
