/* The camera and its automatic placement. */
#ifndef OOZE_RENDER_CAMERA_H
#define OOZE_RENDER_CAMERA_H

#include "base/angle.h"
#include "ooze/render.h"
#include "render/ray_scene.h"
#include "render/sampler.h"

typedef struct OozeCamera {
    OozeVec3 position;
    OozeVec3 right, up, forward;            /* unit */
    double tan_half_width, tan_half_height; /* of the angles of view */
    double lens_radius;                     /* m; 0: everything is sharp */
    double focus_distance;                  /* m, along `forward`, of the plane that is sharp */
    bool shutter; /* rays have times while it is open; otherwise its middle */
} OozeCamera;

/* `low` and `high`: the box that is in view where the definition gives no position. `aspect`: width
   over height. */
OozeCamera ooze_camera_make(const OozeRenderDef *def, OozeAxis up, OozeVec3 low, OozeVec3 high,
                            double aspect);

/* Height of the image sensor that f-numbers are for: that of 35 mm film. */
#define OOZE_SENSOR_HEIGHT 0.024 /* m */

/* Focal length of the thin lens whose image fills the sensor when it is focused at a distance, m.
   The image is the sensor's height over the tangent of the view behind the lens, whatever the
   focus, so that focusing does not change the view. */
double ooze_camera_focal_length(const OozeCamera *camera, double focus_distance);

/* A ray through a point of the picture, 0 to 1 from the left and from the top. It starts at a
   random point of the lens and time, where the camera has a lens or a shutter. */
OozeRay ooze_camera_ray(const OozeCamera *camera, float x, float y, OozeSampler *sampler);
/* Position of a point of the world in the picture; false behind the camera. */
bool ooze_camera_project(const OozeCamera *camera, OozeVec3 point, double *x, double *y);

#endif
