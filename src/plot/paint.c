/* Drawings painted by cairo: PNG and PDF files, drawings over pictures, and the width of text. */
#include <cairo-pdf.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "plot/drawing.h"

/* It has the superscripts of powers of ten; where it is not installed fontconfig takes another
   font, and where there is none cairo draws its built-in one. */
#define FONT             "DejaVu Sans"

#define POINTS_PER_PIXEL 0.75 /* of PDF: a pixel is 1/96 inch */

/* Metrics are unhinted: a text has the same width in PNG and PDF. */
static void set_font(cairo_t *context, double size, bool bold)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(context, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context, size);
}

static double advance(cairo_t *context, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(context, text, &extents);
    return extents.x_advance;
}

double ooze_text_width(const char *text, double font_size)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *context = cairo_create(surface);
    set_font(context, font_size, false);
    double width = advance(context, text);
    if (cairo_status(context)) { /* not UTF-8, or out of memory: a mean width per byte */
        width = 0.6 * font_size * (double)strlen(text);
    }
    cairo_destroy(context);
    cairo_surface_destroy(surface);
    return width;
}

static void set_color(cairo_t *context, uint32_t color, double opacity)
{
    cairo_set_source_rgba(context, (color >> 16 & 0xff) / 255.0, (color >> 8 & 0xff) / 255.0,
                          (color & 0xff) / 255.0, opacity);
}

static void paint_text(cairo_t *context, const OozeTextStyle *style, OozePoint at, const char *text)
{
    set_color(context, style->color, 1);
    set_font(context, style->size, style->bold);
    double share = style->anchor == OOZE_ANCHOR_END      ? 1
                   : style->anchor == OOZE_ANCHOR_MIDDLE ? 0.5
                                                         : 0;
    cairo_move_to(context, at.x - share * advance(context, text), at.y);
    cairo_show_text(context, text);
}

static void paint(const OozeDrawing *drawing, cairo_t *context)
{
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < drawing->item_count; i++) {
        const OozeDrawingItem *item = &drawing->items[i];
        const OozePoint *points = drawing->points + item->first_point;
        if (item->kind == OOZE_ITEM_TEXT) {
            paint_text(context, &item->style, points[0], drawing->texts.data + item->text);
            continue;
        }
        cairo_new_path(context);
        for (size_t k = 0; k < item->count; k++) {
            cairo_line_to(context, points[k].x, points[k].y);
        }
        if (item->kind == OOZE_ITEM_POLYGON) {
            set_color(context, item->color, item->opacity);
            cairo_fill(context);
        } else {
            cairo_line_to(context, points[item->count - 1].x, points[item->count - 1].y);
            set_color(context, item->color, 1);
            cairo_set_line_width(context, item->width);
            cairo_stroke(context);
        }
    }
}

static cairo_status_t paint_surface(const OozeDrawing *drawing, cairo_surface_t *surface,
                                    double scale, bool on_white)
{
    cairo_t *context = cairo_create(surface);
    cairo_scale(context, scale, scale);
    if (on_white) {
        set_color(context, 0xffffff, 1);
        cairo_paint(context);
    }
    paint(drawing, context);
    cairo_status_t status = cairo_status(context);
    cairo_destroy(context);
    return status;
}

static OozeStatus fail_cairo(cairo_status_t status, const OozeDrawing *drawing, OozeError *error)
{
    if (status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_WRITE_ERROR) {
        return ooze_fail_memory(error, "a drawing",
                                (unsigned long long)drawing->width * (unsigned)drawing->height * 4);
    }
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "check the installation of cairo and its fonts",
                     "cairo cannot paint a drawing: %s", cairo_status_to_string(status));
}

/* cairo's output is gathered in memory, so that the file is written in one piece. */
static cairo_status_t append(void *file, const unsigned char *data, unsigned length)
{
    OozeText *text = file;
    ooze_text_append_bytes(text, data, length);
    return text->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static OozeStatus write_file(const OozeDrawing *drawing, cairo_status_t status, OozeText *file,
                             const char *path, OozeError *error)
{
    OozeStatus result = status ? fail_cairo(status, drawing, error)
                               : ooze_file_write_atomic(path, file->data, file->length, error);
    ooze_text_clear(file);
    return result;
}

OozeStatus ooze_drawing_write_png(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    OozeText file = {0};
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, drawing->width, drawing->height);
    cairo_status_t status = paint_surface(drawing, surface, 1, true);
    status = status ? status : cairo_surface_write_to_png_stream(surface, append, &file);
    cairo_surface_destroy(surface);
    return write_file(drawing, status, &file, path, error);
}

OozeStatus ooze_drawing_write_pdf(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    OozeText file = {0};
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        append, &file, drawing->width * POINTS_PER_PIXEL, drawing->height * POINTS_PER_PIXEL);
    /* Without a date equal drawings give equal bytes. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    cairo_status_t status = paint_surface(drawing, surface, POINTS_PER_PIXEL, true);
    cairo_surface_finish(surface);
    status = status ? status : cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return write_file(drawing, status, &file, path, error);
}

OozeStatus ooze_drawing_paint_over(const OozeDrawing *drawing, unsigned char *pixels, int width,
                                   OozeError *error)
{
    size_t row = (size_t)drawing->width, count = row * (size_t)drawing->height;
    uint32_t *words = ooze_alloc(count, sizeof *words); /* 0x00rrggbb, rows without padding */
    if (!words) {
        return fail_cairo(CAIRO_STATUS_NO_MEMORY, drawing, error);
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = pixels + 3 * (i / row * (size_t)width + i % row);
        words[i] = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    }
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data((unsigned char *)words, CAIRO_FORMAT_RGB24,
                                            drawing->width, drawing->height, 4 * drawing->width);
    cairo_status_t status = paint_surface(drawing, surface, 1, false);
    cairo_surface_destroy(surface);
    for (size_t i = 0; i < count && !status; i++) {
        unsigned char *p = pixels + 3 * (i / row * (size_t)width + i % row);
        for (int k = 0; k < 3; k++) {
            p[k] = (unsigned char)(words[i] >> (16 - 8 * k));
        }
    }
    ooze_free(words);
    return status ? fail_cairo(status, drawing, error) : OOZE_OK;
}
