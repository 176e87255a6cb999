/* ooze export: frames of a run as files of other programs, one at a time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/frame_range.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "output/export.h"

enum { FORMATS_MAX = 32 };

typedef struct Export {
    const OozeExportFormat *format;
    OozeRunFolder *run;
    const char *folder;
    OozeFrameRange range;
    bool quiet;
    OozeFrameFiles files;      /* written so far */
    uint64_t damaged, missing; /* frames of the range without a file made of them */
    OozeAxis up;
} Export;

static OozeStatus write_frame(Export *job, const OozeFrame *frame, uint64_t number,
                              OozeError *error)
{
    OozeText name = {0}, path = {0};
    ooze_text_append(&name, "frame_%06llu%s", (unsigned long long)number, job->format->extension);
    ooze_text_append(&path, "%s/%s", job->folder, name.failed ? "" : name.data);
    OozeStatus status = name.failed || path.failed
                            ? ooze_fail_memory(error, "a path", 0)
                            : job->format->write_frame(frame, path.data, error);
    ooze_text_clear(&path);
    if (status) {
        ooze_text_clear(&name);
        return status;
    }
    ooze_frame_files_add(&job->files, name.data, frame->time);
    job->up = frame->up;
    return OOZE_OK;
}

/* One frame is in memory at a time. A damaged one is reported, counted and left out. */
static OozeStatus write_frames(Export *job, uint64_t wanted, OozeError *error)
{
    OozeProgress progress;
    ooze_progress_start(&progress, job->quiet, "file", 0, wanted, 0);
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < job->run->frame_count && !status && !ooze_interrupted(); i++) {
        uint64_t number = job->run->frames[i];
        if (!ooze_frame_range_has(&job->range, number)) {
            continue;
        }
        OozeFrame *frame = NULL;
        OozeError damage = {0};
        status = ooze_run_open_frame(job->run, number, &frame, &damage);
        if (status == OOZE_ERROR_MEMORY) {
            *error = damage;
        } else if (status) {
            ooze_progress_clear(&progress);
            ooze_report_warning("frame %llu is left out: %s", (unsigned long long)number,
                                damage.message);
            job->damaged++;
            status = OOZE_OK;
        } else {
            status = write_frame(job, frame, number, error);
            OozeProgressPoint point = {.unit = job->files.count + job->damaged,
                                       .particles = frame->particle_count,
                                       .worst_density_error = NAN};
            ooze_progress_show(&progress, &point, point.unit == wanted);
        }
        ooze_frame_close(frame);
    }
    ooze_progress_end(&progress);
    return status;
}

/* Where the scene of the run cannot be read, shapes are left out. */
static OozeStatus write_scene(Export *job, OozeError *error)
{
    OozeScene *scene = NULL;
    OozeError why = {0};
    char *path = ooze_run_file_path(job->run, "scene.yaml");
    OozeStatus status = path ? ooze_scene_load_run(path, NULL, 0, &scene, &why)
                             : ooze_fail_memory(error, "a path", 0);
    ooze_free(path);
    if (scene && !status && ooze_report_scene(scene, NULL) == 0) {
        status = job->format->write_scene(scene, job->folder, error);
    } else if (path) {
        ooze_report_warning("solids have no shapes, for the scene of the run cannot be read%s%s",
                            why.message[0] ? ": " : "", why.message);
        status = OOZE_OK;
    }
    ooze_scene_free(scene);
    return status;
}

static OozeStatus write_all(Export *job, OozeError *error)
{
    uint64_t wanted;
    OozeStatus status = ooze_frame_range_count(&job->range, job->run, &wanted, error);
    status = status ? status : ooze_frame_files_start(&job->files, wanted, error);
    status = status ? status : ooze_make_folder(job->folder, error);
    job->missing = status ? 0 : ooze_frame_range_warn_missing(&job->range, job->run);
    status = status ? status : write_frames(job, wanted, error);
    if (!status && job->format->write_scene && job->files.count > 0) {
        status = write_scene(job, error);
    }
    if (!status && job->format->write_index && job->files.count > 0) {
        status = job->format->write_index(job->folder, (const char *const *)job->files.names,
                                          job->files.times, job->files.count, job->up, error);
    }
    return status;
}

static int finish(Export *job)
{
    OozeError error = {0};
    OozeStatus status = write_all(job, &error);
    ooze_frame_files_free(&job->files);
    if (status) {
        return ooze_report_error(&error);
    }
    if (!job->quiet) {
        printf("%llu file%s in %s\n", (unsigned long long)job->files.count,
               job->files.count == 1 ? "" : "s", job->folder);
    }
    if (ooze_interrupted()) {
        ooze_report_line("ooze: interrupted; the files written so far are whole");
        return OOZE_EXIT_STOPPED;
    }
    if (job->damaged + job->missing > 0) {
        return ooze_report_damaged(job->damaged + job->missing);
    }
    return OOZE_EXIT_OK;
}

static int run(const OozeArguments *arguments)
{
    const char *names[FORMATS_MAX];
    int count = 0, format = -1;
    for (; count < ooze_export_format_count && count < FORMATS_MAX; count++) {
        names[count] = ooze_export_formats[count].name;
    }
    if (!ooze_argument_choice(arguments, "format", names, count, &format)) {
        return OOZE_EXIT_USAGE;
    }
    if (format < 0) {
        return ooze_usage_error(arguments->command, "say which format: --format ply, for instance");
    }
    Export job = {.format = &ooze_export_formats[format],
                  .folder = ooze_argument_text(arguments, "output"),
                  .quiet = ooze_argument_given(arguments, "quiet")};
    if (!ooze_frame_range_argument(arguments, &job.range)) {
        return OOZE_EXIT_USAGE;
    }
    OozeError error = {0};
    if (ooze_run_open(arguments->operands[0], false, &job.run, &error)) {
        return ooze_report_error(&error);
    }
    char *own_folder = NULL;
    if (!job.folder) {
        job.folder = own_folder = ooze_run_file_path(job.run, "export");
    }
    ooze_interrupt_install();
    int code;
    if (job.folder) {
        code = finish(&job);
    } else {
        ooze_fail_memory(&error, "a path", 0);
        code = ooze_report_error(&error);
    }
    ooze_free(own_folder);
    ooze_run_close(job.run);
    return code;
}

static const OozeOperand operands[] = {{"RUN", "the run folder", false}};

static const OozeOption options[] = {
    {"format", 'f', "NAME", false, "`ply`, `vtp`, `bgeo`, `usda` or `csv`"},
    OOZE_FRAMES_OPTION,
    {"output", 'o', "DIR", false, "where to write; by default `RUN/export`"},
    {"quiet", 'q', NULL, false, "no progress; warnings and errors only"},
};

const OozeCommand ooze_command_export = {
    .name = "export",
    .synopsis = "RUN --format NAME [--frames A:B[:S]] [-o DIR]",
    .summary = "Write frames of a run as files of other programs",
    .details =
        "Every field of every particle is exported, one file a frame, with one frame in memory "
        "at a time; `vtp` and `usda` add an index over all files. Files appear complete or not "
        "at all. Missing and damaged frames are left out with a warning, and the exit code is "
        "then 1.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
