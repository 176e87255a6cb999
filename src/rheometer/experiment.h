/* Experiments of the virtual rheometer: each is one material at one spacing, time step and number
   of iterations, and gives points beside what theory says of just what was done. */
#ifndef OOZE_RHEOMETER_EXPERIMENT_H
#define OOZE_RHEOMETER_EXPERIMENT_H

#include <math.h>

#include "base/threads.h"
#include "rheology/theory.h"
#include "rheometer/cell.h"

typedef enum OozeExperimentKind {
    OOZE_EXPERIMENT_FLOW,        /* rate, 1/s: viscosity, Pa s; N1, Pa */
    OOZE_EXPERIMENT_PLATES,      /* the same between plates that drag the fluid along */
    OOZE_EXPERIMENT_OSCILLATION, /* omega, rad/s: G', G'', Pa */
    OOZE_EXPERIMENT_LARGE,       /* harmonic of the stress in large oscillation: its size, Pa */
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
    double told, momentum, expected; /* NaN: not measured so, or nothing to expect */
} OozeMeasured;

/* What to measure. */
typedef struct OozeExperiment {
    OozeExperimentKind kind;
    int count;
    double
        x[OOZE_EXPERIMENT_POINTS]; /* ascending; in an oscillation whole multiples of the first */
    double size;                   /* amplitude or step of strain; stress of a creep, Pa */
    /* that a flow or stretch lasts before it is read, or an oscillation before it counts; of a
       large oscillation instead its omega, rad/s */
    double seconds;
    OozeMeasured y[OOZE_EXPERIMENT_CURVES][OOZE_EXPERIMENT_POINTS];
} OozeExperiment;

/* Runs them, one to a thread. A cell that fails makes its points NaN and tells the first reason. */
OozeStatus ooze_experiments_run(OozeExperiment *experiments, int count, const OozeSample *sample,
                                const OozeTheory *theory, OozeThreads *threads, OozeError *error);

/* Whether a point says something: the lesser part of an oscillation does not where it is lost
   beside the other, for then it tells of a small error of phase, nor does a harmonic that is
   lost beside the first. */
bool ooze_experiment_tells(const OozeExperiment *experiment, int curve, int point);

/* The best that is known of a point: what the method tells, or else momentum. */
static inline double ooze_measured_value(OozeMeasured m)
{
    return isnan(m.told) ? m.momentum : m.told;
}

#endif
