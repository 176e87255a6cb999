/* Procedural textures of solids: colours that vary over the surface. */
#ifndef OOZE_RENDER_TEXTURE_H
#define OOZE_RENDER_TEXTURE_H

#include "ooze/look.h"
#include "render/float3.h"

/* Colour at a point of the solid's own axes (y points up), m. `scale`: the length of the pattern,
   m. `normal`: of any length. A white base stays within 0 to 1. */
OozeF3 ooze_texture_color(OozeTexture texture, OozeF3 base, float scale, OozeF3 point,
                          OozeF3 normal);

/* Length of the pattern of a look without one, m. `size`: radius of what is in view. */
float ooze_texture_default_scale(OozeTexture texture, float size);

#endif
