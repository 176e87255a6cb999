/* ooze mesh: surfaces of the fluid, one mesh per frame. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/meshing.h"
#include "cli/report.h"

enum { FIELDS_MAX = 64 };

typedef struct Job {
    OozeMeshing meshing;
    const char *fields[FIELDS_MAX];
} Job;

static int mesh(OozeMeshing *meshing)
{
    OozeText summary = {0};
    int code = ooze_meshing_all(meshing);
    ooze_meshing_summary(meshing, &summary);
    if (!meshing->quiet && summary.data && meshing->ended) {
        printf("%s\n", summary.data);
    }
    if (code == OOZE_EXIT_STOPPED) {
        ooze_report_line("ooze: interrupted; the same command goes on where it stopped");
    }
    ooze_text_clear(&summary);
    ooze_meshing_end(meshing);
    return code;
}

/* ---- options -------------------------------------------------------------------------------- */

static bool read_fields(const OozeArguments *arguments, char *text, Job *job)
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
    job->meshing.settings.fields = job->fields;
    job->meshing.settings.field_count = count;
    return true;
}

static bool read_settings(const OozeArguments *arguments, char *fields, Job *job)
{
    OozeSurfaceSettings *s = &job->meshing.settings;
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
        !ooze_argument_device(arguments, &s->device) || !read_fields(arguments, fields, job)) {
        return false;
    }
    s->method = (OozeSurfaceMethod)method;
    s->mesh_smoothing = (int)passes;
    s->memory = memory << 20;
    job->meshing.threads = (int)threads;
    return true;
}

static int run_in_folder(const OozeArguments *arguments, Job *job)
{
    const char *given = ooze_argument_text(arguments, "fields");
    char *fields = ooze_copy_text(given), *own_folder = NULL;
    int code = OOZE_EXIT_USAGE;
    OozeMeshing *meshing = &job->meshing;
    if (!meshing->folder) {
        meshing->folder = own_folder = ooze_run_file_path(meshing->run, "surface");
    }
    ooze_meshing_read_scene(meshing);
    if (!meshing->folder || (given && !fields)) {
        OozeError error = {0};
        ooze_fail_memory(&error, "the options", 0);
        code = ooze_report_error(&error);
    } else if (read_settings(arguments, fields, job)) {
        ooze_interrupt_install();
        code = mesh(meshing);
    }
    ooze_free(fields);
    ooze_free(own_folder);
    return code;
}

static int run(const OozeArguments *arguments)
{
    Job job = {.meshing = {.format = ooze_meshing_format(arguments, "format"),
                           .folder = ooze_argument_text(arguments, "output"),
                           .quiet = ooze_argument_given(arguments, "quiet")}};
    if (!job.meshing.format || !ooze_frame_range_argument(arguments, &job.meshing.range)) {
        return OOZE_EXIT_USAGE;
    }
    OozeError error = {0};
    OozeRunFolder *folder = NULL;
    if (ooze_run_open(arguments->operands[0], false, &folder, &error)) {
        return ooze_report_error(&error);
    }
    job.meshing.run = folder;
    int code = run_in_folder(arguments, &job);
    ooze_run_close(folder);
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
    {"mesh-smoothing", 0, "N", false,
     "passes of the filter that removes ripples of the particle spacing"},
    {"decimate", 0, "X", false, "share of the triangles to keep"},
    {"fields", 0, "A,B,...", false, "particle fields to carry to the vertices"},
    {"memory", 0, "MIB", false, "what the grid may take; more is refused. 4096 by default"},
    {"threads", 0, "N", false, "worker threads; 0, the default, is one per core"},
    {"device", 0, "NAME", false,
     "`cpu`, `cuda` (an error where there is no GPU) or `auto`, the default: the GPU where there "
     "is one; without the option `OOZE_DEVICE` decides where it is set"},
    {"quiet", 'q', NULL, false, "no progress; warnings and errors only"},
};

const OozeCommand ooze_command_mesh = {
    .name = "mesh",
    .synopsis = "RUN [--frames A:B[:S]] [-o DIR] [--format NAME] [options]",
    .summary = "Write the fluid's surface as closed meshes",
    .details =
        "Writes one file a frame: a closed, 2-manifold mesh with normals, velocities, colours, "
        "materials and the chosen fields. Other settings come from the scene's `surface` "
        "section. The files are the same for any number of threads; a GPU gives the same triangles "
        "with vertices that differ by rounding. It leaves frames of several materials, decimation "
        "and grids above `--memory` to the processor. Files appear complete or "
        "not at all, and a finished file of equal settings is kept, so that an interrupted "
        "command continues when it is repeated. Frames that are missing, damaged or hold a "
        "position that is not finite are left out with a warning, and the exit code is then 1.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
