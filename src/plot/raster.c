/* A drawing as pixels. Lines and shapes are anti-aliased by the distance of a pixel's centre from their
   edge; one line is gathered in a mask before it is laid on, so that its corners do not darken. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plot/drawing.h"
#include "plot/font.h"

typedef struct Canvas {
    int width, height;
    uint8_t *pixels;
    float *mask;        /* coverage by the present line */
    int x0, y0, x1, y1; /* what of the mask is used, ends excluded */
    double radius;      /* half the present line's width */
    const OozeStroke *stroke;
} Canvas;

static int clamp_int(double value, int low, int high)
{
    return value <= low ? low : value >= high ? high : (int)value;
}

static double distance_to_segment(double px, double py, OozePoint a, OozePoint b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((px - a.x) * dx + (py - a.y) * dy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double ex = px - a.x - t * dx, ey = py - a.y - t * dy;
    return sqrt(ex * ex + ey * ey);
}

/* Pixels of the rows that the segment crosses, each row only as far as the line reaches. */
static void cover_segment(Canvas *canvas, OozePoint a, OozePoint b)
{
    double reach = canvas->radius + 1;
    int y0 = clamp_int(floor(fmin(a.y, b.y) - reach), 0, canvas->height);
    int y1 = clamp_int(ceil(fmax(a.y, b.y) + reach), 0, canvas->height);
    for (int y = y0; y < y1; y++) {
        double low = fmin(a.x, b.x), high = fmax(a.x, b.x);
        double dy = b.y - a.y;
        if (fabs(dy) > 1e-9) { /* the stretch within `reach` of this row, by rows */
            double at0 = a.x + (y + 0.5 - reach - a.y) / dy * (b.x - a.x);
            double at1 = a.x + (y + 0.5 + reach - a.y) / dy * (b.x - a.x);
            low = fmax(low, fmin(at0, at1));
            high = fmin(high, fmax(at0, at1));
        }
        int x0 = clamp_int(floor(low - reach), 0, canvas->width);
        int x1 = clamp_int(ceil(high + reach), 0, canvas->width);
        for (int x = x0; x < x1; x++) {
            double covered = canvas->radius + 0.5 - distance_to_segment(x + 0.5, y + 0.5, a, b);
            float *mask = &canvas->mask[(size_t)y * (size_t)canvas->width + (size_t)x];
            /* A hair line covers no more than its own width. */
            double most = fmin(1, 2 * canvas->radius);
            float value = (float)(covered <= 0 ? 0 : covered >= most ? most : covered);
            *mask = value > *mask ? value : *mask;
        }
        canvas->x0 = x0 < canvas->x0 ? x0 : canvas->x0;
        canvas->x1 = x1 > canvas->x1 ? x1 : canvas->x1;
    }
    canvas->y0 = y0 < canvas->y0 ? y0 : canvas->y0;
    canvas->y1 = y1 > canvas->y1 ? y1 : canvas->y1;
}

static void cover_line(void *context, const OozePoint *points, size_t count)
{
    Canvas *canvas = context;
    for (size_t i = 0; i + 1 < count; i++) {
        cover_segment(canvas, points[i], points[i + 1]);
    }
    if (count == 1) {
        cover_segment(canvas, points[0], points[0]);
    }
}

static void lay(Canvas *canvas, int x, int y, double share)
{
    uint8_t *pixel = canvas->pixels + ((size_t)y * (size_t)canvas->width + (size_t)x) * 3;
    for (int c = 0; c < 3; c++) {
        double ink = (double)(canvas->stroke->color >> (16 - 8 * c) & 0xff);
        pixel[c] = (uint8_t)(pixel[c] + (ink - pixel[c]) * share + 0.5);
    }
}

static void begin_mask(Canvas *canvas, double width)
{
    canvas->radius = width / 2;
    canvas->x0 = canvas->width;
    canvas->y0 = canvas->height;
    canvas->x1 = canvas->y1 = 0;
}

static void lay_mask(Canvas *canvas)
{
    for (int y = canvas->y0; y < canvas->y1; y++) {
        for (int x = canvas->x0; x < canvas->x1; x++) {
            float *mask = &canvas->mask[(size_t)y * (size_t)canvas->width + (size_t)x];
            if (*mask > 0) {
                lay(canvas, x, y, (double)*mask);
                *mask = 0;
            }
        }
    }
}

/* Convex, either way round: the distance to the edge is the largest of those to the edges' lines. */
static void fill_shape(Canvas *canvas, const OozePoint *points, size_t count)
{
    double x0 = 1e30, y0 = 1e30, x1 = -1e30, y1 = -1e30, area = 0;
    for (size_t i = 0; i < count; i++) {
        OozePoint a = points[i], b = points[(i + 1) % count];
        x0 = fmin(x0, a.x);
        x1 = fmax(x1, a.x);
        y0 = fmin(y0, a.y);
        y1 = fmax(y1, a.y);
        area += a.x * b.y - b.x * a.y;
    }
    double turn = area < 0 ? -1 : 1;
    for (int y = clamp_int(y0 - 1, 0, canvas->height); y < clamp_int(y1 + 2, 0, canvas->height);
         y++) {
        for (int x = clamp_int(x0 - 1, 0, canvas->width); x < clamp_int(x1 + 2, 0, canvas->width);
             x++) {
            double covered = 1;
            for (size_t i = 0; i < count; i++) {
                OozePoint a = points[i], b = points[(i + 1) % count];
                double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
                double inside =
                    length > 0 ? turn * (dx * (y + 0.5 - a.y) - dy * (x + 0.5 - a.x)) / length : 1;
                covered = fmin(covered, inside + 0.5);
            }
            if (covered > 0) {
                lay(canvas, x, y, covered);
            }
        }
    }
}

static void draw_words(Canvas *canvas, OozePoint at, const char *words)
{
    const OozeStroke *stroke = canvas->stroke;
    double width = ooze_font_width(words, stroke->width);
    at.x -= stroke->anchor == OOZE_ANCHOR_END      ? width
            : stroke->anchor == OOZE_ANCHOR_MIDDLE ? width / 2
                                                   : 0;
    begin_mask(canvas, stroke->width * (stroke->bold ? 0.135 : 0.092));
    ooze_font_draw(words, stroke->width, at, cover_line, canvas);
    lay_mask(canvas);
}

uint8_t *ooze_drawing_rasterise(const OozeDrawing *drawing)
{
    size_t area = (size_t)drawing->width * (size_t)drawing->height;
    Canvas canvas = {.width = drawing->width,
                     .height = drawing->height,
                     .pixels = ooze_alloc(area, 3),
                     .mask = ooze_alloc_zero(area, sizeof(float))};
    if (!canvas.pixels || !canvas.mask) {
        ooze_free(canvas.pixels);
        ooze_free(canvas.mask);
        return NULL;
    }
    memset(canvas.pixels, 255, area * 3);
    for (size_t i = 0; i < drawing->stroke_count; i++) {
        const OozeStroke *stroke = canvas.stroke = &drawing->strokes[i];
        const OozePoint *points = drawing->points + stroke->first;
        switch (stroke->kind) {
        case OOZE_STROKE_LINE:
            begin_mask(&canvas, stroke->width);
            cover_line(&canvas, points, stroke->count);
            lay_mask(&canvas);
            break;
        case OOZE_STROKE_SHAPE:
            fill_shape(&canvas, points, stroke->count);
            break;
        case OOZE_STROKE_WORDS:
            draw_words(&canvas, points[0], drawing->text.data + stroke->text);
            break;
        }
    }
    ooze_free(canvas.mask);
    return canvas.pixels;
}
