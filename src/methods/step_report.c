#include "methods/step_report.h"

#include <math.h>

OozeStepReport ooze_step_report_none(void)
{
    return (OozeStepReport){.worst_density_error = NAN, .mean_density_error = NAN, .residual = NAN};
}

void ooze_step_report_add(OozeStepReport *step, const OozeStepReport *stroke)
{
    /* fmax takes the number where one of two is NAN */
    step->worst_density_error = fmax(step->worst_density_error, stroke->worst_density_error);
    step->mean_density_error = fmax(step->mean_density_error, stroke->mean_density_error);
    step->residual = fmax(step->residual, stroke->residual);
    step->iterations += stroke->iterations;
    step->unmet |= stroke->unmet;
    step->too_far |= stroke->too_far;
}
