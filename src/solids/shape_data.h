/* Data of a shape, for the files that create, measure and triangulate it. */
#ifndef OOZE_SOLIDS_SHAPE_DATA_H
#define OOZE_SOLIDS_SHAPE_DATA_H

#include "base/vec3.h"
#include "solids/distance_grid.h"
#include "solids/heightfield.h"
#include "solids/shape.h"

typedef struct OozeShapePart OozeShapePart;

struct OozeShape {
    OozeShapeKind kind;
    OozeAxis up;
    bool inverted;
    OozeVec3 half;   /* box, open box: half its outer edges */
    OozeVec3 normal; /* plane, unit */
    double radius, tube_radius, height;
    double thickness; /* bowl */
    /* Of an open box or cylinder, axis along z: half edges or radius of the cavity (x, y), height
       of its floor above the origin (z). */
    OozeVec3 cavity;
    OozeHeightfield *field;
    /* A round shape with different scales along its axes: all sizes above are those before scaling.
       */
    bool stretched;
    OozeVec3 stretch;
    OozeMesh *mesh; /* while a mesh is read */
    OozeDistanceGrid *grid;
    OozeShapePart *parts; /* of a compound */
    int part_count;
    OozeBounds box; /* of all parts */
};

/* Not a compound. */
struct OozeShapePart {
    OozeShape shape;
    OozePose pose; /* in the compound's frame; without velocity */
};

/* Triangles of the closed forms, outward, with edges of at most `edge`; planes are clipped to
   `clip`. */
OozeStatus ooze_primitive_triangulate(const OozeShape *shape, double edge, const OozeBounds *clip,
                                      OozeMesh **mesh, OozeError *error);

#endif
