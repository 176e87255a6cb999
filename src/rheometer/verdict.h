/* Whether the settings of a convergence study suffice, and which one to refine otherwise. */
#ifndef OOZE_RHEOMETER_VERDICT_H
#define OOZE_RHEOMETER_VERDICT_H

#include "base/text.h"
#include "rheometer/study.h"

typedef enum OozeRemedy {
    OOZE_REMEDY_NONE,       /* within the tolerance */
    OOZE_REMEDY_TIME_STEP,  /* halve it */
    OOZE_REMEDY_SPACING,    /* halve it */
    OOZE_REMEDY_ITERATIONS, /* double them */
    OOZE_REMEDY_UNKNOWN     /* no refinement helps */
} OozeRemedy;

/* All that was measured at the settings of a sample. */
typedef struct OozeFindings {
    const OozeVariation *usual; /* of ooze_study_refinements */
    const OozeExperiment *experiments;
    int experiment_count;
    double tolerance;
} OozeFindings;

typedef struct OozeVerdict {
    bool converged;                    /* something was compared, and all of it is within */
    int compared, outside;             /* figures of the experiments and of the study */
    double worst;                      /* largest deviation from theory */
    OozeRemedy remedy[OOZE_KEY_COUNT]; /* per number of the study */
    double change[OOZE_KEY_COUNT];     /* largest change by a refinement */
} OozeVerdict;

OozeVerdict ooze_verdict(const OozeFindings *findings);

/* Appends one line per figure out of tolerance, and the result. */
void ooze_verdict_append(OozeText *out, const OozeVerdict *verdict, const OozeFindings *findings,
                         const OozeSample *sample);

/* Appends one line per figure of the experiments that is out of tolerance. */
void ooze_verdict_append_experiments(OozeText *out, const OozeFindings *findings);

#endif
