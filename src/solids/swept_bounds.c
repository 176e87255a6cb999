#include "solids/swept_bounds.h"

#include "base/vec3.h"

/* Errors in spacings: rounding of boxes and positions; interpolation of distances, twice the
   quarter of a spacing by which a ridge halfway between two nodes is missed. */
#define MARGIN      0.01
#define MARGIN_GRID 0.5

/* The fastest point of a rotating solid is the farthest from its origin. */
static double fastest(const OozeSolid *solid, const OozeBounds *box)
{
    double spin = vec3_length(solid->pose.spin);
    OozeVec3 far = vec3(fmax(-box->min.x, box->max.x), fmax(-box->min.y, box->max.y),
                        fmax(-box->min.z, box->max.z));
    return vec3_length(solid->pose.velocity) + (spin > 0.0 ? spin * vec3_length(far) : 0.0);
}

OozeSweptBounds ooze_solid_swept_bounds(const OozeSolid *solid, double spacing, double dt)
{
    OozeBounds box = ooze_shape_bounds(solid->shape);
    bool bounded = vec3_is_finite(box.min) && vec3_is_finite(box.max);
    double margin = ooze_shape_is_interpolated(solid->shape) ? MARGIN_GRID : MARGIN;
    OozeSweptBounds bounds = {{-INFINITY, -INFINITY, -INFINITY},
                              {INFINITY, INFINITY, INFINITY},
                              (float)(dt * fastest(solid, &box)),
                              (float)(margin * spacing)};
    if (bounded && !ooze_shape_inverted(solid->shape)) {
        OozeBounds world = ooze_bounds_transform(&box, &solid->pose, false);
        for (int k = 0; k < 3; k++) {
            bounds.low[k] = (float)vec3_component(world.min, k);
            bounds.high[k] = (float)vec3_component(world.max, k);
        }
    }
    return bounds;
}
