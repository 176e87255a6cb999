#include "solvers/step_report.h"

#include <math.h>

OozeStepReport ooze_step_report_none(void)
{
    return (OozeStepReport){.worst_density_error = NAN, .mean_density_error = NAN, .residual = NAN};
}

void ooze_solve_residual_report(const OozeSolveResidual *residual, OozeStepReport *report)
{
    double initial = residual->initial;
    report->iterations = residual->iterations;
    report->residual = initial > 0.0 ? sqrt(residual->current / initial) : 0.0;
    report->unconverged = residual->has_tolerance && residual->current > residual->target;
}

void ooze_step_report_add(OozeStepReport *step, const OozeStepReport *substep)
{
    /* fmax takes the number where one of two is NAN */
    step->worst_density_error = fmax(step->worst_density_error, substep->worst_density_error);
    step->mean_density_error = fmax(step->mean_density_error, substep->mean_density_error);
    step->residual = fmax(step->residual, substep->residual);
    step->iterations += substep->iterations;
    step->multigrid |= substep->multigrid;
    step->unconverged |= substep->unconverged;
    step->too_far |= substep->too_far;
}

void ooze_step_report_density(OozeStepReport *report, const float *density, uint64_t n)
{
    double worst = 0.0, sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        double excess = fmax((double)density[i] - 1.0, 0.0);
        worst = fmax(worst, excess);
        sum += excess;
    }
    report->worst_density_error = worst;
    report->mean_density_error = sum / (double)n;
}
