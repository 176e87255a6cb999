/* A drawing: lines, filled convex shapes and words on a page, in order. What a figure makes, and what
   becomes SVG or pixels. Units are pixels, x to the right, y down. */
#ifndef OOZE_PLOT_DRAWING_H
#define OOZE_PLOT_DRAWING_H

#include <stdint.h>

#include "base/text.h"

typedef enum OozeStrokeKind {
    OOZE_STROKE_LINE,  /* open polyline, round ends and corners */
    OOZE_STROKE_SHAPE, /* convex polygon, filled */
    OOZE_STROKE_WORDS, /* one line of text; its point is on the base line */
} OozeStrokeKind;

typedef enum OozeAnchor { OOZE_ANCHOR_START, OOZE_ANCHOR_MIDDLE, OOZE_ANCHOR_END } OozeAnchor;

typedef struct OozePoint {
    double x, y;
} OozePoint;

typedef struct OozeStroke {
    OozeStrokeKind kind;
    uint32_t color; /* 0xrrggbb */
    double width;   /* of a line; height of capitals and digits times 1.4 of words: font size */
    size_t first, count; /* points */
    size_t text;         /* words: where they start in the drawing's text */
    OozeAnchor anchor;
    bool bold;
} OozeStroke;

/* Adding to a drawing that ran out of memory does nothing; ask `failed` once at the end. */
typedef struct OozeDrawing {
    int width, height;
    OozeStroke *strokes;
    size_t stroke_count, stroke_room;
    OozePoint *points;
    size_t point_count, point_room;
    OozeText text; /* UTF-8, each run of words ends with a zero */
    bool failed;
} OozeDrawing;

void ooze_drawing_line(OozeDrawing *drawing, const OozePoint *points, size_t count, double width,
                       uint32_t color);
void ooze_drawing_shape(OozeDrawing *drawing, const OozePoint *points, size_t count,
                        uint32_t color);
void ooze_drawing_words(OozeDrawing *drawing, OozePoint at, const char *words, double size,
                        OozeAnchor anchor, bool bold, uint32_t color);
void ooze_drawing_clear(OozeDrawing *drawing); /* frees */

/* The file at `path`, whole or not at all; the same bytes for the same drawing. */
OozeStatus ooze_drawing_write_svg(const OozeDrawing *drawing, const char *path, OozeError *error);
OozeStatus ooze_drawing_write_png(const OozeDrawing *drawing, const char *path, OozeError *error);

/* Both, as folder/name.svg and .png; the folder is made. */
OozeStatus ooze_drawing_write_both(const OozeDrawing *drawing, const char *folder, const char *name,
                                   OozeError *error);

/* Pixels, 3 bytes each, on white. Free with ooze_free; NULL when out of memory. */
uint8_t *ooze_drawing_rasterise(const OozeDrawing *drawing);

#endif
