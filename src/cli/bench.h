/* Measurements of `ooze bench` and their output. */
#ifndef OOZE_CLI_BENCH_H
#define OOZE_CLI_BENCH_H

#include "base/text.h"
#include "ooze/world.h"

enum { OOZE_BENCH_RUNS_MAX = 1000, OOZE_BENCH_STAGES_MAX = 16, OOZE_BENCH_PARTS_MAX = 48 };

typedef struct OozeBenchScene {
    const char *name, *file, *help;
    /* values of the paper */
    double particles, steps_a_frame, iterations,
        seconds_a_frame;        /* seconds_a_frame NAN: not published */
    uint64_t default_particles; /* 0: as in the scene */
} OozeBenchScene;

typedef struct OozeBenchPlan {
    const OozeBenchScene *scene; /* NULL: a scene file that is not of the paper */
    const char *path;            /* of the scene file */
    const char *folder;
    const char *const *overrides; /* KEY=VALUE */
    int override_count;
    bool json, small;
    bool processor;     /* processor time / threads instead of wall clock */
    uint64_t particles; /* 0: not given */
    uint64_t threads, warm_up, runs, steps;
    OozeDevice device;
} OozeBenchPlan;

/* A stage, or a part of one. */
typedef struct OozeBenchTime {
    const char *stage, *name; /* stage NULL: this is a stage */
    double seconds;           /* per particle and step: median of the runs */
    double calls;             /* per step; 0 for a stage */
    double launches, waits;   /* per step, of a part on a GPU */
} OozeBenchTime;

typedef struct OozeBenchResult {
    double particles;         /* mean over the steps */
    double step, fastest;     /* s per step: median and minimum of the runs */
    double velocity, density; /* iterations a step */
    double frame_steps;
    double bytes;             /* per particle, in the memory of the stepping device */
    double host_bytes;        /* per particle, in host memory */
    double neighbours, walls; /* per particle: fluid, samples of solids */
    int threads;              /* 1 for a GPU */
    const char *device;       /* "cpu", "cuda" */
    double device_free_bytes; /* at the end */
    OozeBenchTime stages[OOZE_BENCH_STAGES_MAX], parts[OOZE_BENCH_PARTS_MAX];
    int stage_count, part_count;
} OozeBenchResult;

/* The scenes by name; NULL: unknown, or past the last. */
const OozeBenchScene *ooze_bench_find(const char *name);
const OozeBenchScene *ooze_bench_scene(int index);
/* Path of the plan's scene file. Reports a missing file; returns the exit code. */
int ooze_bench_locate(const OozeBenchPlan *plan, OozeText *path);

/* Whether the processor took the steps. */
bool ooze_bench_on_processor(const OozeBenchResult *result);
/* Builds, warms up and measures. Reports errors and returns the exit code. */
int ooze_bench_measure(const OozeBenchPlan *plan, OozeBenchResult *result);

/* Prints on stdout; returns the exit code. */
int ooze_bench_print(const OozeBenchPlan *plan, const OozeBenchResult *result);

enum { OOZE_BENCH_ROWS_MAX = 16 };

/* One scene with increasing numbers of threads or particles. */
typedef struct OozeBenchScaling {
    bool by_threads;
    OozeBenchResult rows[OOZE_BENCH_ROWS_MAX];
    int count;
    uint64_t left_out; /* number of particles that exceeded the memory; 0: none */
} OozeBenchScaling;

/* Collects the rows and prints them. Returns the exit code. */
int ooze_bench_scale(const OozeBenchPlan *plan, bool by_threads);

#endif
