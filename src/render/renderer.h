/* What the tests see of a renderer. */
#ifndef OOZE_RENDER_RENDERER_H
#define OOZE_RENDER_RENDERER_H

#include <stddef.h>

#include "ooze/render.h"
#include "render/camera.h"
#include "render/fluid.h"

/* The camera and the range of colours, as surveyed so far. */
OozeCamera ooze_renderer_camera(const OozeRenderer *renderer);
OozeTint ooze_renderer_tint(const OozeRenderer *renderer);

/* For `ooze version`. */
void ooze_render_describe(char *text, size_t size);

#endif
