#include "step/report.h"

#include <math.h>

#include "step/context.h"

OozeStepReport ooze_step_report_none(void)
{
    return (OozeStepReport){.worst_density_error = NAN, .mean_density_error = NAN, .residual = NAN};
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

/* Reports the excess of numbers over `base`. */
static void report_excess(const struct OozeStepContext *c, const float *number, uint64_t n,
                          double base)
{
    enum { BLOCK = OOZE_SPLIT_BLOCK };
    double worst = 0.0, *sums = ooze_arena_alloc(c->arena, n / BLOCK + 1, sizeof *sums);
    if (!sums) {
        return; /* the step fails by the arena's next check */
    }
    for (uint64_t begin = 0; begin < n; begin += BLOCK) {
        double sum = 0.0;
        for (uint64_t i = begin; i < begin + BLOCK && i < n; i++) {
            double excess = fmax((double)number[i] - base, 0.0);
            worst = fmax(worst, excess);
            sum += excess;
        }
        sums[begin / BLOCK] = sum;
    }
    ooze_halo_max(c->halo, &worst, 1);
    c->report->worst_density_error = worst;
    c->report->mean_density_error =
        ooze_halo_sum(c->halo, sums, n, BLOCK) / (double)ooze_halo_all(c->halo, n);
}

void ooze_step_report_density(const struct OozeStepContext *c, const float *density, uint64_t n)
{
    report_excess(c, density, n, 1.0);
}

void ooze_step_report_excess(const struct OozeStepContext *c, const float *excess, uint64_t n)
{
    report_excess(c, excess, n, 0.0);
}
