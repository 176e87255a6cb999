/* Are these settings fine enough for this material, and if not, which one to change. */
#ifndef OOZE_RHEOMETER_VERDICT_H
#define OOZE_RHEOMETER_VERDICT_H

#include "base/text.h"
#include "rheometer/study.h"

typedef enum OozeRemedy {
    OOZE_REMEDY_NONE,       /* it is near enough */
    OOZE_REMEDY_TIME_STEP,  /* halve it */
    OOZE_REMEDY_SPACING,    /* halve it */
    OOZE_REMEDY_ITERATIONS, /* double them */
    OOZE_REMEDY_UNKNOWN     /* none of these brings it nearer */
} OozeRemedy;

typedef struct OozeVerdict {
    bool converged;                    /* all that are known are near enough */
    OozeRemedy remedy[OOZE_KEY_COUNT]; /* per number */
    double change[OOZE_KEY_COUNT];     /* the most that a number moves by any refinement */
} OozeVerdict;

/* From the rows of ooze_study_usual, in their order. */
OozeVerdict ooze_verdict(const OozeVariation *usual, double tolerance);

/* In words, a line each. */
void ooze_verdict_say(OozeText *out, const OozeVerdict *verdict, const OozeVariation *usual,
                      const OozeSample *sample, double tolerance);

#endif
