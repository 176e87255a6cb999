#include "cli/meshing.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "output/frame_header.h"

enum { FORMATS_MAX = 16 };

/* ---- one frame ------------------------------------------------------------------------------ */

/* Names of a frame's files; free with free_names. */
typedef struct Names {
    char *frame;    /* path of the frame */
    OozeText name;  /* of the mesh in its folder */
    OozeText place; /* its path */
} Names;

static void free_names(Names *names)
{
    ooze_free(names->frame);
    ooze_text_clear(&names->name);
    ooze_text_clear(&names->place);
}

static OozeStatus make_names(const OozeMeshing *job, uint64_t number, Names *names,
                             OozeError *error)
{
    *names = (Names){.frame = ooze_run_frame_path(job->run, number)};
    ooze_text_append(&names->name, "frame_%06llu%s", (unsigned long long)number,
                     job->format->extension);
    ooze_text_append(&names->place, "%s/%s", job->folder, names->name.data ? names->name.data : "");
    return names->name.failed || names->place.failed || !names->frame
               ? ooze_fail_memory(error, "a path", 0)
               : OOZE_OK;
}

static OozeStatus make_surface(OozeMeshing *job, const OozeFrame *frame, const char *remark,
                               const char *path, OozeError *error)
{
    OozeSurface *surface = NULL;
    job->up = frame->up;
    job->up_known = true;
    OozeStatus status = ooze_surface_build(frame, &job->settings, job->threads, &surface, error);
    if (!status) {
        job->empty += surface->triangle_count == 0;
        status = job->format->write(frame, surface, remark, path, error);
    }
    ooze_surface_free(surface);
    return status;
}

/* Keeps a finished file of equal settings. `living`: the frame in memory; NULL: reads it. */
static OozeStatus make_file(OozeMeshing *job, const Names *names, const OozeFrame *living,
                            OozeFrameHeader *block, bool *kept, OozeError *error)
{
    OozeFrame *read = NULL;
    char remark[OOZE_MESH_REMARK_MAX];
    *kept = false;
    OozeStatus status = ooze_frame_header_load(names->frame, block, error);
    if (status) {
        return status;
    }
    ooze_mesh_remark(&job->settings, job->format->name, block->hash, remark);
    if (ooze_mesh_is_finished(names->place.data, remark)) {
        *kept = true;
        return OOZE_OK;
    }
    if (!living) {
        status = ooze_frame_open(names->frame, &read, error);
    }
    if (!status) {
        status = make_surface(job, living ? living : read, remark, names->place.data, error);
    }
    ooze_frame_close(read);
    return status;
}

OozeStatus ooze_meshing_frame(OozeMeshing *job, const OozeFrame *frame, OozeError *error)
{
    Names names;
    OozeFrameHeader block;
    bool kept = true;
    OozeStatus status = make_names(job, frame->index, &names, error);
    status = status ? status : ooze_make_folder(job->folder, error);
    status = status ? status : make_file(job, &names, frame, &block, &kept, error);
    job->made += !status && !kept;
    free_names(&names);
    return status;
}

/* ---- all frames ----------------------------------------------------------------------------- */

static OozeStatus mesh_number(OozeMeshing *job, uint64_t number, OozeError *error)
{
    Names names;
    OozeError trouble = {0};
    OozeFrameHeader block = {0};
    bool kept = false;
    OozeStatus status = make_names(job, number, &names, &trouble);
    status = status ? status : make_file(job, &names, NULL, &block, &kept, &trouble);
    job->particles = block.particle_count;
    if (!status) {
        job->kept += kept;
        ooze_frame_files_add(&job->files, names.name.data, block.time);
        names.name = (OozeText){0}; /* owned by the list */
    } else if (ooze_is_frame_error(status)) {
        ooze_progress_clear(&job->progress);
        ooze_report_warning("frame %llu is left out: %s", (unsigned long long)number,
                            trouble.message);
        job->left_out++;
        status = OOZE_OK;
    } else {
        *error = trouble;
    }
    free_names(&names);
    return status;
}

/* Every frame holds the up axis, but none has been read where all files were kept. */
static void find_up(OozeMeshing *job)
{
    OozeError error = {0};
    OozeFrame *frame = NULL;
    char *path = NULL;
    if (!job->up_known && job->run->frame_count > 0) {
        path = ooze_run_frame_path(job->run, job->run->frames[0]);
    }
    if (path && !ooze_frame_open(path, &frame, &error)) {
        job->up = frame->up;
    }
    ooze_frame_close(frame);
    ooze_free(path);
}

static OozeStatus mesh_all(OozeMeshing *job, OozeError *error)
{
    OozeStatus status = ooze_frame_range_count(&job->range, job->run, &job->wanted, error);
    status = status ? status : ooze_frame_files_start(&job->files, job->wanted, error);
    if (status) {
        return status;
    }
    status = ooze_make_folder(job->folder, error);
    job->missing = ooze_frame_range_warn_missing(&job->range, job->run);
    ooze_progress_start(&job->progress, job->quiet, "mesh", 0, job->wanted, 0);
    for (uint64_t i = 0; i < job->run->frame_count && !status && !ooze_interrupted(); i++) {
        if (ooze_frame_range_has(&job->range, job->run->frames[i])) {
            status = mesh_number(job, job->run->frames[i], error);
            OozeProgressPoint point = {.unit = job->files.count + job->left_out,
                                       .particles = job->particles,
                                       .worst_density_error = NAN};
            ooze_progress_show(&job->progress, &point, point.unit == job->wanted);
        }
    }
    ooze_progress_end(&job->progress);
    if (!status && job->format->write_index && job->files.count > 0) {
        find_up(job);
        status = job->format->write_index(job->folder, (const char *const *)job->files.names,
                                          job->files.times, job->files.count, job->up, error);
    }
    return status;
}

int ooze_meshing_all(OozeMeshing *job)
{
    OozeError error = {0};
    if (mesh_all(job, &error)) {
        return ooze_report_error(&error);
    }
    job->ended = true;
    if (ooze_interrupted()) {
        return OOZE_EXIT_STOPPED;
    }
    if (job->left_out + job->missing > 0) {
        ooze_fail(&error, OOZE_ERROR_FORMAT, OOZE_HINT_FRAMES,
                  "%llu frame%s missing or could not be meshed",
                  (unsigned long long)(job->left_out + job->missing),
                  job->left_out + job->missing == 1 ? " was" : "s were");
        return ooze_report_error(&error);
    }
    return OOZE_EXIT_OK;
}

void ooze_meshing_summary(const OozeMeshing *job, OozeText *text)
{
    ooze_text_append(text, "%llu mesh%s in %s", (unsigned long long)job->files.count,
                     job->files.count == 1 ? "" : "es", job->folder);
    if (job->kept > job->made) {
        ooze_text_append(text, ", %llu of them made before",
                         (unsigned long long)(job->kept - job->made));
    }
    if (job->empty > 0) {
        ooze_text_append(text, ", %llu without any fluid", (unsigned long long)job->empty);
    }
}

void ooze_meshing_end(OozeMeshing *job)
{
    ooze_frame_files_free(&job->files);
    job->files = (OozeFrameFiles){0};
}

/* ---- settings ------------------------------------------------------------------------------- */

const OozeMeshFormat *ooze_meshing_format(const OozeArguments *arguments, const char *option)
{
    const char *names[FORMATS_MAX];
    int count = 0, format = 0;
    for (; count < ooze_mesh_format_count && count < FORMATS_MAX; count++) {
        names[count] = ooze_mesh_formats[count].name;
    }
    return ooze_argument_choice(arguments, option, names, count, &format)
               ? &ooze_mesh_formats[format]
               : NULL;
}

void ooze_meshing_read_scene(OozeMeshing *job)
{
    OozeScene *scene = NULL;
    OozeError error = {0};
    char *path = ooze_run_file_path(job->run, "scene.yaml");
    job->settings = ooze_surface_default();
    if (path && !ooze_scene_load_run(path, NULL, 0, &scene, &error)) {
        job->settings = *ooze_scene_surface(scene);
    } else {
        ooze_report_warning("the scene of the run cannot be read: surfaces by the defaults");
    }
    ooze_scene_free(scene);
    ooze_free(path);
}
