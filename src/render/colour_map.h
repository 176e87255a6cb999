/* The colour map of pictures that are coloured by a field. */
#ifndef OOZE_RENDER_COLOUR_MAP_H
#define OOZE_RENDER_COLOUR_MAP_H

#include <stdint.h>

#include "render/float3.h"

/* Colour of a position from 0 to 1, clamped: dark violet over green to yellow, with evenly
   increasing lightness, so that the map is readable in grey as well. Linear RGB, or sRGB as
   0xrrggbb. */
OozeF3 ooze_colour_map(float position);
uint32_t ooze_colour_map_srgb(float position);

#endif
