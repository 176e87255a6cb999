/* Reading OBJ, PLY and STL. */
#ifndef OOZE_MESH_READ_H
#define OOZE_MESH_READ_H

#include "mesh/build.h"

/* The format is detected by content first, then by suffix. Polygons become fans of triangles; the
   mesh is cleaned by ooze_mesh_build_finish. The error of a damaged file names the line or byte
   offset. */
OozeStatus ooze_mesh_read(const char *path, OozeMesh **mesh, OozeError *error);
OozeStatus ooze_mesh_read_memory(const char *data, size_t size, const char *name, OozeMesh **mesh,
                                 OozeError *error);
/* One format each. Fills the build; the caller finishes or frees it. */
OozeStatus ooze_mesh_read_obj(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);
OozeStatus ooze_mesh_read_ply(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);
OozeStatus ooze_mesh_read_stl(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);

bool ooze_mesh_is_obj(const char *data, size_t size);
bool ooze_mesh_is_ply(const char *data, size_t size);
bool ooze_mesh_is_stl(const char *data, size_t size);

#endif
