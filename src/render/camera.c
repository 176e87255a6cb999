#include "render/camera.h"

#define FILL      0.87 /* share of the picture that the box fills at most */
#define ELEVATION 0.28 /* of the automatic position, relative to the forward component */
#define AZIMUTH   0.45 /* sideways, relative to the same */

static void orient(OozeCamera *camera, OozeVec3 forward, OozeVec3 up)
{
    camera->forward = vec3_unit(forward, vec3(0, 0, -1));
    OozeVec3 side = vec3_cross(camera->forward, up);
    if (vec3_length(side) < 1e-6) { /* forward is parallel to up */
        side = vec3_cross(camera->forward, vec3(up.y, up.z, up.x));
    }
    camera->right = vec3_unit(side, vec3(1, 0, 0));
    camera->up = vec3_cross(camera->right, camera->forward);
}

static OozeVec3 box_corner(OozeVec3 low, OozeVec3 high, int i)
{
    return vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

/* The smallest distance from `centre` at which every corner of the box is in view. */
static double fitting_distance(const OozeCamera *camera, OozeVec3 centre, OozeVec3 low,
                               OozeVec3 high)
{
    double distance = 0.0;
    for (int i = 0; i < 8; i++) {
        OozeVec3 from = vec3_sub(box_corner(low, high, i), centre);
        double depth = vec3_dot(from, camera->forward);
        double x = fabs(vec3_dot(from, camera->right)) / (FILL * camera->tan_half_width);
        double y = fabs(vec3_dot(from, camera->up)) / (FILL * camera->tan_half_height);
        double needed = (x > y ? x : y) - depth;
        distance = needed > distance ? needed : distance;
    }
    return distance;
}

/* The point at the depth of `at` whose image is in the middle of those of all corners. */
static OozeVec3 recentred(const OozeCamera *camera, OozeVec3 at, OozeVec3 low, OozeVec3 high)
{
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < 8; i++) {
        double x, y;
        if (!ooze_camera_project(camera, box_corner(low, high, i), &x, &y)) {
            return at;
        }
        left = x < left ? x : left;
        right = x > right ? x : right;
        top = y < top ? y : top;
        bottom = y > bottom ? y : bottom;
    }
    double depth = vec3_length(vec3_sub(at, camera->position));
    at = vec3_madd(at, (left + right - 1.0) * camera->tan_half_width * depth, camera->right);
    return vec3_madd(at, (1.0 - top - bottom) * camera->tan_half_height * depth, camera->up);
}

OozeCamera ooze_camera_make(const OozeRenderDef *def, OozeAxis up, OozeVec3 low, OozeVec3 high,
                            double aspect)
{
    OozeCamera camera = {.lens_radius = 0.0};
    camera.tan_half_height = tan(0.5 * ooze_radians(def->field_of_view));
    camera.tan_half_width = camera.tan_half_height * aspect;
    OozeVec3 centre = vec3_scale(vec3_add(low, high), 0.5), axis = vec3_axis(up);
    OozeVec3 at = isnan(def->look_at.x) ? centre : def->look_at;
    if (!isnan(def->camera_position.x)) {
        camera.position = def->camera_position;
        orient(&camera, vec3_sub(at, camera.position), axis);
        return camera;
    }
    /* The camera is in front: x points to the right. */
    OozeVec3 front = up == OOZE_AXIS_Y   ? vec3(0, 0, 1)
                     : up == OOZE_AXIS_Z ? vec3(0, -1, 0)
                                         : vec3(0, 0, 1);
    OozeVec3 side = vec3_cross(axis, front);
    OozeVec3 direction = vec3_madd(vec3_madd(front, AZIMUTH, side), ELEVATION, axis);
    orient(&camera, vec3_scale(direction, -1.0), axis);
    /* The centre of the box is not in the middle of its image: shift the camera until it is. */
    for (int i = 0; i < 4; i++) {
        double distance = fitting_distance(&camera, at, low, high);
        camera.position = vec3_madd(at, -fmax(distance, 1e-6), camera.forward);
        at = isnan(def->look_at.x) ? recentred(&camera, at, low, high) : at;
    }
    return camera;
}

/* The lens equation, 1 / focal length = 1 / object distance + 1 / image distance. */
double ooze_camera_focal_length(const OozeCamera *camera, double focus_distance)
{
    double image = 0.5 * OOZE_SENSOR_HEIGHT / camera->tan_half_height;
    return image * focus_distance / (image + focus_distance);
}

OozeRay ooze_camera_ray(const OozeCamera *camera, float x, float y, OozeSampler *sampler)
{
    double a = (2.0 * (double)x - 1.0) * camera->tan_half_width,
           b = (1.0 - 2.0 * (double)y) * camera->tan_half_height;
    OozeVec3 direction = vec3_madd(vec3_madd(camera->forward, a, camera->right), b, camera->up);
    OozeVec3 origin = camera->position;
    if (camera->lens_radius > 0.0) {
        OozePair random = ooze_sampler_pair(sampler);
        double r = camera->lens_radius * sqrt((double)random.u),
               phi = 2.0 * M_PI * (double)random.v;
        OozeVec3 sharp = vec3_madd(origin, camera->focus_distance, direction);
        origin = vec3_madd(origin, r * cos(phi), camera->right);
        origin = vec3_madd(origin, r * sin(phi), camera->up);
        direction = vec3_sub(sharp, origin);
    }
    float time = camera->shutter ? ooze_sampler_pair(sampler).u : 0.5f;
    return (OozeRay){f3_of(origin), f3_of(vec3_unit(direction, camera->forward)), time};
}

bool ooze_camera_project(const OozeCamera *camera, OozeVec3 point, double *x, double *y)
{
    OozeVec3 from = vec3_sub(point, camera->position);
    double depth = vec3_dot(from, camera->forward);
    if (!(depth > 0.0)) {
        return false;
    }
    *x = 0.5 + 0.5 * vec3_dot(from, camera->right) / (depth * camera->tan_half_width);
    *y = 0.5 - 0.5 * vec3_dot(from, camera->up) / (depth * camera->tan_half_height);
    return true;
}
