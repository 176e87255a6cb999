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

typedef struct OozeVerdict {
    bool converged;                    /* all defined numbers are within the tolerance */
    OozeRemedy remedy[OOZE_KEY_COUNT]; /* per number */
    double change[OOZE_KEY_COUNT];     /* largest change by a refinement */
} OozeVerdict;

/* `usual`: the variations of ooze_study_refinements. */
OozeVerdict ooze_verdict(const OozeVariation *usual, double tolerance);

/* Appends one line per number out of tolerance, and the result. */
void ooze_verdict_append(OozeText *out, const OozeVerdict *verdict, const OozeVariation *usual,
                         const OozeSample *sample, double tolerance);

#endif
