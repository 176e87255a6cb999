#include "cli/dry_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "cli/run_output.h"
#include "output/frame_file.h"
#include "scene/advice.h"
#include "scene/scene.h"
#include "world/world.h"

#define TRIAL_SECONDS 2.0
enum { TRIAL_STEPS = 50 };
/* The same for scenes whose fluids are counted, and the particles of their trial. A GPU needs more
   of them to be busy. */
#define SMALL_TRIAL_SECONDS 0.4
#define SMALL_TRIAL         2e4
#define SMALL_TRIAL_ON_GPU  2e5

/* Free bytes on the disk of `path`, by its nearest existing folder; negative: unknown. */
static double free_bytes(const char *path)
{
    OozeText place = {0};
    ooze_text_append(&place, "%s", path);
    double bytes = -1.0;
    while (!place.failed && bytes < 0.0) {
        struct statvfs info;
        if (statvfs(place.data[0] ? place.data : ".", &info) == 0) {
            bytes = (double)info.f_bavail * (double)info.f_frsize;
            break;
        }
        char *slash = strrchr(place.data, '/');
        if (!place.data[0]) {
            break;
        }
        /* the parent of "/x" is "/", of "x" the current folder */
        place.data[slash == place.data && place.data[1] ? 1
                   : slash                              ? slash - place.data
                                                        : 0] = '\0';
    }
    ooze_text_clear(&place);
    return bytes;
}

typedef struct Trial {
    double seconds_max;
    double particles;        /* at the beginning */
    uint64_t steps;          /* that were timed */
    double first_seconds;    /* of the first step, which also prepares the others */
    double particle_seconds; /* of one step per particle; NAN: no particles */
    double step_seconds;     /* of one step */
    double probe_seconds;    /* of the probes of a frame, per particle */
    bool multigrid;          /* a step built the grids of the velocity solve */
} Trial;

static OozeStatus take_step(OozeWorld *world, Trial *trial, OozeError *error)
{
    OozeStatus status = ooze_world_step(world, error);
    trial->multigrid = trial->multigrid || world->report.multigrid;
    return status ? status : ooze_world_measure(world, true, error);
}

/* Takes a few steps; with emitters as many as fit into the time of the trial, since the cost of a
   step grows. The first step is not timed: it samples the boundaries and allocates. Costs are
   averaged with weights that decay over about fifty steps, so that the last steps count most. */
static OozeStatus make_trial(OozeWorld *world, uint64_t steps, Trial *trial, OozeError *error)
{
    const double kept = 0.98;
    double seconds = 0.0, particles = 0.0, weight = 0.0;
    uint64_t max = world->emitters.count > 0 ? UINT64_MAX : TRIAL_STEPS;
    double clock = ooze_clock();
    trial->particles = (double)ooze_world_particle_count(world);
    OozeStatus status = steps > 0 ? take_step(world, trial, error) : OOZE_OK;
    double begin = ooze_clock();
    trial->first_seconds = begin - clock;
    while (!status && trial->steps + 1 < steps && trial->steps < max &&
           (trial->steps == 0 || ooze_clock() - begin < trial->seconds_max)) {
        double start = ooze_clock();
        status = take_step(world, trial, error);
        trial->steps++;
        seconds = kept * seconds + ooze_clock() - start;
        particles = kept * particles + (double)ooze_world_particle_count(world);
        weight = kept * weight + 1.0;
    }
    if (status) {
        return status;
    }
    double start = ooze_clock(), count = (double)ooze_world_particle_count(world);
    status = ooze_world_measure(world, false, error);
    trial->probe_seconds = count > 0.0 ? (ooze_clock() - start) / count : 0.0;
    trial->step_seconds = weight > 0.0 ? seconds / weight : trial->first_seconds;
    trial->particle_seconds = particles > 0.0 ? seconds / particles : NAN;
    return status;
}

/* Totals of the whole run, including particles of emitters. */
typedef struct Forecast {
    bool counted;              /* particles are counted, not placed */
    double more;               /* particles of the scene beyond those of the trial */
    double boundary;           /* boundary particles */
    double first, last;        /* particles at the beginning and the end */
    double frame_particles;    /* summed over the frames */
    double bytes_fixed, bytes; /* of a frame; per particle */
    double array_bytes;        /* of the method's arrays in a frame of the trial */
    double memory, disk;
} Forecast;

/* Bytes of a boundary particle: its place in the solid and in the world, and lists. */
#define BOUNDARY_BYTES 200.0

static void foresee(OozeWorld *world, uint64_t last_frame, double frame_seconds, Forecast *forecast)
{
    enum { PLACES = 4096 }; /* frames sampled in a long run, since growth is smooth */
    uint64_t frames = last_frame + 1, places = frames < PLACES ? frames : PLACES;
    forecast->first = ooze_world_forecast_particles(world, 0.0) + forecast->more;
    for (uint64_t i = 0; i < places; i++) {
        double frame = places > 1 ? (double)last_frame * (double)i / (double)(places - 1) : 0.0;
        forecast->last =
            ooze_world_forecast_particles(world, frame * frame_seconds) + forecast->more;
        forecast->frame_particles += forecast->last * (double)frames / (double)places;
    }
}

/* Bytes in a frame of the method's arrays, such as links between particles. */
static double array_bytes(const OozeWorld *world, const OozeFrame *frame)
{
    double bytes = 0.0;
    for (int i = 0; i < world->method->array_count; i++) {
        const OozeFieldView *array = ooze_frame_state(frame, world->method->arrays[i].name);
        bytes += array ? (double)array->count * (double)array->components *
                             (double)ooze_field_type_size(array->type)
                       : 0.0;
    }
    return bytes;
}

static void foresee_bytes(const OozeFrame *frame, const OozeWorldStats *stats, double frames,
                          Forecast *forecast)
{
    double copied = 0.0; /* bytes per particle of the copies that are being written */
    for (int i = 0; i < frame->field_count; i++) {
        const OozeFieldView *field = &frame->fields[i];
        double size = (double)ooze_field_type_size(field->type);
        forecast->bytes += (double)field->components * size;
        copied += OOZE_RUN_OUTPUT_COPIES * (double)field->stride * size;
    }
    double count = (double)frame->particle_count;
    forecast->bytes += count > 0.0 ? forecast->array_bytes / count : 0.0;
    forecast->bytes_fixed = (double)ooze_frame_file_bytes(frame) - count * forecast->bytes;
    /* Growing arrays have spare capacity; the store of later particles is held twice, for sorting.
       */
    double growing = count > 0.0 ? (double)stats->particle_bytes / count : 2.0 * forecast->bytes;
    forecast->memory =
        (double)(stats->memory_bytes - stats->particle_bytes) + growing * forecast->last;
    forecast->memory = fmax(forecast->memory, (double)stats->memory_bytes);
    forecast->memory +=
        BOUNDARY_BYTES * fmax(0.0, forecast->boundary - (double)stats->boundary_particles);
    forecast->memory += copied * forecast->last;
    forecast->disk = frames * forecast->bytes_fixed + forecast->bytes * forecast->frame_particles;
}

static void print_forecast(const Forecast *forecast, const Trial *trial, const OozeSceneInfo *info,
                           const OozeWorldStats *stats, const OozeDryRun *plan)
{
    const uint64_t last_frame = plan->last_frame;
    const int processes = plan->processes;
    char a[OOZE_QUANTITY_SIZE], b[OOZE_QUANTITY_SIZE];
    uint64_t steps = last_frame * info->steps_per_frame;
    double frames = (double)last_frame + 1.0;
    double later = steps > 0 ? (double)(steps - 1) : 0.0;
    double ratio = forecast->counted ? forecast->first / fmax(trial->particles, 1.0) : 1.0;
    double steps_seconds =
        trial->first_seconds * ratio +
        (isnan(trial->particle_seconds)
             ? trial->step_seconds * later
             : trial->particle_seconds * forecast->frame_particles * later / frames);
    printf("particles    %s%s", ooze_quantity_count(a, (uint64_t)forecast->first),
           forecast->counted ? " (counted, not placed)" : "");
    if (forecast->last > forecast->first) {
        printf(", and with emitters %s at the end, unless some leave",
               ooze_quantity_count(a, (uint64_t)fmin(forecast->last, 1e19)));
    }
    printf("\nboundary     %s\n", ooze_quantity_count(a, (uint64_t)forecast->boundary));
    printf("frames       0 to %s, %g s of simulated time\n", ooze_quantity_count(a, last_frame),
           (double)steps * info->time_step);
    printf("steps        %s of %g s, %s a frame\n", ooze_quantity_count(a, steps), info->time_step,
           ooze_quantity_count(b, info->steps_per_frame));
    printf("memory       %s\n", ooze_quantity_bytes(a, forecast->memory));
    if (processes > 1) {
        printf("             %s a process of %d, and %s more of the first, which writes frames\n",
               ooze_quantity_bytes(a, forecast->memory / processes), processes,
               ooze_quantity_bytes(b, forecast->bytes * forecast->last));
    }
    if (stats->device_bytes > 0) {
        double each = (double)stats->device_bytes / fmax((double)stats->particles, 1.0);
        printf("GPU memory   %s\n", ooze_quantity_bytes(a, each * forecast->last));
    }
    printf("disk         %s, %s for the last frame\n", ooze_quantity_bytes(a, forecast->disk),
           ooze_quantity_bytes(b, forecast->bytes_fixed + forecast->bytes * forecast->last));
    printf(
        "time         %s and the writing, from a trial of %s steps with %d thread%s",
        ooze_quantity_seconds(a, steps_seconds + trial->probe_seconds * forecast->frame_particles),
        ooze_quantity_count(b, trial->steps + (steps > 0)), stats->threads,
        stats->threads == 1 ? "" : "s");
    if (forecast->counted) {
        printf(" and %s particles", ooze_quantity_count(a, (uint64_t)trial->particles));
    }
    printf("\n");
}

/* Bytes of grids that the scene is expected to need and the trial did not: it may have been too
   small for them, or have ended before the fluid meets anything. */
static OozeStatus foresee_grids(const OozeDryRun *plan, const Trial *trial, Forecast *forecast,
                                OozeError *error)
{
    OozeSceneAdvice advice;
    bool processor = strcmp(plan->world->engine->name, ooze_cpu_engine.name) == 0;
    if (trial->multigrid || !processor) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_scene_advice(plan->scene, &advice, error);
    forecast->memory += status ? 0.0 : advice.own.grid_bytes * forecast->last;
    return status;
}

/* A smaller copy of a scene whose fluids are counted. */
static OozeStatus build_trial(const OozeDryRun *plan, double total, OozeWorld **world,
                              OozeError *error)
{
    OozeBuildOptions options = *plan->options;
    options.log = NULL; /* the first build has printed its warnings */
    bool processor = strcmp(plan->world->engine->name, ooze_cpu_engine.name) == 0;
    double particles = processor ? SMALL_TRIAL : SMALL_TRIAL_ON_GPU;
    OozeStatus status =
        ooze_scene_build_trial(plan->scene, &options, fmin(1.0, particles / total), world, error);
    return status ? status : ooze_world_choose_engine(*world, error);
}

static OozeStatus estimate(const OozeDryRun *plan, OozeWorld *world, Forecast *forecast,
                           OozeError *error)
{
    const OozeSceneInfo *info = ooze_scene_info(plan->scene);
    Trial trial = {.seconds_max = forecast->counted ? SMALL_TRIAL_SECONDS : TRIAL_SECONDS};
    foresee(world, plan->last_frame, (double)info->steps_per_frame * info->time_step, forecast);
    OozeStatus status = make_trial(world, plan->last_frame * info->steps_per_frame, &trial, error);
    if (status) {
        return status;
    }
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    const OozeFrame *frame = ooze_world_frame(world);
    if (!frame) {
        return ooze_fail_memory(error, "the frame view", 0);
    }
    OozeBounds fluid;
    forecast->boundary = (double)stats.boundary_particles;
    if (forecast->counted) {
        status = ooze_scene_fluid_bounds(plan->scene, &fluid, error);
        forecast->boundary =
            status ? 0.0 : ooze_world_count_samples(plan->world, &fluid, forecast->first);
    }
    forecast->array_bytes = array_bytes(world, frame);
    foresee_bytes(frame, &stats, (double)plan->last_frame + 1.0, forecast);
    status = status ? status : foresee_grids(plan, &trial, forecast, error);
    print_forecast(forecast, &trial, info, &stats, plan);
    return status;
}

int ooze_dry_run(const OozeDryRun *plan)
{
    OozeError error = {0};
    OozeWorld *trial = NULL;
    Forecast forecast = {.counted = plan->scene->counted};
    OozeStatus status = OOZE_OK;
    if (forecast.counted) {
        double total = 0.0;
        for (int i = 0; i < plan->scene->def.fluid_count; i++) {
            total += (double)plan->scene->filled[i];
        }
        status = build_trial(plan, total, &trial, &error);
        forecast.more = status ? 0.0 : total - (double)ooze_world_particle_count(trial);
    }
    status = status ? status : estimate(plan, trial ? trial : plan->world, &forecast, &error);
    ooze_world_destroy(trial);
    if (status) {
        return ooze_report_error(&error);
    }
    double room = plan->folder ? free_bytes(plan->folder) : -1.0;
    if (room >= 0.0 && room < forecast.disk) {
        char text[OOZE_QUANTITY_SIZE];
        ooze_report_warning("'%s' has room for %s only", plan->folder,
                            ooze_quantity_bytes(text, room));
    }
    return OOZE_EXIT_OK;
}
