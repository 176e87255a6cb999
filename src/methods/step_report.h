/* What a method tells about a step that it took. */
#ifndef OOZE_METHODS_STEP_REPORT_H
#define OOZE_METHODS_STEP_REPORT_H

#include <stdbool.h>

/* NAN where the method has no such thing. */
typedef struct OozeStepReport {
    /* Density beyond rest, relative: the largest, and the mean over all particles with 0 for those
       at rest or below. Seen before the last correction of the step. */
    double worst_density_error, mean_density_error;
    double residual; /* of the velocity solve at its end, over that at its beginning */
    int iterations;  /* of the velocity solve, really done */
    bool unmet;      /* it ended before the residual came down to the tolerance asked for */
    bool too_far;    /* a particle would have moved beyond `longest_travel`: nothing was changed */
} OozeStepReport;

/* Before anything has been done. */
OozeStepReport ooze_step_report_none(void);
/* Adds one stroke to a step: the worst of residuals and densities, all iterations. */
void ooze_step_report_add(OozeStepReport *step, const OozeStepReport *stroke);

#endif
