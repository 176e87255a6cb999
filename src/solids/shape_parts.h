/* What a shape is made of: shared by the files that make, measure and triangulate it. */
#ifndef OOZE_SOLIDS_SHAPE_PARTS_H
#define OOZE_SOLIDS_SHAPE_PARTS_H

#include "base/vec3.h"
#include "solids/distance_grid.h"
#include "solids/heightfield.h"
#include "solids/shape.h"

typedef struct OozeShapePart OozeShapePart;

struct OozeShape {
    OozeShapeKind kind;
    OozeAxis up;
    bool inverted;
    OozeVec3 half;   /* box: half its edges */
    OozeVec3 normal; /* plane, unit */
    double radius, tube_radius, height;
    OozeHeightfield *field;
    /* Meshes, and round shapes stretched unevenly: an ellipsoid has no closed form worth its cost. */
    OozeMesh *mesh;
    OozeDistanceGrid *grid;
    OozeShapePart *parts; /* of a compound */
    int part_count;
    OozeBounds box; /* around all parts */
};

/* Has no parts itself. */
struct OozeShapePart {
    OozeShape shape;
    OozePose pose; /* in the compound's frame; it rests there */
};

/* Upright coordinates: the first two across, the third along the world's up; right-handed. */
OOZE_FORMULA OozeVec3 ooze_to_upright(OozeAxis up, OozeVec3 p)
{
    return up == OOZE_AXIS_Z ? p : up == OOZE_AXIS_Y ? vec3(p.z, p.x, p.y) : vec3(p.y, p.z, p.x);
}

OOZE_FORMULA OozeVec3 ooze_from_upright(OozeAxis up, OozeVec3 p)
{
    return up == OOZE_AXIS_Z ? p : up == OOZE_AXIS_Y ? vec3(p.y, p.z, p.x) : vec3(p.z, p.x, p.y);
}

/* Triangles of the closed forms, outward, sides of at most `edge`; `clip` for planes. */
OozeStatus ooze_primitive_triangulate(const OozeShape *shape, double edge, const OozeBounds *clip,
                                      OozeMesh **mesh, OozeError *error);

#endif
