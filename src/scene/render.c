/* Defaults of pictures, needed to read a scene also in a build without a renderer. */
#include "ooze/render.h"

#include <math.h>

#include "scene/scene.h"

OozeRenderDef ooze_render_def_default(void)
{
    const OozeVec3 automatic = {NAN, NAN, NAN};
    return (OozeRenderDef){.camera_position = automatic,
                           .look_at = automatic,
                           .view_low = automatic,
                           .view_high = automatic,
                           .field_of_view = 30.0,
                           .size = {960, 540, 0},
                           .f_number = NAN,
                           .aperture = NAN,
                           .focus_distance = NAN,
                           .environment_strength = 1.0,
                           .caustics = true,
                           .firefly_limit = 12.0,
                           .denoise = true,
                           .color_low = NAN,
                           .color_high = NAN};
}

OozeLightDef ooze_light_def_default(void)
{
    return (OozeLightDef){.size = 1.0, .color = {1, 1, 1}, .strength = 1.0};
}

const OozeRenderDef *ooze_scene_render(const OozeScene *scene)
{
    return scene ? &scene->def.render : NULL;
}
