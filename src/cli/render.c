/* ooze render: pictures and a video of a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/frame_range.h"
#include "cli/interrupt.h"
#include "cli/number.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "cli/render_estimate.h"
#include "cli/report.h"
#include "ooze/render.h"
#include "output/run_folder.h"
#include "render/png.h"
#include "render/video.h"

#define PNG_KEY "ooze settings"
enum {
    SURVEY_MAX = 120, /* frames surveyed for bounds and colour range */
    FILM_SAMPLES = 6  /* light paths a pixel of several pictures, where none are given */
};

typedef struct Render {
    OozeRunFolder *run;
    OozeScene *scene;
    OozeRenderer *renderer;
    OozeRenderDef def;
    OozeFrameRange range;
    const char *folder, *video;
    bool quiet, with_video;
    unsigned char *pixels;
    char **pictures; /* paths of finished pictures, in order */
    uint64_t count, kept, damaged, drawn;
    double samples; /* sum of the mean samples per pixel of the pictures drawn */
    uint64_t wanted, particles;
    OozeProgress progress;
} Render;

/* ---- options --------------------------------------------------------------------------------- */

static bool read_size(const OozeArguments *arguments, OozeRenderDef *def)
{
    const char *text = ooze_argument_text(arguments, "size");
    double width, height;
    char end;
    if (!text) {
        return true;
    }
    if (sscanf(text, "%lfx%lf%c", &width, &height, &end) != 2 || !(width >= 1.0) ||
        !(height >= 1.0) || width != floor(width) || height != floor(height)) {
        ooze_usage_error(arguments->command, "option --size needs WIDTHxHEIGHT, not '%s'", text);
        return false;
    }
    def->size = (OozeVec3){width, height, 0};
    return true;
}

/* "X,Y,Z" or "X,Y,Z,TX,TY,TZ". */
static bool read_camera(const OozeArguments *arguments, OozeRenderDef *def)
{
    const char *text = ooze_argument_text(arguments, "camera");
    double v[6];
    if (!text) {
        return true;
    }
    int count = ooze_numbers_read(text, ',', 6, v);
    bool good = count == 3 || count == 6;
    for (int i = 0; good && i < count; i++) {
        good = isfinite(v[i]);
    }
    if (!good) {
        ooze_usage_error(arguments->command,
                         "option --camera needs X,Y,Z or X,Y,Z,TX,TY,TZ in metres, not '%s'", text);
        return false;
    }
    def->camera_position = (OozeVec3){v[0], v[1], v[2]};
    if (count == 6) {
        def->look_at = (OozeVec3){v[3], v[4], v[5]};
    }
    return true;
}

/* FIELD or FIELD:LOW:HIGH; terminates the name in place. */
static bool read_color(const OozeArguments *arguments, char *text, OozeRenderDef *def)
{
    char *colon = strchr(text, ':');
    if (colon) {
        double ends[2];
        if (ooze_numbers_read(colon + 1, ':', 2, ends) != 2 || !(ends[0] < ends[1]) ||
            colon == text) {
            ooze_usage_error(arguments->command,
                             "option --color-by needs FIELD or FIELD:LOW:HIGH, not '%s'", text);
            return false;
        }
        def->color_low = ends[0];
        def->color_high = ends[1];
        *colon = '\0';
    } else {
        def->color_low = def->color_high = NAN;
    }
    def->color_by = text;
    return true;
}

static bool read_options(const OozeArguments *arguments, char *color, Render *job)
{
    OozeRenderDef *def = &job->def;
    uint64_t samples = (uint64_t)def->samples, threads = 0;
    if (!ooze_argument_integer(arguments, "samples", 1, 1 << 20, &samples) ||
        !ooze_argument_integer(arguments, "threads", 0, 1024, &threads) ||
        !ooze_argument_integer(arguments, "seed", 0, UINT64_MAX, &def->seed) ||
        !read_size(arguments, def) || !read_camera(arguments, def) ||
        (color && !read_color(arguments, color, def))) {
        return false;
    }
    const char *time = ooze_argument_text(arguments, "time");
    if (time &&
        (!ooze_number_read(time, strlen(time), &def->time_limit) || !(def->time_limit > 0.0))) {
        ooze_usage_error(arguments->command, "option --time needs seconds above 0, not '%s'", time);
        return false;
    }
    if (ooze_argument_given(arguments, "samples")) {
        def->time_limit = time ? def->time_limit : 0.0;
    }
    def->samples = (int)samples;
    def->threads = (int)threads;
    def->preview = ooze_argument_given(arguments, "preview");
    def->particles = def->particles || ooze_argument_given(arguments, "particles");
    return true;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static OozeStatus open_frame(const OozeRunFolder *run, uint64_t number, OozeFrame **frame,
                             OozeError *error)
{
    char *path = ooze_run_frame_path(run, number);
    OozeStatus status =
        path ? ooze_frame_open(path, frame, error) : ooze_fail_memory(error, "a path", 0);
    ooze_free(path);
    return status;
}

static char *picture_path(const Render *job, uint64_t number)
{
    OozeText path = {0};
    ooze_text_append(&path, "%s/frame_%06llu.png", job->folder, (unsigned long long)number);
    if (path.failed) {
        ooze_text_clear(&path);
    }
    return path.data;
}

/* Frames that have no picture yet; `typical` is one of them, near the middle. */
static uint64_t count_missing(const Render *job, uint64_t *typical)
{
    uint64_t missing = 0;
    for (uint64_t i = 0; i < job->run->frame_count; i++) {
        uint64_t number = job->run->frames[i];
        char *path = ooze_frame_range_has(&job->range, number) ? picture_path(job, number) : NULL;
        if (path && !ooze_file_exists(path)) {
            *typical = missing <= job->wanted / 2 ? number : *typical;
            missing++;
        }
        ooze_free(path);
    }
    return missing;
}

/* Says how long the pictures will take, from trials of one frame. */
static void estimate(const Render *job)
{
    uint64_t typical = 0, missing = count_missing(job, &typical);
    OozeFrame *frame = NULL;
    OozeError error = {0};
    char time[OOZE_QUANTITY_SIZE];
    double seconds = NAN;
    if (missing > 1 && !open_frame(job->run, typical, &frame, &error)) {
        seconds = ooze_render_estimate(job->scene, &job->def, frame) * (double)missing;
    }
    ooze_frame_close(frame);
    if (isfinite(seconds) && !ooze_interrupted()) {
        ooze_report_line("ooze: %llu pictures of %.0f x %.0f pixels: about %s%s",
                         (unsigned long long)missing, job->def.size.x, job->def.size.y,
                         ooze_quantity_seconds(time, seconds),
                         job->def.preview ? "" : "; `--preview` is faster and rough");
    }
}

/* Surveys frames of the whole run, so that pictures rendered separately have the same camera and
   colours. */
static OozeStatus survey(Render *job, OozeError *error)
{
    const OozeRunFolder *run = job->run;
    uint64_t stride = (run->frame_count + SURVEY_MAX - 1) / SURVEY_MAX;
    stride = stride > 0 ? stride : 1;
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < run->frame_count && !status && !ooze_interrupted(); i++) {
        if (i % stride != 0 && i != run->frame_count - 1) {
            continue;
        }
        OozeFrame *frame = NULL;
        status = open_frame(run, run->frames[i], &frame, error);
        status = status ? status : ooze_renderer_survey(job->renderer, frame, error);
        ooze_frame_close(frame);
        status = ooze_is_frame_error(status) ? OOZE_OK : status; /* reported when it is rendered */
    }
    return status;
}

static bool draw_progress(void *user, double share)
{
    Render *job = user;
    OozeProgressPoint point = {
        .unit = job->count + job->damaged, .particles = job->particles, .worst_density_error = NAN};
    (void)share;
    ooze_progress_show(&job->progress, &point, false);
    return !ooze_interrupted();
}

static OozeStatus draw(Render *job, const OozeFrame *frame, const char *path, OozeError *error)
{
    char settings[40];
    job->particles = frame->particle_count;
    uint64_t parts[2] = {ooze_renderer_hash(job->renderer), ooze_frame_hash(frame)};
    snprintf(settings, sizeof settings, "%016llx%016llx", (unsigned long long)parts[0],
             (unsigned long long)parts[1]);
    if (ooze_png_has_text(path, PNG_KEY, settings)) {
        job->kept++;
        return OOZE_OK;
    }
    OozeStatus status =
        ooze_render_frame(job->renderer, frame, draw_progress, job, job->pixels, error);
    job->samples += ooze_renderer_mean_samples(job->renderer);
    job->drawn++;
    return status ? status
                  : ooze_png_write(path, job->pixels, (uint32_t)job->def.size.x,
                                   (uint32_t)job->def.size.y, PNG_KEY, settings, error);
}

static OozeStatus draw_frame(Render *job, uint64_t number, OozeError *error)
{
    char *path = picture_path(job, number);
    if (!path) {
        return ooze_fail_memory(error, "a path", 0);
    }
    OozeFrame *frame = NULL;
    OozeError problem = {0};
    OozeStatus status = open_frame(job->run, number, &frame, &problem);
    status = status ? status : draw(job, frame, path, &problem);
    if (ooze_is_frame_error(status)) {
        ooze_progress_clear(&job->progress);
        ooze_report_warning("frame %llu is left out: %s", (unsigned long long)number,
                            problem.message);
        job->damaged++;
        status = OOZE_OK;
        ooze_free(path);
    } else if (status) {
        *error = problem;
        ooze_free(path);
    } else {
        job->pictures[job->count++] = path;
        OozeProgressPoint point = {.unit = job->count + job->damaged,
                                   .particles = frame->particle_count,
                                   .worst_density_error = NAN};
        ooze_progress_show(&job->progress, &point, point.unit == job->wanted);
    }
    ooze_frame_close(frame);
    return status;
}

static OozeStatus draw_all(Render *job, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    ooze_progress_start(&job->progress, job->quiet, "picture", 0, job->wanted, 0);
    for (uint64_t i = 0; i < job->run->frame_count && !status && !ooze_interrupted(); i++) {
        if (ooze_frame_range_has(&job->range, job->run->frames[i])) {
            status = draw_frame(job, job->run->frames[i], error);
        }
    }
    ooze_progress_end(&job->progress);
    return status == OOZE_ERROR_CANCELLED ? OOZE_OK : status;
}

static OozeStatus make_pictures(Render *job, OozeError *error)
{
    OozeStatus status = ooze_frame_range_count(&job->range, job->run, &job->wanted, error);
    if (job->wanted > 1 && job->def.samples == 0) {
        job->def.samples = FILM_SAMPLES;
    }
    status = status ? status : ooze_renderer_create(job->scene, &job->def, &job->renderer, error);
    if (status) {
        return status;
    }
    job->pictures = ooze_alloc_zero(job->wanted, sizeof *job->pictures);
    job->pixels = ooze_alloc((size_t)job->def.size.x * (size_t)job->def.size.y, 3);
    if (!job->pictures || !job->pixels) {
        return ooze_fail_memory(error, "a picture",
                                (uint64_t)job->def.size.x * (uint64_t)job->def.size.y * 3);
    }
    status = survey(job, error);
    status = status ? status : ooze_make_folder(job->folder, error);
    if (!status && !job->quiet && job->wanted > 1) {
        estimate(job);
    }
    return status ? status : draw_all(job, error);
}

/* ---- the command ----------------------------------------------------------------------------- */

static OozeStatus make_video(Render *job, OozeError *error)
{
    double rate = ooze_scene_info(job->scene)->frame_rate / (double)job->range.stride;
    return ooze_video_write(job->video, (const char *const *)job->pictures, job->count, rate,
                            error);
}

static int finish(Render *job)
{
    OozeError error = {0};
    OozeStatus status = make_pictures(job, &error);
    bool stopped = ooze_interrupted();
    bool video = !status && !stopped && job->count > 0 && (job->with_video || job->count > 1);
    status = video ? make_video(job, &error) : status;
    for (uint64_t i = 0; i < job->count; i++) {
        ooze_free(job->pictures[i]);
    }
    ooze_free(job->pictures);
    ooze_free(job->pixels);
    ooze_renderer_free(job->renderer);
    if (status) {
        return ooze_report_error(&error);
    }
    if (!job->quiet) {
        printf("%llu picture%s in %s", (unsigned long long)job->count, job->count == 1 ? "" : "s",
               job->folder);
        if (job->kept > 0) {
            printf(" (%llu of them from before)", (unsigned long long)job->kept);
        }
        if (job->def.time_limit > 0.0 && job->drawn > 0) {
            /* Rounded down: as many samples give the same picture. */
            printf(", %.0f samples a pixel", floor(job->samples / (double)job->drawn));
        }
        printf("%s%s\n", video ? ", video " : "", video ? job->video : "");
    }
    if (stopped) {
        ooze_report_line("ooze: interrupted; the same command goes on where it stopped");
        return OOZE_EXIT_STOPPED;
    }
    uint64_t lost = job->damaged + ooze_frame_range_warn_missing(&job->range, job->run);
    if (lost > 0) {
        return ooze_report_damaged(lost);
    }
    return OOZE_EXIT_OK;
}

/* The scene of the run, or another one, with overrides. */
static int load_scene(const OozeArguments *arguments, Render *job)
{
    const char **overrides = NULL;
    int count = 0;
    if (!ooze_argument_overrides(arguments, &overrides, &count)) {
        return OOZE_EXIT_USAGE;
    }
    const char *other = ooze_argument_text(arguments, "scene");
    char *own = ooze_run_file_path(job->run, "scene.yaml");
    OozeError error = {0};
    OozeStatus status = !own    ? ooze_fail_memory(&error, "a path", 0)
                        : other ? ooze_scene_load(other, overrides, count, &job->scene, &error)
                                : ooze_scene_load_run(own, overrides, count, &job->scene, &error);
    ooze_free(own);
    ooze_free(overrides);
    if (job->scene && ooze_report_scene(job->scene, NULL) > 0) {
        return OOZE_EXIT_FAILED;
    }
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static int render_run(const OozeArguments *arguments, Render *job)
{
    int code = load_scene(arguments, job);
    if (code) {
        return code;
    }
    job->def = *ooze_scene_render(job->scene);
    const char *given = ooze_argument_text(arguments, "color-by");
    char *color = given ? ooze_copy_text(given) : NULL;
    char *folder = ooze_run_file_path(job->run, "pictures");
    char *video = ooze_run_file_path(job->run, "video.mp4");
    OozeError error = {0};
    if ((given && !color) || !folder || !video) {
        ooze_fail_memory(&error, "a path", 0);
        code = ooze_report_error(&error);
    } else if (!read_options(arguments, color, job)) {
        code = OOZE_EXIT_USAGE;
    } else {
        job->folder = ooze_argument_text(arguments, "output");
        job->folder = job->folder ? job->folder : folder;
        job->video = ooze_argument_text(arguments, "video");
        job->with_video = job->video != NULL;
        job->video = job->video ? job->video : video;
        ooze_interrupt_install();
        code = finish(job);
    }
    ooze_free(color);
    ooze_free(folder);
    ooze_free(video);
    return code;
}

static int run(const OozeArguments *arguments)
{
    Render job = {.quiet = ooze_argument_given(arguments, "quiet")};
    if (!ooze_frame_range_argument(arguments, &job.range)) {
        return OOZE_EXIT_USAGE;
    }
    OozeError error = {0};
    if (ooze_run_open(arguments->operands[0], false, &job.run, &error)) {
        return ooze_report_error(&error);
    }
    int code = render_run(arguments, &job);
    ooze_scene_free(job.scene);
    ooze_run_close(job.run);
    return code;
}

static const OozeOperand operands[] = {{"RUN", "the run folder", false}};

static const OozeOption options[] = {
    OOZE_FRAMES_OPTION,
    {"size", 0, "WxH", false, "pixels"},
    {"samples", 0, "N", false,
     "mean light paths a pixel, more where there is noise; by default those of the scene, or 64 "
     "for a single picture and 6 for each of several"},
    {"time", 0, "SECONDS", false,
     "of a picture: light paths are added where there is noise until then"},
    {"preview", 0, NULL, false, "particles in direct light: rough, and much faster"},
    {"particles", 0, NULL, false, "particles as spheres instead of the surface"},
    {"color-by", 0, "FIELD[:LOW:HIGH]", false,
     "colours after a field of the particles, or `speed`, with a legend"},
    {"camera", 0, "X,Y,Z[,TX,TY,TZ]", false, "where it stands, and the point it looks at"},
    {"set", 0, "KEY=VALUE", true,
     "overrides a value of the scene, such as `materials.honey.look=syrup`"},
    {"scene", 0, "FILE", false, "takes looks, solids and `render:` from this scene instead"},
    {"video", 0, "FILE", false,
     "where the video goes, also of a single picture; by default `RUN/video.mp4`"},
    {"output", 'o', "DIR", false, "where the pictures go; by default `RUN/pictures`"},
    {"seed", 0, "N", false, "another pattern of noise"},
    {"threads", 0, "N", false, "worker threads; by default one per core"},
    {"quiet", 'q', NULL, false, "no progress; warnings and errors only"},
};

const OozeCommand ooze_command_render = {
    .name = "render",
    .synopsis = "RUN [--frames A:B[:S]] [--size WxH] [--samples N | --time SECONDS] [--preview]",
    .summary = "Draw pictures and a video of a run",
    .details =
        "Writes one PNG a frame, and an MP4 video (with the program `ffmpeg`) of more than one. "
        "Settings come from `render:` and `look:` of the scene; options override them. Finished "
        "pictures of equal settings are kept, so that an interrupted command continues when it "
        "is repeated. Equal settings and seed give equal bytes with any number of threads. Missing "
        "and damaged frames are left out with a warning, and the exit code is then 1.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
