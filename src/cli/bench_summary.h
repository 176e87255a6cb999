/* Figures that are aimed for, beside their aims: what `ooze bench summary` is made of. */
#ifndef OOZE_CLI_BENCH_SUMMARY_H
#define OOZE_CLI_BENCH_SUMMARY_H

#include "cli/bench.h"

enum { OOZE_BENCH_FIGURES_MAX = 16 };

typedef struct OozeBenchFigure {
    const char *key, *what, *unit;
    double value, aim;
    bool at_most; /* the aim is a limit, not a goal */
    char note[96];
} OozeBenchFigure;

typedef struct OozeBenchSummary {
    const OozeBenchPlan *plan;
    bool full;
    OozeBenchMachine machine;
    OozeBenchFigure figures[OOZE_BENCH_FIGURES_MAX];
    int count;
} OozeBenchSummary;

OozeBenchFigure *ooze_bench_figure(OozeBenchSummary *summary, const char *key, const char *what,
                                   double value, double aim, const char *unit);
/* `particles`, or what --particles bounds all figures to, for a first look. */
uint64_t ooze_bench_at_most(const OozeBenchSummary *summary, uint64_t particles);
/* The summary's plan for the scene of that name; free the path. */
OozeBenchPlan ooze_bench_plan_of(const OozeBenchSummary *summary, const char *name, OozeText *path,
                                 int *code);

/* Those of a GPU, aimed for on one H200. Returns the exit code. */
int ooze_bench_measure_gpu(OozeBenchSummary *summary);

#endif
