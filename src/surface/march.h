/* Triangles from the sparse grid. */
#ifndef OOZE_SURFACE_MARCH_H
#define OOZE_SURFACE_MARCH_H

#include "surface/blocks.h"

typedef struct OozeSurfaceMesh {
    uint64_t vertex_count, triangle_count;
    float *positions; /* 3 a vertex */
    uint32_t *triangles;
} OozeSurfaceMesh;

OozeStatus ooze_march(OozeBlocks *blocks, const OozeCloud *cloud, OozeThreads *threads,
                      OozeSurfaceMesh *mesh, OozeError *error);
void ooze_surface_mesh_free(OozeSurfaceMesh *mesh);

#endif
