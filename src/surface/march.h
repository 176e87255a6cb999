/* Triangles from the sparse grid. */
#ifndef OOZE_SURFACE_MARCH_H
#define OOZE_SURFACE_MARCH_H

#include "surface/blocks.h"

typedef struct OozeSurfaceMesh {
    uint64_t vertex_count, triangle_count;
    float *positions; /* 3 a vertex */
    uint32_t *triangles;
    /* Of a cloud with several materials; NULL of others: */
    uint8_t *triangle_labels;                         /* the material behind each triangle */
    uint64_t interface_count, interface_vertex_count; /* vertices after the first vertex_count that
                                                        only interfaces use */
    uint32_t *interfaces;                             /* triangles between two materials, 3 each */
    uint8_t *interface_labels;                        /* 2 each: behind, in front */
} OozeSurfaceMesh;

OozeStatus ooze_march(OozeBlocks *blocks, const OozeCloud *cloud, OozeThreads *threads,
                      OozeSurfaceMesh *mesh, OozeError *error);
void ooze_surface_mesh_free(OozeSurfaceMesh *mesh);
/* m3 enclosed, m2. */
OozeStatus ooze_mesh_measure(const OozeSurfaceMesh *mesh, OozeThreads *threads, double *volume,
                             double *area, OozeError *error);
/* Of a sorted mesh: forgets the materials of the triangles, the interfaces and their vertices. */
void ooze_mesh_drop_interfaces(OozeSurfaceMesh *mesh);

#endif
