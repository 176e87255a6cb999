/* PNG files. */
#ifndef OOZE_RENDER_PNG_H
#define OOZE_RENDER_PNG_H

#include <stdbool.h>
#include <stdint.h>

#include "ooze/status.h"

/* Writes a picture of 3 bytes a pixel with a text chunk `key`; the file appears complete or not at
   all. cairo's PNG writer has no text chunks. */
OozeStatus ooze_png_write(const char *path, const unsigned char *pixels, uint32_t width,
                          uint32_t height, const char *key, const char *text, OozeError *error);
/* Whether the file is complete and its text chunk `key` is `text`. */
bool ooze_png_has_text(const char *path, const char *key, const char *text);

#endif
