/* ooze bench: speed of a scene, compared with Table 1 of the paper. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/report.h"

static int list_scenes(bool json)
{
    OozeText out = {0};
    ooze_text_append(&out, "%s", json ? "[" : "");
    for (int i = 0; ooze_bench_scene(i); i++) {
        const OozeBenchScene *s = ooze_bench_scene(i);
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

static int unknown_scene(const OozeArguments *arguments, const char *name)
{
    enum { SCENES_MAX = 32 };
    const char *names[SCENES_MAX];
    int count = 0;
    for (; count < SCENES_MAX - 1 && ooze_bench_scene(count); count++) {
        names[count] = ooze_bench_scene(count)->name;
    }
    const OozeUnknownWord word = {"scene", name, names, count, "'ooze bench --list' names them"};
    return ooze_unknown_word(arguments->command, &word);
}

static int measure_and_print(const OozeBenchPlan *plan)
{
    OozeBenchResult result;
    int code = ooze_bench_measure(plan, &result);
    return code ? code : ooze_bench_print(plan, &result);
}

typedef enum Scaling { NO_SCALING = -1, BY_THREADS, BY_PARTICLES } Scaling;

static int bench(OozeBenchPlan *plan, const OozeArguments *arguments, Scaling scaling)
{
    const char *name = arguments->operands[0];
    plan->scene = ooze_bench_find(name);
    if (!plan->scene && !strchr(name, '/') && !strchr(name, '.')) {
        return unknown_scene(arguments, name);
    }
    OozeText path = {0};
    int code = plan->scene ? ooze_bench_locate(plan, &path) : OOZE_EXIT_OK;
    plan->path = plan->scene ? path.data : name;
    if (!code) {
        code = scaling == NO_SCALING ? measure_and_print(plan)
                                     : ooze_bench_scale(plan, scaling == BY_THREADS);
    }
    ooze_text_clear(&path);
    return code;
}

static int choose(OozeBenchPlan *plan, const OozeArguments *arguments, Scaling scaling)
{
    if (ooze_argument_given(arguments, "list")) {
        return list_scenes(plan->json);
    }
    if (arguments->operand_count == 0) {
        return ooze_usage_error(arguments->command,
                                "say which scene; 'ooze bench --list' names them");
    }
    return bench(plan, arguments, scaling);
}

static int run(const OozeArguments *arguments)
{
    static const char *const scalings[] = {"threads", "particles"}, *clocks[] = {"wall", "cpu"};
    OozeBenchPlan plan = {
        .json = ooze_argument_given(arguments, "json"),
        .small = ooze_argument_given(arguments, "small"),
        .folder = ooze_argument_text(arguments, "scenes"),
        .warm_up = 20,
        .runs = 5,
        .steps = 5,
    };
    int scaling = NO_SCALING, clock = 0;
    if (!ooze_argument_integer(arguments, "particles", 1, 1000000000, &plan.particles) ||
        !ooze_argument_integer(arguments, "threads", 0, 1024, &plan.threads) ||
        !ooze_argument_integer(arguments, "warm-up", 0, 1000000, &plan.warm_up) ||
        !ooze_argument_integer(arguments, "runs", 1, OOZE_BENCH_RUNS_MAX, &plan.runs) ||
        !ooze_argument_integer(arguments, "steps", 1, 1000000, &plan.steps) ||
        !ooze_argument_device(arguments, &plan.device) ||
        !ooze_argument_choice(arguments, "scaling", scalings, OOZE_ROWS(scalings), &scaling) ||
        !ooze_argument_choice(arguments, "clock", clocks, OOZE_ROWS(clocks), &clock)) {
        return OOZE_EXIT_USAGE;
    }
    plan.processor = clock == 1;
    const char **overrides = NULL;
    if (!ooze_argument_overrides(arguments, &overrides, &plan.override_count)) {
        return OOZE_EXIT_USAGE;
    }
    plan.overrides = overrides;
    int code = choose(&plan, arguments, (Scaling)scaling);
    ooze_free(overrides);
    return code;
}

static const OozeOperand operands[] = {
    {"NAME", "a scene of the paper (see `--list`), or the path of any scene file", true},
};

static const OozeOption options[] = {
    {"list", 0, NULL, false, "list the scenes"},
    {"json", 0, NULL, false, "one JSON object instead of text"},
    {"particles", 0, "N", false,
     "approximate number: a scene without emitters gets another spacing, one with emitters runs "
     "until it has them"},
    {"small", 0, NULL, false, "the small variant of the scene"},
    OOZE_OPTION_DEVICE,
    {"threads", 0, "N", false, "worker threads; 0, the default, is one per core"},
    {"warm-up", 0, "N", false, "steps before the clock starts; 20 by default"},
    {"runs", 0, "N", false, "runs of which the median counts; 5 by default"},
    {"steps", 0, "N", false, "steps of a run; 5 by default"},
    {"scaling", 0, "BY", false,
     "`threads`: with 1, 2, 4, ... of them; `particles`: with 30k, 100k, 300k, 1M, 4M, with "
     "`--device cuda` 100k, 1M, 4M, 12M, 40M, 150M, 200M, as memory and "
     "--particles allow"},
    {"clock", 0, "KIND", false,
     "`wall`, the default, or `cpu`: processor time, for a machine with other load; it does not "
     "include waiting, and does not show parallel efficiency"},
    {"set", 0, "KEY=VALUE", true, "change one value of the scene"},
    {"scenes", 0, "DIR", false, "the folder that holds `barreiro2017`, where it is not found"},
};

const OozeCommand ooze_command_bench = {
    .name = "bench",
    .synopsis = "NAME [options], or: ooze bench --list",
    .summary = "Measure how fast a scene steps",
    .details =
        "Steps a scene without writing files and prints particle-iterations per second, in "
        "total and per thread, beside the rates that Table 1 of Barreiro et al. 2017 implies "
        "for their six-core processor and their GPU; nanoseconds per particle of every stage "
        "and its parts; and memory per particle. Iterations are fixed: tolerances are set "
        "to 0, and a scene that gives no velocity_iterations takes those of the paper, or 20.\n\n"
        "An iteration is one of the velocity solve, all passes counted, or one sweep over "
        "densities. An iteration of the paper is one of both, so that `frame`, the time of a "
        "frame at the paper's number of particles, compares both with their own settings.\n\n"
        "With `--device cuda` scenes have the paper's size unless `--particles` is given, and a "
        "GPU counts as one thread. Steps are timed as in a run, then again with a wait after "
        "each part, for the times of the parts.\n\n"
        "Timings of a machine with other load are unreliable: compare the fastest run with the "
        "median.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
