#include "rheometer/verdict.h"

#include <math.h>

/* A refinement is recommended where it reduces the deviation by at least this fraction. */
#define IMPROVEMENT_MIN 0.3

/* ---- the study ------------------------------------------------------------------------------- */

static void count_deviation(OozeVerdict *v, double off, double tolerance)
{
    if (!isnan(off)) {
        v->compared++;
        v->outside += !(fabs(off) <= tolerance);
        v->worst = fmax(v->worst, fabs(off));
    }
}

/* The refinement that helps most with a number that is off, or OOZE_REMEDY_UNKNOWN. */
static OozeRemedy find_remedy(const OozeVariation *usual, int key)
{
    double best = fabs(usual[0].value[key] - 1.0) * (1.0 - IMPROVEMENT_MIN);
    OozeRemedy remedy = OOZE_REMEDY_UNKNOWN;
    for (int i = 1; i < OOZE_STUDY_REFINEMENTS; i++) {
        double left = fabs(usual[i].value[key] - 1.0);
        if (left < best) {
            best = left;
            remedy = (OozeRemedy)i;
        }
    }
    return remedy;
}

static void judge_study(OozeVerdict *v, const OozeVariation *usual, double tolerance)
{
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        double off = usual[0].value[k] - 1.0;
        v->remedy[k] =
            isnan(off) || fabs(off) <= tolerance ? OOZE_REMEDY_NONE : find_remedy(usual, k);
        count_deviation(v, off, tolerance);
        for (int i = 1; i < OOZE_STUDY_REFINEMENTS; i++) {
            double moved = fabs(usual[i].value[k] - usual[0].value[k]);
            v->change[k] = moved > v->change[k] ? moved : v->change[k];
            /* finer rows are printed too: one that leaves the tolerance is no convergence */
            count_deviation(v, usual[i].value[k] - 1.0, tolerance);
        }
    }
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

static void append_number(OozeText *out, const OozeVerdict *v, const OozeFindings *f, int key,
                          const OozeSample *sample)
{
    const char *name = ooze_key_name((OozeKeyNumber)key);
    double first = 100.0 * (f->usual[0].value[key] - 1.0);
    OozeRemedy remedy = v->remedy[key];
    if (remedy != OOZE_REMEDY_NONE) {
        int row = remedy == OOZE_REMEDY_UNKNOWN ? 0 : (int)remedy;
        ooze_text_append(out, "%s is %+.1f %% off theory: ", name, first);
        append_remedy(out, remedy, 100.0 * (f->usual[row].value[key] - 1.0), sample);
        ooze_text_append(out, "\n");
        return;
    }
    for (int i = 1; i < OOZE_STUDY_REFINEMENTS; i++) {
        double then = f->usual[i].value[key] - 1.0;
        if (fabs(then) > f->tolerance) {
            if (isnan(first)) {
                ooze_text_append(out, "%s has no value at these settings, but ", name);
            } else {
                ooze_text_append(out, "%s is %+.1f %% off theory, but ", name, first);
            }
            append_remedy(out, (OozeRemedy)i, 100.0 * then, sample);
            ooze_text_append(out, "\n");
        }
    }
}

/* ---- the experiments ------------------------------------------------------------------------- */

static void judge_experiment(OozeVerdict *v, const OozeExperiment *e, double tolerance)
{
    for (int curve = 0; curve < ooze_experiment_names(e->kind)->curves; curve++) {
        for (int k = 0; k < e->count; k++) {
            OozeMeasured m = e->y[curve][k];
            count_deviation(v, ooze_experiment_deviation(e, curve, k, m.reported), tolerance);
            count_deviation(v, ooze_experiment_deviation(e, curve, k, m.momentum), tolerance);
        }
    }
}

static void append_outside(OozeText *out, const OozeExperiment *e, int curve, int point,
                           double tolerance)
{
    static const char *const sources[2] = {"stress", "momentum"};
    const OozeExperimentNames *names = ooze_experiment_names(e->kind);
    const double values[2] = {e->y[curve][point].reported, e->y[curve][point].momentum};
    for (int k = 0; k < 2; k++) {
        double off = ooze_experiment_deviation(e, curve, point, values[k]);
        if (fabs(off) > tolerance) {
            ooze_text_append(out, "%s, %s by %s at %s %.4g%s%s is %+.1f %% off theory\n",
                             names->what, names->y[curve], sources[k], names->x, e->x[point],
                             *names->x_unit ? " " : "", names->x_unit, 100.0 * off);
        }
    }
}

void ooze_verdict_append_experiments(OozeText *out, const OozeFindings *f)
{
    for (int i = 0; i < f->experiment_count; i++) {
        const OozeExperiment *e = &f->experiments[i];
        for (int curve = 0; curve < ooze_experiment_names(e->kind)->curves; curve++) {
            for (int k = 0; k < e->count; k++) {
                append_outside(out, e, curve, k, f->tolerance);
            }
        }
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

OozeVerdict ooze_verdict(const OozeFindings *f)
{
    OozeVerdict v = {.converged = false};
    judge_study(&v, f->usual, f->tolerance);
    for (int i = 0; i < f->experiment_count; i++) {
        judge_experiment(&v, &f->experiments[i], f->tolerance);
    }
    v.converged = v.compared > 0 && v.outside == 0;
    return v;
}

void ooze_verdict_append(OozeText *out, const OozeVerdict *v, const OozeFindings *f,
                         const OozeSample *sample)
{
    ooze_verdict_append_experiments(out, f);
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        append_number(out, v, f, k, sample);
    }
    double percent = 100.0 * f->tolerance;
    if (v->compared == 0) {
        ooze_text_append(out, "nothing here can be compared with theory\n");
    } else if (v->converged) {
        ooze_text_append(out,
                         "converged: all %d figures compared are within %.2g %% of theory (worst "
                         "%.1f %%)\n",
                         v->compared, percent, 100.0 * v->worst);
    } else {
        ooze_text_append(out,
                         "not converged to %.2g %% at these settings: %d of %d figures compared "
                         "are outside (worst %.1f %%)\n",
                         percent, v->outside, v->compared, 100.0 * v->worst);
    }
}
