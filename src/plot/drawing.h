/* A drawing: lines, filled polygons and text on a page, in the order in which they are painted.
   Units are pixels, x to the right, y down. SVG is written from this list, because cairo's SVG
   surface turns text into outlines; cairo paints PNG and PDF files and drawings over pictures. */
#ifndef OOZE_PLOT_DRAWING_H
#define OOZE_PLOT_DRAWING_H

#include <stdint.h>

#include "base/text.h"

typedef struct OozePoint {
    double x, y;
} OozePoint;

typedef enum OozeAnchor { OOZE_ANCHOR_START, OOZE_ANCHOR_MIDDLE, OOZE_ANCHOR_END } OozeAnchor;

typedef struct OozeTextStyle {
    double size;    /* of the font, pixels */
    uint32_t color; /* 0xrrggbb */
    OozeAnchor anchor;
    bool bold;
} OozeTextStyle;

typedef enum OozeItemKind {
    OOZE_ITEM_LINE,    /* open polyline, round caps and joins; one point is a dot */
    OOZE_ITEM_POLYGON, /* filled */
    OOZE_ITEM_TEXT,    /* one line of text; its point is the anchor on the baseline */
} OozeItemKind;

typedef struct OozeDrawingItem {
    OozeItemKind kind;
    uint32_t color;            /* 0xrrggbb, of lines and polygons */
    double width;              /* of a line */
    double opacity;            /* of a polygon */
    OozeTextStyle style;       /* of a text */
    size_t text;               /* offset of the string in the drawing's texts */
    size_t first_point, count; /* in the drawing's points */
} OozeDrawingItem;

/* Adding to a drawing that is out of memory has no effect; `failed` is checked once at the end. */
typedef struct OozeDrawing {
    int width, height;
    OozeDrawingItem *items;
    size_t item_count, item_capacity;
    OozePoint *points;
    size_t point_count, point_capacity;
    OozeText texts; /* UTF-8 strings, each terminated by a zero */
    bool failed;
} OozeDrawing;

void ooze_drawing_line(OozeDrawing *drawing, const OozePoint *points, size_t count, double width,
                       uint32_t color);
void ooze_drawing_polygon(OozeDrawing *drawing, const OozePoint *points, size_t count,
                          uint32_t color, double opacity);
/* Bytes that are not UTF-8 and control characters are replaced by '?'. */
void ooze_drawing_text(OozeDrawing *drawing, OozePoint at, const char *text, OozeTextStyle style);
void ooze_drawing_free(OozeDrawing *drawing);

/* Width in pixels of one line of UTF-8 text. */
double ooze_text_width(const char *text, double font_size);

/* Writes SVG, PNG or PDF, as the end of `path` says (SVG for any other). The file appears complete
   or not at all; equal drawings give equal bytes. */
OozeStatus ooze_drawing_write(const OozeDrawing *drawing, const char *path, OozeError *error);
/* All three, as folder/name.svg, .png and .pdf; the folder is created. */
OozeStatus ooze_drawing_write_all(const OozeDrawing *drawing, const char *folder, const char *name,
                                  OozeError *error);
/* Paints the drawing over a part of a picture of 3 bytes a pixel and `width` pixels a row: `pixels`
   is the part's upper left pixel. */
OozeStatus ooze_drawing_paint_over(const OozeDrawing *drawing, unsigned char *pixels, int width,
                                   OozeError *error);

/* The writers behind ooze_drawing_write. */
OozeStatus ooze_drawing_write_svg(const OozeDrawing *drawing, const char *path, OozeError *error);
OozeStatus ooze_drawing_write_png(const OozeDrawing *drawing, const char *path, OozeError *error);
OozeStatus ooze_drawing_write_pdf(const OozeDrawing *drawing, const char *path, OozeError *error);

#endif
