/* A shape ready for queries, in its own local frame (scaled; before rotation and placement). */
#ifndef OOZE_SOLIDS_SHAPE_H
#define OOZE_SOLIDS_SHAPE_H

#include "base/bounds.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "solids/pose.h"

typedef struct OozeShape OozeShape;

/* The bounding box, in the local frame of a pose (or, not `to_local`, in the world), of a box of
   the other frame. */
OozeBounds ooze_bounds_transform(const OozeBounds *bounds, const OozePose *pose, bool to_local);

/* `resolution` is the particle spacing: meshes get a signed distance grid fine enough for it. `up`
   is the axis of upright shapes and the default normal of planes. Scale is applied; position and
   rotation are NOT: callers place the shape (see ooze_pose_to_local). */
OozeStatus ooze_shape_create(const OozeShapeDef *def, OozeAxis up, double resolution,
                             OozeShape **shape, OozeError *error);
/* The same; threads compute the distances of meshes. */
OozeStatus ooze_shape_create_with(const OozeShapeDef *def, OozeAxis up, double resolution,
                                  OozeThreads *threads, OozeShape **shape, OozeError *error);
void ooze_shape_destroy(OozeShape *shape);
uint64_t ooze_shape_bytes(const OozeShape *shape);

/* Signed distance at a local point, negative inside; `normal` (may be NULL) gets the unit outward
   gradient. Exact near the surface for primitives; for meshes exact within a band of several
   spacings, and a lower bound with the right sign beyond. Of a compound that of its nearest part:
   exact outside, and inside a lower bound of the depth. */
double ooze_shape_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal);
/* Infinite of a plane; of an inverted shape those of the shape before inversion. */
OozeBounds ooze_shape_bounds(const OozeShape *shape);
OozeShapeKind ooze_shape_kind(const OozeShape *shape);
bool ooze_shape_inverted(const OozeShape *shape);
/* A mesh with gaps too large to close: only its sheet is solid. */
bool ooze_shape_is_shell(const OozeShape *shape);
/* Distances are interpolated between nodes half a spacing apart. */
bool ooze_shape_is_interpolated(const OozeShape *shape);

/* Triangles of the surface with edges of about `edge` at most, on flat faces too, in local space:
   closed and facing outward (of a container: into its cavity, so that its volume is negative). Of a
   compound those of all parts, also where one is hidden in another. An infinite plane is clipped to
   `clip` and may have no triangle. */
OozeStatus ooze_shape_triangulate(const OozeShape *shape, double edge, const OozeBounds *clip,
                                  OozeMesh **mesh, OozeError *error);

#endif
