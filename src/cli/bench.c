/* ooze bench: how fast a scene steps, beside what the paper's Table 1 implies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/select.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/report.h"
#include "scene/scene.h"

/* ---- scenes ------------------------------------------------------------------------------- */

/* Table 1 of Barreiro et al. 2017, and how large a scene is by default: the paper's size where that takes
   seconds on two cores. */
static const OozeBenchScene scenes[] = {
    {"blocks", "blocks", "cubes of three materials (Figure 4)", 10e3, 8, 20, 0.16, 0},
    {"coiling", "coiling_top", "four coiling ropes (Figure 5)", 89e3, 8, 40, 1.08, 10000},
    {"interactive", "hand_and_bowl", "a bowl under a nozzle (Figures 8 and 10)", 15e3, 3, 8, 0.03,
     5000},
    {"waffle", "waffle_thick", "cream from a star nozzle (Figure 9)", 80e3, 10, 40, 1.42, 10000},
    {"honey", "honey", "a thread of honey (Figure 12)", 105e3, 10, 10, 0.15, 10000},
    {"massive", "massive", "eight creatures (Figure 11)", 12e6, 5, 15, 19, 100000},
};

static const OozeBenchScene *find_scene(const char *name)
{
    for (int i = 0; i < OOZE_ROWS(scenes); i++) {
        if (strcmp(scenes[i].name, name) == 0) {
            return &scenes[i];
        }
    }
    return NULL;
}

static int list_scenes(bool json)
{
    OozeText out = {0};
    ooze_text_append(&out, "%s", json ? "[" : "");
    for (int i = 0; i < OOZE_ROWS(scenes); i++) {
        const OozeBenchScene *s = &scenes[i];
        if (json) {
            ooze_text_append(&out,
                             "%s\n  {\"name\": \"%s\", \"help\": \"%s\", \"particles\": %.0f}",
                             i > 0 ? "," : "", s->name, s->help, s->particles);
        } else {
            ooze_text_append(&out, "%-12s %8.0fk particles  %s\n", s->name, 1e-3 * s->particles,
                             s->help);
        }
    }
    ooze_text_append(&out, "%s", json ? "\n]\n" : "");
    bool failed = out.failed;
    fputs(failed ? "" : out.data, stdout);
    ooze_text_clear(&out);
    return failed ? OOZE_EXIT_FAILED : OOZE_EXIT_OK;
}

/* Where the scenes of the paper stand, seen from the command itself: installed, or in the tree that it was
   built in. */
static bool find_file(const OozeBenchPlan *plan, OozeText *path)
{
    static const char *const folders[] = {"../share/ooze/scenes", "../scenes"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    while (length > 0 && self[length - 1] != '/') {
        length--;
    }
    self[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 2 + (plan->folder != NULL); i++) {
        ooze_text_clear(path);
        bool given = i == 0 && plan->folder;
        const char *folder = given ? plan->folder : folders[i - (plan->folder != NULL)];
        ooze_text_append(path, "%s%s/barreiro2017/%s%s.yaml", given ? "" : self, folder,
                         plan->scene->file, plan->small ? "_small" : "");
        if (path->failed || ooze_file_exists(path->data)) {
            return !path->failed;
        }
    }
    return false;
}

/* ---- the world ---------------------------------------------------------------------------- */

static int load(const char *path, const char *override, OozeScene **scene)
{
    OozeError error = {0};
    OozeStatus status = ooze_scene_load(path, &override, override ? 1 : 0, scene, &error);
    if (status == OOZE_ERROR_SCENE && ooze_report_scene(*scene, NULL) > 0) {
        return OOZE_EXIT_FAILED;
    }
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static int build(const OozeBenchPlan *plan, const OozeScene *scene, OozeWorld **world)
{
    OozeError error = {0};
    OozeBuildOptions options = {.threads = (int)plan->threads};
    ooze_world_destroy(*world);
    *world = NULL;
    return ooze_scene_build(scene, &options, world, &error) ? ooze_report_error(&error)
                                                            : OOZE_EXIT_OK;
}

static uint64_t particles_of(const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    return stats.particles;
}

/* A scene that begins with its fluid gets about as many particles as asked for by another spacing. */
static int build_world(const OozeBenchPlan *plan, const char *path, uint64_t wanted,
                       OozeScene **scene, OozeWorld **world)
{
    int code = load(path, NULL, scene);
    bool filled = !code && (*scene)->def.fluid_count > 0;
    double there = plan->scene && !plan->small ? plan->scene->particles : 0.0;
    if (!code && (!filled || wanted == 0 || there == 0.0)) {
        code = build(plan, *scene, world);
        there = code ? 0.0 : (double)particles_of(*world);
    }
    if (!code && filled && wanted > 0 && there > 0.0) {
        char override[64];
        double spacing = (*scene)->def.world.spacing * cbrt(there / (double)wanted);
        snprintf(override, sizeof override, "spacing=%.9g", spacing);
        ooze_scene_free(*scene);
        *scene = NULL;
        code = load(path, override, scene);
        code = code ? code : build(plan, *scene, world);
    }
    return code;
}

/* A scene that pours its fluid runs until there are as many as asked for, at most to its end. */
static int warm_up(const OozeBenchPlan *plan, OozeWorld *world, const OozeScene *scene,
                   uint64_t wanted)
{
    OozeError error = {0};
    const OozeSceneInfo *info = ooze_scene_info(scene);
    uint64_t most = (uint64_t)ceil(info->duration / info->time_step), step = 0;
    bool pours = scene->def.emitter_count > 0;
    /* fixed counts; a method without a tolerance has fixed counts anyway */
    (void)ooze_world_set_param(world, "tolerance", 0.0, NULL);
    for (; pours && particles_of(world) < wanted && step < most; step++) {
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

/* ---- measuring ---------------------------------------------------------------------------- */

static double param_of(const OozeWorld *world, const char *key)
{
    double value = 0.0;
    return ooze_world_get_param(world, key, &value, NULL) ? 0.0 : value;
}

/* Sweeps over densities in a stroke: settings of the conformation method, by its formulation. */
static double density_sweeps(const OozeWorld *world)
{
    bool constraint = param_of(world, "formulation") != 0.0;
    return param_of(world, constraint ? "position_iterations" : "density_iterations") +
           param_of(world, "divergence_iterations");
}

static int measure(const OozeBenchPlan *plan, OozeWorld *world, OozeBenchResult *r)
{
    double seconds[OOZE_BENCH_RUNS_MAX], stages[OOZE_BENCH_STAGES_MAX];
    OozeError error = {0};
    OozeWorldStats *stats = &r->stats;
    ooze_world_stats(world, stats);
    r->stage_count =
        stats->stage_count < OOZE_BENCH_STAGES_MAX ? stats->stage_count : OOZE_BENCH_STAGES_MAX;
    for (int k = 0; k < r->stage_count; k++) {
        stages[k] = stats->stages[k].seconds;
    }
    double particles = 0.0, steps = (double)(plan->runs * plan->steps);
    for (uint64_t i = 0; i < plan->runs; i++) {
        double start = ooze_clock();
        for (uint64_t k = 0; k < plan->steps; k++) {
            if (ooze_world_step(world, &error)) {
                return ooze_report_error(&error);
            }
            ooze_world_stats(world, stats);
            particles += (double)stats->particles;
            r->velocity += stats->iterations;
            r->density += density_sweeps(world) * stats->sub_steps;
        }
        seconds[i] = (ooze_clock() - start) / (double)plan->steps;
    }
    r->particles = particles / steps;
    r->velocity /= steps;
    r->density /= steps;
    r->step = ooze_percentile(seconds, plan->runs, 50.0);
    r->fastest = ooze_percentile(seconds, plan->runs, 0.0);
    for (int k = 0; k < r->stage_count; k++) {
        r->stages[k] = (stats->stages[k].seconds - stages[k]) / particles;
    }
    return OOZE_EXIT_OK;
}

static int bench(const OozeBenchPlan *plan, const char *path)
{
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    uint64_t wanted = plan->particles;
    if (wanted == 0 && plan->scene && !plan->small) {
        wanted = plan->scene->by_default;
    }
    OozeBenchResult result = {.scene = plan->scene, .path = path, .plan = plan};
    int code = build_world(plan, path, wanted, &scene, &world);
    code = code ? code : warm_up(plan, world, scene, wanted);
    code = code ? code : measure(plan, world, &result);
    if (!code) {
        result.frame_steps = (double)ooze_scene_info(scene)->steps_per_frame;
        code = ooze_bench_print(&result, plan->json);
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return code;
}

static int run(const OozeArguments *arguments)
{
    OozeBenchPlan plan = {
        .json = ooze_argument_given(arguments, "json"),
        .small = ooze_argument_given(arguments, "small"),
        .folder = ooze_argument_text(arguments, "scenes"),
        .warm_up = 20,
        .runs = 5,
        .steps = 5,
    };
    if (!ooze_argument_integer(arguments, "particles", 1, 1000000000, &plan.particles) ||
        !ooze_argument_integer(arguments, "threads", 0, 1024, &plan.threads) ||
        !ooze_argument_integer(arguments, "warm-up", 0, 1000000, &plan.warm_up) ||
        !ooze_argument_integer(arguments, "runs", 1, OOZE_BENCH_RUNS_MAX, &plan.runs) ||
        !ooze_argument_integer(arguments, "steps", 1, 1000000, &plan.steps)) {
        return OOZE_EXIT_USAGE;
    }
    if (ooze_argument_given(arguments, "list")) {
        return list_scenes(plan.json);
    }
    if (arguments->operand_count == 0) {
        return ooze_usage_error(arguments->command,
                                "say which scene; 'ooze bench --list' names them");
    }
    const char *name = arguments->operands[0];
    plan.scene = find_scene(name);
    if (!plan.scene && !strchr(name, '/') && !strchr(name, '.')) {
        const char *names[OOZE_ROWS(scenes)];
        for (int i = 0; i < OOZE_ROWS(scenes); i++) {
            names[i] = scenes[i].name;
        }
        const char *near = ooze_suggest(name, names, OOZE_ROWS(scenes));
        return ooze_usage_error(arguments->command, "unknown scene '%s'%s%s%s", name,
                                near ? "; did you mean '" : "; 'ooze bench --list' names them",
                                near ? near : "", near ? "'?" : "");
    }
    OozeText path = {0};
    int code;
    if (plan.scene && !find_file(&plan, &path)) {
        OozeError error = {0};
        ooze_fail(
            &error, OOZE_ERROR_FILE, "say where they are with --scenes DIR",
            "the scenes of the paper stand neither beside this command nor in the tree it was "
            "built in");
        code = ooze_report_error(&error);
    } else {
        code = bench(&plan, plan.scene ? path.data : name);
    }
    ooze_text_clear(&path);
    return code;
}

static const OozeOperand operands[] = {
    {"NAME", "a scene of the paper (see `--list`), or the path of any scene file", true},
};

static const OozeOption options[] = {
    {"list", 0, NULL, false, "name the scenes"},
    {"json", 0, NULL, false, "one JSON object instead of text"},
    {"particles", 0, "N", false,
     "about so many: a scene that begins with its fluid gets another spacing, one that pours runs "
     "until they are there"},
    {"small", 0, NULL, false, "the small variant of the scene"},
    {"threads", 0, "N", false, "worker threads; 0, the default, is one per core"},
    {"warm-up", 0, "N", false, "steps before the clock starts; 20 by default"},
    {"runs", 0, "N", false, "runs of which the median counts; 5 by default"},
    {"steps", 0, "N", false, "steps of a run; 5 by default"},
    {"scenes", 0, "DIR", false, "the folder that holds `barreiro2017`, where it is not found"},
};

const OozeCommand ooze_command_bench = {
    .name = "bench",
    .synopsis = "NAME [options], or: ooze bench --list",
    .summary = "Measure how fast a scene steps",
    .details =
        "Steps a scene without writing anything and tells particle-iterations per second, in all "
        "and "
        "per thread, beside what Table 1 of Barreiro et al. 2017 implies for their six-core "
        "processor and their GPU; nanoseconds per particle of every stage; and memory per "
        "particle. Iterations are fixed: tolerances are set to 0.\n\n"
        "An iteration is one of the velocity solve, all passes counted, or one sweep over "
        "densities. "
        "The paper's is one of both, so that `frame`, the time of a frame at the paper's number of "
        "particles, compares what either does with its own settings.\n\n"
        "Timings of a machine that others use are worth little: look at the spread from the "
        "fastest run to the median.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
