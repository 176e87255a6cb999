/* The mesh file formats, one file each. Each fills the build; the caller finishes or frees it. */
#ifndef OOZE_SOLIDS_MESH_FORMATS_H
#define OOZE_SOLIDS_MESH_FORMATS_H

#include "solids/mesh_build.h"

OozeStatus ooze_mesh_read_obj(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);
OozeStatus ooze_mesh_read_ply(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);
OozeStatus ooze_mesh_read_stl(const char *data, size_t size, OozeMeshBuild *build,
                              OozeError *error);

bool ooze_mesh_looks_obj(const char *data, size_t size);
bool ooze_mesh_looks_ply(const char *data, size_t size);
bool ooze_mesh_looks_stl(const char *data, size_t size);

#endif
