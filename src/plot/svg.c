/* A drawing as SVG with <text> elements: text can be selected, searched and edited. */
#include "output/writer.h"
#include "plot/drawing.h"

static void print_points(OozeWriter *writer, const OozePoint *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ooze_writer_print(writer, "%s%.6g,%.6g", i > 0 ? " " : "", points[i].x, points[i].y);
    }
    ooze_writer_print(writer, "\"/>\n");
}

static void print_text(OozeWriter *writer, const OozeTextStyle *style, OozePoint at,
                       const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    ooze_writer_print(writer, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%.6g\" fill=\"#%06x\"%s%s>",
                      at.x, at.y, style->size, (unsigned)style->color, anchors[style->anchor],
                      style->bold ? " font-weight=\"bold\"" : "");
    ooze_writer_print_xml(writer, text);
    ooze_writer_print(writer, "</text>\n");
}

OozeStatus ooze_drawing_write_svg(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    /* Verdana has the widths of DejaVu Sans, by which the figure is laid out. */
    ooze_writer_print(&writer,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" stroke-linejoin=\"round\" stroke-linecap=\"round\" "
                      "font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n"
                      "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                      drawing->width, drawing->height, drawing->width, drawing->height,
                      drawing->width, drawing->height);
    for (size_t i = 0; i < drawing->item_count; i++) {
        const OozeDrawingItem *item = &drawing->items[i];
        const OozePoint *points = drawing->points + item->first_point;
        if (item->kind == OOZE_ITEM_TEXT) {
            print_text(&writer, &item->style, points[0], drawing->texts.data + item->text);
        } else if (item->kind == OOZE_ITEM_LINE) {
            ooze_writer_print(&writer,
                              "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.6g\" "
                              "points=\"",
                              (unsigned)item->color, item->width);
            print_points(&writer, points, item->count);
        } else {
            ooze_writer_print(&writer, "<polygon fill=\"#%06x\" fill-opacity=\"%.6g\" points=\"",
                              (unsigned)item->color, item->opacity);
            print_points(&writer, points, item->count);
        }
    }
    ooze_writer_print(&writer, "</svg>\n");
    return ooze_writer_commit(&writer, error);
}
