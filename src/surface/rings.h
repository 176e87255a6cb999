/* Adjacency of the vertices of a mesh. */
#ifndef OOZE_SURFACE_RINGS_H
#define OOZE_SURFACE_RINGS_H

#include "surface/march.h"

/* The corners of triangles at each vertex. The filters read `to` alone, many times. */
typedef struct OozeRings {
    uint64_t *first;      /* vertex_count + 1: the first corner of each vertex */
    uint32_t *to, *third; /* of a corner: the other two vertices of its triangle, in order */
} OozeRings;

OozeStatus ooze_rings_build(const OozeSurfaceMesh *mesh, OozeRings *rings, OozeError *error);
void ooze_rings_free(OozeRings *rings);
/* Whether the triangles at a vertex form one closed ring; true for a vertex without triangles. */
bool ooze_rings_closed(const OozeRings *rings, uint64_t vertex);

typedef struct OozeSmoothing {
    int passes;
    double spacing; /* m */
    uint64_t fixed; /* the first vertices that do not move */
} OozeSmoothing;
/* Removes ripples of a few spacings; what is thin or deep stays. */
OozeStatus ooze_mesh_smooth(OozeSurfaceMesh *mesh, const OozeSmoothing *how, OozeThreads *threads,
                            OozeError *error);
/* Moves the vertices that only interfaces use behind the others. */
OozeStatus ooze_mesh_sort_interfaces(OozeSurfaceMesh *mesh, OozeError *error);
/* The interfaces as a mesh over the same vertices. */
OozeSurfaceMesh ooze_mesh_interfaces(const OozeSurfaceMesh *mesh);
/* Smooths lines where materials meet on the surface, the surface, then the interfaces between
   them. */
OozeStatus ooze_mesh_smooth_all(OozeSurfaceMesh *mesh, int passes, double spacing,
                                OozeThreads *threads, OozeError *error);
/* Unit normals of the vertices, outwards, from the triangles. The array has one number more than
   three a vertex. */
OozeStatus ooze_mesh_normals(const OozeSurfaceMesh *mesh, double spacing, OozeThreads *threads,
                             float *normals, OozeError *error);
/* Removes triangles until `fraction` of them is left, and the unused vertices. The mesh stays
   closed, 2-manifold and within about `tolerance` (m) of its former surface; more triangles are
   left where that requires it. */
OozeStatus ooze_mesh_decimate(OozeSurfaceMesh *mesh, double fraction, double tolerance,
                              OozeError *error);

#endif
