#include "mesh/mesh.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"

void ooze_mesh_free(OozeMesh *mesh)
{
    if (mesh) {
        ooze_free(mesh->vertices);
        ooze_free(mesh->triangles);
        ooze_free(mesh);
    }
}

OozeStatus ooze_mesh_create_empty(OozeMesh **out, OozeError *error)
{
    *out = NULL;
    OozeMesh *mesh = ooze_alloc_zero(1, sizeof *mesh);
    if (!mesh) {
        return ooze_fail_memory(error, "a mesh", sizeof *mesh);
    }
    *out = mesh;
    return OOZE_OK;
}

OozeStatus ooze_mesh_copy(const OozeMesh *mesh, OozeMesh **out, OozeError *error)
{
    OozeMesh *copy = NULL;
    OozeStatus status = ooze_mesh_create_empty(&copy, error);
    *out = NULL;
    if (status) {
        return status;
    }
    *copy = *mesh;
    copy->vertices = ooze_alloc(mesh->vertex_count, sizeof *copy->vertices);
    copy->triangles = ooze_alloc(mesh->triangle_count, 3 * sizeof *copy->triangles);
    if (!copy->vertices || !copy->triangles) {
        ooze_mesh_free(copy);
        return ooze_fail_memory(error, "a copy of a mesh",
                                mesh->vertex_count * sizeof *copy->vertices);
    }
    if (mesh->vertex_count > 0) {
        memcpy(copy->vertices, mesh->vertices, mesh->vertex_count * sizeof *copy->vertices);
        memcpy(copy->triangles, mesh->triangles,
               3 * mesh->triangle_count * sizeof *copy->triangles);
    }
    *out = copy;
    return OOZE_OK;
}

void ooze_mesh_flip(OozeMesh *mesh)
{
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t *corners = mesh->triangles + 3 * t, second = corners[1];
        corners[1] = corners[2];
        corners[2] = second;
    }
}

double ooze_mesh_area(const OozeMesh *mesh)
{
    double area = 0.0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        OozeVec3 a = ooze_mesh_corner(mesh, t, 0);
        OozeVec3 ab = vec3_sub(ooze_mesh_corner(mesh, t, 1), a);
        OozeVec3 ac = vec3_sub(ooze_mesh_corner(mesh, t, 2), a);
        area += 0.5 * vec3_length(vec3_cross(ab, ac));
    }
    return area;
}

double ooze_mesh_volume(const OozeMesh *mesh)
{
    if (mesh->triangle_count == 0) {
        return 0.0;
    }
    /* Relative to a vertex: far from the origin the terms would cancel. */
    OozeVec3 origin = ooze_mesh_corner(mesh, 0, 0);
    double volume = 0.0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        OozeVec3 a = vec3_sub(ooze_mesh_corner(mesh, t, 0), origin);
        OozeVec3 b = vec3_sub(ooze_mesh_corner(mesh, t, 1), origin);
        OozeVec3 c = vec3_sub(ooze_mesh_corner(mesh, t, 2), origin);
        volume += vec3_dot(a, vec3_cross(b, c)) / 6.0;
    }
    return volume;
}
