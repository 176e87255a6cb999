/* Double-precision vectors and rotations for poses, shapes and definitions. Valid C17 and CUDA. */
#ifndef OOZE_BASE_VEC3_H
#define OOZE_BASE_VEC3_H

#include <math.h>

#include "base/formula.h"
#include "ooze/types.h"

OOZE_FORMULA OozeVec3 vec3(double x, double y, double z)
{
    OozeVec3 a = {x, y, z};
    return a;
}

OOZE_FORMULA OozeVec3 vec3_add(OozeVec3 a, OozeVec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

OOZE_FORMULA OozeVec3 vec3_sub(OozeVec3 a, OozeVec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

OOZE_FORMULA OozeVec3 vec3_scale(OozeVec3 a, double s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
OOZE_FORMULA OozeVec3 vec3_madd(OozeVec3 a, double s, OozeVec3 b)
{
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

OOZE_FORMULA double vec3_dot(OozeVec3 a, OozeVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

OOZE_FORMULA OozeVec3 vec3_cross(OozeVec3 a, OozeVec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

OOZE_FORMULA double vec3_length(OozeVec3 a)
{
    return sqrt(vec3_dot(a, a));
}

/* The unit vector along a, or `fallback` where a is zero or not finite. */
OOZE_FORMULA OozeVec3 vec3_unit(OozeVec3 a, OozeVec3 fallback)
{
    double length = vec3_length(a);
    return length > 0.0 && isfinite(length) ? vec3_scale(a, 1.0 / length) : fallback;
}

OOZE_FORMULA bool vec3_is_finite(OozeVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

OOZE_FORMULA OozeVec3 vec3_axis(OozeAxis axis)
{
    return vec3(axis == OOZE_AXIS_X, axis == OOZE_AXIS_Y, axis == OOZE_AXIS_Z);
}

OOZE_FORMULA double vec3_component(OozeVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Upright coordinates: the third axis is the world's up; right-handed. */
OOZE_FORMULA OozeVec3 ooze_to_upright(OozeAxis up, OozeVec3 p)
{
    return up == OOZE_AXIS_Z ? p : up == OOZE_AXIS_Y ? vec3(p.z, p.x, p.y) : vec3(p.y, p.z, p.x);
}

OOZE_FORMULA OozeVec3 ooze_from_upright(OozeAxis up, OozeVec3 p)
{
    return up == OOZE_AXIS_Z ? p : up == OOZE_AXIS_Y ? vec3(p.y, p.z, p.x) : vec3(p.z, p.x, p.y);
}

OOZE_FORMULA OozeQuat quat(double x, double y, double z, double w)
{
    OozeQuat q = {x, y, z, w};
    return q;
}

OOZE_FORMULA OozeQuat quat_identity(void)
{
    return quat(0.0, 0.0, 0.0, 1.0);
}

/* First b, then a. */
OOZE_FORMULA OozeQuat quat_mul(OozeQuat a, OozeQuat b)
{
    return quat(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

OOZE_FORMULA OozeQuat quat_conjugate(OozeQuat q)
{
    return quat(-q.x, -q.y, -q.z, q.w);
}

OOZE_FORMULA OozeQuat quat_unit(OozeQuat q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0.0) || !isfinite(length)) {
        return quat_identity();
    }
    return quat(q.x / length, q.y / length, q.z / length, q.w / length);
}

/* Rotation by |v| radians about v. */
OOZE_FORMULA OozeQuat quat_from_vector(OozeVec3 v)
{
    double angle = vec3_length(v);
    if (!(angle > 0.0)) {
        return quat_identity();
    }
    double s = sin(0.5 * angle) / angle;
    return quat(v.x * s, v.y * s, v.z * s, cos(0.5 * angle));
}

OOZE_FORMULA OozeVec3 quat_rotate(OozeQuat q, OozeVec3 v)
{
    OozeVec3 u = vec3(q.x, q.y, q.z);
    OozeVec3 t = vec3_scale(vec3_cross(u, v), 2.0);
    return vec3_add(vec3_madd(v, q.w, t), vec3_cross(u, t));
}

OOZE_FORMULA OozeVec3 quat_rotate_inverse(OozeQuat q, OozeVec3 v)
{
    return quat_rotate(quat_conjugate(q), v);
}

/* Shortest rotation taking unit vector `from` to unit vector `to`. */
OOZE_FORMULA OozeQuat quat_between(OozeVec3 from, OozeVec3 to)
{
    double w = 1.0 + vec3_dot(from, to);
    if (w < 1e-12) { /* opposite: a rotation by pi about any perpendicular axis */
        OozeVec3 other = fabs(from.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
        OozeVec3 axis = vec3_unit(vec3_cross(from, other), vec3(0, 0, 1));
        return quat(axis.x, axis.y, axis.z, 0.0);
    }
    OozeVec3 c = vec3_cross(from, to);
    return quat_unit(quat(c.x, c.y, c.z, w));
}

#endif
