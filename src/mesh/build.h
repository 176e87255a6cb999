/* Assembles vertices and triangles into a mesh, for the file readers, the triangulation of shapes
   and the repair of damaged meshes. */
#ifndef OOZE_MESH_BUILD_H
#define OOZE_MESH_BUILD_H

#include "mesh/mesh.h"

typedef struct OozeMeshBuild {
    const char *name; /* for messages */
    OozeVec3 *vertices;
    uint64_t vertex_count, vertex_capacity;
    uint32_t *triangles;
    uint64_t triangle_count, triangle_capacity;
} OozeMeshBuild;

/* Capacity for this many in all; callers bound the numbers by the size of their input first. */
OozeStatus ooze_mesh_build_reserve(OozeMeshBuild *build, uint64_t vertices, uint64_t triangles,
                                   OozeError *error);
OozeStatus ooze_mesh_build_vertex(OozeMeshBuild *build, OozeVec3 vertex, OozeError *error);
/* Indices may refer to vertices that are added later; the caller checks them,
   ooze_mesh_build_finish does not. */
OozeStatus ooze_mesh_build_triangle(OozeMeshBuild *build, uint32_t a, uint32_t b, uint32_t c,
                                    OozeError *error);
void ooze_mesh_build_free(OozeMeshBuild *build);

/* Merges equal vertices, drops triangles with two equal corners and unused vertices. A triangle
   whose corners are distinct but collinear is kept: it keeps the mesh watertight. Empties the build
   whether it succeeds or not. A mesh without triangles is an error. */
OozeStatus ooze_mesh_build_finish(OozeMeshBuild *build, OozeMesh **mesh, OozeError *error);

/* A copy of arrays that the caller owns, cleaned as above. */
OozeStatus ooze_mesh_from_view(const OozeMeshView *view, OozeMesh **mesh, OozeError *error);

#endif
