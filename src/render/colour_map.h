/* Numbers into colours, and the legend that says which is which. */
#ifndef OOZE_RENDER_COLOUR_MAP_H
#define OOZE_RENDER_COLOUR_MAP_H

#include <stdint.h>

#include "render/float3.h"

/* Linear RGB for a share from 0 to 1: dark blue over green to yellow, growing brighter evenly so that
   it can be read without colours too. Shares outside are held at the ends. */
OozeF3 ooze_colour_map(float share);

/* Text in a tiny font of its own, 5 x 7 dots of `dot` pixels; unknown characters are left blank. */
void ooze_draw_text(unsigned char *pixels, uint32_t width, uint32_t height, int x, int y, int dot,
                    const unsigned char rgb[3], const char *text);
int ooze_text_width(const char *text, int dot);
/* Bits of a glyph's row, the leftmost dot highest of five; NULL: not in the font. */
const unsigned char *ooze_glyph(char c);

/* A bar of the colours at the right edge, with its ends, middle, name and unit. */
void ooze_draw_legend(unsigned char *pixels, uint32_t width, uint32_t height, const char *name,
                      const char *unit, double low, double high);

#endif
