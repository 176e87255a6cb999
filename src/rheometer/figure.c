#include "rheometer/figure.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/figure.h"

enum { POINTS = 128, SERIES_MAX = 24, PANELS_MAX = 3, LABEL_MAX = 48 };

/* Data of a figure: lines of theory and markers of measured values. */
typedef struct RheometerPlot {
    double x[SERIES_MAX][POINTS], y[SERIES_MAX][POINTS];
    char label[SERIES_MAX][LABEL_MAX];
    OozeSeries series[SERIES_MAX];
    int series_count;
    OozePanel panels[PANELS_MAX];
    int panel_count;
} RheometerPlot;

static int add_panel(RheometerPlot *p, const char *name, const char *unit)
{
    p->panels[p->panel_count] = (OozePanel){name, unit};
    return p->panel_count++;
}

/* Theoretical value at x; of a flow the steady one, long after its start. */
static double theory_at(const OozeTheory *t, const OozeExperiment *e, int curve, double x)
{
    double steady_time = 20.0 * ooze_theory_time(t) + 1.0 / x;
    switch (e->kind) {
    case OOZE_EXPERIMENT_OSCILLATION:
        return curve ? ooze_theory_loss(t, x) : ooze_theory_storage(t, x);
    case OOZE_EXPERIMENT_RELAXATION:
        return ooze_theory_relaxation(t, x);
    case OOZE_EXPERIMENT_FLOW: {
        if (curve == 1) {
            return ooze_theory_normal(t, x, steady_time);
        }
        double strain = isfinite(t->yield) ? 10.0 * t->yield : 0.0;
        return ooze_theory_viscosity(t, x, fmax(steady_time, strain / x));
    }
    default:
        return NAN;
    }
}

static bool is_plottable(double value)
{
    return isfinite(value) && value > 0.0;
}

/* Whether the expected values of the points lie on the curve of theory_at. They do not where a flow
   was read before its stress was steady, nor for an oscillation with thinning; theory is then known
   at the measured points only. */
static bool expected_on_curve(const OozeTheory *t, const OozeExperiment *e, int curve)
{
    for (int k = 0; k < e->count; k++) {
        double expected = e->y[curve][k].expected;
        if (is_plottable(expected) &&
            fabs(expected / theory_at(t, e, curve, e->x[k]) - 1.0) > 0.02) {
            return false;
        }
    }
    return true;
}

static OozeSeries *next_series(RheometerPlot *p, int panel, bool markers)
{
    int s = p->series_count;
    if (s == SERIES_MAX) {
        return NULL;
    }
    p->series[s] = (OozeSeries){
        .label = p->label[s], .x = p->x[s], .y = p->y[s], .panel = panel, .markers = markers};
    p->series_count++;
    return &p->series[s];
}

static void add_theory(RheometerPlot *p, int panel, const OozeTheory *t, const OozeExperiment *e,
                       int curve)
{
    double low = e->x[0], high = e->x[e->count - 1];
    OozeSeries *series = next_series(p, panel, false);
    if (!series) {
        return;
    }
    int s = p->series_count - 1;
    snprintf(p->label[s], LABEL_MAX, "%s, theory", ooze_experiment_names(e->kind)->y[curve]);
    if (!expected_on_curve(t, e, curve)) {
        for (int k = 0; k < e->count; k++) {
            p->x[s][k] = e->x[k];
            p->y[s][k] = is_plottable(e->y[curve][k].expected) ? e->y[curve][k].expected : NAN;
        }
        series->count = (size_t)e->count;
        return;
    }
    double first = e->kind == OOZE_EXPERIMENT_RELAXATION ? 0.1 * low : 0.7 * low;
    for (int i = 0; i < POINTS; i++) {
        double x = first * pow(1.4 * high / first, (double)i / (POINTS - 1));
        p->x[s][i] = x;
        double y = theory_at(t, e, curve, x);
        p->y[s][i] = is_plottable(y) ? y : NAN;
    }
    series->count = POINTS;
}

static void add_measured(RheometerPlot *p, int panel, const OozeExperiment *e, int curve,
                         bool momentum)
{
    size_t count = 0;
    int s = p->series_count;
    OozeSeries *series = next_series(p, panel, true);
    if (!series) {
        return;
    }
    for (int k = 0; k < e->count; k++) {
        OozeMeasured m = e->y[curve][k];
        double y = momentum ? m.momentum : m.reported;
        if (is_plottable(y) && ooze_experiment_is_significant(e, curve, k)) {
            p->x[s][count] = e->x[k];
            p->y[s][count++] = y;
        }
    }
    snprintf(p->label[s], LABEL_MAX, "%s by %s", ooze_experiment_names(e->kind)->y[curve],
             momentum ? "momentum" : "stress");
    series->count = count;
    if (count == 0) {
        p->series_count--;
    }
}

static bool has_expected(const OozeExperiment *e, int curve)
{
    for (int k = 0; k < e->count; k++) {
        if (is_plottable(e->y[curve][k].expected)) {
            return true;
        }
    }
    return false;
}

static void add_curve(RheometerPlot *p, int panel, const OozeTheory *t, const OozeExperiment *e,
                      int curve)
{
    add_theory(p, panel, t, e, curve);
    add_measured(p, panel, e, curve, false);
    add_measured(p, panel, e, curve, true);
}

static OozeStatus draw(const RheometerPlot *p, const char *title, const char *x, const char *unit,
                       const char *folder, const char *name, OozeError *error)
{
    if (p->panel_count == 0) {
        return OOZE_OK;
    }
    OozeFigure figure = {.title = title,
                         .x_name = x,
                         .x_unit = unit,
                         .width = 720,
                         .height = 110 + 260 * p->panel_count,
                         .log_x = true,
                         .log_y = true,
                         .x_low = NAN,
                         .x_high = NAN,
                         .y_low = NAN,
                         .y_high = NAN,
                         .min_ratio = 20.0,
                         .panels = p->panels,
                         .panel_count = p->panel_count,
                         .series = p->series,
                         .series_count = p->series_count};
    OozeDrawing drawing;
    OozeStatus status = ooze_figure_draw(&figure, &drawing, NULL, error);
    if (status) {
        return status;
    }
    status = ooze_drawing_write_all(&drawing, folder, name, error);
    ooze_drawing_free(&drawing);
    return status;
}

static const OozeExperiment *find(const OozeExperiment *experiments, int count,
                                  OozeExperimentKind kind)
{
    for (int i = 0; i < count; i++) {
        if (experiments[i].kind == kind && experiments[i].count > 0) {
            return &experiments[i];
        }
    }
    return NULL;
}

OozeStatus ooze_rheometer_draw(const OozeExperiment *experiments, int count,
                               const OozeTheory *theory, const char *title, const char *folder,
                               OozeError *error)
{
    RheometerPlot *p = ooze_alloc_zero(2, sizeof *p);
    if (!p) {
        return ooze_fail_memory(error, "a figure", 2 * sizeof *p);
    }
    const OozeExperiment *e = find(experiments, count, OOZE_EXPERIMENT_OSCILLATION);
    if (e) {
        bool elastic = has_expected(e, 0);
        int panel = add_panel(&p[0], elastic ? "G', G''" : "G''", "Pa");
        if (elastic) {
            add_curve(&p[0], panel, theory, e, 0);
        }
        add_curve(&p[0], panel, theory, e, 1);
    }
    e = find(experiments, count, OOZE_EXPERIMENT_FLOW);
    if (e) {
        add_curve(&p[0], add_panel(&p[0], "viscosity", "Pa s"), theory, e, 0);
    }
    if (e && has_expected(e, 1)) {
        add_curve(&p[0], add_panel(&p[0], "N1", "Pa"), theory, e, 1);
    }
    OozeStatus status = draw(&p[0], title, "omega, rate", "1/s", folder, "rheometer", error);
    e = find(experiments, count, OOZE_EXPERIMENT_RELAXATION);
    if (e && !status) {
        add_curve(&p[1], add_panel(&p[1], "modulus", "Pa"), theory, e, 0);
        status = draw(&p[1], title, "time", "s", folder, "relaxation", error);
    }
    ooze_free(p);
    return status;
}
