/* Making the best of meshes that are not watertight. */
#ifndef OOZE_SOLIDS_MESH_REPAIR_H
#define OOZE_SOLIDS_MESH_REPAIR_H

#include "solids/mesh_build.h"

/* Turns triangles over until neighbours agree, by majority of area in each connected piece. Pieces
   that cannot agree (a Moebius strip) stay as they are. */
OozeStatus ooze_mesh_orient(OozeMesh *mesh, OozeError *error);

typedef struct OozeMeshGaps {
    double area;    /* of all fans */
    double largest; /* largest gap, as a fraction of half the surface seen through it */
} OozeMeshGaps;

/* A copy with a fan across the rim of every gap, so that every edge is walked as often one way as the
   other: then winding numbers are whole numbers. */
OozeStatus ooze_mesh_close(const OozeMesh *mesh, OozeMesh **closed, OozeMeshGaps *gaps,
                           OozeError *error);

#endif
