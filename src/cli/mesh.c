/* ooze mesh: the fluid's surface as meshes, one a frame. */
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
#include "output/frame_block.h"
#include "output/run_folder.h"
#include "surface/mesh_file.h"

enum { FORMATS_MAX = 16, FIELDS_MAX = 64, MISSING_TOLD = 8 };

typedef struct Meshing {
    const OozeMeshFormat *format;
    OozeRunFolder *run;
    const char *folder;
    OozeFrameRange range;
    OozeSurfaceSettings settings;
    const char *fields[FIELDS_MAX];
    int threads;
    bool quiet;
    OozeFrameFiles files; /* done so far */
    uint64_t wanted;
    uint64_t kept, empty, left_out, missing;
    uint64_t particles; /* of the last frame */
    OozeAxis up;
    OozeProgress progress;
} Meshing;

/* ---- one frame ------------------------------------------------------------------------------ */

static OozeStatus make_surface(Meshing *job, const OozeFrame *frame, const char *remark,
                               const char *path, OozeError *error)
{
    OozeSurface *surface = NULL;
    OozeStatus status = ooze_surface_build(frame, &job->settings, job->threads, &surface, error);
    if (!status) {
        job->empty += surface->triangle_count == 0;
        status = job->format->write(frame, surface, remark, path, error);
    }
    ooze_surface_free(surface);
    return status;
}

/* A finished file of equal settings is kept. */
static OozeStatus make_file(Meshing *job, const char *frame_path, const char *path, double *time,
                            OozeError *error)
{
    OozeFrameBlock block;
    OozeFrame *frame = NULL;
    char remark[OOZE_MESH_REMARK_MAX];
    OozeStatus status = ooze_frame_block_open(frame_path, &block, error);
    if (status) {
        return status;
    }
    ooze_mesh_remark(&job->settings, job->format->name, block.hash, remark);
    *time = block.time;
    job->particles = block.particle_count;
    if (ooze_mesh_is_finished(path, remark)) {
        job->kept++;
        return OOZE_OK;
    }
    status = ooze_frame_open(frame_path, &frame, error);
    if (!status) {
        job->up = frame->up;
        status = make_surface(job, frame, remark, path, error);
    }
    ooze_frame_close(frame);
    return status;
}

static OozeStatus mesh_frame(Meshing *job, uint64_t number, OozeError *error)
{
    OozeText name = {0}, path = {0};
    OozeError trouble = {0};
    double time = 0.0;
    char *frame_path = ooze_run_frame_path(job->run, number);
    ooze_text_append(&name, "frame_%06llu%s", (unsigned long long)number, job->format->extension);
    ooze_text_append(&path, "%s/%s", job->folder, name.failed ? "" : name.data);
    OozeStatus status = name.failed || path.failed || !frame_path
                            ? ooze_fail_memory(&trouble, "a path", 0)
                            : make_file(job, frame_path, path.data, &time, &trouble);
    ooze_text_clear(&path);
    ooze_free(frame_path);
    if (!status) {
        ooze_frame_files_add(&job->files, name.data, time);
        return OOZE_OK;
    }
    ooze_text_clear(&name);
    if (ooze_frame_is_to_blame(status)) {
        ooze_progress_clear(&job->progress);
        ooze_report_warning("frame %llu is left out: %s", (unsigned long long)number,
                            trouble.message);
        job->left_out++;
        return OOZE_OK;
    }
    *error = trouble;
    return status;
}

/* ---- all frames ----------------------------------------------------------------------------- */

/* Frames between others that the folder lacks: told, for a film would jump there. */
static void tell_missing(Meshing *job)
{
    const OozeRunFolder *run = job->run;
    for (uint64_t i = 1; i < run->frame_count; i++) {
        for (uint64_t n = run->frames[i - 1] + 1; n < run->frames[i]; n++) {
            if (ooze_frame_range_has(&job->range, n) && job->missing++ < MISSING_TOLD) {
                ooze_report_warning("frame %llu is missing from '%s'", (unsigned long long)n,
                                    run->path);
            }
        }
    }
}

static OozeStatus mesh_all(Meshing *job, OozeError *error)
{
    OozeStatus status = ooze_frame_range_count(&job->range, job->run, &job->wanted, error);
    status = status ? status : ooze_frame_files_start(&job->files, job->wanted, error);
    if (status) {
        return status;
    }
    status = ooze_make_folder(job->folder, error);
    tell_missing(job);
    ooze_progress_start(&job->progress, job->quiet, "mesh", 0, job->wanted, 0);
    for (uint64_t i = 0; i < job->run->frame_count && !status && !ooze_interrupted(); i++) {
        if (ooze_frame_range_has(&job->range, job->run->frames[i])) {
            status = mesh_frame(job, job->run->frames[i], error);
            OozeProgressPoint point = {.unit = job->files.count + job->left_out,
                                       .particles = job->particles,
                                       .worst_density_error = NAN};
            ooze_progress_show(&job->progress, &point, point.unit == job->wanted);
        }
    }
    ooze_progress_end(&job->progress);
    if (!status && job->format->write_index && job->files.count > 0) {
        status = job->format->write_index(job->folder, (const char *const *)job->files.names,
                                          job->files.times, job->files.count, job->up, error);
    }
    return status;
}

static int finish(Meshing *job)
{
    OozeError error = {0};
    OozeStatus status = mesh_all(job, &error);
    ooze_frame_files_free(&job->files);
    if (status) {
        return ooze_report_error(&error);
    }
    if (!job->quiet) {
        printf("%llu mesh%s in %s", (unsigned long long)job->files.count,
               job->files.count == 1 ? "" : "es", job->folder);
        if (job->kept > 0) {
            printf(", %llu of them made before", (unsigned long long)job->kept);
        }
        if (job->empty > 0) {
            printf(", %llu without any fluid", (unsigned long long)job->empty);
        }
        printf("\n");
    }
    if (ooze_interrupted()) {
        ooze_report_line("ooze: interrupted; the same command goes on where it stopped");
        return OOZE_EXIT_STOPPED;
    }
    if (job->left_out + job->missing > 0) {
        ooze_fail(&error, OOZE_ERROR_FORMAT, "resume the run from before them to make them again",
                  "%llu frame%s missing or could not be meshed",
                  (unsigned long long)(job->left_out + job->missing),
                  job->left_out + job->missing == 1 ? " was" : "s were");
        return ooze_report_error(&error);
    }
    return OOZE_EXIT_OK;
}

/* ---- options -------------------------------------------------------------------------------- */

/* The scene's own settings; a run whose scene cannot be read is meshed by the defaults. */
static void read_scene(Meshing *job)
{
    OozeScene *scene = NULL;
    OozeError error = {0};
    OozeFrame *frame = NULL;
    char *path = ooze_run_file_path(job->run, "scene.yaml");
    job->settings = ooze_surface_default();
    if (path && !ooze_scene_load(path, NULL, 0, &scene, &error)) {
        job->settings = *ooze_scene_surface(scene);
    } else {
        ooze_report_warning("the scene of the run cannot be read: surfaces by the defaults");
    }
    ooze_scene_free(scene);
    ooze_free(path);
    /* The axis that points up stands in every frame; a run of kept files opens none. */
    path = job->run->frame_count ? ooze_run_frame_path(job->run, job->run->frames[0]) : NULL;
    if (path && !ooze_frame_open(path, &frame, &error)) {
        job->up = frame->up;
    }
    ooze_frame_close(frame);
    ooze_free(path);
}

static bool read_fields(const OozeArguments *arguments, char *text, Meshing *job)
{
    int count = 0;
    for (char *name = text ? strtok(text, ",") : NULL; name; name = strtok(NULL, ",")) {
        if (count == FIELDS_MAX) {
            ooze_usage_error(arguments->command, "option --fields takes at most %d names",
                             FIELDS_MAX);
            return false;
        }
        job->fields[count++] = name;
    }
    job->settings.fields = job->fields;
    job->settings.field_count = count;
    return true;
}

static bool read_settings(const OozeArguments *arguments, char *fields, Meshing *job)
{
    OozeSurfaceSettings *s = &job->settings;
    const char *methods[OOZE_SURFACE_METHOD_COUNT];
    for (int m = 0; m < OOZE_SURFACE_METHOD_COUNT; m++) {
        methods[m] = ooze_surface_method_name((OozeSurfaceMethod)m);
    }
    int method = (int)s->method;
    uint64_t passes = (uint64_t)s->mesh_smoothing, threads = 0, memory = s->memory >> 20;
    if (!ooze_argument_choice(arguments, "method", methods, OOZE_SURFACE_METHOD_COUNT, &method) ||
        !ooze_argument_real(arguments, "cell", 1e-6, 1e6, &s->cell) ||
        !ooze_argument_real(arguments, "smoothing", 0.0, 1.0, &s->smoothing) ||
        !ooze_argument_real(arguments, "decimate", 0.001, 1.0, &s->decimation) ||
        !ooze_argument_integer(arguments, "mesh-smoothing", 0, 1000, &passes) ||
        !ooze_argument_integer(arguments, "memory", 1, (uint64_t)1 << 40, &memory) ||
        !ooze_argument_integer(arguments, "threads", 0, 1024, &threads) ||
        !read_fields(arguments, fields, job)) {
        return false;
    }
    s->method = (OozeSurfaceMethod)method;
    s->mesh_smoothing = (int)passes;
    s->memory = memory << 20;
    job->threads = (int)threads;
    return true;
}

static int run_in_folder(const OozeArguments *arguments, Meshing *job)
{
    const char *given = ooze_argument_text(arguments, "fields");
    char *fields = ooze_copy_text(given), *own_folder = NULL;
    int code = OOZE_EXIT_USAGE;
    if (!job->folder) {
        job->folder = own_folder = ooze_run_file_path(job->run, "surface");
    }
    read_scene(job);
    if (!job->folder || (given && !fields)) {
        OozeError error = {0};
        ooze_fail_memory(&error, "the options", 0);
        code = ooze_report_error(&error);
    } else if (read_settings(arguments, fields, job)) {
        ooze_interrupt_install();
        code = finish(job);
    }
    ooze_free(fields);
    ooze_free(own_folder);
    return code;
}

static int run(const OozeArguments *arguments)
{
    const char *names[FORMATS_MAX];
    int count = 0, format = 0;
    for (; count < ooze_mesh_format_count && count < FORMATS_MAX; count++) {
        names[count] = ooze_mesh_formats[count].name;
    }
    if (!ooze_argument_choice(arguments, "format", names, count, &format)) {
        return OOZE_EXIT_USAGE;
    }
    Meshing job = {.format = &ooze_mesh_formats[format],
                   .folder = ooze_argument_text(arguments, "output"),
                   .quiet = ooze_argument_given(arguments, "quiet")};
    if (!ooze_frame_range_argument(arguments, &job.range)) {
        return OOZE_EXIT_USAGE;
    }
    OozeError error = {0};
    if (ooze_run_open(arguments->operands[0], false, &job.run, &error)) {
        return ooze_report_error(&error);
    }
    int code = run_in_folder(arguments, &job);
    ooze_run_close(job.run);
    return code;
}

static const OozeOperand operands[] = {{"RUN", "the run folder", false}};

static const OozeOption options[] = {
    OOZE_FRAMES_OPTION,
    {"output", 'o', "DIR", false, "where to write; by default `RUN/surface`"},
    {"format", 'f', "NAME", false, "`ply` (the default), `obj` or `usda`"},
    {"method", 0, "NAME", false, "`anisotropic`, `isotropic` or `clavet`"},
    {"cell", 0, "X", false, "edge of a grid cell in particle spacings"},
    {"smoothing", 0, "X", false, "smoothing of the particles' places, 0 to 1"},
    {"mesh-smoothing", 0, "N", false, "volume-keeping smoothing passes over the mesh"},
    {"decimate", 0, "X", false, "share of the triangles to keep"},
    {"fields", 0, "A,B,...", false, "particle fields to carry to the vertices"},
    {"memory", 0, "MIB", false, "what the grid may take; more is refused. 4096 by default"},
    {"threads", 0, "N", false, "worker threads; 0, the default, is one per core"},
    {"quiet", 'q', NULL, false, "no progress; warnings and errors only"},
};

const OozeCommand ooze_command_mesh = {
    .name = "mesh",
    .synopsis = "RUN [--frames A:B[:S]] [-o DIR] [--format NAME] [options]",
    .summary = "Write the fluid's surface as closed meshes",
    .details =
        "One file a frame: a closed, 2-manifold mesh with normals, velocities, colours, materials "
        "and the fields asked for. What is not given comes from the scene's `surface` section. "
        "The files are the same for any number of threads. A file is there whole or not at all, "
        "and one that was made before with equal settings is kept, so an interrupted command "
        "goes on when it is repeated. Frames that are missing, damaged or hold a position that is "
        "not a number are left out with a warning, and the exit code is then 1.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
