/* Distances of shapes of every kind, and of shapes placed in the world. Valid C17 and CUDA: on a
   GPU the pointers of the shape are to device memory. */
#ifndef OOZE_SOLIDS_SHAPE_FORMULA_H
#define OOZE_SOLIDS_SHAPE_FORMULA_H

#include "solids/distance_formula.h"
#include "solids/heightfield_formula.h"
#include "solids/motion.h"
#include "solids/primitive_formula.h"
#include "solids/solid.h"
#include "solids/stretch_formula.h"

/* Of a shape without parts; ignores `inverted`. */
OOZE_FORMULA double ooze_simple_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    return shape->grid        ? ooze_grid_distance(shape->grid, point, normal)
           : shape->field     ? ooze_heightfield_distance(shape->field, point, normal)
           : shape->stretched ? ooze_stretched_distance(shape, point, normal)
                              : ooze_primitive_distance(shape, point, normal);
}

/* Of a part, in the frame of its compound. */
OOZE_FORMULA double ooze_part_distance(const OozeShapePart *part, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 outward;
    double distance =
        ooze_simple_distance(&part->shape, ooze_pose_to_local(&part->pose, point), &outward);
    *normal = quat_rotate(part->pose.rotation, outward);
    return distance;
}

/* To the nearest part: outside, the distance; inside overlapping parts, the largest depth in one of
   them, a lower bound of the depth in the union. */
OOZE_FORMULA_CALL double ooze_compound_distance(const OozeShape *shape, OozeVec3 point,
                                                OozeVec3 *normal)
{
    double min = ooze_part_distance(&shape->parts[0], point, normal);
    for (int k = 1; k < shape->part_count; k++) {
        OozeVec3 outward;
        double distance = ooze_part_distance(&shape->parts[k], point, &outward);
        *normal = distance < min ? outward : *normal;
        min = distance < min ? distance : min;
    }
    return min;
}

/* As ooze_shape_distance; `normal` must not be NULL. */
OOZE_FORMULA double ooze_shape_distance_at(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    double distance = shape->parts ? ooze_compound_distance(shape, point, normal)
                                   : ooze_simple_distance(shape, point, normal);
    *normal = shape->inverted ? vec3_scale(*normal, -1.0) : *normal;
    return shape->inverted ? -distance : distance;
}

OOZE_FORMULA double ooze_placed_distance(const OozeShape *shape, const OozePose *pose,
                                         OozeVec3 world_point, OozeVec3 *normal)
{
    OozeVec3 outward;
    double distance =
        ooze_shape_distance_at(shape, ooze_pose_to_local(pose, world_point), &outward);
    *normal = quat_rotate(pose->rotation, outward);
    return distance;
}

/* Whether x is inside. Outside the bounds of the shape the distance need not be evaluated. */
OOZE_FORMULA bool ooze_placed_contains(const OozeShape *shape, const OozePose *pose,
                                       const OozeBounds *bounds, OozeVec3 x)
{
    OozeVec3 p = ooze_pose_to_local(pose, x), normal;
    bool within = p.x >= bounds->min.x && p.x <= bounds->max.x && p.y >= bounds->min.y &&
                  p.y <= bounds->max.y && p.z >= bounds->min.z && p.z <= bounds->max.z;
    return within ? ooze_shape_distance_at(shape, p, &normal) < 0.0 : shape->inverted;
}

OOZE_FORMULA OozeContact ooze_placed_contact(const OozeShape *shape, const OozePose *pose,
                                             OozeVec3 world_point)
{
    OozeContact contact;
    contact.distance = ooze_placed_distance(shape, pose, world_point, &contact.normal);
    /* the velocity of the nearest point of the surface, not that at the particle */
    contact.velocity =
        ooze_pose_velocity_at(pose, vec3_madd(world_point, -contact.distance, contact.normal));
    return contact;
}

#endif
