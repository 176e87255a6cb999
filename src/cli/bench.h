/* What `ooze bench` measures, and how it is told. */
#ifndef OOZE_CLI_BENCH_H
#define OOZE_CLI_BENCH_H

#include "base/text.h"
#include "ooze/world.h"

enum { OOZE_BENCH_RUNS_MAX = 1000, OOZE_BENCH_STAGES_MAX = 16, OOZE_BENCH_PARTS_MAX = 48 };

typedef struct OozeBenchScene {
    const char *name, *file, *help;
    /* as the paper has it */
    double particles, steps_a_frame, iterations, seconds_a_frame; /* the last NAN: not told */
    uint64_t by_default; /* particles; 0: as the scene has it */
} OozeBenchScene;

typedef struct OozeBenchPlan {
    const OozeBenchScene *scene; /* NULL: any scene file */
    const char *path;            /* of the scene file */
    const char *folder;
    const char *const *overrides; /* KEY=VALUE */
    int override_count;
    bool json, small;
    bool processor; /* time of the cores, divided by threads, instead of the clock on the wall */
    uint64_t particles; /* 0: not given */
    uint64_t threads, warm_up, runs, steps;
    OozeDevice device;
} OozeBenchPlan;

/* A stage, or a part of one. */
typedef struct OozeBenchTime {
    const char *stage, *name; /* stage NULL: it is one itself */
    double seconds;           /* per particle and step: median of the runs */
    double calls;             /* a step; of a stage 0 */
} OozeBenchTime;

typedef struct OozeBenchResult {
    double particles;         /* mean over the steps */
    double step, fastest;     /* s a step: median of the runs, and the least */
    double velocity, density; /* iterations a step */
    double frame_steps;
    double bytes;             /* per particle, of the machine that takes the steps */
    double host_bytes;        /* per particle, of the processor's memory */
    double neighbours, walls; /* per particle: fluid, samples of solids */
    int threads;              /* 1 of a GPU, which is one machine */
    const char *device;       /* "cpu" or another */
    double device_free_bytes; /* at the end */
    OozeBenchTime stages[OOZE_BENCH_STAGES_MAX], parts[OOZE_BENCH_PARTS_MAX];
    int stage_count, part_count;
} OozeBenchResult;

/* The scenes by name; NULL: unknown, or past the last. */
const OozeBenchScene *ooze_bench_find(const char *name);
const OozeBenchScene *ooze_bench_scene(int index);
/* Where the file of the plan's scene stands. Says so where it is not found; returns the exit
   code. */
int ooze_bench_locate(const OozeBenchPlan *plan, OozeText *path);

/* Whether the processor took the steps. */
bool ooze_bench_on_processor(const OozeBenchResult *result);
/* Builds, warms up, measures. Says what went wrong and returns the exit code. */
int ooze_bench_measure(const OozeBenchPlan *plan, OozeBenchResult *result);

/* On stdout; returns the exit code. */
int ooze_bench_print(const OozeBenchPlan *plan, const OozeBenchResult *result);

enum { OOZE_BENCH_ROWS_MAX = 16 };

/* The same scene with more and more threads, or particles. */
typedef struct OozeBenchScaling {
    bool by_threads;
    OozeBenchResult rows[OOZE_BENCH_ROWS_MAX];
    int count;
    uint64_t left_out; /* particles that memory had no room for; 0: none */
} OozeBenchScaling;

/* Collects the rows and prints them. Returns the exit code. */
int ooze_bench_scale(const OozeBenchPlan *plan, bool by_threads);

#endif
