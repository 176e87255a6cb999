/* Collecting vertices and triangles into a mesh: shared by the file readers, the triangulation of
   shapes and the repair of damaged meshes. */
#ifndef OOZE_SOLIDS_MESH_BUILD_H
#define OOZE_SOLIDS_MESH_BUILD_H

#include "solids/mesh.h"

typedef struct OozeMeshBuild {
    const char *name; /* for messages */
    OozeVec3 *vertices;
    uint64_t vertex_count, vertex_capacity;
    uint32_t *triangles;
    uint64_t triangle_count, triangle_capacity;
} OozeMeshBuild;

/* Room for this many in all; callers bound the numbers by the size of their input first. */
OozeStatus ooze_mesh_build_reserve(OozeMeshBuild *build, uint64_t vertices, uint64_t triangles,
                                   OozeError *error);
OozeStatus ooze_mesh_build_vertex(OozeMeshBuild *build, OozeVec3 vertex, OozeError *error);
/* Indices may point at vertices that come later; ooze_mesh_build_finish checks nothing again, so the
   caller answers for them. */
OozeStatus ooze_mesh_build_triangle(OozeMeshBuild *build, uint32_t a, uint32_t b, uint32_t c,
                                    OozeError *error);
void ooze_mesh_build_free(OozeMeshBuild *build);

/* Merges equal vertices, drops triangles with two equal corners and vertices that none uses. A
   triangle whose corners are distinct but in line is kept: it holds its neighbours together.
   Empties the build whether it succeeds or not. No triangle left is an error. */
OozeStatus ooze_mesh_build_finish(OozeMeshBuild *build, OozeMesh **mesh, OozeError *error);

/* A mesh of nothing, for a surface that is not there. */
OozeStatus ooze_mesh_create_empty(OozeMesh **mesh, OozeError *error);
OozeStatus ooze_mesh_copy(const OozeMesh *mesh, OozeMesh **copy, OozeError *error);
void ooze_mesh_flip(OozeMesh *mesh); /* turns every triangle over */

/* Coordinates beyond this are refused, so that areas and volumes stay finite. */
#define OOZE_MESH_COORDINATE_MAX 1e30

/* One side of a triangle. Sorted by low, then high: triangles that share an edge stand together. */
typedef struct OozeHalfEdge {
    uint32_t low, high; /* its vertices, low < high */
    uint32_t corner;    /* 3 triangle + corner at which it begins */
} OozeHalfEdge;

/* All 3 triangle_count sides; equal edges stand in the order of their triangles. Free with
   ooze_free. */
OozeStatus ooze_mesh_edges(const OozeMesh *mesh, OozeHalfEdge **edges, OozeError *error);

/* Does the side run from low to high? */
static inline bool ooze_half_edge_forward(const OozeMesh *mesh, const OozeHalfEdge *edge)
{
    return mesh->triangles[edge->corner] == edge->low;
}

OozeStatus ooze_mesh_check_watertight(OozeMesh *mesh, OozeError *error);

static inline OozeVec3 ooze_mesh_corner(const OozeMesh *mesh, uint64_t triangle, int corner)
{
    return mesh->vertices[mesh->triangles[3 * triangle + (uint64_t)corner]];
}

#endif
