#include "rheology/figure.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/figure.h"

enum { POINTS = 256, CURVES_MAX = 2, FITS_MAX = 2, LABEL_MAX = 40 };
enum { SERIES_MAX = CURVES_MAX * (FITS_MAX + 2) };

/* Residuals are cut here, per cent, so that one outlier does not hide the others. */
#define RESIDUAL_MAX 1e4

typedef struct FitPlot {
    double x[POINTS], y[FITS_MAX][CURVES_MAX][POINTS];
    char labels[FITS_MAX][CURVES_MAX][LABEL_MAX];
    OozeSeries series[SERIES_MAX];
    int series_count;
    double *residuals; /* of every measured value: fit / measured - 1, per cent */
} FitPlot;

static void add_series(FitPlot *plot, const char *label, const double *x, const double *y,
                       size_t count, bool markers)
{
    plot->series[plot->series_count++] =
        (OozeSeries){.label = label, .x = x, .y = y, .count = count, .markers = markers};
}

static void add_fit(FitPlot *plot, int which, const OozeRheoFit *fit, const OozeRheoData *data)
{
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    for (int curve = 0; curve < data->curves; curve++) {
        double *y = plot->y[which][curve];
        for (int i = 0; i < POINTS; i++) {
            y[i] = ooze_rheo_value(&fit->model, fit->unknowns, data->kind, curve, plot->x[i]);
        }
        char *label = plot->labels[which][curve];
        if (fit->model.law == OOZE_RHEO_MAXWELL) {
            snprintf(label, LABEL_MAX, "%s, %d mode%s%s", names->y[curve], fit->model.modes,
                     fit->model.modes == 1 ? "" : "s", fit->model.solvent ? " and solvent" : "");
        } else {
            snprintf(label, LABEL_MAX, "%s, fitted", names->y[curve]);
        }
        add_series(plot, label, plot->x, y, POINTS, false);
    }
}

static void compose(FitPlot *plot, const OozeRheoData *data, const OozeRheoResult *result)
{
    double low, high;
    ooze_rheo_range(data, &low, &high);
    for (int i = 0; i < POINTS; i++) {
        plot->x[i] = low * pow(high / low, (double)i / (POINTS - 1));
    }
    plot->series_count = 0;
    add_fit(plot, 0, &result->best, data);
    if (result->best.model.modes > 1) {
        add_fit(plot, 1, &result->single, data);
    }
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    for (int curve = 0; curve < data->curves; curve++) {
        add_series(plot, names->y[curve], data->x, data->y + (size_t)curve * data->rows, data->rows,
                   true);
    }
    for (int curve = 0; curve < data->curves; curve++) {
        double *residuals = plot->residuals + (size_t)curve * data->rows;
        const double *y = data->y + (size_t)curve * data->rows;
        for (size_t i = 0; i < data->rows; i++) {
            const OozeRheoFit *fit = &result->best;
            double value =
                ooze_rheo_value(&fit->model, fit->unknowns, data->kind, curve, data->x[i]);
            residuals[i] = fmin(100.0 * (value / y[i] - 1.0), RESIDUAL_MAX);
        }
        add_series(plot, names->y[curve], data->x, residuals, data->rows, true);
        plot->series[plot->series_count - 1].panel = 1;
    }
}

/* The y axis follows the measured values alone: fitted moduli fall to zero at long times. */
static void set_y_ends(const OozeRheoData *data, OozeFigure *figure)
{
    double min = INFINITY, max = 0.0;
    for (size_t i = 0; i < data->rows * (size_t)data->curves; i++) {
        min = fmin(min, data->y[i]);
        max = fmax(max, data->y[i]);
    }
    figure->y_low = pow(10.0, floor(log10(min) - 0.1));
    figure->y_high = pow(10.0, ceil(log10(max) + 0.1));
}

OozeStatus ooze_rheo_draw(const OozeRheoData *data, const OozeRheoResult *result,
                          const char *folder, OozeError *error)
{
    FitPlot *plot = ooze_alloc_zero(1, sizeof *plot);
    size_t points = data->rows * (size_t)data->curves;
    if (plot) {
        plot->residuals = ooze_alloc(points, sizeof(double));
    }
    if (!plot || !plot->residuals) {
        ooze_free(plot);
        return ooze_fail_memory(error, "a figure", sizeof *plot + points * sizeof(double));
    }
    compose(plot, data, result);
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    OozePanel panels[] = {
        {data->kind == OOZE_RHEO_OSCILLATION ? "G', G''" : names->y[0], names->y_unit},
        {"fit / measured − 1", "%"}};
    OozeFigure figure = {.x_name = names->x,
                         .x_unit = names->x_unit,
                         .width = 800,
                         .height = 760,
                         .log_x = true,
                         .log_y = true,
                         .x_low = NAN,
                         .x_high = NAN,
                         .linear_panels = 1,
                         .panels = panels,
                         .panel_count = 2,
                         .series = plot->series,
                         .series_count = plot->series_count};
    set_y_ends(data, &figure);
    OozeDrawing drawing;
    OozeStatus status = ooze_figure_draw(&figure, &drawing, NULL, error);
    if (!status) {
        status = ooze_drawing_write_all(&drawing, folder, "fit", error);
        ooze_drawing_free(&drawing);
    }
    ooze_free(plot->residuals);
    ooze_free(plot);
    return status;
}
