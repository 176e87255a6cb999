/* One series in a panel: a line clipped to the panel and thinned to its pixels, or markers. */
#ifndef OOZE_PLOT_CURVE_H
#define OOZE_PLOT_CURVE_H

#include "plot/figure.h"

/* Values that cannot be plotted break the line; a single point between two breaks is a dot. */
OozeStatus ooze_curve_line(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                           uint32_t color, OozeError *error);
void ooze_curve_markers(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                        int marker, uint32_t color);
/* Hollow circle, square, triangle or diamond, by `marker` modulo 4. */
void ooze_curve_marker(OozeDrawing *drawing, OozePoint at, int marker, uint32_t color);

/* Keeps, in place, the first, lowest, highest and last point of each column of pixels while x does
   not decrease: the picture is the same. Returns the number of points kept. */
size_t ooze_curve_thin(OozePoint *points, size_t count);

#endif
