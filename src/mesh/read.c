#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/read.h"

#define FILE_LIMIT (1ull << 30)

typedef struct Format {
    const char *suffix;
    bool (*detect)(const char *data, size_t size);
    OozeStatus (*read)(const char *data, size_t size, OozeMeshBuild *build, OozeError *error);
} Format;

/* The most reliable detection first. */
static const Format formats[] = {
    {".ply", ooze_mesh_is_ply, ooze_mesh_read_ply},
    {".stl", ooze_mesh_is_stl, ooze_mesh_read_stl},
    {".obj", ooze_mesh_is_obj, ooze_mesh_read_obj},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), wanted = strlen(suffix);
    if (length < wanted) {
        return false;
    }
    for (size_t i = 0; i < wanted; i++) {
        char c = name[length - wanted + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != suffix[i]) {
            return false;
        }
    }
    return true;
}

static const Format *find_format(const char *data, size_t size, const char *name)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].detect(data, size)) {
            return &formats[i];
        }
    }
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (has_suffix(name, formats[i].suffix)) {
            return &formats[i];
        }
    }
    return NULL;
}

OozeStatus ooze_mesh_read_memory(const char *data, size_t size, const char *name, OozeMesh **mesh,
                                 OozeError *error)
{
    *mesh = NULL;
    if (size > FILE_LIMIT) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "simplify the mesh",
                         "%s has %llu bytes; meshes of at most %llu are read", name,
                         (unsigned long long)size, (unsigned long long)FILE_LIMIT);
    }
    const Format *format = find_format(data, size, name);
    if (!format) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, "use OBJ, PLY or STL",
                         "%s is not a mesh that can be read", name);
    }
    OozeMeshBuild build = {.name = name};
    OozeStatus status = format->read(data, size, &build, error);
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}

OozeStatus ooze_mesh_read(const char *path, OozeMesh **mesh, OozeError *error)
{
    *mesh = NULL;
    char *data = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(path, FILE_LIMIT, &data, &size, error);
    if (!status) {
        status = ooze_mesh_read_memory(data, size, path, mesh, error);
    }
    ooze_free(data);
    return status;
}
