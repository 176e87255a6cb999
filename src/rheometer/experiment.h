/* Experiments of the virtual rheometer: measured values of one material at one spacing, time step
   and number of iterations, beside the theoretical values for the same history of deformation. */
#ifndef OOZE_RHEOMETER_EXPERIMENT_H
#define OOZE_RHEOMETER_EXPERIMENT_H

#include <math.h>

#include "base/threads.h"
#include "rheology/theory.h"
#include "rheometer/cell.h"

typedef enum OozeExperimentKind {
    OOZE_EXPERIMENT_FLOW,        /* rate, 1/s: viscosity, Pa s; N1, Pa */
    OOZE_EXPERIMENT_PLATES,      /* the same between two plates */
    OOZE_EXPERIMENT_OSCILLATION, /* omega, rad/s: G', G'', Pa */
    OOZE_EXPERIMENT_LARGE,       /* harmonic of the stress at large amplitude: its amplitude, Pa */
    OOZE_EXPERIMENT_RELAXATION,  /* time after a step strain, s: modulus, Pa */
    OOZE_EXPERIMENT_CREEP,       /* time under constant stress, s: strain */
    OOZE_EXPERIMENT_STRETCH,     /* rate, 1/s: extensional viscosity, Pa s */
    OOZE_EXPERIMENT_KIND_COUNT
} OozeExperimentKind;

enum { OOZE_EXPERIMENT_POINTS = 12, OOZE_EXPERIMENT_CURVES = 2 };

typedef struct OozeExperimentNames {
    const char *name; /* "flow" */
    const char *what; /* in words */
    const char *x, *x_unit;
    int curves;
    const char *y[OOZE_EXPERIMENT_CURVES], *y_unit[OOZE_EXPERIMENT_CURVES];
} OozeExperimentNames;
const OozeExperimentNames *ooze_experiment_names(OozeExperimentKind kind);

typedef struct OozeMeasured {
    double reported, momentum, expected; /* see OozeCellReading; NaN: not available */
} OozeMeasured;

/* An experiment with its results. */
typedef struct OozeExperiment {
    OozeExperimentKind kind;
    int count;
    double
        x[OOZE_EXPERIMENT_POINTS]; /* ascending; in an oscillation integer multiples of the first */
    double size;                   /* strain amplitude or step; stress of a creep, Pa */
    /* s before the values are read; of a large oscillation instead omega, rad/s */
    double seconds;
    OozeMeasured y[OOZE_EXPERIMENT_CURVES][OOZE_EXPERIMENT_POINTS];
} OozeExperiment;

/* Number of cells that ooze_experiments_run runs. */
int ooze_experiments_cell_count(const OozeExperiment *experiments, int count);
/* Runs the cells in parallel. Points of a cell that fails are NaN; returns the first error. */
OozeStatus ooze_experiments_run(OozeExperiment *experiments, int count, const OozeSample *sample,
                                const OozeTheory *theory, OozeThreads *threads, OozeError *error);

/* False where the expected value is below 5 % of the other modulus, or of the first harmonic: there
   a small phase error dominates. */
bool ooze_experiment_is_significant(const OozeExperiment *experiment, int curve, int point);
/* How far a value of a point is from theory, as a fraction of it; NaN where they are not compared.
   */
double ooze_experiment_deviation(const OozeExperiment *experiment, int curve, int point,
                                 double value);

/* The reported value, or the one from momentum where there is none. */
static inline double ooze_measured_value(OozeMeasured m)
{
    return isnan(m.reported) ? m.momentum : m.reported;
}

#endif
