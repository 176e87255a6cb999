/* Triangle meshes: reading OBJ, PLY and STL, and what the rest needs to know of them. */
#ifndef OOZE_SOLIDS_MESH_H
#define OOZE_SOLIDS_MESH_H

#include "ooze/shape.h"

typedef struct OozeMesh {
    OozeVec3 *vertices;
    uint64_t vertex_count;
    uint32_t *triangles; /* three indices each, counter-clockwise seen from outside */
    uint64_t triangle_count;
    bool watertight; /* every edge shared by exactly two triangles, oppositely directed */
} OozeMesh;

/* The format is told by content first, then by suffix. Equal vertices are merged; triangles
   with two equal corners dropped (corners in line are kept: they seal); polygons fanned. Damaged files: one error with the line or byte offset. */
OozeStatus ooze_mesh_read(const char *path, OozeMesh **mesh, OozeError *error);
OozeStatus ooze_mesh_read_memory(const char *data, size_t size, const char *name, OozeMesh **mesh,
                                 OozeError *error);
OozeStatus ooze_mesh_from_view(const OozeMeshView *view, OozeMesh **mesh, OozeError *error);
void ooze_mesh_free(OozeMesh *mesh);

double ooze_mesh_area(const OozeMesh *mesh);
double ooze_mesh_volume(const OozeMesh *mesh); /* signed, divergence theorem */

#endif
