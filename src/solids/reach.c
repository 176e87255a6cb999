#include "solids/reach.h"

#include "base/vec3.h"
#include "solids/boundary.h"

/* Rounding of boxes and places, in spacings, and of distances that are interpolated: twice the quarter of a
   spacing by which a ridge halfway between two nodes is missed. */
#define SPARE      0.01
#define SPARE_GRID 0.5

/* The fastest point of a solid that turns is the farthest from where it turns about. */
static double fastest(const OozeSolid *solid, const OozeBounds *box)
{
    double spin = vec3_length(solid->pose.spin);
    OozeVec3 far = vec3(fmax(-box->min.x, box->max.x), fmax(-box->min.y, box->max.y),
                        fmax(-box->min.z, box->max.z));
    return vec3_length(solid->pose.velocity) + (spin > 0.0 ? spin * vec3_length(far) : 0.0);
}

OozeReach ooze_solid_reach(const OozeSolid *solid, double spacing, double dt)
{
    OozeBounds box = ooze_shape_bounds(solid->shape);
    bool bounded = vec3_is_finite(box.min) && vec3_is_finite(box.max);
    double wrong = ooze_shape_is_interpolated(solid->shape) ? SPARE_GRID : SPARE;
    OozeReach reach = {{-INFINITY, -INFINITY, -INFINITY},
                       {INFINITY, INFINITY, INFINITY},
                       (float)(dt * fastest(solid, &box)),
                       (float)(wrong * spacing)};
    if (bounded && !ooze_shape_inverted(solid->shape)) {
        OozeBounds world = ooze_bounds_turn(&box, &solid->pose, false);
        for (int k = 0; k < 3; k++) {
            reach.low[k] = (float)vec3_component(world.min, k);
            reach.high[k] = (float)vec3_component(world.max, k);
        }
    }
    return reach;
}
