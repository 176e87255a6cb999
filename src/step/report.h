/* Solver statistics of a step. */
#ifndef OOZE_STEP_REPORT_H
#define OOZE_STEP_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* NAN where the method does not define a value. */
typedef struct OozeStepReport {
    /* Relative density above rest density: maximum, and mean over all particles (0 where below
       rest). Measured before the last correction of the step. */
    double worst_density_error, mean_density_error;
    double residual;  /* of the velocity solve at its end, over that at its beginning */
    int iterations;   /* of the velocity solve */
    bool unconverged; /* it ended before the residual reached the tolerance */
    /* the step was refused: a particle would have moved beyond `longest_travel`, or it is
       unstable */
    bool too_far;
    bool multigrid; /* the velocity solve has that preconditioner; false: diagonal, or no solve */
} OozeStepReport;

/* An empty report. */
OozeStepReport ooze_step_report_none(void);
struct OozeStepContext;
/* Sets the density errors from n > 0 densities relative to rest. */
void ooze_step_report_density(const struct OozeStepContext *context, const float *density,
                              uint64_t n);
/* The same from what is above rest, relative to it. */
void ooze_step_report_excess(const struct OozeStepContext *context, const float *excess,
                             uint64_t n);
/* Combines the reports of substeps: maxima of residuals and densities, sum of iterations. */
void ooze_step_report_add(OozeStepReport *step, const OozeStepReport *substep);

#endif
