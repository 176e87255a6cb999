/* Rows of the key table: looks, and the picture. */
#include <math.h>

#include "scene/scene.h"
#include "scene/table.h"

/* ---- look ------------------------------------------------------------------------------------ */

static void look_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeLookDef *)item = ooze_look_def_default();
}

static const char *look_name(int index)
{
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    return index < count ? looks[index].name : NULL;
}

#define LOOK_ROW "that of the look"

static const OozeKey look_keys[] = {
    {"type", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeLookDef, type),
     .help = "a named look; the other keys change it", .choice = look_name},
    {"color", OOZE_KEY_COLOR, "", 0.0, 1.0, offsetof(OozeLookDef, color),
     .help = "of the body; of a clear one, the colour of white light after `depth`",
     .default_text = "the look's own, or that of the material or solid"},
    {"depth", OOZE_KEY_REAL, "m", 1e-9, 1e6, offsetof(OozeLookDef, depth),
     .help = "distance in a clear or translucent body after which white light has the colour",
     .default_text = "a share of the fluid's extent, so that a scene looks the same at any size"},
    {"refraction", OOZE_KEY_REAL, "", 1.0, 3.0, offsetof(OozeLookDef, refraction),
     .help = "index of the body or of its coat", .default_text = LOOK_ROW},
    {"roughness", OOZE_KEY_REAL, "", 0.0, 1.0, offsetof(OozeLookDef, roughness),
     .help = "0: reflects like a mirror, 1: dull", .default_text = LOOK_ROW},
    {"coat", OOZE_KEY_REAL, "", 0.0, 1.0, offsetof(OozeLookDef, coat),
     .help = "strength of the coat of an opaque or translucent body", .default_text = LOOK_ROW},
    {"cloudiness", OOZE_KEY_REAL, "", 0.0, 100.0, offsetof(OozeLookDef, cloudiness),
     .help = "mean number of scatterings over one `depth` of a clear body",
     .default_text = LOOK_ROW},
    {"translucency", OOZE_KEY_REAL, "", 0.0, 1.0, offsetof(OozeLookDef, translucency),
     .help = "share of the light that enters a translucent body", .default_text = LOOK_ROW},
    {"scale", OOZE_KEY_REAL, "m", 1e-9, 1e6, offsetof(OozeLookDef, scale),
     .help = "length of the pattern of a textured solid: width of a plank of `wood`, distance of "
             "the veins of `marble` and of the checks of `cloth`, radius of a `plate`",
     .default_text = "a share of what is in view; of a `plate`, its own radius"},
    {"glow", OOZE_KEY_REAL, "", 0.0, 1000.0, offsetof(OozeLookDef, glow),
     .help = "radiance of the light that it emits at `glow_temperature`, white is 1: bright orange "
             "at 1150 degC, dull red at 800; fluids of scenes with heat glow by their own "
             "temperature, others as at `glow_temperature`",
     .default_text = LOOK_ROW},
    {"glow_temperature", OOZE_KEY_REAL, "degC", 300.0, 1e4, offsetof(OozeLookDef, glow_temperature),
     .help = "at which `glow` is emitted", .default_text = "1150"},
};

const OozeSection ooze_section_look = {
    .name = "look",
    .help = "Appearance of a material or solid in pictures: a name (`look: honey`), or a map "
            "that changes some of its numbers (`look: {type: honey, depth: 0.02}`). "
            "[rendering.md](rendering.md) shows them.",
    .keys = look_keys,
    .key_count = OOZE_COUNT(look_keys),
    .size = sizeof(OozeLookDef),
    .defaults = look_defaults,
    .shorthand = "type",
};

/* ---- camera, colours, lights ----------------------------------------------------------------- */

/* Stored in the definition of the render section: offsets count from its beginning. */

#define COORDINATE -OOZE_PICTURE_COORDINATE_MAX, OOZE_PICTURE_COORDINATE_MAX

static const OozeKey camera_keys[] = {
    {"position", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeRenderDef, camera_position),
     .help = "of the camera",
     .default_text = "99.5% of the fluid and the moving objects are in view in every frame"},
    {"look_at", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeRenderDef, look_at),
     .help = "the point in the middle of the picture",
     .default_text = "the middle of the moving objects"},
    {"field_of_view", OOZE_KEY_REAL, "deg", 1.0, 150.0, offsetof(OozeRenderDef, field_of_view),
     .help = "vertical angle", .default_text = "30"},
    {"low", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeRenderDef, view_low),
     .help = "lowest corner of the box in view; needs `high`",
     .default_text = "that of the fluid and the moving objects"},
    {"high", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeRenderDef, view_high),
     .help = "highest corner of the box in view",
     .default_text = "that of the fluid and the moving objects"},
    {"follow", OOZE_KEY_MATERIAL, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, follow),
     .help = "the camera keeps 99.5% of this material's particles in view and moves with them; "
             "with a `position`, it only turns",
     .default_text = "none"},
    {"f_number", OOZE_KEY_REAL, "", 0.1, 1000.0, offsetof(OozeRenderDef, f_number),
     .help = "of a lens whose image has the size of 35 mm film: a small one blurs what is not in "
             "focus",
     .default_text = "everything is sharp"},
    {"aperture", OOZE_KEY_REAL, "m", 0.0, OOZE_PICTURE_COORDINATE_MAX,
     offsetof(OozeRenderDef, aperture), .help = "diameter of the lens, instead of an f-number",
     .default_text = "everything is sharp"},
    {"focus_distance", OOZE_KEY_REAL, "m", 1e-6, OOZE_PICTURE_COORDINATE_MAX,
     offsetof(OozeRenderDef, focus_distance), .help = "of the plane in focus from the camera",
     .default_text = "that of `focus`"},
    {"focus", OOZE_KEY_TEXT, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, focus),
     .help = "name of the material or solid in focus", .default_text = "the fluid"},
};

static void render_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeRenderDef *)item = ooze_render_def_default();
}

static const OozeSection section_camera = {
    .name = "camera",
    .help = "Position and direction of the camera.",
    .keys = camera_keys,
    .key_count = OOZE_COUNT(camera_keys),
    .size = sizeof(OozeRenderDef),
};

static const OozeKey color_keys[] = {
    {"field", OOZE_KEY_TEXT, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, color_by),
     .help = "a field of the particles (`ooze info` lists them; of vectors and tensors the "
             "magnitude), or `speed`",
     .required = OOZE_REQUIRED},
    {"low", OOZE_KEY_REAL, "", OOZE_FREE, offsetof(OozeRenderDef, color_low),
     .help = "value at the dark end", .default_text = "the smallest of the run"},
    {"high", OOZE_KEY_REAL, "", OOZE_FREE, offsetof(OozeRenderDef, color_high),
     .help = "value at the bright end", .default_text = "the largest of the run"},
};

static const OozeSection section_color_by = {
    .name = "color_by",
    .help = "Colours by a field of the particles, with a legend: a name "
            "(`color_by: speed`), or a map.",
    .keys = color_keys,
    .key_count = OOZE_COUNT(color_keys),
    .size = sizeof(OozeRenderDef),
    .shorthand = "field",
};

static const OozeKey environment_keys[] = {
    {"type", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, environment),
     .help = "`studio`: soft boxes in a grey room; `sky`: sun and clear sky; `kitchen`: a window "
             "and a warm lamp; `backdrop`: the lights of the backdrop",
     .choices = "backdrop|studio|sky|kitchen"},
    {"rotation", OOZE_KEY_REAL, "deg", -360.0, 360.0, offsetof(OozeRenderDef, environment_rotation),
     .help = "about the axis up, from its place relative to the camera"},
    {"strength", OOZE_KEY_REAL, "", 0.0, OOZE_LIGHT_STRENGTH_MAX,
     offsetof(OozeRenderDef, environment_strength), .help = "factor of its light"},
};

static const OozeSection section_environment = {
    .name = "environment",
    .help = "Light from all around: a name (`environment: kitchen`), or a map.",
    .keys = environment_keys,
    .key_count = OOZE_COUNT(environment_keys),
    .size = sizeof(OozeRenderDef),
    .shorthand = "type",
};

static void light_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeLightDef *)item = ooze_light_def_default();
}

static const OozeKey light_keys[] = {
    {"position", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeLightDef, position),
     .help = "of its centre", .required = OOZE_REQUIRED},
    {"target", OOZE_KEY_VEC3, "m", COORDINATE, offsetof(OozeLightDef, target),
     .help = "the point it faces"},
    {"size", OOZE_KEY_REAL, "m", OOZE_LIGHT_SIZE_MIN, OOZE_PICTURE_COORDINATE_MAX,
     offsetof(OozeLightDef, size),
     .help = "edge of the square light: a larger one has softer shadows"},
    {"color", OOZE_KEY_COLOR, "", 0.0, 1.0, offsetof(OozeLightDef, color), .help = "of the light"},
    {"strength", OOZE_KEY_REAL, "", 0.0, OOZE_LIGHT_STRENGTH_MAX, offsetof(OozeLightDef, strength),
     .help = "at the target; 1: a white surface that faces the light is white in the picture"},
};

static const OozeSection section_light = {
    .name = "light",
    .plural = "lights",
    .help = "Lights that replace those of the backdrop.",
    .keys = light_keys,
    .key_count = OOZE_COUNT(light_keys),
    .size = sizeof(OozeLightDef),
    .defaults = light_defaults,
};

/* ---- render ---------------------------------------------------------------------------------- */

static const OozeKey render_keys[] = {
    {"camera", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, 0, .help = "its position and direction",
     .section = &section_camera, .default_text = "all moving objects are in view"},
    {"size", OOZE_KEY_VEC2, "pixels", 16.0, OOZE_PICTURE_SIDE_MAX, offsetof(OozeRenderDef, size),
     .help = "width and height"},
    {"samples", OOZE_KEY_INTEGER, "", 0.0, OOZE_PICTURE_SAMPLES_MAX,
     offsetof(OozeRenderDef, samples),
     .help = "light paths per pixel, more of them where there is more noise: the mean; 0: 64 for a "
             "single picture, 6 for each of several"},
    {"time_limit", OOZE_KEY_REAL, "s", 0.0, 1e6, offsetof(OozeRenderDef, time_limit),
     .help = "paths are added where there is noise until a picture has taken this time; 0: "
             "`samples` decides"},
    {"denoise", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, denoise),
     .help = "smooths the remaining noise, but not across edges"},
    {"backdrop", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, backdrop),
     .help = "surroundings of the scene, and their lights", .choices = "studio|grid|sky"},
    {"environment", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, 0,
     .help = "light from all around instead of the lights of the backdrop",
     .section = &section_environment, .default_text = "the lights of the backdrop"},
    {"shutter", OOZE_KEY_REAL, "frames", 0.0, 10.0, offsetof(OozeRenderDef, shutter),
     .help = "share of the time between two frames that the shutter is open: moving things are "
             "blurred; 0.5 is usual in films"},
    {"caustics", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, caustics),
     .help = "clear fluid and glass focus the light that passes them"},
    {"firefly_limit", OOZE_KEY_REAL, "", 0.0, 1e6, offsetof(OozeRenderDef, firefly_limit),
     .help = "largest radiance that one path brings by chance, white is 1; 0: none"},
    {"exposure", OOZE_KEY_REAL, "stops", -20.0, 20.0, offsetof(OozeRenderDef, exposure),
     .help = "1 doubles the light"},
    {"lights", OOZE_KEY_LIST, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, lights),
     .help = "instead of those of the backdrop", .section = &section_light,
     .count_offset = offsetof(OozeRenderDef, light_count)},
    {"color_by", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, 0,
     .help = "colours by a field of the particles", .section = &section_color_by,
     .default_text = "the looks"},
    {"particles", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeRenderDef, particles),
     .help = "particles as spheres instead of the surface"},
};

const OozeSection ooze_section_render = {
    .name = "render",
    .help = "Defaults of `ooze render`; they do not change the simulation.",
    .keys = render_keys,
    .key_count = OOZE_COUNT(render_keys),
    .size = sizeof(OozeRenderDef),
    .defaults = render_defaults,
};
