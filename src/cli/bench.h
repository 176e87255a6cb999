/* What `ooze bench` measures, and how it is told. */
#ifndef OOZE_CLI_BENCH_H
#define OOZE_CLI_BENCH_H

#include "ooze/world.h"

enum { OOZE_BENCH_RUNS_MAX = 1000, OOZE_BENCH_STAGES_MAX = 16 };

typedef struct OozeBenchScene {
    const char *name, *file, *help;
    /* as the paper has it */
    double particles, steps_a_frame, iterations, seconds_a_frame;
    uint64_t by_default; /* particles; 0: as the scene has it */
} OozeBenchScene;

typedef struct OozeBenchPlan {
    const OozeBenchScene *scene; /* NULL: any scene file */
    const char *folder;
    bool json, small;
    uint64_t particles; /* 0: not given */
    uint64_t threads, warm_up, runs, steps;
} OozeBenchPlan;

typedef struct OozeBenchResult {
    const OozeBenchScene *scene;
    const OozeBenchPlan *plan;
    const char *path;
    double particles;         /* mean over the steps */
    double step, fastest;     /* s a step: median of the runs, and the least */
    double velocity, density; /* iterations a step */
    double frame_steps;
    double stages[OOZE_BENCH_STAGES_MAX]; /* s per particle and step */
    int stage_count;
    OozeWorldStats stats; /* after the last step */
} OozeBenchResult;

/* On stdout; returns the exit code. */
int ooze_bench_print(const OozeBenchResult *result, bool json);

#endif
