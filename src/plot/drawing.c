#include "plot/drawing.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* Capacity for one more item and `count` more points. */
static bool reserve(OozeDrawing *drawing, size_t count)
{
    if (drawing->item_count == drawing->item_capacity) {
        size_t capacity = drawing->item_capacity * 2 + 64;
        OozeDrawingItem *grown =
            ooze_grow(drawing->items, drawing->item_count, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        drawing->items = grown;
        drawing->item_capacity = capacity;
    }
    if (drawing->point_capacity - drawing->point_count < count) {
        size_t capacity = drawing->point_capacity * 2 + count + 64;
        OozePoint *grown =
            ooze_grow(drawing->points, drawing->point_count, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        drawing->points = grown;
        drawing->point_capacity = capacity;
    }
    return true;
}

static void add_item(OozeDrawing *drawing, OozeDrawingItem item, const OozePoint *points,
                     size_t count)
{
    drawing->failed = drawing->failed || !reserve(drawing, count);
    if (!drawing->failed && count > 0) {
        item.first_point = drawing->point_count;
        item.count = count;
        memcpy(drawing->points + drawing->point_count, points, count * sizeof *points);
        drawing->point_count += count;
        drawing->items[drawing->item_count++] = item;
    }
}

void ooze_drawing_line(OozeDrawing *drawing, const OozePoint *points, size_t count, double width,
                       uint32_t color)
{
    OozeDrawingItem item = {.kind = OOZE_ITEM_LINE, .width = width, .color = color};
    add_item(drawing, item, points, count);
}

void ooze_drawing_polygon(OozeDrawing *drawing, const OozePoint *points, size_t count,
                          uint32_t color, double opacity)
{
    OozeDrawingItem item = {.kind = OOZE_ITEM_POLYGON, .color = color, .opacity = opacity};
    add_item(drawing, item, points, count);
}

void ooze_drawing_text(OozeDrawing *drawing, OozePoint at, const char *text, OozeTextStyle style)
{
    OozeDrawingItem item = {.kind = OOZE_ITEM_TEXT, .style = style, .text = drawing->texts.length};
    for (size_t left = strlen(text), used; left > 0; left -= used, text += used) {
        uint32_t code = 0;
        size_t length = ooze_utf8_decode(text, left, &code);
        bool printable = length > 0 && code >= ' ';
        used = length > 0 ? length : 1;
        ooze_text_append_bytes(&drawing->texts, printable ? text : "?", printable ? used : 1);
    }
    ooze_text_append_bytes(&drawing->texts, "", 1);
    drawing->failed = drawing->failed || drawing->texts.failed;
    add_item(drawing, item, &at, 1);
}

void ooze_drawing_free(OozeDrawing *drawing)
{
    ooze_free(drawing->items);
    ooze_free(drawing->points);
    ooze_text_clear(&drawing->texts);
    *drawing = (OozeDrawing){0};
}

OozeStatus ooze_drawing_write(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    size_t length = strlen(path);
    const char *ending = path + (length < 4 ? 0 : length - 4);
    return strcmp(ending, ".png") == 0   ? ooze_drawing_write_png(drawing, path, error)
           : strcmp(ending, ".pdf") == 0 ? ooze_drawing_write_pdf(drawing, path, error)
                                         : ooze_drawing_write_svg(drawing, path, error);
}

OozeStatus ooze_drawing_write_all(const OozeDrawing *drawing, const char *folder, const char *name,
                                  OozeError *error)
{
    static const char *const endings[] = {"svg", "png", "pdf"};
    OozeStatus status = ooze_make_folder(folder, error);
    for (int i = 0; i < 3 && !status; i++) {
        OozeText path = {0};
        ooze_text_append(&path, "%s/%s.%s", folder, name, endings[i]);
        status = path.failed ? ooze_fail_memory(error, "a path", 0)
                             : ooze_drawing_write(drawing, path.data, error);
        ooze_text_clear(&path);
    }
    return status;
}
