/* Writing and reading of frames and export formats: bytes per particle, and MB/s including the sync
   to disk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "output/export.h"
#include "output/frame_file.h"
#include "particles/field.h"

static double best_of_three(const OozeFrame *frame, const char *path,
                            const OozeExportFormat *format)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        OozeError error;
        double start = ooze_clock();
        OozeFrame *back = NULL;
        OozeStatus status = format  ? format->write_frame(frame, path, &error)
                            : frame ? ooze_frame_write(frame, path, &error)
                                    : ooze_frame_open(path, &back, &error);
        double seconds = ooze_clock() - start;
        if (status) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        ooze_frame_close(back);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void measure(const OozeFrame *frame, const char *path, const char *what,
                    const OozeExportFormat *format, bool reading)
{
    double seconds = best_of_three(reading ? NULL : frame, path, format);
    struct stat info;
    stat(path, &info);
    double bytes = (double)info.st_size;
    printf("%-10s %10llu %10.1f %10.0f\n", what, (unsigned long long)frame->particle_count,
           bytes / (double)frame->particle_count, bytes / seconds / 1e6);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "frame_file_bench.h5";
    printf("%-10s %10s %10s %10s\n", "", "particles", "bytes/p", "MB/s");
    for (uint64_t count = 10000; count <= 1000000; count *= 10) {
        OozeFieldView fields[OOZE_FIELD_COMMON_COUNT];
        for (int i = 0; i < OOZE_FIELD_COMMON_COUNT; i++) {
            const OozeFieldInfo *row = &ooze_common_fields[i];
            size_t bytes = ooze_field_type_size(row->type) * (size_t)row->stride;
            void *data = ooze_alloc_zero(count, bytes);
            if (!data) {
                return 1;
            }
            fields[i] = (OozeFieldView){row->name,   row->type, row->components,
                                        row->stride, row->unit, row->help,
                                        count,       data,      NULL};
        }
        const OozeFrame frame = {.spacing = 0.01,
                                 .support = 0.02,
                                 .method = "ballistic",
                                 .particle_count = count,
                                 .field_count = OOZE_FIELD_COMMON_COUNT,
                                 .fields = fields};
        measure(&frame, path, "write", NULL, false);
        measure(&frame, path, "read", NULL, true);
        for (int f = 0; f < ooze_export_format_count; f++) {
            measure(&frame, path, ooze_export_formats[f].name, &ooze_export_formats[f], false);
        }
        for (int i = 0; i < OOZE_FIELD_COMMON_COUNT; i++) {
            ooze_free((void *)fields[i].data);
        }
    }
    unlink(path);
    return 0;
}
