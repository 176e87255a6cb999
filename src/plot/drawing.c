#include "plot/drawing.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "plot/font.h"

static OozeStroke *add_stroke(OozeDrawing *drawing, const OozePoint *points, size_t count)
{
    if (drawing->failed) {
        return NULL;
    }
    if (drawing->stroke_count == drawing->stroke_room) {
        size_t room = drawing->stroke_room * 2 + 64;
        OozeStroke *grown = ooze_grow(drawing->strokes, drawing->stroke_count, room, sizeof *grown);
        drawing->failed = !grown;
        if (!grown) {
            return NULL;
        }
        drawing->strokes = grown;
        drawing->stroke_room = room;
    }
    if (drawing->point_room - drawing->point_count < count) {
        size_t room = drawing->point_room * 2 + count + 64;
        OozePoint *grown = ooze_grow(drawing->points, drawing->point_count, room, sizeof *grown);
        drawing->failed = !grown;
        if (!grown) {
            return NULL;
        }
        drawing->points = grown;
        drawing->point_room = room;
    }
    OozeStroke *stroke = &drawing->strokes[drawing->stroke_count++];
    *stroke = (OozeStroke){.first = drawing->point_count, .count = count};
    memcpy(drawing->points + drawing->point_count, points, count * sizeof *points);
    drawing->point_count += count;
    return stroke;
}

void ooze_drawing_line(OozeDrawing *drawing, const OozePoint *points, size_t count, double width,
                       uint32_t color)
{
    OozeStroke *stroke = count > 0 ? add_stroke(drawing, points, count) : NULL;
    if (stroke) {
        stroke->kind = OOZE_STROKE_LINE;
        stroke->width = width;
        stroke->color = color;
    }
}

void ooze_drawing_shape(OozeDrawing *drawing, const OozePoint *points, size_t count, uint32_t color)
{
    OozeStroke *stroke = add_stroke(drawing, points, count);
    if (stroke) {
        stroke->kind = OOZE_STROKE_SHAPE;
        stroke->color = color;
    }
}

/* Bytes that are not UTF-8 would make the whole file unreadable. */
static void append_words(OozeText *text, const char *words)
{
    while (*words) {
        const char *start = words;
        uint32_t code = ooze_utf8_next(&words);
        bool broken = code == '?' && *start != '?';
        ooze_text_append_bytes(text, broken ? "?" : start, broken ? 1 : (size_t)(words - start));
    }
    ooze_text_append_bytes(text, "", 1);
}

void ooze_drawing_words(OozeDrawing *drawing, OozePoint at, const char *words, double size,
                        OozeAnchor anchor, bool bold, uint32_t color)
{
    OozeStroke *stroke = add_stroke(drawing, &at, 1);
    if (stroke) {
        stroke->kind = OOZE_STROKE_WORDS;
        stroke->width = size;
        stroke->color = color;
        stroke->anchor = anchor;
        stroke->bold = bold;
        stroke->text = drawing->text.length;
        append_words(&drawing->text, words);
        drawing->failed = drawing->failed || drawing->text.failed;
    }
}

void ooze_drawing_clear(OozeDrawing *drawing)
{
    ooze_free(drawing->strokes);
    ooze_free(drawing->points);
    ooze_text_clear(&drawing->text);
    *drawing = (OozeDrawing){0};
}

OozeStatus ooze_drawing_write_both(const OozeDrawing *drawing, const char *folder, const char *name,
                                   OozeError *error)
{
    OozeText svg = {0}, png = {0};
    ooze_text_append(&svg, "%s/%s.svg", folder, name);
    ooze_text_append(&png, "%s/%s.png", folder, name);
    OozeStatus status = svg.failed || png.failed ? ooze_fail_memory(error, "a path", 0)
                                                 : ooze_make_folder(folder, error);
    status = status ? status : ooze_drawing_write_svg(drawing, svg.data, error);
    status = status ? status : ooze_drawing_write_png(drawing, png.data, error);
    ooze_text_clear(&svg);
    ooze_text_clear(&png);
    return status;
}
