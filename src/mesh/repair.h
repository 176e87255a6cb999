/* Repair of meshes that are not watertight. */
#ifndef OOZE_MESH_REPAIR_H
#define OOZE_MESH_REPAIR_H

#include "mesh/build.h"

/* Flips triangles until neighbours are oriented alike, by majority of area in each connected
   component. Components that cannot be oriented (a Moebius strip) are not changed. */
OozeStatus ooze_mesh_orient(OozeMesh *mesh, OozeError *error);

typedef struct OozeMeshGaps {
    double area;    /* of all fans */
    double largest; /* largest gap over the projected area of the mesh along its normal */
} OozeMeshGaps;

/* A copy with a fan of triangles across every gap, so that every edge has as many half-edges in one
   direction as in the other: then winding numbers are integers. */
OozeStatus ooze_mesh_close(const OozeMesh *mesh, OozeMesh **closed, OozeMeshGaps *gaps,
                           OozeError *error);

#endif
