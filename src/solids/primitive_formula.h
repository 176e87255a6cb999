/* Signed distances in closed form, exact everywhere. The normal is defined everywhere: where the
   nearest point of the surface is not unique, always the same one is chosen. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_PRIMITIVE_FORMULA_H
#define OOZE_SOLIDS_PRIMITIVE_FORMULA_H

#include "solids/shape_data.h"

typedef struct OozeVec2 { /* in the half plane of radius and height */
    double x, y;
} OozeVec2;

typedef struct OozeDistance2d {
    double distance;
    OozeVec2 normal;
} OozeDistance2d;

OOZE_FORMULA OozeVec2 ooze_vec2(double x, double y)
{
    OozeVec2 flat = {x, y};
    return flat;
}

OOZE_FORMULA OozeDistance2d ooze_distance2d(double distance, double x, double y)
{
    OozeDistance2d flat = {distance, {x, y}};
    return flat;
}

/* Squares of lengths do not overflow here, and hypot would cost more than the rest. */
OOZE_FORMULA double ooze_length2d(double x, double y)
{
    return sqrt(x * x + y * y);
}

OOZE_FORMULA double ooze_box_distance(OozeVec3 half, OozeVec3 p, OozeVec3 *normal)
{
    double beyond[3] = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    double side[3] = {p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0, p.z < 0.0 ? -1.0 : 1.0};
    OozeVec3 out = vec3(fmax(beyond[0], 0.0), fmax(beyond[1], 0.0), fmax(beyond[2], 0.0));
    double distance = vec3_length(out);
    if (distance > 0.0) {
        *normal = vec3(side[0] * out.x / distance, side[1] * out.y / distance,
                       side[2] * out.z / distance);
        return distance;
    }
    int axis = beyond[1] > beyond[0] ? 1 : 0;
    axis = beyond[2] > beyond[axis] ? 2 : axis;
    *normal = vec3_scale(vec3_axis((OozeAxis)axis), side[axis]);
    return beyond[axis];
}

/* A rectangle about the axis: the profile of a cylinder. */
OOZE_FORMULA OozeDistance2d ooze_rectangle_distance(double radius, double half_height, OozeVec2 p)
{
    double x = p.x - radius, y = fabs(p.y) - half_height, side = p.y < 0.0 ? -1.0 : 1.0;
    if (x > 0.0 && y > 0.0) {
        double d = ooze_length2d(x, y);
        return ooze_distance2d(d, x / d, side * y / d);
    }
    return x > y ? ooze_distance2d(x, 1.0, 0.0) : ooze_distance2d(y, 0.0, side);
}

/* Distance to the segment from a to b of a convex outline with its outside on the right. Beyond the
   ends the nearest point is a corner, and points nearest to a convex corner are outside. */
OOZE_FORMULA OozeDistance2d ooze_segment_distance(OozeVec2 a, OozeVec2 b, OozeVec2 p)
{
    double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    double length = ooze_length2d(ex, ey), along = (px * ex + py * ey) / (length * length);
    OozeVec2 right = {ey / length, -ex / length};
    double end = along < 0.0 ? 0.0 : 1.0, dx = px - end * ex, dy = py - end * ey;
    double d = ooze_length2d(dx, dy);
    if ((along >= 0.0 && along <= 1.0) || d == 0.0) {
        return ooze_distance2d(px * right.x + py * right.y, right.x, right.y);
    }
    return ooze_distance2d(d, dx / d, dy / d);
}

/* Half of an upright triangle: the profile of a cone. */
OOZE_FORMULA OozeDistance2d ooze_triangle_distance(double radius, double height, OozeVec2 p)
{
    OozeVec2 middle = {0.0, 0.0}, rim = {radius, 0.0}, tip = {0.0, height};
    OozeDistance2d base = ooze_segment_distance(middle, rim, p);
    OozeDistance2d slant = ooze_segment_distance(rim, tip, p);
    return fabs(base.distance) < fabs(slant.distance) ? base : slant;
}

/* A solid with a cavity that is open at the top; axis along z. */
typedef struct OozeOpenCavity {
    double outer; /* distance from the same solid without a cavity, and its gradient */
    OozeVec3 outer_normal;
    double across;     /* horizontal distance from the outline of the cavity, negative within it */
    OozeVec3 wall;     /* its gradient */
    double floor, rim; /* heights */
} OozeOpenCavity;

OOZE_FORMULA double ooze_open_distance(const OozeOpenCavity *c, double z, OozeVec3 *normal)
{
    double below = c->floor - z, across = c->across, d;
    OozeVec3 up = vec3(0.0, 0.0, 1.0);
    if (across < 0.0 && below < 0.0) { /* in the cavity or above it: the floor, a wall or the rim */
        double above = fmax(z - c->rim, 0.0);
        d = ooze_length2d(across, above);
        *normal = -below <= d ? up : vec3_madd(vec3_scale(c->wall, across / d), above / d, up);
        return fmin(-below, d);
    }
    d = across > 0.0 && below > 0.0 ? ooze_length2d(across, below) : fmax(across, below);
    if (c->outer >= -d) {
        *normal = c->outer_normal;
        return c->outer;
    }
    if (across > 0.0 && below > 0.0) {
        *normal = vec3_madd(vec3_scale(c->wall, -across / d), below / d, up);
    } else {
        *normal = across > below ? vec3_scale(c->wall, -1.0) : up;
    }
    return -d;
}

OOZE_FORMULA double ooze_open_box_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 p = ooze_to_upright(shape->up, point), half = ooze_to_upright(shape->up, shape->half);
    OozeVec2 within = {fabs(p.x), p.y};
    OozeDistance2d side = ooze_rectangle_distance(shape->cavity.x, shape->cavity.y, within);
    OozeOpenCavity cavity;
    OozeVec3 upright;
    cavity.outer = ooze_box_distance(half, vec3(p.x, p.y, p.z - half.z), &cavity.outer_normal);
    cavity.across = side.distance;
    cavity.wall = vec3(p.x < 0.0 ? -side.normal.x : side.normal.x, side.normal.y, 0.0);
    cavity.floor = shape->cavity.z;
    cavity.rim = 2.0 * half.z;
    double distance = ooze_open_distance(&cavity, p.z, &upright);
    *normal = ooze_from_upright(shape->up, upright);
    return distance;
}

/* The profile of an open cylinder. */
OOZE_FORMULA OozeDistance2d ooze_open_profile_distance(const OozeShape *shape, OozeVec2 p)
{
    double end = 0.5 * shape->height;
    OozeDistance2d full = ooze_rectangle_distance(shape->radius, end, ooze_vec2(p.x, p.y - end));
    OozeOpenCavity cavity;
    OozeVec3 normal;
    cavity.outer = full.distance;
    cavity.outer_normal = vec3(full.normal.x, 0.0, full.normal.y);
    cavity.across = p.x - shape->cavity.x;
    cavity.wall = vec3(1.0, 0.0, 0.0);
    cavity.floor = shape->cavity.z;
    cavity.rim = shape->height;
    double distance = ooze_open_distance(&cavity, p.y, &normal);
    return ooze_distance2d(distance, normal.x, normal.z);
}

/* Radius of the sphere that a bowl's outside is part of. */
OOZE_FORMULA double ooze_bowl_sphere(double rim_radius, double height)
{
    return 0.5 * (rim_radius * rim_radius / height + height);
}

/* The corner of a bowl's rim at x = `edge`, on a sphere about the origin. */
OOZE_FORMULA OozeDistance2d ooze_rim_corner_distance(double edge, double rim, OozeVec2 p)
{
    double x = p.x - edge, y = p.y - rim, d = ooze_length2d(x, y);
    return d > 0.0 ? ooze_distance2d(d, x / d, y / d) : ooze_distance2d(0.0, 0.0, 1.0);
}

/* The profile of a bowl: two arcs about one centre, and the rim between their upper ends. */
OOZE_FORMULA OozeDistance2d ooze_bowl_profile_distance(const OozeShape *shape, OozeVec2 point)
{
    double outer = ooze_bowl_sphere(shape->radius, shape->height);
    double inner = outer - shape->thickness, rim = shape->height - outer;
    double outer_edge = shape->radius, inner_edge = sqrt(fmax(inner * inner - rim * rim, 0.0));
    OozeVec2 p = {point.x, point.y - outer}; /* from the centre of the spheres */
    double r = ooze_length2d(p.x, p.y);
    OozeVec2 out = r > 0.0 ? ooze_vec2(p.x / r, p.y / r) : ooze_vec2(0.0, -1.0);
    OozeDistance2d nearest = ooze_rim_corner_distance(outer_edge, rim, p);
    OozeDistance2d other = ooze_rim_corner_distance(inner_edge, rim, p);
    nearest = other.distance < nearest.distance ? other : nearest;
    if (p.x >= inner_edge && p.x <= outer_edge && fabs(p.y - rim) <= nearest.distance) {
        nearest = ooze_distance2d(p.y - rim, 0.0, 1.0);
    }
    /* an arc ends at its edge of the rim: beyond, its nearest point is that corner */
    if (outer_edge * out.y <= rim * out.x && fabs(r - outer) <= fabs(nearest.distance)) {
        nearest = ooze_distance2d(r - outer, out.x, out.y);
    }
    if (inner_edge * out.y <= rim * out.x && fabs(inner - r) <= fabs(nearest.distance)) {
        nearest = ooze_distance2d(inner - r, -out.x, -out.y);
    }
    return nearest;
}

/* The profile of a shape of revolution, in the half plane of radius and height. */
OOZE_FORMULA OozeDistance2d ooze_profile_distance(const OozeShape *shape, OozeVec2 flat)
{
    switch (shape->kind) {
    case OOZE_SHAPE_CYLINDER:
        return ooze_rectangle_distance(shape->radius, 0.5 * shape->height, flat);
    case OOZE_SHAPE_CONE:
        return ooze_triangle_distance(shape->radius, shape->height, flat);
    case OOZE_SHAPE_OPEN_CYLINDER:
        return ooze_open_profile_distance(shape, flat);
    case OOZE_SHAPE_BOWL:
        return ooze_bowl_profile_distance(shape, flat);
    default:
        break;
    }
    /* a distance to a curve, less a radius: the ring of a torus, the spine of a capsule */
    double end = 0.5 * shape->height;
    bool torus = shape->kind == OOZE_SHAPE_TORUS;
    OozeVec2 nearest =
        torus ? ooze_vec2(shape->radius, 0.0) : ooze_vec2(0.0, fmin(fmax(flat.y, -end), end));
    OozeVec2 from = {flat.x - nearest.x, flat.y - nearest.y};
    double d = ooze_length2d(from.x, from.y);
    OozeDistance2d result;
    result.distance = d - (torus ? shape->tube_radius : shape->radius);
    result.normal = d > 0.0 ? ooze_vec2(from.x / d, from.y / d) : ooze_vec2(1.0, 0.0);
    return result;
}

/* Shapes of revolution: the plane result, rotated about the axis. */
OOZE_FORMULA double ooze_upright_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 p = ooze_to_upright(shape->up, point);
    double away = ooze_length2d(p.x, p.y);
    OozeVec3 outward = away > 0.0 ? vec3(p.x / away, p.y / away, 0.0) : vec3(1.0, 0.0, 0.0);
    OozeDistance2d result = ooze_profile_distance(shape, ooze_vec2(away, p.z));
    OozeVec3 rotated = vec3_scale(outward, result.normal.x);
    rotated.z = result.normal.y;
    *normal = ooze_from_upright(shape->up, rotated);
    return result.distance;
}

/* Ignores `inverted`. */
OOZE_FORMULA_CALL double ooze_primitive_distance(const OozeShape *shape, OozeVec3 point,
                                                 OozeVec3 *normal)
{
    switch (shape->kind) {
    case OOZE_SHAPE_PLANE:
        *normal = shape->normal;
        return vec3_dot(shape->normal, point);
    case OOZE_SHAPE_BOX:
        return ooze_box_distance(shape->half, point, normal);
    case OOZE_SHAPE_OPEN_BOX:
        return ooze_open_box_distance(shape, point, normal);
    case OOZE_SHAPE_SPHERE:
        *normal = vec3_unit(point, vec3_axis(shape->up));
        return vec3_length(point) - shape->radius;
    default:
        return ooze_upright_distance(shape, point, normal);
    }
}

#endif
