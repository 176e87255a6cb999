/* Names and versions of the libraries that render. */
#include <embree3/rtcore.h>
#include <png.h>
#include <stdio.h>

#include "render/renderer.h"

void ooze_render_describe(char *text, size_t size)
{
    snprintf(text, size, "Embree %s, libpng %s", RTC_VERSION_STRING, PNG_LIBPNG_VER_STRING);
}
