#include "mesh/build.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"

#define NO_VERTEX UINT32_MAX

static const char *name_of(const OozeMeshBuild *build)
{
    return build->name ? build->name : "mesh";
}

static OozeStatus grow(void **block, uint64_t *capacity, uint64_t count, uint64_t wanted,
                       size_t size, const char *what, OozeError *error)
{
    if (wanted <= *capacity) {
        return OOZE_OK;
    }
    void *grown = ooze_grow(*block, count, wanted, size);
    if (!grown) {
        return ooze_fail_memory(error, what, wanted * size);
    }
    *block = grown;
    *capacity = wanted;
    return OOZE_OK;
}

OozeStatus ooze_mesh_build_reserve(OozeMeshBuild *build, uint64_t vertices, uint64_t triangles,
                                   OozeError *error)
{
    void *block = build->vertices;
    OozeStatus status = grow(&block, &build->vertex_capacity, build->vertex_count, vertices,
                             sizeof *build->vertices, "mesh vertices", error);
    build->vertices = block;
    if (status) {
        return status;
    }
    block = build->triangles;
    status = grow(&block, &build->triangle_capacity, build->triangle_count, triangles,
                  3 * sizeof *build->triangles, "mesh triangles", error);
    build->triangles = block;
    return status;
}

static uint64_t next_capacity(uint64_t capacity)
{
    return capacity < 64 ? 64 : capacity + capacity / 2;
}

OozeStatus ooze_mesh_build_vertex(OozeMeshBuild *build, OozeVec3 vertex, OozeError *error)
{
    if (build->vertex_count >= NO_VERTEX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "split the mesh into several",
                         "%s has more than %u vertices", name_of(build), NO_VERTEX);
    }
    if (build->vertex_count == build->vertex_capacity) {
        OozeStatus status =
            ooze_mesh_build_reserve(build, next_capacity(build->vertex_capacity), 0, error);
        if (status) {
            return status;
        }
    }
    build->vertices[build->vertex_count++] = vertex;
    return OOZE_OK;
}

OozeStatus ooze_mesh_build_triangle(OozeMeshBuild *build, uint32_t a, uint32_t b, uint32_t c,
                                    OozeError *error)
{
    if (build->triangle_count >= UINT32_MAX / 3) { /* corners are numbered in 32 bits */
        return ooze_fail(error, OOZE_ERROR_LIMIT, "split the mesh into several",
                         "%s has more than %u triangles", name_of(build), UINT32_MAX / 3);
    }
    if (build->triangle_count == build->triangle_capacity) {
        OozeStatus status =
            ooze_mesh_build_reserve(build, 0, next_capacity(build->triangle_capacity), error);
        if (status) {
            return status;
        }
    }
    uint32_t *corners = build->triangles + 3 * build->triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return OOZE_OK;
}

void ooze_mesh_build_free(OozeMeshBuild *build)
{
    ooze_free(build->vertices);
    ooze_free(build->triangles);
    const char *name = build->name;
    memset(build, 0, sizeof *build);
    build->name = name;
}

static uint64_t hash_vertex(const OozeVec3 *v)
{
    uint64_t bits[3];
    memcpy(bits, v, sizeof bits);
    return ooze_mix(ooze_mix(ooze_mix(bits[0] + OOZE_HASH_START) ^ bits[1]) + bits[2]);
}

/* representative[i] becomes the first vertex equal to vertex i. */
static OozeStatus find_equal(OozeMeshBuild *build, uint32_t *representative, OozeError *error)
{
    uint64_t slots = 16;
    while (slots < 2 * build->vertex_count) {
        slots *= 2;
    }
    uint32_t *table = ooze_alloc(slots, sizeof *table);
    if (!table) {
        return ooze_fail_memory(error, "merging vertices", slots * sizeof *table);
    }
    memset(table, 0xff, slots * sizeof *table);
    for (uint64_t i = 0; i < build->vertex_count; i++) {
        OozeVec3 *v = &build->vertices[i];
        *v = vec3(v->x + 0.0, v->y + 0.0, v->z + 0.0); /* -0 becomes 0: equal values, equal bits */
        uint64_t slot = hash_vertex(v) & (slots - 1);
        while (table[slot] != NO_VERTEX &&
               memcmp(&build->vertices[table[slot]], v, sizeof *v) != 0) {
            slot = (slot + 1) & (slots - 1);
        }
        if (table[slot] == NO_VERTEX) {
            table[slot] = (uint32_t)i;
        }
        representative[i] = table[slot];
    }
    ooze_free(table);
    return OOZE_OK;
}

/* Renumbers triangles onto representatives, drops those with two equal corners. */
static void keep_triangles(OozeMeshBuild *build, const uint32_t *representative)
{
    uint64_t kept = 0;
    for (uint64_t t = 0; t < build->triangle_count; t++) {
        uint32_t a = representative[build->triangles[3 * t]];
        uint32_t b = representative[build->triangles[3 * t + 1]];
        uint32_t c = representative[build->triangles[3 * t + 2]];
        if (a != b && b != c && c != a) {
            build->triangles[3 * kept] = a;
            build->triangles[3 * kept + 1] = b;
            build->triangles[3 * kept + 2] = c;
            kept++;
        }
    }
    build->triangle_count = kept;
}

/* Keeps the vertices in use, in their order; `new_index` is scratch. */
static void keep_vertices(OozeMeshBuild *build, uint32_t *new_index)
{
    memset(new_index, 0xff, build->vertex_count * sizeof *new_index);
    for (uint64_t k = 0; k < 3 * build->triangle_count; k++) {
        new_index[build->triangles[k]] = 0;
    }
    uint32_t kept = 0;
    for (uint64_t i = 0; i < build->vertex_count; i++) {
        if (new_index[i] != NO_VERTEX) {
            build->vertices[kept] = build->vertices[i];
            new_index[i] = kept++;
        }
    }
    for (uint64_t k = 0; k < 3 * build->triangle_count; k++) {
        build->triangles[k] = new_index[build->triangles[k]];
    }
    build->vertex_count = kept;
}

static OozeStatus clean(OozeMeshBuild *build, OozeError *error)
{
    uint32_t *scratch = ooze_alloc(build->vertex_count, sizeof *scratch);
    if (!scratch) {
        return ooze_fail_memory(error, "merging vertices", build->vertex_count * sizeof *scratch);
    }
    OozeStatus status = find_equal(build, scratch, error);
    if (!status) {
        keep_triangles(build, scratch);
        keep_vertices(build, scratch);
        if (build->triangle_count == 0) {
            status = ooze_fail(error, OOZE_ERROR_FORMAT, "export it with faces, not only points",
                               "%s has no triangles with three distinct corners", name_of(build));
        }
    }
    ooze_free(scratch);
    return status;
}

OozeStatus ooze_mesh_build_finish(OozeMeshBuild *build, OozeMesh **out, OozeError *error)
{
    *out = NULL;
    OozeStatus status = clean(build, error);
    OozeMesh *mesh = status ? NULL : ooze_alloc_zero(1, sizeof *mesh);
    if (!status && !mesh) {
        status = ooze_fail_memory(error, "a mesh", sizeof *mesh);
    }
    if (!status) {
        mesh->vertices = build->vertices;
        mesh->vertex_count = build->vertex_count;
        mesh->triangles = build->triangles;
        mesh->triangle_count = build->triangle_count;
        build->vertices = NULL;
        build->triangles = NULL;
        status = ooze_mesh_check_watertight(mesh, error);
    }
    ooze_mesh_build_free(build);
    if (status) {
        ooze_mesh_free(mesh);
        return status;
    }
    *out = mesh;
    return OOZE_OK;
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
