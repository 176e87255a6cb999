/* Who neighbours whom on a mesh. */
#ifndef OOZE_SURFACE_RINGS_H
#define OOZE_SURFACE_RINGS_H

#include "surface/march.h"

/* A triangle's corner: from its vertex the triangle goes on to `to`, then to `third`. */
typedef struct OozeRingEdge {
    uint32_t to, third;
} OozeRingEdge;

typedef struct OozeRings {
    uint64_t *first; /* vertex_count + 1: the edges that leave a vertex */
    OozeRingEdge *edges;
} OozeRings;

OozeStatus ooze_rings_build(const OozeSurfaceMesh *mesh, OozeRings *rings, OozeError *error);
void ooze_rings_free(OozeRings *rings);
/* Whether the triangles at a vertex form one closed ring; true for a vertex without triangles. */
bool ooze_rings_sound(const OozeRings *rings, uint64_t vertex);

/* Volume-keeping smoothing. */
OozeStatus ooze_mesh_smooth(OozeSurfaceMesh *mesh, int passes, OozeThreads *threads,
                            OozeError *error);
/* Takes triangles away until `share` of them is left, and the vertices that are then unused. The
   mesh stays closed, 2-manifold and within about `tolerance` (m) of what it was; where that stops it,
   more are left. */
OozeStatus ooze_mesh_decimate(OozeSurfaceMesh *mesh, double share, double tolerance,
                              OozeError *error);

#endif
