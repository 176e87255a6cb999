#include "rheometer/verdict.h"

#include <math.h>

/* A refinement is recommended where it reduces the deviation by at least this fraction. */
#define IMPROVEMENT_MIN 0.3

OozeVerdict ooze_verdict(const OozeVariation *usual, double tolerance)
{
    OozeVerdict v = {.converged = false};
    int near = 0, far = 0;
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        double off = fabs(usual[0].value[k] - 1.0), best = off * (1.0 - IMPROVEMENT_MIN);
        for (int i = 1; i < OOZE_STUDY_REFINEMENTS; i++) {
            double moved = fabs(usual[i].value[k] - usual[0].value[k]);
            v.change[k] = moved > v.change[k] ? moved : v.change[k];
        }
        if (isnan(off) || off <= tolerance) {
            near += !isnan(off);
            continue;
        }
        far++;
        v.remedy[k] = OOZE_REMEDY_UNKNOWN;
        for (int i = 1; i < OOZE_STUDY_REFINEMENTS; i++) {
            double left = fabs(usual[i].value[k] - 1.0);
            if (left < best) {
                best = left;
                v.remedy[k] = (OozeRemedy)i;
            }
        }
    }
    v.converged = near > 0 && far == 0;
    return v;
}

static void append_remedy(OozeText *out, OozeRemedy remedy, double then, const OozeSample *sample)
{
    switch (remedy) {
    case OOZE_REMEDY_TIME_STEP:
        ooze_text_append(out, "time_step: %.4g makes that %+.1f %%", 0.5 * sample->time_step, then);
        break;
    case OOZE_REMEDY_SPACING:
        ooze_text_append(out, "spacing: %.4g makes that %+.1f %%", 0.5 * sample->spacing, then);
        break;
    case OOZE_REMEDY_ITERATIONS:
        ooze_text_append(out, "twice the iterations make that %+.1f %%", then);
        break;
    default:
        ooze_text_append(out, "neither half the time step, half the spacing nor twice the "
                              "iterations bring it nearer");
    }
}

void ooze_verdict_append(OozeText *out, const OozeVerdict *verdict, const OozeVariation *usual,
                         const OozeSample *sample, double tolerance)
{
    double worst = -1.0;
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        double off = fabs(usual[0].value[k] - 1.0);
        worst = off > worst ? off : worst;
        if (verdict->remedy[k] != OOZE_REMEDY_NONE) {
            int row = verdict->remedy[k] == OOZE_REMEDY_UNKNOWN ? 0 : (int)verdict->remedy[k];
            ooze_text_append(out, "%s is %+.1f %% off theory: ", ooze_key_name((OozeKeyNumber)k),
                             100.0 * (usual[0].value[k] - 1.0));
            append_remedy(out, verdict->remedy[k], 100.0 * (usual[row].value[k] - 1.0), sample);
            ooze_text_append(out, "\n");
        }
    }
    if (worst < 0.0) {
        ooze_text_append(out, "nothing here can be compared with theory\n");
    } else if (verdict->converged) {
        ooze_text_append(out, "converged: all within %.2g %% of theory (worst %.1f %%)\n",
                         100.0 * tolerance, 100.0 * worst);
    } else {
        ooze_text_append(out, "not converged to %.2g %% at these settings\n", 100.0 * tolerance);
    }
}
