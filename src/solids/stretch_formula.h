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
    OOZE_FACE_CIRCLE,   /* an infinite cylinder */
    OOZE_FACE_CONE,     /* the side of a cone */
    OOZE_FACE_COMPLETE, /* all faces of the shape */
} OozeFaceKind;

/* A surface with its axis along z, before and after scaling. */
typedef struct OozeFace {
    OozeFaceKind kind;
    const OozeShape *shape; /* sizes before scaling; cone and complete shapes */
    double radius;          /* of a sphere or circle; else smallest radius of curvature */
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
        OozeVec2 rim = {face->shape->radius, 0.0}, tip = {0.0, face->shape->height};
        result = ooze_segment_distance(rim, tip, flat);
    } else {
        result = ooze_profile_distance(face->shape, flat);
    }
    *normal = vec3_scale(outward, result.normal.x);
    normal->z = result.normal.y;
    return result.distance;
}

/* Distance from the scaled surface. */
OOZE_FORMULA_CALL double ooze_stretched_face_distance(const OozeFace *face, OozeVec3 q,
                                                      OozeVec3 *normal)
{
    OozeVec3 s = face->scale, n0, y = ooze_unscaled(q, s);
    double low = fmin(s.x, fmin(s.y, s.z)), high = fmax(s.x, fmax(s.y, s.z));
    double d = ooze_face_distance(face, y, &n0), sign = d < 0.0 ? -1.0 : 1.0;
    double bound = low * fabs(d), bend = face->radius * low * low / high, along = 0.0;
    OozeVec3 n = vec3(0.0, 0.0, 1.0), rest = n;
    bool converged = false;
    y = vec3_madd(y, -d, n0);
    for (int k = 0; k < OOZE_STRETCH_ROUNDS && !converged; k++) {
        OozeVec3 x = ooze_scaled(y, s);
        n = vec3_unit(ooze_unscaled(n0, s), n0);
        along = vec3_dot(vec3_sub(q, x), n);
        rest = vec3_madd(vec3_sub(q, x), -along, n);
        /* outside a convex surface the full step overshoots by distance times curvature */
        double share = along > 0.0 ? 1.0 / (1.0 + along / bend) : 1.0;
        OozeVec3 next = ooze_unscaled(vec3_madd(x, share, rest), s);
        d = ooze_face_distance(face, next, &n0);
        next = vec3_madd(next, -d, n0);
        double moved = vec3_length(ooze_scaled(vec3_sub(next, y), s));
        y = next;
        converged = moved <= 1e-6 * bend * share;
    }
    OozeVec3 from = vec3_sub(q, ooze_scaled(y, s));
    double distance = vec3_length(from);
    /* at an edge of the surface the direction of the residual is between the normals of faces */
    bool edge = vec3_length(rest) > 1e-3 * distance && distance > 1e-6 * bend;
    n = vec3_unit(ooze_unscaled(n0, s), n);
    *normal = edge && converged ? vec3_scale(from, sign / distance) : n;
    if (!converged) {
        return sign * (face->convex && sign > 0.0 ? fmax(bound, along) : bound);
    }
    return sign * (face->convex && sign > 0.0 ? distance : fmin(distance, fmax(bound, bend)));
}

/* A cylinder, or the outline of a cavity with `inner` radius: exact as product of an ellipse and an
   interval. */
OOZE_FORMULA double ooze_stretched_side(const OozeShape *shape, double radius, OozeVec3 scale,
                                        OozeVec3 p, OozeVec3 *normal)
{
    OozeFace face = {OOZE_FACE_CIRCLE, shape, radius, scale, true};
    face.scale.z = fmin(scale.x, scale.y);
    return ooze_stretched_face_distance(&face, vec3(p.x, p.y, 0.0), normal);
}

OOZE_FORMULA double ooze_stretched_cylinder(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                            OozeVec3 *normal)
{
    OozeVec3 wall, up = vec3(0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0);
    double side = ooze_stretched_side(shape, shape->radius, scale, p, &wall);
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
    cavity.across = ooze_stretched_side(shape, shape->cavity.x, scale, p, &cavity.wall);
    return ooze_open_distance(&cavity, p.z, normal);
}

/* Keeps the smaller depth of two faces that a point lies behind; both are negative. */
OOZE_FORMULA double ooze_nearer_face(double a, double b, OozeVec3 b_normal, OozeVec3 *normal)
{
    *normal = b > a ? b_normal : *normal;
    return fmax(a, b);
}

OOZE_FORMULA double ooze_stretched_cone(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                        OozeVec3 *normal)
{
    OozeFace face = {OOZE_FACE_COMPLETE, shape, 0.25 * shape->radius, scale, true};
    OozeVec3 y = ooze_unscaled(p, scale);
    if (ooze_face_distance(&face, y, normal) >= 0.0) {
        return ooze_stretched_face_distance(&face, p, normal);
    }
    face.kind = OOZE_FACE_CONE;
    double side = ooze_stretched_face_distance(&face, p, normal);
    return ooze_nearer_face(side, -p.z, vec3(0.0, 0.0, -1.0), normal);
}

OOZE_FORMULA double ooze_stretched_bowl(const OozeShape *shape, OozeVec3 scale, OozeVec3 p,
                                        OozeVec3 *normal)
{
    double outer = ooze_bowl_sphere(shape->radius, shape->height);
    OozeFace face = {OOZE_FACE_COMPLETE, shape, outer - shape->thickness, scale, false};
    if (ooze_face_distance(&face, ooze_unscaled(p, scale), normal) >= 0.0) {
        return ooze_stretched_face_distance(&face, p, normal);
    }
    OozeVec3 inward, from = vec3(p.x, p.y, p.z - outer * scale.z);
    face.kind = OOZE_FACE_SPHERE;
    double inner = -ooze_stretched_face_distance(&face, from, &inward);
    face.radius = outer;
    double depth = ooze_stretched_face_distance(&face, from, normal);
    depth = ooze_nearer_face(depth, inner, vec3_scale(inward, -1.0), normal);
    return ooze_nearer_face(depth, p.z - shape->height * scale.z, vec3(0.0, 0.0, 1.0), normal);
}

/* Ignores `inverted`. */
OOZE_FORMULA_CALL double ooze_stretched_distance(const OozeShape *shape, OozeVec3 point,
                                                 OozeVec3 *normal)
{
    OozeVec3 p = ooze_to_upright(shape->up, point), s = ooze_to_upright(shape->up, shape->stretch);
    OozeFace face = {OOZE_FACE_SPHERE, shape, shape->radius, s, true};
    OozeVec3 upright;
    double end = 0.5 * shape->height * s.z, d;
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
        face.kind = OOZE_FACE_COMPLETE;
        face.radius = fmin(shape->tube_radius, shape->radius - shape->tube_radius);
        face.convex = false;
        d = ooze_stretched_face_distance(&face, p, &upright);
        break;
    case OOZE_SHAPE_CAPSULE: /* the union of balls about the points of its axis */
        p.z -= fmin(fmax(p.z, -end), end);
        d = ooze_stretched_face_distance(&face, p, &upright);
        break;
    default: /* an ellipsoid */
        d = ooze_stretched_face_distance(&face, p, &upright);
        break;
    }
    *normal = ooze_from_upright(shape->up, upright);
    return d;
}

#endif
