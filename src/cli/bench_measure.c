/* Steps a scene and measures the time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/select.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/report.h"
#include "scene/scene.h"
#include "step/timer.h"
#include "world/world.h"

/* Most particles of a scene whose fills are fitted as it says. */
#define FITTED_MAX 50000.0

_Static_assert((int)OOZE_TIMER_PARTS_MAX <= OOZE_BENCH_PARTS_MAX, "every part has a row");

/* ---- the world ---------------------------------------------------------------------------- */

static int load(const OozeBenchPlan *plan, const char *spacing, OozeScene **scene)
{
    OozeError error = {0};
    int count = plan->override_count;
    const char **overrides = ooze_alloc((uint64_t)count + 1, sizeof *overrides);
    if (!overrides) {
        ooze_fail_memory(&error, "the values of --set", (uint64_t)count * sizeof *overrides);
        return ooze_report_error(&error);
    }
    for (int i = 0; i < count; i++) {
        overrides[i] = plan->overrides[i];
    }
    if (spacing) {
        overrides[count++] = spacing;
    }
    OozeStatus status = ooze_scene_load(plan->path, overrides, count, scene, &error);
    ooze_free(overrides);
    if (status == OOZE_ERROR_SCENE && ooze_report_scene(*scene, NULL) > 0) {
        return OOZE_EXIT_FAILED;
    }
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static int build(const OozeBenchPlan *plan, const OozeScene *scene, OozeWorld **world)
{
    OozeError error = {0};
    OozeBuildOptions options = {.threads = (int)plan->threads, .device = plan->device};
    ooze_world_destroy(*world);
    *world = NULL;
    bool failed = ooze_scene_build(scene, &options, world, &error) ||
                  ooze_world_choose_engine(*world, &error);
    return failed ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

/* Fitting the points of many particles takes longer than the steps that are measured. */
static void fill_quickly(OozeScene *scene, double particles)
{
    for (int i = 0; i < scene->def.fluid_count && particles > FITTED_MAX; i++) {
        OozeFluidDef *fluid = &scene->def.fluids[i].def;
        fluid->fill = fluid->fill == OOZE_FILL_FITTED ? OOZE_FILL_LATTICE : fluid->fill;
    }
}

static uint64_t particles_of(const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    return stats.particles;
}

/* Scales the spacing of a scene without emitters so that it has about `wanted` particles. */
static int build_world(const OozeBenchPlan *plan, uint64_t wanted, OozeScene **scene,
                       OozeWorld **world)
{
    int code = load(plan, NULL, scene);
    bool filled = !code && (*scene)->def.fluid_count > 0 && (*scene)->def.emitter_count == 0;
    double there = plan->scene && !plan->small ? plan->scene->particles : 0.0;
    if (!code && (!filled || wanted == 0 || there == 0.0)) {
        fill_quickly(*scene, there);
        code = build(plan, *scene, world);
        there = code ? 0.0 : (double)particles_of(*world);
    }
    if (!code && filled && wanted > 0 && there > 0.0) {
        char spacing[64];
        snprintf(spacing, sizeof spacing, "spacing=%.9g",
                 (*scene)->def.world.spacing * cbrt(there / (double)wanted));
        ooze_scene_free(*scene);
        *scene = NULL;
        code = load(plan, spacing, scene);
        if (!code) {
            fill_quickly(*scene, (double)wanted);
            code = build(plan, *scene, world);
        }
    }
    return code;
}

/* A scene with emitters runs until it has `wanted` particles, at most to its end. */
static int warm_up(const OozeBenchPlan *plan, OozeWorld *world, const OozeScene *scene,
                   uint64_t wanted)
{
    OozeError error = {0};
    const OozeSceneInfo *info = ooze_scene_info(scene);
    uint64_t max = (uint64_t)ceil(info->duration / info->time_step), step = 0;
    bool pours = scene->def.emitter_count > 0;
    /* fixed numbers of iterations, those of the paper where the scene gives none; methods without a
       tolerance have them already */
    bool given = ooze_node_find(ooze_node_find(scene->root, "method"), "velocity_iterations");
    if (!given) {
        (void)ooze_world_set_param(world, "velocity_iterations",
                                   plan->scene ? plan->scene->iterations : 20.0, NULL);
    }
    (void)ooze_world_set_param(world, "tolerance", 0.0, NULL);
    for (; pours && particles_of(world) < wanted && step < max; step++) {
        if (ooze_world_step(world, &error)) {
            return ooze_report_error(&error);
        }
    }
    for (uint64_t i = 0; i < plan->warm_up; i++) {
        if (ooze_world_step(world, &error)) {
            return ooze_report_error(&error);
        }
    }
    if (particles_of(world) == 0) {
        ooze_fail(&error, OOZE_ERROR_ARGUMENT, "use --particles, or a scene with fluid",
                  "the scene has no particles to measure");
        return ooze_report_error(&error);
    }
    return OOZE_EXIT_OK;
}

/* ---- the clock ---------------------------------------------------------------------------- */

/* Accumulated times and calls of a world. */
typedef struct Totals {
    double seconds[OOZE_BENCH_STAGES_MAX + OOZE_BENCH_PARTS_MAX]; /* stages, then parts */
    uint64_t calls[OOZE_BENCH_PARTS_MAX];
    uint64_t launches[OOZE_BENCH_PARTS_MAX], waits[OOZE_BENCH_PARTS_MAX];
} Totals;

static Totals totals_of(const OozeWorldStats *stats)
{
    Totals totals = {.calls = {0}};
    for (int k = 0; k < stats->stage_count && k < OOZE_BENCH_STAGES_MAX; k++) {
        totals.seconds[k] = stats->stages[k].seconds;
    }
    for (int k = 0; k < stats->part_count && k < OOZE_BENCH_PARTS_MAX; k++) {
        totals.seconds[OOZE_BENCH_STAGES_MAX + k] = stats->parts[k].seconds;
        totals.calls[k] = stats->parts[k].calls;
        totals.launches[k] = stats->parts[k].launches;
        totals.waits[k] = stats->parts[k].waits;
    }
    return totals;
}

enum { ENTRIES = OOZE_BENCH_STAGES_MAX + OOZE_BENCH_PARTS_MAX };

/* Samples of all runs. */
typedef struct Samples {
    uint64_t runs;
    double *seconds; /* [ENTRIES][runs] */
    double *steps;
} Samples;

static void name_entries(const OozeWorldStats *stats, const Totals *first, const Totals *last,
                         double steps, OozeBenchResult *r)
{
    for (int k = 0; k < stats->stage_count && k < OOZE_BENCH_STAGES_MAX; k++) {
        r->stages[r->stage_count++].name = stats->stages[k].name;
    }
    for (int k = 0; k < stats->part_count && k < OOZE_BENCH_PARTS_MAX; k++) {
        OozeBenchTime *part = &r->parts[r->part_count++];
        part->stage = stats->parts[k].stage;
        part->name = stats->parts[k].name;
        part->calls = (double)(last->calls[k] - first->calls[k]) / steps;
        part->launches = (double)(last->launches[k] - first->launches[k]) / steps;
        part->waits = (double)(last->waits[k] - first->waits[k]) / steps;
    }
}

static double calls_of(const OozeBenchResult *r, const char *part)
{
    double calls = 0.0;
    for (int k = 0; k < r->part_count; k++) {
        calls += strcmp(r->parts[k].name, part) == 0 ? r->parts[k].calls : 0.0;
    }
    return calls;
}

/* Names outlive the world: they are constants of the library. */
static void summarise(const OozeWorldStats *stats, const Samples *samples, const Totals *first,
                      const Totals *last, double steps, OozeBenchResult *r)
{
    name_entries(stats, first, last, steps, r);
    for (int k = 0; k < r->stage_count; k++) {
        r->stages[k].seconds =
            ooze_percentile(samples->seconds + (uint64_t)k * samples->runs, samples->runs, 50.0);
    }
    for (int k = 0; k < r->part_count; k++) {
        uint64_t entry = (uint64_t)(OOZE_BENCH_STAGES_MAX + k);
        r->parts[k].seconds =
            ooze_percentile(samples->seconds + entry * samples->runs, samples->runs, 50.0);
    }
    r->density = calls_of(r, "density_multipliers");
    r->step = ooze_percentile(samples->steps, samples->runs, 50.0);
    r->fastest = ooze_percentile(samples->steps, samples->runs, 0.0);
    uint64_t bytes = ooze_bench_on_processor(r) ? stats->particle_bytes : stats->device_bytes;
    r->bytes = (double)bytes / (double)stats->particles;
    r->host_bytes = (double)stats->particle_bytes / (double)stats->particles;
    r->walls = (double)stats->boundary_pairs / (double)stats->particles;
    r->neighbours = (double)stats->neighbour_pairs / (double)stats->particles - r->walls;
    r->threads = ooze_bench_on_processor(r) ? stats->threads : 1;
    r->device_free_bytes = (double)stats->device_free_bytes;
}

/* `steps` gets the seconds per step of each run. */
static int step_and_time(const OozeBenchPlan *plan, OozeWorld *world, const Samples *samples,
                         double *steps, OozeBenchResult *r)
{
    OozeError error = {0};
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    *r = (OozeBenchResult){.device = stats.device};
    Totals first = totals_of(&stats), last = first;
    double all = (double)(plan->runs * plan->steps);
    double share = plan->processor ? stats.threads : 1.0;
    for (uint64_t i = 0; i < plan->runs; i++) {
        double start = ooze_timer_now(&world->timer), particles = 0.0;
        Totals before = last;
        for (uint64_t k = 0; k < plan->steps; k++) {
            if (ooze_world_step(world, &error)) {
                return ooze_report_error(&error);
            }
            ooze_world_stats(world, &stats);
            particles += (double)stats.particles;
            r->velocity += stats.iterations / all;
        }
        steps[i] = (ooze_timer_now(&world->timer) - start) / share / (double)plan->steps;
        r->particles += particles / all;
        last = totals_of(&stats);
        for (uint64_t k = 0; k < ENTRIES; k++) {
            samples->seconds[k * samples->runs + i] =
                (last.seconds[k] - before.seconds[k]) / share / particles;
        }
    }
    summarise(&stats, samples, &first, &last, all, r);
    return OOZE_EXIT_OK;
}

/* A GPU works asynchronously: steps are timed without waiting for their parts, and then as many
   again with waiting, which gives the times of the parts. */
static int time_all(const OozeBenchPlan *plan, OozeWorld *world, const Samples *samples,
                    double *spare, OozeBenchResult *r)
{
    bool asynchronous = world->engine->wait != NULL;
    int code = step_and_time(plan, world, samples, samples->steps, r);
    if (asynchronous && !code) {
        ooze_world_time_parts(world);
        code = step_and_time(plan, world, samples, spare, r);
    }
    return code;
}

static int measure_runs(const OozeBenchPlan *plan, OozeWorld *world, OozeBenchResult *r)
{
    Samples samples = {.runs = plan->runs};
    samples.seconds = ooze_alloc(plan->runs * ENTRIES, sizeof *samples.seconds);
    samples.steps = ooze_alloc(plan->runs, sizeof *samples.steps);
    double *spare = ooze_alloc(plan->runs, sizeof *spare);
    int code;
    if (samples.seconds && samples.steps && spare) {
        code = time_all(plan, world, &samples, spare, r);
    } else {
        OozeError error = {0};
        ooze_fail_memory(&error, "the measurement", plan->runs * ENTRIES * sizeof(double));
        code = ooze_report_error(&error);
    }
    ooze_free(samples.seconds);
    ooze_free(samples.steps);
    ooze_free(spare);
    return code;
}

bool ooze_bench_on_processor(const OozeBenchResult *result)
{
    return strcmp(result->device, "cpu") == 0;
}

int ooze_bench_measure(const OozeBenchPlan *plan, OozeBenchResult *result)
{
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    uint64_t wanted = plan->particles;
    if (wanted == 0 && plan->scene && !plan->small) {
        bool full_size = plan->device == OOZE_DEVICE_CUDA;
        wanted = full_size ? (uint64_t)plan->scene->particles : plan->scene->default_particles;
    }
    int code = build_world(plan, wanted, &scene, &world);
    code = code ? code : warm_up(plan, world, scene, wanted);
    if (!code && plan->processor) {
        world->timer.read = ooze_clock_processor;
    }
    code = code ? code : measure_runs(plan, world, result);
    if (!code) {
        result->frame_steps = (double)ooze_scene_info(scene)->steps_per_frame;
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return code;
}
