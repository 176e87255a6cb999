#include "solids/mesh.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/mesh_build.h"

void ooze_mesh_free(OozeMesh *mesh)
{
    if (mesh) {
        ooze_free(mesh->vertices);
        ooze_free(mesh->triangles);
        ooze_free(mesh);
    }
}

static OozeStatus check_view(const OozeMeshView *view, OozeError *error)
{
    const char *hint = "pass the arrays together with their lengths";
    if (!view->vertices || !view->triangles) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint, "the mesh has no %s",
                         view->vertices ? "triangles" : "vertices");
    }
    if (view->vertex_count >= UINT32_MAX || view->triangle_count > UINT32_MAX / 3) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "split the mesh into several",
                         "a mesh of %llu vertices and %llu triangles is too large",
                         (unsigned long long)view->vertex_count,
                         (unsigned long long)view->triangle_count);
    }
    for (uint64_t i = 0; i < view->vertex_count; i++) {
        OozeVec3 v = view->vertices[i];
        if (!(fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) <= OOZE_MESH_COORDINATE_MAX) ||
            !vec3_is_finite(v)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "remove it from the mesh",
                             "vertex %llu of the mesh is at (%g, %g, %g)", (unsigned long long)i,
                             v.x, v.y, v.z);
        }
    }
    for (uint64_t k = 0; k < 3 * view->triangle_count; k++) {
        if (view->triangles[k] >= view->vertex_count) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "indices count from 0",
                             "triangle %llu of the mesh uses vertex %u of %llu",
                             (unsigned long long)(k / 3), view->triangles[k],
                             (unsigned long long)view->vertex_count);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_mesh_from_view(const OozeMeshView *view, OozeMesh **mesh, OozeError *error)
{
    *mesh = NULL;
    OozeStatus status = check_view(view, error);
    if (status) {
        return status;
    }
    OozeMeshBuild build = {.name = "the mesh"};
    status = ooze_mesh_build_reserve(&build, view->vertex_count, view->triangle_count, error);
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    memcpy(build.vertices, view->vertices, view->vertex_count * sizeof *build.vertices);
    memcpy(build.triangles, view->triangles, 3 * view->triangle_count * sizeof *build.triangles);
    build.vertex_count = view->vertex_count;
    build.triangle_count = view->triangle_count;
    return ooze_mesh_build_finish(&build, mesh, error);
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
        uint32_t *corners = mesh->triangles + 3 * t, kept = corners[1];
        corners[1] = corners[2];
        corners[2] = kept;
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
    /* Measured from a point of the mesh: far from the origin the terms would cancel badly. */
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
