/* Limits of the settings of a picture. Within them all numbers of the ray tracer are finite. */
#include <stddef.h>

#include "base/color.h"
#include "base/fail.h"
#include "base/vec3.h"
#include "render/lights.h"
#include "render/renderer.h"
#include "scene/scene.h"

enum { THREADS_MAX = 1024 };

typedef struct Limit {
    const char *name;
    size_t offset; /* of a double */
    double min, max;
    bool automatic; /* NAN is allowed */
    const char *hint;
} Limit;

#define FIELD(name) offsetof(OozeRenderDef, name)
#define PLACE       -OOZE_PICTURE_COORDINATE_MAX, OOZE_PICTURE_COORDINATE_MAX
static const Limit def_limits[] = {
    {"x of the camera", FIELD(camera_position.x), PLACE, true, "metres"},
    {"y of the camera", FIELD(camera_position.y), PLACE, true, "metres"},
    {"z of the camera", FIELD(camera_position.z), PLACE, true, "metres"},
    {"x of the point to look at", FIELD(look_at.x), PLACE, true, "metres"},
    {"y of the point to look at", FIELD(look_at.y), PLACE, true, "metres"},
    {"z of the point to look at", FIELD(look_at.z), PLACE, true, "metres"},
    {"x of the low corner in view", FIELD(view_low.x), PLACE, true, "metres"},
    {"y of the low corner in view", FIELD(view_low.y), PLACE, true, "metres"},
    {"z of the low corner in view", FIELD(view_low.z), PLACE, true, "metres"},
    {"x of the high corner in view", FIELD(view_high.x), PLACE, true, "metres"},
    {"y of the high corner in view", FIELD(view_high.y), PLACE, true, "metres"},
    {"z of the high corner in view", FIELD(view_high.z), PLACE, true, "metres"},
    {"field of view", FIELD(field_of_view), 1.0, 150.0, false, "degrees; 30 is usual"},
    {"exposure", FIELD(exposure), -20.0, 20.0, false, "stops; 0 is usual"},
    {"f-number", FIELD(f_number), 0.1, 1000.0, true, "2.8 is usual for a blurred background"},
    {"aperture", FIELD(aperture), 0.0, OOZE_PICTURE_COORDINATE_MAX, true, "metres"},
    {"distance in focus", FIELD(focus_distance), 1e-6, OOZE_PICTURE_COORDINATE_MAX, true, "metres"},
    {"shutter", FIELD(shutter), 0.0, 10.0, false, "a share of the time between two frames"},
    {"time limit", FIELD(time_limit), 0.0, 1e6, false, "seconds"},
    {"rotation of the environment", FIELD(environment_rotation), -360.0, 360.0, false, "degrees"},
    {"strength of the environment", FIELD(environment_strength), 0.0, OOZE_LIGHT_STRENGTH_MAX,
     false, "1 is usual"},
    {"firefly limit", FIELD(firefly_limit), 0.0, 1e6, false, "12 is usual"},
    {"lower end of the colours", FIELD(color_low), -1e12, 1e12, true, "a value of the field"},
    {"upper end of the colours", FIELD(color_high), -1e12, 1e12, true, "a value of the field"},
};
#undef FIELD
#define FIELD(name) offsetof(OozeLightDef, name)
static const Limit light_limits[] = {
    {"x of a light", FIELD(position.x), PLACE, false, "metres"},
    {"y of a light", FIELD(position.y), PLACE, false, "metres"},
    {"z of a light", FIELD(position.z), PLACE, false, "metres"},
    {"x of a light's target", FIELD(target.x), PLACE, false, "metres"},
    {"y of a light's target", FIELD(target.y), PLACE, false, "metres"},
    {"z of a light's target", FIELD(target.z), PLACE, false, "metres"},
    {"size of a light", FIELD(size), OOZE_LIGHT_SIZE_MIN, OOZE_PICTURE_COORDINATE_MAX, false,
     "metres"},
    {"strength of a light", FIELD(strength), 0.0, OOZE_LIGHT_STRENGTH_MAX, false, "1 is usual"},
};
#undef FIELD
#undef PLACE

static OozeStatus check_numbers(const void *item, const Limit *limits, size_t count,
                                OozeError *error)
{
    for (size_t i = 0; i < count; i++) {
        const Limit *limit = &limits[i];
        double value = *(const double *)((const char *)item + limit->offset);
        bool automatic = limit->automatic && isnan(value);
        if (!automatic && !(value >= limit->min && value <= limit->max)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, limit->hint,
                             "the %s is %g; it must be %g to %g", limit->name, value, limit->min,
                             limit->max);
        }
    }
    return OOZE_OK;
}

/* Coordinates are given together or not at all. */
static OozeStatus check_place(OozeVec3 place, const char *name, OozeError *error)
{
    int missing = isnan(place.x) + isnan(place.y) + isnan(place.z);
    return missing == 0 || missing == 3
               ? OOZE_OK
               : ooze_fail(error, OOZE_ERROR_ARGUMENT, "give all three or none",
                           "the %s has %d of 3 coordinates", name, 3 - missing);
}

/* The box in view: both corners, and some volume between them. */
static OozeStatus check_box(OozeVec3 low, OozeVec3 high, OozeError *error)
{
    OozeStatus status = check_place(low, "low corner in view", error);
    status = status ? status : check_place(high, "high corner in view", error);
    bool automatic = isnan(low.x) && isnan(high.x);
    if (!status && !automatic && !(low.x < high.x && low.y < high.y && low.z < high.z)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give both corners, each `low` below `high`",
                         "the box in view from (%g, %g, %g) to (%g, %g, %g) is empty", low.x, low.y,
                         low.z, high.x, high.y, high.z);
    }
    return status;
}

static OozeStatus check_count(const char *name, int value, int min, int max, OozeError *error)
{
    return value >= min && value <= max
               ? OOZE_OK
               : ooze_fail(error, OOZE_ERROR_ARGUMENT, "",
                           "the number of %s is %d; it must be %d to %d", name, value, min, max);
}

static OozeStatus check_lights(const OozeRenderDef *def, OozeError *error)
{
    OozeStatus status = check_count("lights", def->light_count, 0, OOZE_LIGHTS_MAX, error);
    if (!status && def->light_count > 0 && !def->lights) {
        status =
            ooze_fail(error, OOZE_ERROR_ARGUMENT, "set the count to 0 for no lights",
                      "there are %d lights, but the array of lights is NULL", def->light_count);
    }
    for (int i = 0; i < def->light_count && !status; i++) {
        const OozeLightDef *light = &def->lights[i];
        status =
            check_numbers(light, light_limits, sizeof light_limits / sizeof light_limits[0], error);
        if (!status && !ooze_color_is_valid(light->color)) {
            status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "linear RGB, each 0 to 1",
                               "the colour of light %d is (%g, %g, %g)", i, (double)light->color[0],
                               (double)light->color[1], (double)light->color[2]);
        }
    }
    return status;
}

static OozeStatus check_size(OozeVec3 size, OozeError *error)
{
    bool valid = size.x >= 1.0 && size.x <= OOZE_PICTURE_SIDE_MAX && size.x == floor(size.x) &&
                 size.y >= 1.0 && size.y <= OOZE_PICTURE_SIDE_MAX && size.y == floor(size.y);
    return valid ? OOZE_OK
                 : ooze_fail(error, OOZE_ERROR_ARGUMENT, "such as 960 by 540",
                             "a picture cannot have %g x %g pixels; each side is 1 to %d", size.x,
                             size.y, OOZE_PICTURE_SIDE_MAX);
}

OozeStatus ooze_render_def_check(const OozeRenderDef *def, OozeError *error)
{
    OozeStatus status = check_size(def->size, error);
    if (!status && (def->samples < 0 || def->samples > OOZE_PICTURE_SAMPLES_MAX)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "64 are usual",
                           "a pixel cannot have %d samples; 0 to %d are allowed", def->samples,
                           OOZE_PICTURE_SAMPLES_MAX);
    }
    if (!status && !((int)def->backdrop >= 0 && def->backdrop < OOZE_BACKDROP_COUNT)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "see OozeBackdrop",
                           "there is no backdrop %d", (int)def->backdrop);
    }
    if (!status && !((int)def->environment >= 0 && def->environment < OOZE_ENVIRONMENT_COUNT)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "see OozeEnvironmentType",
                           "there is no environment %d", (int)def->environment);
    }
    status = status ? status : check_count("threads", def->threads, 0, THREADS_MAX, error);
    status = status
                 ? status
                 : check_numbers(def, def_limits, sizeof def_limits / sizeof def_limits[0], error);
    status = status ? status : check_place(def->camera_position, "camera", error);
    status = status ? status : check_place(def->look_at, "point to look at", error);
    status = status ? status : check_box(def->view_low, def->view_high, error);
    if (!status && def->color_low > def->color_high) {
        status =
            ooze_fail(error, OOZE_ERROR_ARGUMENT, "exchange them",
                      "the colours begin at %g and end at %g", def->color_low, def->color_high);
    }
    return status ? status : check_lights(def, error);
}
