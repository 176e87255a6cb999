#include "plot/figure.h"

#include <math.h>

#include "base/memory.h"
#include "plot/curve.h"

/* Lengths in pixels. */
enum {
    MARGIN = 20,
    RIGHT_MARGIN = 30, /* half a label of the x axis fits in */
    TITLE_HEIGHT = 28,
    PANEL_NAME_HEIGHT = 26,
    PANEL_GAP = 16,
    BOTTOM_HEIGHT = 58, /* labels and name of the x axis */
    LEGEND_ROW = 20,
    LEGEND_GAP = 20,
    SWATCH = 22,
    SWATCH_GAP = 7,
    TICK_LENGTH = 5,
    MINOR_TICK_LENGTH = 3,
    TICK_SPACING = 60, /* of the x axis, at least */
    ROW_SPACING = 36,  /* of ticks of the y axis, at least */
    LABEL_GAP = 12,    /* between labels of the x axis, at least */
    PANEL_HEIGHT_MIN = 40,
    PANEL_WIDTH_MIN = 60,
};

static const uint32_t grid_color = 0xe6e6e6, zero_color = 0xb8b8b8, axis_color = 0x666666,
                      marker_color = 0x222222;
static const OozeTextStyle title_style = {.size = 16, .color = 0x222222, .bold = true};
static const OozeTextStyle name_style = {.size = 12.5, .color = 0x333333};
static const OozeTextStyle legend_style = {.size = 12, .color = 0x333333};
static const OozeTextStyle tick_style = {.size = 11, .color = 0x555555};

/* Distinguishable with colour-blindness (Okabe and Ito 2008, with two more) and in grey. */
static const uint32_t palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0xe69f00, 0x56b4e9, 0x7b5ea7, 0x8c6d31};
enum { PALETTE_COUNT = sizeof palette / sizeof palette[0] };

typedef struct Page {
    const OozeFigure *figure;
    OozeDrawing *drawing;
    OozePlotArea *areas; /* one per panel */
} Page;

OozePoint ooze_plot_point(const OozePlotArea *area, double x, double y)
{
    double u = ooze_axis_position(&area->x, x), v = ooze_axis_position(&area->y, y);
    return (OozePoint){area->left + u * (area->right - area->left),
                       area->bottom - v * (area->bottom - area->top)};
}

static void draw_text(OozeDrawing *drawing, OozePoint at, const char *text, OozeTextStyle style,
                      OozeAnchor anchor)
{
    style.anchor = anchor;
    ooze_drawing_text(drawing, at, text, style);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static bool is_plottable(double value, bool logarithmic)
{
    return isfinite(value) && (!logarithmic || value > 0);
}

static bool has_log_y(const OozeFigure *figure, int panel)
{
    return figure->log_y && panel < figure->panel_count - figure->linear_panels;
}

/* Range of x (of all panels) or y (of one panel) over the points that can be plotted; y only of
   points within the given ends of the x axis. */
static OozeRange data_range(const OozeFigure *figure, int panel, bool of_y)
{
    OozeRange range = {INFINITY, -INFINITY};
    for (int s = 0; s < figure->series_count; s++) {
        const OozeSeries *series = &figure->series[s];
        for (size_t i = 0; i < series->count && (!of_y || series->panel == panel); i++) {
            double x = series->x[i], y = series->y[i], value = of_y ? y : x;
            bool outside = of_y && (x < figure->x_low || x > figure->x_high);
            if (is_plottable(x, figure->log_x) &&
                is_plottable(y, has_log_y(figure, series->panel)) && !outside) {
                range.low = fmin(range.low, value);
                range.high = fmax(range.high, value);
            }
        }
    }
    return range;
}

static OozeStatus check_data(const OozeFigure *figure, OozeError *error)
{
    for (int p = 0; p < figure->panel_count; p++) {
        OozeRange range = data_range(figure, p, true);
        if (!(range.low <= range.high)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                             figure->log_x || figure->log_y
                                 ? "a logarithmic axis shows numbers above 0 only"
                                 : "a probe reads nan while there is nothing to measure",
                             "'%s' has no numbers to plot", figure->panels[p].name);
        }
    }
    return OOZE_OK;
}

/* Given ends, where they are finite, and those of the data elsewhere. */
static OozeRange axis_ends(OozeRange data, double low, double high, bool logarithmic, bool tight)
{
    OozeRange known = {isfinite(low) ? low : data.low, isfinite(high) ? high : data.high};
    OozeRange ends = ooze_axis_extend(known, logarithmic, tight);
    ends.low = isfinite(low) ? low : ends.low;
    ends.high = isfinite(high) ? high : ends.high;
    if (!(ends.high > ends.low)) {
        ends.high = ends.low + fmax(fabs(ends.low), 1);
    }
    return ends;
}

static OozeAxisScale make_y_axis(const OozeFigure *figure, int panel, double height)
{
    OozeRange data = data_range(figure, panel, true);
    bool linear = panel >= figure->panel_count - figure->linear_panels;
    bool logarithmic = has_log_y(figure, panel);
    if (logarithmic && data.high < figure->min_ratio * data.low) {
        double middle = sqrt(data.low * data.high), factor = sqrt(figure->min_ratio);
        data = (OozeRange){middle / factor, middle * factor};
    }
    OozeRange ends = axis_ends(data, linear ? NAN : figure->y_low, linear ? NAN : figure->y_high,
                               logarithmic, false);
    return ooze_axis_make(ends, logarithmic, (int)(height / ROW_SPACING));
}

static double label_width(const OozeAxisScale *axis, int tick)
{
    char label[OOZE_LABEL_MAX];
    ooze_axis_label(axis, axis->ticks[tick], label);
    return ooze_text_width(label, tick_style.size);
}

static bool labels_overlap(const OozeAxisScale *axis, double width)
{
    for (int i = 1; i < axis->tick_count; i++) {
        double distance = width * (ooze_axis_position(axis, axis->ticks[i]) -
                                   ooze_axis_position(axis, axis->ticks[i - 1]));
        double needed = 0.5 * (label_width(axis, i - 1) + label_width(axis, i)) + LABEL_GAP;
        if (distance < needed) {
            return true;
        }
    }
    return false;
}

static OozeAxisScale make_x_axis(const OozeFigure *figure, double width)
{
    OozeRange data = data_range(figure, 0, false);
    OozeRange ends = axis_ends(data, figure->x_low, figure->x_high, figure->log_x, true);
    int target = (int)(width / TICK_SPACING);
    OozeAxisScale axis = ooze_axis_make(ends, figure->log_x, target);
    while (--target > 0 && labels_overlap(&axis, width)) {
        axis = ooze_axis_make(ends, figure->log_x, target);
    }
    return axis;
}

/* ---- legend --------------------------------------------------------------------------------- */

typedef struct SeriesStyle {
    uint32_t color;
    int marker;
} SeriesStyle;

/* Colour or marker of a series, by its index among those of its panel. */
static SeriesStyle style_of(const OozeFigure *figure, int index)
{
    const OozeSeries *series = &figure->series[index];
    int before = 0;
    for (int s = 0; s < index; s++) {
        before += figure->series[s].panel == series->panel &&
                  figure->series[s].markers == series->markers;
    }
    return (SeriesStyle){series->markers ? marker_color : palette[before % PALETTE_COUNT], before};
}

static void draw_entry(OozeDrawing *drawing, const OozeFigure *figure, int index, OozePoint at)
{
    const OozeSeries *series = &figure->series[index];
    SeriesStyle style = style_of(figure, index);
    double middle = at.y - 0.36 * legend_style.size;
    if (series->markers) {
        ooze_curve_marker(drawing, (OozePoint){at.x + SWATCH / 2.0, middle}, style.marker,
                          style.color);
    } else {
        OozePoint ends[2] = {{at.x + 1, middle}, {at.x + SWATCH - 1, middle}};
        ooze_drawing_line(drawing, ends, 2, 2.5, style.color);
    }
    ooze_drawing_text(drawing, (OozePoint){at.x + SWATCH + SWATCH_GAP, at.y}, series->label,
                      legend_style);
}

/* Number of rows that the legend of a panel takes between `left` and `right`; none for a single
   series. Draws them where a drawing is given, the first with its baseline at y. */
static int layout_legend(const OozeFigure *figure, int panel, double left, double right, double y,
                         OozeDrawing *drawing)
{
    int rows = 0, count = 0;
    double x = right;
    for (int s = 0; s < figure->series_count; s++) {
        count += figure->series[s].panel == panel;
    }
    for (int s = 0; s < figure->series_count && count > 1; s++) {
        if (figure->series[s].panel != panel) {
            continue;
        }
        double width =
            SWATCH + SWATCH_GAP + ooze_text_width(figure->series[s].label, legend_style.size);
        if (rows == 0 || (x > left && x + width > right)) {
            rows++;
            x = left;
        }
        if (drawing) {
            draw_entry(drawing, figure, s, (OozePoint){x, y + (rows - 1) * LEGEND_ROW});
        }
        x += width + LEGEND_GAP;
    }
    return rows;
}

/* ---- panels --------------------------------------------------------------------------------- */

static void draw_segment(OozeDrawing *drawing, double x0, double y0, double x1, double y1,
                         uint32_t color)
{
    OozePoint ends[2] = {{x0, y0}, {x1, y1}};
    ooze_drawing_line(drawing, ends, 2, 1, color);
}

/* Pixel centres: a line of width 1 covers one row or column of pixels. */
static double pixel_centre(double value)
{
    return floor(value) + 0.5;
}

static double x_on_page(const OozePlotArea *area, double x)
{
    return pixel_centre(ooze_plot_point(area, x, area->y.low).x);
}

static double y_on_page(const OozePlotArea *area, double y)
{
    return pixel_centre(ooze_plot_point(area, area->x.low, y).y);
}

static void draw_grid(OozeDrawing *drawing, const OozePlotArea *area)
{
    for (int i = 0; i < area->x.tick_count; i++) {
        double x = x_on_page(area, area->x.ticks[i]);
        draw_segment(drawing, x, area->top, x, area->bottom, grid_color);
    }
    for (int i = 0; i < area->y.tick_count; i++) {
        double y = y_on_page(area, area->y.ticks[i]);
        draw_segment(drawing, area->left, y, area->right, y,
                     area->y.ticks[i] == 0 ? zero_color : grid_color);
    }
}

/* The x axis has labels below the last panel only. */
static void draw_axes(OozeDrawing *drawing, const OozePlotArea *area, bool is_last)
{
    char label[OOZE_LABEL_MAX];
    double left = area->left, base = area->bottom;
    draw_segment(drawing, left, base, area->right, base, axis_color);
    for (int i = 0; i < area->x.tick_count; i++) {
        double x = x_on_page(area, area->x.ticks[i]);
        draw_segment(drawing, x, base, x, base + TICK_LENGTH, axis_color);
        ooze_axis_label(&area->x, area->x.ticks[i], label);
        if (is_last) {
            draw_text(drawing, (OozePoint){x, base + TICK_LENGTH + 13}, label, tick_style,
                      OOZE_ANCHOR_MIDDLE);
        }
    }
    for (int i = 0; i < area->x.minor_count; i++) {
        double x = x_on_page(area, area->x.minor_ticks[i]);
        draw_segment(drawing, x, base, x, base + MINOR_TICK_LENGTH, axis_color);
    }
    if (area->y.logarithmic) {
        draw_segment(drawing, left, area->top, left, base, axis_color);
    }
    for (int i = 0; i < area->y.minor_count; i++) {
        double y = y_on_page(area, area->y.minor_ticks[i]);
        draw_segment(drawing, left - MINOR_TICK_LENGTH, y, left, y, axis_color);
    }
    for (int i = 0; i < area->y.tick_count; i++) {
        double y = y_on_page(area, area->y.ticks[i]);
        ooze_axis_label(&area->y, area->y.ticks[i], label);
        draw_text(drawing, (OozePoint){left - 8, y + 4}, label, tick_style, OOZE_ANCHOR_END);
    }
}

static OozeStatus draw_panel(const Page *page, int panel, OozeError *error)
{
    const OozeFigure *figure = page->figure;
    const OozePlotArea *area = &page->areas[panel];
    OozeDrawing *drawing = page->drawing;
    int rows = layout_legend(figure, panel, area->left, area->right, 0, NULL);
    double y = area->top - 11 - rows * LEGEND_ROW;
    char name[256];
    ooze_axis_title(&area->y, figure->panels[panel].name, figure->panels[panel].unit, name,
                    sizeof name);
    ooze_drawing_text(drawing, (OozePoint){MARGIN, y}, name, name_style);
    layout_legend(figure, panel, area->left, area->right, y + LEGEND_ROW, drawing);
    draw_grid(drawing, area);
    draw_axes(drawing, area, panel == figure->panel_count - 1);
    OozeStatus status = OOZE_OK;
    for (int pass = 0; pass < 2; pass++) { /* markers above all lines */
        for (int s = 0; s < figure->series_count && !status; s++) {
            const OozeSeries *series = &figure->series[s];
            SeriesStyle style = style_of(figure, s);
            if (series->panel != panel || series->markers != (pass == 1)) {
                continue;
            }
            if (series->markers) {
                ooze_curve_markers(drawing, area, series, style.marker, style.color);
            } else {
                status = ooze_curve_line(drawing, area, series, style.color, error);
            }
        }
    }
    return status;
}

/* ---- the page ------------------------------------------------------------------------------- */

/* Width of the widest label of all y axes. */
static double widest_label(const Page *page)
{
    double widest = 0;
    for (int p = 0; p < page->figure->panel_count; p++) {
        const OozeAxisScale *axis = &page->areas[p].y;
        for (int i = 0; i < axis->tick_count; i++) {
            widest = fmax(widest, label_width(axis, i));
        }
    }
    return widest;
}

/* Height of what stands above a panel's data: gap, name and legend. */
static double header_height(const OozeFigure *figure, int panel, double left, double right)
{
    return (panel > 0 ? PANEL_GAP : 0) + PANEL_NAME_HEIGHT +
           LEGEND_ROW * layout_legend(figure, panel, left, right, 0, NULL);
}

/* Areas of the panels, equally high, with the left edge at `left`. */
static OozeStatus place_panels(const Page *page, double left, OozeError *error)
{
    const OozeFigure *figure = page->figure;
    int count = figure->panel_count, width = page->drawing->width, height = page->drawing->height;
    double y = MARGIN + (figure->title && figure->title[0] ? TITLE_HEIGHT : 0);
    double right = width - RIGHT_MARGIN, headers = 0;
    for (int p = 0; p < count; p++) {
        headers += header_height(figure, p, left, right);
    }
    double inner = (height - BOTTOM_HEIGHT - y - headers) / count;
    if (inner < PANEL_HEIGHT_MIN || right - left < PANEL_WIDTH_MIN) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "ask for a larger --size or fewer probes",
                         "%d panel%s with legends do not fit into %dx%d pixels", count,
                         count == 1 ? "" : "s", width, height);
    }
    OozeAxisScale x_axis = make_x_axis(figure, right - left);
    for (int p = 0; p < count; p++) {
        y += header_height(figure, p, left, right);
        page->areas[p] = (OozePlotArea){.left = pixel_centre(left),
                                        .right = pixel_centre(right),
                                        .top = pixel_centre(y),
                                        .bottom = pixel_centre(y + inner),
                                        .x = x_axis,
                                        .y = make_y_axis(figure, p, inner)};
        y += inner;
    }
    return OOZE_OK;
}

static OozeStatus draw_page(const Page *page, OozeError *error)
{
    const OozeFigure *figure = page->figure;
    OozeDrawing *drawing = page->drawing;
    /* The labels of the y axes are known after a first layout. */
    OozeStatus status = place_panels(page, MARGIN + 50, error);
    status = status ? status : place_panels(page, MARGIN + 10 + widest_label(page), error);
    if (status) {
        return status;
    }
    if (figure->title) {
        ooze_drawing_text(drawing, (OozePoint){MARGIN, MARGIN + 14}, figure->title, title_style);
    }
    for (int p = 0; p < figure->panel_count && !status; p++) {
        status = draw_panel(page, p, error);
    }
    const OozePlotArea *last = &page->areas[figure->panel_count - 1];
    char name[256];
    ooze_axis_title(&last->x, figure->x_name, figure->x_unit, name, sizeof name);
    draw_text(drawing, (OozePoint){(last->left + last->right) / 2, drawing->height - 16}, name,
              name_style, OOZE_ANCHOR_MIDDLE);
    return status;
}

OozeStatus ooze_figure_draw(const OozeFigure *figure, OozeDrawing *drawing, OozePlotArea *areas,
                            OozeError *error)
{
    int height = figure->height > 0 ? figure->height : 200 + 220 * figure->panel_count;
    height = height < OOZE_FIGURE_SIZE_MAX ? height : OOZE_FIGURE_SIZE_MAX;
    *drawing = (OozeDrawing){.width = figure->width, .height = height};
    OozeStatus status = check_data(figure, error);
    if (status) {
        return status;
    }
    Page page = {figure, drawing,
                 areas ? areas : ooze_alloc((size_t)figure->panel_count, sizeof *areas)};
    status = page.areas ? draw_page(&page, error) : ooze_fail_memory(error, "a figure", 0);
    if (!status && drawing->failed) {
        status = ooze_fail_memory(error, "a figure", drawing->point_count * sizeof(OozePoint));
    }
    if (!areas) {
        ooze_free(page.areas);
    }
    if (status) {
        ooze_drawing_free(drawing);
    }
    return status;
}
