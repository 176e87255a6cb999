/* Signed distances in closed form. Each is exact everywhere, and each has a normal everywhere: where
   the nearest surface point is not unique, one of them is chosen, always the same. */
#include "solids/shape_parts.h"

typedef struct Flat { /* in the half plane of radius and height */
    double x, y;
} Flat;

typedef struct FlatDistance {
    double distance;
    Flat normal;
} FlatDistance;

/* Shapes are no larger than a square allows: what hypot does beyond costs more than all else here. */
static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double box_distance(OozeVec3 half, OozeVec3 p, OozeVec3 *normal)
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
static FlatDistance rectangle(double radius, double half_height, Flat p)
{
    double x = p.x - radius, y = fabs(p.y) - half_height, side = p.y < 0.0 ? -1.0 : 1.0;
    if (x > 0.0 && y > 0.0) {
        double d = length_of(x, y);
        return (FlatDistance){d, {x / d, side * y / d}};
    }
    return x > y ? (FlatDistance){x, {1.0, 0.0}} : (FlatDistance){y, {0.0, side}};
}

/* Distance to the segment from a to b of a convex outline with its outside on the right. Beyond the
   ends the nearest point is a corner, and what is nearest to a convex corner is outside. */
static FlatDistance segment(Flat a, Flat b, Flat p)
{
    double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    double length = length_of(ex, ey), along = (px * ex + py * ey) / (length * length);
    Flat right = {ey / length, -ex / length};
    double end = along < 0.0 ? 0.0 : 1.0, dx = px - end * ex, dy = py - end * ey;
    double d = length_of(dx, dy);
    if ((along >= 0.0 && along <= 1.0) || d == 0.0) {
        return (FlatDistance){px * right.x + py * right.y, right};
    }
    return (FlatDistance){d, {dx / d, dy / d}};
}

/* Half of an upright triangle: the profile of a cone. */
static FlatDistance triangle(double radius, double height, Flat p)
{
    FlatDistance base = segment((Flat){0.0, 0.0}, (Flat){radius, 0.0}, p);
    FlatDistance slant = segment((Flat){radius, 0.0}, (Flat){0.0, height}, p);
    return fabs(base.distance) < fabs(slant.distance) ? base : slant;
}

/* Shapes of revolution: the flat answer, turned back about the axis. */
static double upright_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 p = ooze_to_upright(shape->up, point);
    double away = length_of(p.x, p.y);
    OozeVec3 outward = away > 0.0 ? vec3(p.x / away, p.y / away, 0.0) : vec3(1.0, 0.0, 0.0);
    Flat flat = {away, p.z};
    FlatDistance result = {0};
    if (shape->kind == OOZE_SHAPE_CYLINDER) {
        result = rectangle(shape->radius, 0.5 * shape->height, flat);
    } else if (shape->kind == OOZE_SHAPE_CONE) {
        result = triangle(shape->radius, shape->height, flat);
    } else { /* a distance to a curve, less a radius: the ring of a torus, the spine of a capsule */
        double end = 0.5 * shape->height;
        bool torus = shape->kind == OOZE_SHAPE_TORUS;
        Flat nearest =
            torus ? (Flat){shape->radius, 0.0} : (Flat){0.0, fmin(fmax(flat.y, -end), end)};
        Flat from = {flat.x - nearest.x, flat.y - nearest.y};
        double d = length_of(from.x, from.y);
        result.distance = d - (torus ? shape->tube_radius : shape->radius);
        result.normal = d > 0.0 ? (Flat){from.x / d, from.y / d} : (Flat){1.0, 0.0};
    }
    OozeVec3 turned = vec3_scale(outward, result.normal.x);
    turned.z = result.normal.y;
    *normal = ooze_from_upright(shape->up, turned);
    return result.distance;
}

double ooze_primitive_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    switch (shape->kind) {
    case OOZE_SHAPE_PLANE:
        *normal = shape->normal;
        return vec3_dot(shape->normal, point);
    case OOZE_SHAPE_BOX:
        return box_distance(shape->half, point, normal);
    case OOZE_SHAPE_SPHERE:
        *normal = vec3_unit(point, vec3_axis(shape->up));
        return vec3_length(point) - shape->radius;
    default:
        return upright_distance(shape, point, normal);
    }
}
