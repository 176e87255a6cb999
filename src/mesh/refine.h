/* Splitting long edges. */
#ifndef OOZE_MESH_REFINE_H
#define OOZE_MESH_REFINE_H

#include "mesh/build.h"

/* Halves edges until none is longer than `edge`. Triangles that share an edge share its midpoint,
   so that a watertight mesh stays so; the surface itself does not change. On failure `*mesh` is
   freed and NULL. */
OozeStatus ooze_mesh_refine(OozeMesh **mesh, double edge, OozeError *error);

/* Fails where a surface of this area would need too many triangles of this edge. */
OozeStatus ooze_mesh_check_size(double area, double edge, OozeError *error);

#endif
