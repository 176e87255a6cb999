/* A drawing as SVG: words stay words, so that they can be searched and copied. */
#include "output/writer.h"
#include "plot/drawing.h"

/* Coordinates to a hundredth of a pixel, without the zeros at the end. */
static void print_number(OozeWriter *writer, double value)
{
    long hundredths = (long)(value * 100 + (value < 0 ? -0.5 : 0.5));
    long size = hundredths < 0 ? -hundredths : hundredths;
    ooze_writer_print(writer, "%s%ld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 != 0) {
        ooze_writer_print(writer, size % 10 ? ".%02ld" : ".%ld",
                          size % 10 ? size % 100 : size % 100 / 10);
    }
}

static void print_points(OozeWriter *writer, const OozePoint *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ooze_writer_print(writer, i > 0 ? " " : "");
        print_number(writer, points[i].x);
        ooze_writer_print(writer, ",");
        print_number(writer, points[i].y);
    }
    ooze_writer_print(writer, "\"");
}

static void print_words(OozeWriter *writer, const OozeStroke *stroke, OozePoint at,
                        const char *words)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    ooze_writer_print(writer, "<text x=\"");
    print_number(writer, at.x);
    ooze_writer_print(writer, "\" y=\"");
    print_number(writer, at.y);
    ooze_writer_print(writer, "\" font-size=\"");
    print_number(writer, stroke->width);
    ooze_writer_print(writer, "\" fill=\"#%06x\" stroke=\"none\"%s%s>", (unsigned)stroke->color,
                      anchors[stroke->anchor], stroke->bold ? " font-weight=\"600\"" : "");
    ooze_writer_print_xml(writer, words);
    ooze_writer_print(writer, "</text>\n");
}

OozeStatus ooze_drawing_write_svg(const OozeDrawing *drawing, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    ooze_writer_print(&writer,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" fill=\"none\" stroke-linejoin=\"round\" "
                      "stroke-linecap=\"round\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
                      "sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                      drawing->width, drawing->height, drawing->width, drawing->height,
                      drawing->width, drawing->height);
    for (size_t i = 0; i < drawing->stroke_count; i++) {
        const OozeStroke *stroke = &drawing->strokes[i];
        const OozePoint *points = drawing->points + stroke->first;
        switch (stroke->kind) {
        case OOZE_STROKE_LINE:
            ooze_writer_print(&writer, "<polyline stroke=\"#%06x\" stroke-width=\"",
                              (unsigned)stroke->color);
            print_number(&writer, stroke->width);
            ooze_writer_print(&writer, "\" points=\"");
            print_points(&writer, points, stroke->count);
            ooze_writer_print(&writer, "/>\n");
            break;
        case OOZE_STROKE_SHAPE:
            ooze_writer_print(&writer, "<polygon fill=\"#%06x\" points=\"",
                              (unsigned)stroke->color);
            print_points(&writer, points, stroke->count);
            ooze_writer_print(&writer, "/>\n");
            break;
        case OOZE_STROKE_WORDS:
            print_words(&writer, stroke, points[0], drawing->text.data + stroke->text);
            break;
        }
    }
    ooze_writer_print(&writer, "</svg>\n");
    return ooze_writer_commit(&writer, error);
}
