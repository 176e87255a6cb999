/* What nozzles and sinks do to one particle. Valid C17 and CUDA. */
#ifndef OOZE_WORLD_SOURCE_FORMULA_H
#define OOZE_WORLD_SOURCE_FORMULA_H

#include "solids/shape_formula.h"
#include "world/emitter.h"

/* The velocity of a particle at x that a nozzle leads; false: it has passed the exit, or the nozzle has stopped, and the
   particle is free. */
OOZE_FORMULA bool ooze_lead_velocity(const OozeLead *lead, OozeVec3 x, OozeVec3 *velocity)
{
    *velocity = vec3_add(lead->jet, ooze_pose_velocity_at(&lead->pose, x));
    return !lead->over && !(ooze_pose_to_local(&lead->pose, x).z >= 0.0);
}

/* Whether a sink of that shape swallows a particle at x. Outside the bounds of the shape there is no need to ask it. */
OOZE_FORMULA bool ooze_sink_swallows(const OozeShape *shape, const OozeBounds *bounds,
                                     const OozePose *pose, OozeVec3 x)
{
    OozeVec3 p = ooze_pose_to_local(pose, x), normal;
    bool within = p.x >= bounds->min.x && p.x <= bounds->max.x && p.y >= bounds->min.y &&
                  p.y <= bounds->max.y && p.z >= bounds->min.z && p.z <= bounds->max.z;
    return within ? ooze_shape_distance_at(shape, p, &normal) < 0.0 : shape->inverted;
}

#endif
