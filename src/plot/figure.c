#include "plot/figure.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plot/curve.h"
#include "plot/font.h"

/* Lengths in pixels, and inks. */
enum { MARGIN = 18, GAP = 14, LEGEND_ROW = 20, SWATCH = 20, TICK_LENGTH = 4 };
static const double title_size = 16, name_size = 13, tick_size = 12, legend_size = 12.5;
static const uint32_t ink = 0x333333, soft_ink = 0x666666, grid_ink = 0xe7e7e7, zero_ink = 0xbdbdbd;

/* Told apart by colour-blind people too, and in grey. */
static const uint32_t palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0xe69f00, 0x56b4e9, 0x7b5ea7, 0x8c6d31};
enum { PALETTE_COUNT = sizeof palette / sizeof palette[0] };
static const uint32_t marker_ink = 0x222222;

typedef struct Layout {
    const OozeFigure *figure;
    OozeDrawing *drawing;
    OozePlotArea *areas;
} Layout;

OozePoint ooze_plot_point(const OozePlotArea *area, double x, double y)
{
    double u = ooze_axis_place(&area->x, x), v = ooze_axis_place(&area->y, y);
    return (OozePoint){area->left + u * (area->right - area->left),
                       area->bottom - v * (area->bottom - area->top)};
}

/* ---- ranges --------------------------------------------------------------------------------- */

typedef struct Span {
    double low, high;
} Span;

static bool shows(double value, bool logarithmic)
{
    return isfinite(value) && (!logarithmic || value > 0);
}

static void widen(Span *span, double value)
{
    span->low = fmin(span->low, value);
    span->high = fmax(span->high, value);
}

static bool is_linear(const OozeFigure *figure, int panel)
{
    return panel >= figure->panel_count - figure->linear_panels;
}

/* Over the points that can be seen: both coordinates have a place, and x is on a given axis. */
static Span span_of(const OozeFigure *figure, int panel, bool of_y)
{
    Span span = {INFINITY, -INFINITY};
    for (int s = 0; s < figure->series_count; s++) {
        const OozeSeries *series = &figure->series[s];
        for (size_t i = 0; i < series->count && (panel < 0 || series->panel == panel); i++) {
            double x = series->x[i], y = series->y[i];
            bool log_y = figure->log_y && !is_linear(figure, series->panel);
            bool seen = shows(x, figure->log_x) && shows(y, log_y);
            bool hidden = of_y && (x < figure->x_low || x > figure->x_high);
            if (seen && !hidden) {
                widen(&span, of_y ? y : x);
            }
        }
    }
    return span;
}

/* A y axis shows at least a ratio that is asked for, about the middle. */
static Span span_of_y(const OozeFigure *figure, int panel)
{
    Span span = span_of(figure, panel, true);
    bool logarithmic = figure->log_y && !is_linear(figure, panel);
    double least = figure->least_ratio;
    if (logarithmic && span.high < least * span.low) {
        double middle = sqrt(span.low * span.high);
        span = (Span){middle / sqrt(least), middle * sqrt(least)};
    }
    return span;
}

static OozeAxisScale make_axis(Span span, double low, double high, bool logarithmic, bool tight,
                               int wanted)
{
    if (isfinite(low) && isfinite(high)) {
        return ooze_axis_between(low, high, logarithmic, wanted);
    }
    OozeAxisScale axis = ooze_axis_make(isfinite(low) ? low : span.low,
                                        isfinite(high) ? high : span.high, logarithmic, tight, 1);
    low = isfinite(low) ? low : axis.low;
    high = isfinite(high) ? high : axis.high;
    return ooze_axis_between(low, high > low ? high : low + fmax(fabs(low), 1), logarithmic,
                             wanted);
}

static OozeStatus check_spans(const OozeFigure *figure, OozeError *error)
{
    for (int p = 0; p < figure->panel_count; p++) {
        Span span = span_of(figure, p, true);
        if (!(span.low <= span.high)) {
            bool logarithmic = figure->log_x || figure->log_y;
            return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                             logarithmic ? "a logarithmic axis shows numbers above 0 only"
                                         : "a probe reads nan while there is nothing to measure",
                             "'%s' has no numbers to plot", figure->panels[p].name);
        }
    }
    return OOZE_OK;
}

/* ---- legend --------------------------------------------------------------------------------- */

typedef struct Entry {
    const OozeSeries *series;
    uint32_t color;
    int marker;
} Entry;

/* The n-th series with its colour or marker, which go by its place among those of its panel. */
static Entry entry_of(const OozeFigure *figure, int index)
{
    int lines = 0, markers = 0;
    for (int s = 0; s < index; s++) {
        if (figure->series[s].panel == figure->series[index].panel) {
            lines += !figure->series[s].markers;
            markers += figure->series[s].markers;
        }
    }
    const OozeSeries *series = &figure->series[index];
    return (Entry){series, series->markers ? marker_ink : palette[lines % PALETTE_COUNT], markers};
}

static int series_in(const OozeFigure *figure, int panel)
{
    int count = 0;
    for (int s = 0; s < figure->series_count; s++) {
        count += figure->series[s].panel == panel;
    }
    return count;
}

/* Rows of the legend between `left` and `right` above y; drawn when `drawing` is given. */
static int lay_legend(const OozeFigure *figure, int panel, double left, double right, double y,
                      OozeDrawing *drawing)
{
    if (series_in(figure, panel) < 2) {
        return 0;
    }
    int rows = 1;
    double x = left;
    for (int s = 0; s < figure->series_count; s++) {
        if (figure->series[s].panel != panel) {
            continue;
        }
        Entry entry = entry_of(figure, s);
        double width = SWATCH + 6 + ooze_font_width(entry.series->label, legend_size);
        if (x > left && x + width > right) {
            rows++;
            x = left;
        }
        if (drawing) {
            double base = y + (rows - 1) * LEGEND_ROW;
            OozePoint middle = {x + SWATCH / 2.0, base - 4.5};
            if (entry.series->markers) {
                ooze_curve_marker(drawing, middle, entry.marker, entry.color);
            } else {
                OozePoint ends[2] = {{x + 1, middle.y}, {x + SWATCH - 1, middle.y}};
                ooze_drawing_line(drawing, ends, 2, 2.5, entry.color);
            }
            ooze_drawing_words(drawing, (OozePoint){x + SWATCH + 6, base}, entry.series->label,
                               legend_size, OOZE_ANCHOR_START, false, ink);
        }
        x += width + GAP + 4;
    }
    return rows;
}

/* ---- panels --------------------------------------------------------------------------------- */

static void draw_straight(OozeDrawing *drawing, double x0, double y0, double x1, double y1,
                          uint32_t color)
{
    OozePoint ends[2] = {{x0, y0}, {x1, y1}};
    ooze_drawing_line(drawing, ends, 2, 1, color);
}

/* Lines of one pixel's width lie on pixels' middles. */
static double snap(double value)
{
    return floor(value) + 0.5;
}

static void draw_grid(const Layout *layout, const OozePlotArea *area, bool bottom)
{
    OozeDrawing *drawing = layout->drawing;
    char label[OOZE_LABEL_MAX];
    for (int i = 0; i < area->x.tick_count; i++) {
        double x = snap(ooze_plot_point(area, area->x.ticks[i], area->y.low).x);
        draw_straight(drawing, x, area->top, x, area->bottom, grid_ink);
    }
    for (int i = 0; i < area->y.tick_count; i++) {
        double tick = area->y.ticks[i], y = snap(ooze_plot_point(area, area->x.low, tick).y);
        draw_straight(drawing, area->left, y, area->right, y, tick == 0 ? zero_ink : grid_ink);
        ooze_axis_label(&area->y, tick, label);
        ooze_drawing_words(drawing, (OozePoint){area->left - 8, y + 4}, label, tick_size,
                           OOZE_ANCHOR_END, false, soft_ink);
    }
    double base = snap(area->bottom);
    draw_straight(drawing, area->left, base, area->right, base, soft_ink);
    for (int i = 0; i < area->x.tick_count && bottom; i++) {
        double x = snap(ooze_plot_point(area, area->x.ticks[i], area->y.low).x);
        draw_straight(drawing, x, base, x, base + TICK_LENGTH, soft_ink);
        ooze_axis_label(&area->x, area->x.ticks[i], label);
        ooze_drawing_words(drawing, (OozePoint){x, base + TICK_LENGTH + 14}, label, tick_size,
                           OOZE_ANCHOR_MIDDLE, false, soft_ink);
    }
}

static OozeStatus draw_panel(const Layout *layout, int panel, OozeError *error)
{
    const OozeFigure *figure = layout->figure;
    const OozePlotArea *area = &layout->areas[panel];
    OozeDrawing *drawing = layout->drawing;
    draw_grid(layout, area, panel == figure->panel_count - 1);
    int rows = lay_legend(figure, panel, area->left, area->right, 0, NULL);
    char name[256];
    ooze_axis_title(&area->y, figure->panels[panel].name, figure->panels[panel].unit, name,
                    sizeof name);
    double y = area->top - 10 - rows * LEGEND_ROW;
    ooze_drawing_words(drawing, (OozePoint){MARGIN, y}, name, name_size, OOZE_ANCHOR_START, false,
                       ink);
    lay_legend(figure, panel, area->left, area->right, y + LEGEND_ROW, drawing);
    OozeStatus status = OOZE_OK;
    for (int s = 0; s < figure->series_count && !status; s++) {
        Entry entry = entry_of(figure, s);
        if (entry.series->panel == panel && !entry.series->markers) {
            status = ooze_curve_line(drawing, area, entry.series, entry.color, error);
        }
    }
    for (int s = 0; s < figure->series_count && !status; s++) { /* on top of all lines */
        Entry entry = entry_of(figure, s);
        if (entry.series->panel == panel && entry.series->markers) {
            ooze_curve_markers(drawing, area, entry.series, entry.marker, entry.color);
        }
    }
    return status;
}

/* ---- the page ------------------------------------------------------------------------------- */

/* Room for the widest number on any y axis. */
static double widest_label(const Layout *layout)
{
    double widest = 0;
    for (int p = 0; p < layout->figure->panel_count; p++) {
        const OozeAxisScale *axis = &layout->areas[p].y;
        for (int i = 0; i < axis->tick_count; i++) {
            char label[OOZE_LABEL_MAX];
            ooze_axis_label(axis, axis->ticks[i], label);
            widest = fmax(widest, ooze_font_width(label, tick_size));
        }
    }
    return widest;
}

/* Everything but the panels' data: title and name of the x axis take their share, panels the rest. */
static OozeStatus lay_out(const Layout *layout, OozeError *error)
{
    const OozeFigure *figure = layout->figure;
    int count = figure->panel_count, width = layout->drawing->width;
    double top = MARGIN + (figure->title && figure->title[0] ? 26 : 0);
    double bottom = layout->drawing->height - 54, right = width - MARGIN - 8;
    Span span = span_of(figure, -1, false);
    for (int pass = 0; pass < 2; pass++) { /* the second knows how wide the numbers are */
        double left = MARGIN + 10 + (pass == 0 ? 40 : widest_label(layout));
        OozeAxisScale x_axis = make_axis(span, figure->x_low, figure->x_high, figure->log_x, true,
                                         (int)((right - left) / 70));
        double heads = 0;
        for (int p = 0; p < count; p++) {
            heads +=
                24 + lay_legend(figure, p, left, right, 0, NULL) * LEGEND_ROW + (p > 0 ? GAP : 0);
        }
        double inner = (bottom - top - heads) / count;
        if (inner < 40 || right - left < 60) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "ask for a larger --size or fewer probes",
                             "%d panel%s with their legends do not fit into %dx%d pixels", count,
                             count == 1 ? "" : "s", width, layout->drawing->height);
        }
        double y = top;
        for (int p = 0; p < count; p++) {
            OozePlotArea *area = &layout->areas[p];
            bool linear = is_linear(figure, p);
            y += 24 + lay_legend(figure, p, left, right, 0, NULL) * LEGEND_ROW + (p > 0 ? GAP : 0);
            *area = (OozePlotArea){snap(left),
                                   snap(right),
                                   snap(y),
                                   snap(y + inner),
                                   x_axis,
                                   make_axis(span_of_y(figure, p), linear ? NAN : figure->y_low,
                                             linear ? NAN : figure->y_high,
                                             figure->log_y && !linear, false, (int)(inner / 44))};
            y += inner;
        }
    }
    return OOZE_OK;
}

static OozeStatus draw_page(const Layout *layout, OozeError *error)
{
    const OozeFigure *figure = layout->figure;
    OozeDrawing *drawing = layout->drawing;
    OozeStatus status = lay_out(layout, error);
    if (status) {
        return status;
    }
    if (figure->title && figure->title[0]) {
        ooze_drawing_words(drawing, (OozePoint){MARGIN, MARGIN + 13}, figure->title, title_size,
                           OOZE_ANCHOR_START, true, ink);
    }
    for (int p = 0; p < figure->panel_count && !status; p++) {
        status = draw_panel(layout, p, error);
    }
    const OozePlotArea *last = &layout->areas[figure->panel_count - 1];
    char name[256];
    ooze_axis_title(&last->x, figure->x_name, figure->x_unit, name, sizeof name);
    ooze_drawing_words(drawing, (OozePoint){(last->left + last->right) / 2, drawing->height - 14},
                       name, name_size, OOZE_ANCHOR_MIDDLE, false, ink);
    return status;
}

OozeStatus ooze_figure_draw(const OozeFigure *figure, OozeDrawing *drawing, OozePlotArea *areas,
                            OozeError *error)
{
    int height = figure->height > 0 ? figure->height : 200 + 220 * figure->panel_count;
    *drawing =
        (OozeDrawing){.width = figure->width,
                      .height = height < OOZE_FIGURE_SIZE_MAX ? height : OOZE_FIGURE_SIZE_MAX};
    OozeStatus status = check_spans(figure, error);
    if (status) {
        return status;
    }
    Layout layout = {figure, drawing,
                     areas ? areas : ooze_alloc((size_t)figure->panel_count, sizeof *areas)};
    if (!layout.areas) {
        return ooze_fail_memory(error, "a figure", 0);
    }
    status = draw_page(&layout, error);
    if (!status && drawing->failed) {
        status = ooze_fail_memory(error, "a figure", drawing->point_count * sizeof(OozePoint));
    }
    if (!areas) {
        ooze_free(layout.areas);
    }
    if (status) {
        ooze_drawing_clear(drawing);
    }
    return status;
}
