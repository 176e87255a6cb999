/* The camera, and finding a good place for it. */
#ifndef OOZE_RENDER_CAMERA_H
#define OOZE_RENDER_CAMERA_H

#include "base/vec3.h"
#include "ooze/render.h"
#include "render/float3.h"

typedef struct OozeCamera {
    OozeVec3 position;
    OozeVec3 right, up, forward; /* unit */
    double wide, high;           /* tangents of half the angles of view */
} OozeCamera;

/* `low` and `high` are the corners of everything to be in view where the definition leaves the place
   to us; `aspect` is width over height. */
OozeCamera ooze_camera_make(const OozeRenderDef *def, OozeAxis up, OozeVec3 low, OozeVec3 high,
                            double aspect);

/* Direction through a point of the picture: 0 to 1 from the left, and from the top. */
OozeF3 ooze_camera_ray(const OozeCamera *camera, float x, float y);
/* Where a point of the world is seen; false behind the camera. */
bool ooze_camera_project(const OozeCamera *camera, OozeVec3 point, double *x, double *y);

#endif
