/* The camera and its automatic placement. */
#ifndef OOZE_RENDER_CAMERA_H
#define OOZE_RENDER_CAMERA_H

#include "base/angle.h"
#include "ooze/render.h"
#include "render/float3.h"

typedef struct OozeCamera {
    OozeVec3 position;
    OozeVec3 right, up, forward;            /* unit */
    double tan_half_width, tan_half_height; /* of the angles of view */
} OozeCamera;

/* `low` and `high`: the box that is in view where the definition gives no position. `aspect`: width
   over height. */
OozeCamera ooze_camera_make(const OozeRenderDef *def, OozeAxis up, OozeVec3 low, OozeVec3 high,
                            double aspect);

/* Direction through a point of the picture, 0 to 1 from the left and from the top. */
OozeF3 ooze_camera_ray(const OozeCamera *camera, float x, float y);
/* Position of a point of the world in the picture; false behind the camera. */
bool ooze_camera_project(const OozeCamera *camera, OozeVec3 point, double *x, double *y);

#endif
