/* The probe of the steps themselves: how well the last one was solved, and the worst since the reading
   before. */
#include "world/probe_kind.h"

/* What it remembers between readings. */
enum { SOLVER_COUNTS, SOLVER_MOST, SOLVER_UNMET = SOLVER_MOST + 5 };
enum { SOLVER_NUMBERS = 5 };

static void numbers_of(const OozeStepReport *report, int sub_steps, double numbers[SOLVER_NUMBERS])
{
    numbers[0] = report->residual;
    numbers[1] = report->iterations;
    numbers[2] = report->worst_density_error;
    numbers[3] = report->mean_density_error;
    numbers[4] = sub_steps;
}

void ooze_probe_note_step(OozeProbe *probe, const OozeStepReport *report, int sub_steps)
{
    if (probe->def.kind != OOZE_PROBE_SOLVER) {
        return;
    }
    double *state = probe->state, now[SOLVER_NUMBERS];
    bool first = state[SOLVER_COUNTS] == 0.0; /* since the last reading */
    numbers_of(report, sub_steps, now);
    for (int k = 0; k < SOLVER_NUMBERS; k++) {
        double *most = &state[SOLVER_MOST + k];
        *most = first ? now[k] : fmax(*most, now[k]);
    }
    state[SOLVER_UNMET] = (first ? 0.0 : state[SOLVER_UNMET]) + (report->unmet ? 1.0 : 0.0);
    state[SOLVER_COUNTS] = 1.0;
}

/* Numbers stay for a second reading of the same step; the next step begins anew. */
OozeStatus ooze_probe_solver(const OozeProbeView *view, double *values, double *state,
                             OozeError *error)
{
    (void)error;
    const OozeProbeContext *context = view->context;
    if (!context->report) {
        return OOZE_OK;
    }
    numbers_of(context->report, context->sub_steps, values);
    for (int k = 0; k <= SOLVER_NUMBERS; k++) {
        values[SOLVER_NUMBERS + k] = state[SOLVER_MOST + k];
    }
    state[SOLVER_COUNTS] = 0.0;
    return OOZE_OK;
}
