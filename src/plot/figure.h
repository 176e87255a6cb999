/* A figure: series of points in stacked panels over one x axis, drawn with axes, grid, legend, title. */
#ifndef OOZE_PLOT_FIGURE_H
#define OOZE_PLOT_FIGURE_H

#include "plot/axis.h"
#include "plot/drawing.h"

enum { OOZE_FIGURE_SIZE_MIN = 120, OOZE_FIGURE_SIZE_MAX = 8192 };

typedef struct OozeSeries {
    const char *label; /* in the legend */
    const double *x, *y;
    size_t count;
    int panel;
    bool markers; /* points of a reference instead of a line */
} OozeSeries;

typedef struct OozePanel {
    const char *name, *unit; /* of the y axis */
} OozePanel;

/* An end of an axis that is NaN follows from the data. */
typedef struct OozeFigure {
    const char *title, *x_name, *x_unit;
    int width, height; /* pixels; height 0: by the number of panels */
    bool log_x, log_y;
    int linear_panels; /* the last so many have a linear y axis all the same, between ends of their own */
    double x_low, x_high, y_low, y_high;
    double least_ratio; /* of the ends of a logarithmic y axis; what differs less looks alike */
    const OozePanel *panels;
    int panel_count;
    const OozeSeries *series;
    int series_count;
} OozeFigure;

/* Where a panel's data lie on the page, for drawing and for tests. */
typedef struct OozePlotArea {
    double left, right, top, bottom; /* pixels */
    OozeAxisScale x, y;
} OozePlotArea;
OozePoint ooze_plot_point(const OozePlotArea *area, double x, double y);

/* `areas` (one a panel) may be NULL. */
OozeStatus ooze_figure_draw(const OozeFigure *figure, OozeDrawing *drawing, OozePlotArea *areas,
                            OozeError *error);

#endif
