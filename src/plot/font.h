/* A small font of plain strokes, for pixels; SVG uses the reader's own fonts, of much the same width. */
#ifndef OOZE_PLOT_FONT_H
#define OOZE_PLOT_FONT_H

#include "plot/drawing.h"

/* Width in pixels of one line of UTF-8. */
double ooze_font_width(const char *text, double size);

/* Gives every stroke of the text as a polyline to `take`; `at` is the start of the base line. */
typedef void (*OozeFontTake)(void *context, const OozePoint *points, size_t count);
void ooze_font_draw(const char *text, double size, OozePoint at, OozeFontTake take, void *context);

/* The next character, moving `*text` over it; a byte that is not UTF-8 counts as '?'. 0 at the end. */
uint32_t ooze_utf8_next(const char **text);

#endif
