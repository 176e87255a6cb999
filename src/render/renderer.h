/* The renderer's parts that its tests check, and its description. */
#ifndef OOZE_RENDER_RENDERER_H
#define OOZE_RENDER_RENDERER_H

#include <stddef.h>

#include "ooze/render.h"
#include "render/camera.h"
#include "render/fluid.h"

/* Fails for the first setting outside its limits. */
OozeStatus ooze_render_def_check(const OozeRenderDef *def, OozeError *error);

/* Camera and colour range for the frames surveyed so far. */
OozeCamera ooze_renderer_camera(const OozeRenderer *renderer);
OozeColorField ooze_renderer_color_field(const OozeRenderer *renderer);

/* Versions of the libraries, for `ooze version`. */
void ooze_render_describe(char *text, size_t size);

#endif
