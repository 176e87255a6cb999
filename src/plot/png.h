/* Pixels as PNG, packed by own code: the bytes depend on no library's version. */
#ifndef OOZE_PLOT_PNG_H
#define OOZE_PLOT_PNG_H

#include <stdint.h>

#include "base/text.h"

/* Appends the whole file of width x height pixels, 3 bytes each; ask `file->failed`. */
void ooze_png_pack(const uint8_t *pixels, int width, int height, OozeText *file);

#endif
