/* A figure: series of points in panels stacked over one x axis, with grid, legends and title. */
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
    bool markers; /* markers instead of a line */
} OozeSeries;

typedef struct OozePanel {
    const char *name, *unit; /* of the y axis */
} OozePanel;

/* An end of an axis that is NaN follows from the data. */
typedef struct OozeFigure {
    const char *title, *x_name, *x_unit;
    int width, height; /* pixels; height 0: by the number of panels */
    bool log_x, log_y;
    int linear_panels; /* the last so many panels keep a linear y axis with ends from the data */
    double x_low, x_high, y_low, y_high;
    /* Smallest ratio of the ends of a logarithmic y axis: small differences stay small. */
    double min_ratio;
    const OozePanel *panels;
    int panel_count;
    const OozeSeries *series;
    int series_count;
} OozeFigure;

/* The rectangle of a panel's data on the page, in pixels, and its axes. */
typedef struct OozePlotArea {
    double left, right, top, bottom;
    OozeAxisScale x, y;
} OozePlotArea;
OozePoint ooze_plot_point(const OozePlotArea *area, double x, double y);

/* `areas` receives one area per panel; NULL: not needed. */
OozeStatus ooze_figure_draw(const OozeFigure *figure, OozeDrawing *drawing, OozePlotArea *areas,
                            OozeError *error);

#endif
