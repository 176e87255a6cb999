/* The solver probe: numbers of the last step, and their maximum since the previous reading. */
#include "world/probes/probe_kind.h"

/* Numbers of a step whose maximum is kept, from OOZE_PROBE_SOLVER_RESIDUAL on. */
enum { SOLVER_NUMBERS = OOZE_PROBE_SOLVER_UNCONVERGED - OOZE_PROBE_SOLVER_RESIDUAL };

static void numbers_of(const OozeStepReport *report, int substeps, double numbers[SOLVER_NUMBERS])
{
    numbers[0] = report->residual;
    numbers[1] = report->iterations;
    numbers[2] = report->worst_density_error;
    numbers[3] = report->mean_density_error;
    numbers[4] = substeps;
}

void ooze_probe_record_step(OozeProbe *probe, const OozeStepReport *report, int substeps)
{
    if (probe->def.kind != OOZE_PROBE_SOLVER) {
        return;
    }
    double *state = probe->state, now[SOLVER_NUMBERS];
    bool first = state[OOZE_PROBE_SOLVER_STEPPED] == 0.0; /* since the last reading */
    numbers_of(report, substeps, now);
    for (int k = 0; k < SOLVER_NUMBERS; k++) {
        double *max = &state[OOZE_PROBE_SOLVER_RESIDUAL + k];
        *max = first ? now[k] : fmax(*max, now[k]);
    }
    state[OOZE_PROBE_SOLVER_UNCONVERGED] =
        (first ? 0.0 : state[OOZE_PROBE_SOLVER_UNCONVERGED]) + (report->unconverged ? 1.0 : 0.0);
    state[OOZE_PROBE_SOLVER_STEPPED] = 1.0;
}

/* The maxima are kept for another reading of the same step; the next step resets them. */
OozeStatus ooze_probe_solver(const OozeProbeView *view, double *values, double *state,
                             OozeError *error)
{
    (void)error;
    const OozeProbeContext *context = view->context;
    if (!context->report) {
        return OOZE_OK;
    }
    numbers_of(context->report, context->substeps, values);
    for (int k = 0; k <= SOLVER_NUMBERS; k++) {
        values[SOLVER_NUMBERS + k] = state[OOZE_PROBE_SOLVER_RESIDUAL + k];
    }
    values[2 * SOLVER_NUMBERS + 1] = context->report->multigrid ? 1.0 : 0.0;
    state[OOZE_PROBE_SOLVER_STEPPED] = 0.0;
    return OOZE_OK;
}
