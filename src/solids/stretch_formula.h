/* Signed distances of round shapes with a different scale along each axis. Valid C17 and CUDA.

   The nearest point x of the scaled surface is found by iteration: the residual q - x is projected
   on the tangent plane at x, and the end of that step is projected back on the surface by the
   closed form of the shape without scale. Steps shrink by distance times curvature each time, so
   that near the surface few are needed. Where the iteration does not converge, and beyond the
   smallest radius of curvature, the result is a lower bound of the distance. */
#ifndef OOZE_SOLIDS_STRETCH_FORMULA_H
#define OOZE_SOLIDS_STRETCH_FORMULA_H

#include "solids/primitive_formula.h"

enum { OOZE_STRETCH_ROUNDS = 16 };

typedef enum OozeFaceKind {
    OOZE_FACE_SPHERE,
    OOZE_FACE_CIRCLE, /* an infinite cylinder */
    OOZE_FACE_CONE,   /* the side of a cone, continued below its base */
    OOZE_FACE_TORUS,
} OozeFaceKind;

/* A smooth surface with its axis along z. */
typedef struct OozeFace {
    OozeFaceKind kind;
    const OozeShape *shape; /* sizes of a cone or torus before scaling */
    double radius; /* of a sphere or circle, before scaling; else smallest radius of curvature */
    OozeVec3 scale;
    bool convex;
} OozeFace;

OOZE_FORMULA OozeVec3 ooze_scaled(OozeVec3 p, OozeVec3 s)
{
    return vec3(p.x * s.x, p.y * s.y, p.z * s.z);
}

OOZE_FORMULA OozeVec3 ooze_unscaled(OozeVec3 p, OozeVec3 s)
{
    return vec3(p.x / s.x, p.y / s.y, p.z / s.z);
}

/* Before scaling. */
OOZE_FORMULA double ooze_face_distance(const OozeFace *face, OozeVec3 p, OozeVec3 *normal)
{
    if (face->kind == OOZE_FACE_SPHERE) {
        *normal = vec3_unit(p, vec3(0.0, 0.0, -1.0));
        return vec3_length(p) - face->radius;
    }
    double away = ooze_length2d(p.x, p.y);
    OozeVec3 outward = away > 0.0 ? vec3(p.x / away, p.y / away, 0.0) : vec3(1.0, 0.0, 0.0);
    if (face->kind == OOZE_FACE_CIRCLE) {
        *normal = outward;
        return away - face->radius;
    }
    OozeVec2 flat = {away, p.z};
    OozeDistance2d result;
    if (face->kind == OOZE_FACE_CONE) {
        double r = face->shape->radius, h = face->shape->height;
        result = ooze_segment_distance(ooze_vec2(8.0 * r, -7.0 * h), ooze_vec2(0.0, h), flat);
    } else {
        result = ooze_profile_distance(face->shape, flat);
    }
    *normal = vec3_scale(outward, result.normal.x);
    normal->z = result.normal.y;
    return result.distance;
}

/* Distance from the scaled surface; `height` is that of the nearest point. */
OOZE_FORMULA_CALL double ooze_stretched_face_distance(const OozeFace *face, OozeVec3 q,
                                                      OozeVec3 *normal, double *height)
{
    OozeVec3 s = face->scale, n0, y = ooze_unscaled(q, s);
    double low = fmin(s.x, fmin(s.y, s.z)), high = fmax(s.x, fmax(s.y, s.z));
    double d = ooze_face_distance(face, y, &n0), sign = d < 0.0 ? -1.0 : 1.0;
    double bound = low * fabs(d), bend = face->radius * low * low / high, along = 0.0;
    OozeVec3 n = vec3(0.0, 0.0, 1.0), rest = vec3(0.0, 0.0, 0.0);
    double share = 1.0;
    bool converged = false;
    y = vec3_madd(y, -d, n0);
    for (int k = 0; k < OOZE_STRETCH_ROUNDS && !converged; k++) {
        OozeVec3 x = ooze_scaled(y, s);
        n = vec3_unit(ooze_unscaled(n0, s), n0);
        along = vec3_dot(vec3_sub(q, x), n);
        OozeVec3 residual = vec3_madd(vec3_sub(q, x), -along, n);
        /* Outside a convex surface the full step overshoots by distance times curvature; after the
           first step its share follows from the change of the residual (secant method). */
        double min = along > 0.0 ? 1.0 / (1.0 + along / bend) : 1.0;
        OozeVec3 change = vec3_sub(rest, residual);
        double scale = vec3_dot(rest, change), square = vec3_dot(change, change);
        share = k > 0 && scale > 0.0 ? fmin(fmax(share * scale / square, min), 4.0) : min;
        rest = residual;
        OozeVec3 next = ooze_unscaled(vec3_madd(x, share, rest), s);
        d = ooze_face_distance(face, next, &n0);
        next = vec3_madd(next, -d, n0);
        double moved = vec3_length(ooze_scaled(vec3_sub(next, y), s));
        y = next;
        converged = moved <= 1e-4 * bend * share;
    }
    OozeVec3 from = vec3_sub(q, ooze_scaled(y, s));
    double distance = vec3_length(from);
    *height = y.z * s.z;
    *normal = vec3_unit(ooze_unscaled(n0, s), n);
    if (!converged) {
        return sign * (face->convex && sign > 0.0 ? fmax(bound, along) : bound);
    }
    if (face->kind == OOZE_FACE_CONE) {
        if (y.z >= face->shape->height && distance > 0.0) { /* the tip */
            *normal = vec3_scale(from, sign / distance);
        }
        bend = fmax(bend, ooze_length2d(y.x, y.y) * low * low / high);
    }
    return sign * (face->convex && sign > 0.0 ? distance : fmin(distance, fmax(bound, bend)));
}

/* Horizontal distance from an ellipse: of a circle about the axis. */
OOZE_FORMULA double ooze_stretched_side(double radius, OozeVec3 scale, OozeVec3 p, OozeVec3 *normal)
{
    OozeFace face = {OOZE_FACE_CIRCLE, NULL, radius, scale, true};
    double height;
    face.scale.z = fmin(scale.x, scale.y);
    return ooze_stretched_face_distance(&face, vec3(p.x, p.y, 0.0), normal, &height);
}

/* Product of an ellipse and an interval. */
OOZE_FORMULA double ooze_stretched_cylinder(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                            OozeVec3 *normal)
{
    OozeVec3 wall, up = vec3(0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0);
    double side = ooze_stretched_side(shape->radius, scale, p, &wall);
    double end = fabs(p.z) - 0.5 * shape->height * scale.z;
    if (side > 0.0 && end > 0.0) {
        double d = ooze_length2d(side, end);
        *normal = vec3_madd(vec3_scale(wall, side / d), end / d, up);
        return d;
    }
    *normal = side > end ? wall : up;
    return fmax(side, end);
}

OOZE_FORMULA double ooze_stretched_open_cylinder(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                                 OozeVec3 *normal)
{
    OozeOpenCavity cavity;
    cavity.rim = shape->height * scale.z;
    cavity.floor = shape->cavity.z * scale.z;
    cavity.outer = ooze_stretched_cylinder(shape, scale, vec3(p.x, p.y, p.z - 0.5 * cavity.rim),
                                           &cavity.outer_normal);
    cavity.across = ooze_stretched_side(shape->cavity.x, scale, p, &cavity.wall);
    return ooze_open_distance(&cavity, p.z, normal);
}

/* The nearest of several faces so far. */
typedef struct OozeNearestFace {
    double side;  /* -1: the point is in the solid, 1: outside */
    double bound; /* a lower bound of the distance from all faces */
    double distance;
    OozeVec3 normal; /* gradient of the solid's signed distance */
} OozeNearestFace;

OOZE_FORMULA void ooze_offer_face(OozeNearestFace *nearest, double distance, OozeVec3 normal)
{
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->normal = normal;
    }
}

/* A flat ring z = 0 between two ellipses, the top or bottom of a solid: `up` is 1 or -1. An `inner`
   radius of 0 makes it a disc. */
OOZE_FORMULA void ooze_offer_ring(OozeNearestFace *nearest, double outer, double inner,
                                  OozeVec3 scale, OozeVec3 p, double up)
{
    OozeVec3 wall;
    double beyond = ooze_stretched_side(outer, scale, p, &wall);
    if (beyond <= 0.0 && inner > 0.0) {
        beyond = -ooze_stretched_side(inner, scale, p, &wall);
        wall = vec3_scale(wall, -1.0);
    }
    beyond = fmax(beyond, 0.0);
    double d = ooze_length2d(beyond, p.z), share = d > 0.0 ? nearest->side / d : 0.0;
    OozeVec3 away = vec3_scale(wall, beyond * share);
    away.z = d > 0.0 ? p.z * share : up;
    ooze_offer_face(nearest, d, away);
}

/* A curved face, unless its nearest point is beyond the edge at z = `end`. `sign`: -1 where the
   solid is on the side of the face's positive distances. */
OOZE_FORMULA void ooze_offer_curved(OozeNearestFace *nearest, const OozeFace *face, OozeVec3 p,
                                    double end, double sign)
{
    OozeVec3 normal;
    double height, d = ooze_stretched_face_distance(face, p, &normal, &height);
    if (fabs(d) > 1e-9 * face->radius) {
        sign = d < 0.0 ? -nearest->side : nearest->side;
    }
    if (face->kind == OOZE_FACE_CONE ? height >= end : height <= end) {
        ooze_offer_face(nearest, fabs(d), vec3_scale(normal, sign));
    }
}

OOZE_FORMULA OozeNearestFace ooze_no_face(const OozeShape *shape, OozeVec3 scale, OozeVec3 p)
{
    OozeVec3 y = ooze_unscaled(p, scale);
    OozeDistance2d profile = ooze_profile_distance(shape, ooze_vec2(ooze_length2d(y.x, y.y), y.z));
    OozeNearestFace nearest;
    nearest.side = profile.distance < 0.0 ? -1.0 : 1.0;
    nearest.bound = fmin(scale.x, fmin(scale.y, scale.z)) * fabs(profile.distance);
    nearest.distance = INFINITY;
    nearest.normal = vec3(0.0, 0.0, 1.0);
    return nearest;
}

OOZE_FORMULA double ooze_stretched_cone(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                        OozeVec3 *normal)
{
    OozeNearestFace nearest = ooze_no_face(shape, scale, p);
    OozeFace face = {OOZE_FACE_CONE, shape, 0.25 * shape->radius, scale, true};
    ooze_offer_ring(&nearest, shape->radius, 0.0, scale, p, -1.0);
    ooze_offer_curved(&nearest, &face, p, 0.0, 1.0);
    *normal = nearest.normal;
    return nearest.side * nearest.distance;
}

OOZE_FORMULA double ooze_stretched_bowl(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                        OozeVec3 *normal)
{
    double outer = ooze_bowl_sphere(shape->radius, shape->height);
    double inner = outer - shape->thickness, rim = shape->height - outer;
    double end = rim * scale.z;
    OozeVec3 q = vec3(p.x, p.y, p.z - outer * scale.z); /* from the centre of the spheres */
    OozeFace face = {OOZE_FACE_SPHERE, shape, outer, scale, true};
    OozeNearestFace nearest = ooze_no_face(shape, scale, p);
    ooze_offer_ring(&nearest, shape->radius, sqrt(fmax(inner * inner - rim * rim, 0.0)), scale,
                    vec3(q.x, q.y, q.z - end), 1.0);
    ooze_offer_curved(&nearest, &face, q, end, 1.0);
    face.radius = inner;
    ooze_offer_curved(&nearest, &face, q, end, -1.0);
    *normal = nearest.normal;
    /* in the cavity the nearest point of the whole inner sphere may be beyond the rim, and another
       one of the bowl nearer than the rim */
    double low = fmin(scale.x, fmin(scale.y, scale.z));
    double bend = inner * low * low / fmax(scale.x, fmax(scale.y, scale.z));
    bool cavity = vec3_length(ooze_unscaled(q, scale)) < inner;
    double max = cavity ? fmax(nearest.bound, bend) : INFINITY;
    return nearest.side * fmin(nearest.distance, max);
}

/* Ignores `inverted`. */
OOZE_FORMULA_CALL double ooze_stretched_distance(const OozeShape *shape, OozeVec3 point,
                                                 OozeVec3 *normal)
{
    OozeVec3 p = ooze_to_upright(shape->up, point), s = ooze_to_upright(shape->up, shape->stretch);
    OozeFace face = {OOZE_FACE_SPHERE, shape, shape->radius, s, true};
    OozeVec3 upright;
    double end = 0.5 * shape->height * s.z, height, d;
    switch (shape->kind) {
    case OOZE_SHAPE_CYLINDER:
        d = ooze_stretched_cylinder(shape, s, p, &upright);
        break;
    case OOZE_SHAPE_OPEN_CYLINDER:
        d = ooze_stretched_open_cylinder(shape, s, p, &upright);
        break;
    case OOZE_SHAPE_CONE:
        d = ooze_stretched_cone(shape, s, p, &upright);
        break;
    case OOZE_SHAPE_BOWL:
        d = ooze_stretched_bowl(shape, s, p, &upright);
        break;
    case OOZE_SHAPE_TORUS:
        face.kind = OOZE_FACE_TORUS;
        face.radius = fmin(shape->tube_radius, shape->radius - shape->tube_radius);
        face.convex = false;
        d = ooze_stretched_face_distance(&face, p, &upright, &height);
        break;
    case OOZE_SHAPE_CAPSULE: /* the union of balls about the points of its axis */
        p.z -= fmin(fmax(p.z, -end), end);
        d = ooze_stretched_face_distance(&face, p, &upright, &height);
        break;
    default: /* an ellipsoid */
        d = ooze_stretched_face_distance(&face, p, &upright, &height);
        break;
    }
    *normal = ooze_from_upright(shape->up, upright);
    return d;
}

#endif
