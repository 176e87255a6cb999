/* A tree of boxes over the triangles of a mesh: nearest point, and winding number. */
#ifndef OOZE_MESH_TREE_H
#define OOZE_MESH_TREE_H

#include "mesh/mesh.h"

typedef struct OozeMeshTree OozeMeshTree;

/* Copies the triangles: the mesh may be freed. */
OozeStatus ooze_mesh_tree_create(const OozeMesh *mesh, OozeMeshTree **tree, OozeError *error);
void ooze_mesh_tree_destroy(OozeMeshTree *tree);

typedef struct OozeNearest {
    double distance;
    OozeVec3 point;
} OozeNearest;

/* The nearest point of the surface. `within` is an upper bound of its distance, or INFINITY; it
   only saves time, and the result does not depend on it. */
OozeNearest ooze_mesh_tree_nearest(const OozeMeshTree *tree, OozeVec3 point, double within);

typedef struct OozeNearTriangle {
    uint32_t triangle; /* its place in the tree */
    double distance;
} OozeNearTriangle;

/* The triangles within `reach` of a point, those at the same distance but for rounding included, by
   distance. Returns how many they are; more than `most`: none of them are given. */
int ooze_mesh_tree_near(const OozeMeshTree *tree, OozeVec3 point, double reach, int most,
                        OozeNearTriangle *near);
/* The square of the distance of a triangle: its root is what ooze_mesh_tree_nearest gives for the
   nearest one. */
double ooze_mesh_tree_distance2(const OozeMeshTree *tree, uint32_t triangle, OozeVec3 point);

/* Generalised winding number: 1 inside a closed outward mesh, 0 outside. Distant groups of
   triangles count as one dipole (Barill et al. 2018, "Fast winding numbers for soups and clouds",
   eq. 11), near ones by their exact solid angles; the error is a few hundredths at most. */
double ooze_mesh_tree_winding(const OozeMeshTree *tree, OozeVec3 point);

#endif
