/* One series on a panel: a line cut to the panel and thinned to what pixels can show, or markers. */
#ifndef OOZE_PLOT_CURVE_H
#define OOZE_PLOT_CURVE_H

#include "plot/figure.h"

/* Numbers that have no place break the line; one alone between two of them is a dot. */
OozeStatus ooze_curve_line(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                           uint32_t color, OozeError *error);
void ooze_curve_markers(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                        int marker, uint32_t color);
/* Circle, square, triangle, diamond, and again; hollow. */
void ooze_curve_marker(OozeDrawing *drawing, OozePoint at, int marker, uint32_t color);

/* Within every column of pixels only the first, lowest, highest and last point of a stretch whose x
   never falls: the same picture. Works in place; returns how many are left. */
size_t ooze_curve_thin(OozePoint *points, size_t count);

#endif
