/* Distances and contacts of one point with one solid. */
#ifndef OOZE_CUDA_SHAPE_DISTANCE_CUH
#define OOZE_CUDA_SHAPE_DISTANCE_CUH

#include "cuda/solids.cuh"

namespace ooze
{

OOZE_DEVICE OozeVec3 widen(float4 a)
{
    return vec3((double)a.x, (double)a.y, (double)a.z);
}

OOZE_DEVICE float4 narrow(OozeVec3 a)
{
    return f32x4((float)a.x, (float)a.y, (float)a.z);
}

/* As ooze_solid_distance and ooze_solid_contact: at the end of the substep. */
OOZE_DEVICE double solid_distance(const SolidView &solid, OozeVec3 world_point, OozeVec3 *normal)
{
    return ooze_placed_distance(&solid.shape, &solid.pose, world_point, normal);
}

OOZE_DEVICE OozeContact solid_contact(const SolidView &solid, OozeVec3 world_point)
{
    return ooze_placed_contact(&solid.shape, &solid.pose, world_point);
}

/* Distance of x from an interval. */
OOZE_DEVICE float gap_of(float x, float low, float high)
{
    return fmaxf(fmaxf(low - x, x - high), 0.0f);
}

/* False: the solid is farther from x than `reach`; with `moving`, than reach plus the travel of its
   surface in the substep. Tests its bounding box; of a plane, the distance. */
OOZE_DEVICE bool solid_within(const SolidView &solid, float4 x, float reach, bool moving)
{
    float near = reach + solid.margin + (moving ? solid.travel : 0.0f);
    if (solid.shape.kind == OOZE_SHAPE_PLANE) {
        OozeVec3 normal = quat_rotate(solid.pose.rotation, solid.shape.normal);
        double above = vec3_dot(normal, vec3_sub(widen(x), solid.pose.position));
        return (solid.shape.inverted ? -above : above) <= (double)near;
    }
    float a = gap_of(x.x, solid.low[0], solid.high[0]);
    float b = gap_of(x.y, solid.low[1], solid.high[1]);
    float c = gap_of(x.z, solid.low[2], solid.high[2]);
    return a * a + b * b + c * c <= near * near;
}

/* The same, and false where the solid does not collide. */
OOZE_DEVICE bool solid_near(const SolidView &solid, float4 x, float reach, bool moving)
{
    return solid.collides && solid_within(solid, x, reach, moving);
}

} // namespace ooze

#endif
