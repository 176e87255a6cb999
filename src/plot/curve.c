#include "plot/curve.h"

#include <math.h>

#include "base/memory.h"

static const double line_width = 1.8, marker_radius = 4.2;

size_t ooze_curve_thin(OozePoint *points, size_t count)
{
    size_t kept = 0, at = 0;
    while (at < count) {
        double column = floor(points[at].x);
        size_t end = at, low = at, high = at;
        while (end < count && floor(points[end].x) == column &&
               (end == at || points[end].x >= points[end - 1].x)) {
            low = points[end].y > points[low].y ? end : low;
            high = points[end].y < points[high].y ? end : high;
            end++;
        }
        size_t selected[4] = {at, low < high ? low : high, low < high ? high : low, end - 1};
        for (int i = 0; i < 4; i++) {
            if (i == 0 || selected[i] != selected[i - 1]) {
                points[kept++] = points[selected[i]];
            }
        }
        at = end;
    }
    return kept;
}

/* Clips the segment from a to b to the panel (Liang and Barsky 1984); false where nothing is left.
   */
static bool clip(const OozePlotArea *area, OozePoint *a, OozePoint *b)
{
    double dx = b->x - a->x, dy = b->y - a->y, from = 0, to = 1;
    double p[4] = {-dx, dx, -dy, dy};
    double q[4] = {a->x - area->left, area->right - a->x, a->y - area->top, area->bottom - a->y};
    for (int i = 0; i < 4; i++) {
        if (p[i] == 0 && q[i] < 0) {
            return false;
        }
        if (p[i] < 0) {
            from = fmax(from, q[i] / p[i]);
        } else if (p[i] > 0) {
            to = fmin(to, q[i] / p[i]);
        }
    }
    if (from > to) {
        return false;
    }
    OozePoint start = *a;
    *b = to < 1 ? (OozePoint){start.x + to * dx, start.y + to * dy} : *b;
    *a = from > 0 ? (OozePoint){start.x + from * dx, start.y + from * dy} : *a;
    return true;
}

static bool contains(const OozePlotArea *area, OozePoint p)
{
    return p.x >= area->left && p.x <= area->right && p.y >= area->top && p.y <= area->bottom;
}

/* A polyline without breaks, divided into the parts within the panel. `part` holds count + 1. */
static void draw_polyline(OozeDrawing *drawing, const OozePlotArea *area, const OozePoint *points,
                          size_t count, OozePoint *part, uint32_t color)
{
    if (count == 1) {
        if (contains(area, points[0])) {
            ooze_drawing_line(drawing, points, 1, 2 * line_width + 1, color);
        }
        return;
    }
    size_t length = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        OozePoint a = points[i], b = points[i + 1];
        if (!clip(area, &a, &b)) {
            continue;
        }
        if (length == 0) {
            part[length++] = a;
        }
        part[length++] = b;
        if (b.x != points[i + 1].x || b.y != points[i + 1].y) { /* leaves the panel */
            ooze_drawing_line(drawing, part, length, line_width, color);
            length = 0;
        }
    }
    ooze_drawing_line(drawing, part, length, line_width, color);
}

OozeStatus ooze_curve_line(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                           uint32_t color, OozeError *error)
{
    OozePoint *points = ooze_alloc(series->count, sizeof *points);
    OozePoint *part = ooze_alloc(series->count + 1, sizeof *part);
    if (!points || !part) {
        ooze_free(points);
        ooze_free(part);
        return ooze_fail_memory(error, "a curve", series->count * sizeof *points);
    }
    size_t length = 0;
    for (size_t i = 0; i <= series->count; i++) {
        OozePoint p = i < series->count ? ooze_plot_point(area, series->x[i], series->y[i])
                                        : (OozePoint){NAN, NAN};
        /* Coordinates far outside the panel have too few digits for clipping. */
        if (isfinite(p.x) && isfinite(p.y) && fabs(p.x) < 1e9 && fabs(p.y) < 1e9) {
            points[length++] = p;
        } else if (length > 0) {
            draw_polyline(drawing, area, points, ooze_curve_thin(points, length), part, color);
            length = 0;
        }
    }
    ooze_free(points);
    ooze_free(part);
    return OOZE_OK;
}

void ooze_curve_marker(OozeDrawing *drawing, OozePoint at, int marker, uint32_t color)
{
    enum { CIRCLE_CORNERS = 24 };
    static const int corner_counts[] = {CIRCLE_CORNERS, 4, 3, 4};
    static const double rotations[] = {0, 0.125, 0.25, 0}, sizes[] = {1, 1.2, 1.3, 1.25};
    int kind = marker % 4, corners = corner_counts[kind];
    OozePoint outline[CIRCLE_CORNERS + 1];
    for (int i = 0; i <= corners; i++) {
        double angle = 6.283185307179586 * (rotations[kind] + (double)i / corners);
        outline[i] = (OozePoint){at.x + sizes[kind] * marker_radius * cos(angle),
                                 at.y - sizes[kind] * marker_radius * sin(angle)};
    }
    ooze_drawing_polygon(drawing, outline, (size_t)corners, 0xffffff, 1);
    ooze_drawing_line(drawing, outline, (size_t)corners + 1, 1.4, color);
}

void ooze_curve_markers(OozeDrawing *drawing, const OozePlotArea *area, const OozeSeries *series,
                        int marker, uint32_t color)
{
    for (size_t i = 0; i < series->count; i++) {
        OozePoint p = ooze_plot_point(area, series->x[i], series->y[i]);
        if (isfinite(p.x) && isfinite(p.y) && contains(area, p)) {
            ooze_curve_marker(drawing, p, marker, color);
        }
    }
}
