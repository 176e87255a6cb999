/* PNG files. */
#ifndef OOZE_RENDER_PNG_H
#define OOZE_RENDER_PNG_H

#include <stdbool.h>
#include <stdint.h>

#include "ooze/status.h"

/* A picture of 3 bytes a pixel with one line of text kept under a key; written whole or not at all. */
OozeStatus ooze_png_write(const char *path, const unsigned char *pixels, uint32_t width,
                          uint32_t height, const char *key, const char *text, OozeError *error);
/* Whether a whole file stands there whose text under `key` is this one. */
bool ooze_png_has_text(const char *path, const char *key, const char *text);

#endif
