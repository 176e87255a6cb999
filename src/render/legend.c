#include "render/legend.h"

#include <math.h>

#include "plot/axis.h"
#include "plot/drawing.h"
#include "render/colour_map.h"

#define HEIGHT_MAX   8192.0 /* of a picture to which the legend is scaled: cairo has a limit */
#define BAR_HEIGHT   0.45   /* of that height */
#define BAR_WIDTH    1.2    /* this and the following in font sizes */
#define TITLE_HEIGHT 1.9
#define PADDING      0.9
#define TICK_SPACING 2.4
#define PANEL_COLOR  0x101214
#define PANEL_ALPHA  0.62
#define TEXT_COLOR   0xf4f4f4

static void fill_rectangle(OozeDrawing *drawing, OozePoint low, OozePoint high, uint32_t color,
                           double opacity)
{
    OozePoint corners[4] = {low, {high.x, low.y}, high, {low.x, high.y}};
    ooze_drawing_polygon(drawing, corners, 4, color, opacity);
}

/* Width of the title or of the bar with its labels, whichever is larger. */
static double content_width(const OozeAxisScale *axis, const char *title, double size)
{
    double width = ooze_text_width(title, size);
    for (int i = 0; i < axis->tick_count; i++) {
        char label[OOZE_LABEL_MAX];
        ooze_axis_label(axis, axis->ticks[i], label);
        width = fmax(width, (BAR_WIDTH + 0.8) * size + ooze_text_width(label, size));
    }
    return width;
}

/* The bar with its upper left corner at `at`, one rectangle per row of pixels, and its ticks. */
static void draw_bar(OozeDrawing *drawing, const OozeAxisScale *axis, OozePoint at, int rows,
                     double size)
{
    double right = at.x + floor(BAR_WIDTH * size);
    for (int j = 0; j < rows; j++) {
        uint32_t color = ooze_colour_map_srgb(1.0f - (float)j / fmaxf((float)rows - 1.0f, 1.0f));
        fill_rectangle(drawing, (OozePoint){at.x, at.y + j}, (OozePoint){right, at.y + j + 1},
                       color, 1);
    }
    OozeTextStyle style = {.size = size, .color = TEXT_COLOR};
    for (int i = 0; i < axis->tick_count; i++) {
        char label[OOZE_LABEL_MAX];
        double y = at.y + rows * (1 - ooze_axis_position(axis, axis->ticks[i]));
        OozePoint tick[2] = {{right, y}, {right + 0.35 * size, y}};
        ooze_drawing_line(drawing, tick, 2, fmax(1, 0.08 * size), TEXT_COLOR);
        ooze_axis_label(axis, axis->ticks[i], label);
        ooze_drawing_text(drawing, (OozePoint){right + 0.8 * size, y + 0.36 * size}, label, style);
    }
}

OozeStatus ooze_legend_draw(const OozeLegend *legend, unsigned char *pixels, int width, int height,
                            OozeError *error)
{
    double scaled_height = fmin(height, HEIGHT_MAX), size = fmax(10, scaled_height / 38);
    int padding = (int)(PADDING * size), rows = (int)(BAR_HEIGHT * scaled_height);
    OozeRange ends = {legend->low, legend->high};
    if (!(ends.low < ends.high)) {
        ends = ooze_axis_extend(ends, false, true);
    }
    OozeAxisScale axis = ooze_axis_make(ends, false, (int)(rows / (TICK_SPACING * size)));
    char title[128];
    ooze_axis_title(&axis, legend->name, legend->unit, title, sizeof title);
    /* The panel within the picture: left of the right margin, below the upper one. */
    int panel_width = (int)content_width(&axis, title, size) + 2 * padding;
    int panel_height = rows + (int)(TITLE_HEIGHT * size) + 2 * padding;
    int left = width - padding - panel_width, clipped = left < 0 ? -left : 0;
    int below = height - padding;
    OozeDrawing drawing = {.width = panel_width - clipped,
                           .height = panel_height < below ? panel_height : below};
    if (drawing.width <= 0 || drawing.height <= 0) {
        return OOZE_OK;
    }
    double x = padding - clipped;
    fill_rectangle(&drawing, (OozePoint){0, 0}, (OozePoint){drawing.width, drawing.height},
                   PANEL_COLOR, PANEL_ALPHA);
    OozeTextStyle style = {.size = size, .color = TEXT_COLOR};
    ooze_drawing_text(&drawing, (OozePoint){x, padding + 0.8 * size}, title, style);
    draw_bar(&drawing, &axis, (OozePoint){x, padding + floor(TITLE_HEIGHT * size)}, rows, size);
    unsigned char *corner =
        pixels + 3 * ((size_t)padding * (size_t)width + (size_t)(left + clipped));
    OozeStatus status = drawing.failed ? ooze_fail_memory(error, "a legend", 0)
                                       : ooze_drawing_paint_over(&drawing, corner, width, error);
    ooze_drawing_free(&drawing);
    return status;
}
