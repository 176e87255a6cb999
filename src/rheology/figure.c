#include "rheology/figure.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "plot/figure.h"

enum { POINTS = 256, CURVES_MAX = 2, FITS_MAX = 2, LABEL_MAX = 40 };
enum { SERIES_MAX = CURVES_MAX * (FITS_MAX + 2) };

/* Per cent beyond which a residual is only far away. */
#define WORST 1e4

typedef struct Picture {
    double x[POINTS], y[FITS_MAX][CURVES_MAX][POINTS];
    char labels[FITS_MAX][CURVES_MAX][LABEL_MAX];
    OozeSeries series[SERIES_MAX];
    int series_count;
    double *residuals; /* as the data's y: fit over measured, less 1, in per cent */
} Picture;

static void add_series(Picture *picture, const char *label, const double *x, const double *y,
                       size_t count, bool markers)
{
    picture->series[picture->series_count++] =
        (OozeSeries){.label = label, .x = x, .y = y, .count = count, .markers = markers};
}

static void add_fit(Picture *picture, int which, const OozeRheoFit *fit, const OozeRheoData *data)
{
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    for (int curve = 0; curve < data->curves; curve++) {
        double *y = picture->y[which][curve];
        for (int i = 0; i < POINTS; i++) {
            y[i] = ooze_rheo_value(&fit->model, fit->unknowns, data->kind, curve, picture->x[i]);
        }
        char *label = picture->labels[which][curve];
        if (fit->model.law == OOZE_RHEO_MAXWELL) {
            snprintf(label, LABEL_MAX, "%s, %d mode%s%s", names->y[curve], fit->model.modes,
                     fit->model.modes == 1 ? "" : "s", fit->model.solvent ? " and solvent" : "");
        } else {
            snprintf(label, LABEL_MAX, "%s, fitted", names->y[curve]);
        }
        add_series(picture, label, picture->x, y, POINTS, false);
    }
}

static void compose(Picture *picture, const OozeRheoData *data, const OozeRheoResult *result)
{
    double low, high;
    ooze_rheo_range(data, &low, &high);
    for (int i = 0; i < POINTS; i++) {
        picture->x[i] = low * pow(high / low, (double)i / (POINTS - 1));
    }
    picture->series_count = 0;
    add_fit(picture, 0, &result->best, data);
    if (result->best.model.modes > 1) {
        add_fit(picture, 1, &result->single, data);
    }
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    for (int curve = 0; curve < data->curves; curve++) {
        add_series(picture, names->y[curve], data->x, data->y + (size_t)curve * data->rows,
                   data->rows, true);
    }
    for (int curve = 0; curve < data->curves; curve++) {
        double *residuals = picture->residuals + (size_t)curve * data->rows;
        const double *y = data->y + (size_t)curve * data->rows;
        for (size_t i = 0; i < data->rows; i++) {
            const OozeRheoFit *fit = &result->best;
            double value =
                ooze_rheo_value(&fit->model, fit->unknowns, data->kind, curve, data->x[i]);
            residuals[i] = fmin(100.0 * (value / y[i] - 1.0), WORST);
        }
        add_series(picture, names->y[curve], data->x, residuals, data->rows, true);
        picture->series[picture->series_count - 1].panel = 1;
    }
}

/* A mode far below the data's longest time has decayed to nothing: the axis keeps to what was measured. */
static void find_ends(const OozeRheoData *data, OozeFigure *figure)
{
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < data->rows * (size_t)data->curves; i++) {
        least = fmin(least, data->y[i]);
        most = fmax(most, data->y[i]);
    }
    figure->y_low = pow(10.0, floor(log10(least) - 0.1));
    figure->y_high = pow(10.0, ceil(log10(most) + 0.1));
}

OozeStatus ooze_rheo_draw(const OozeRheoData *data, const OozeRheoResult *result,
                          const char *folder, OozeError *error)
{
    Picture *picture = ooze_alloc_zero(1, sizeof *picture);
    size_t points = data->rows * (size_t)data->curves;
    if (picture) {
        picture->residuals = ooze_alloc(points, sizeof(double));
    }
    if (!picture || !picture->residuals) {
        ooze_free(picture);
        return ooze_fail_memory(error, "a figure", sizeof *picture + points * sizeof(double));
    }
    compose(picture, data, result);
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    OozePanel panels[] = {
        {data->kind == OOZE_RHEO_OSCILLATION ? "G', G''" : names->y[0], names->y_unit},
        {"fit over measured, less 1", "%"}};
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
                         .series = picture->series,
                         .series_count = picture->series_count};
    find_ends(data, &figure);
    OozeDrawing drawing;
    OozeStatus status = ooze_figure_draw(&figure, &drawing, NULL, error);
    if (!status) {
        status = ooze_drawing_write_both(&drawing, folder, "fit", error);
        ooze_drawing_clear(&drawing);
    }
    ooze_free(picture->residuals);
    ooze_free(picture);
    return status;
}
