#include "mesh/refine.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"

#define NO_MIDDLE UINT32_MAX

enum { PASSES_MAX = 64 };
#define TRIANGLES_MAX (1ull << 27)

OozeStatus ooze_mesh_check_size(double area, double edge, OozeError *error)
{
    if (!(edge > 0.0) || !isfinite(edge)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use about the particle spacing",
                         "triangles with edges of %g m are meaningless", edge);
    }
    double triangles = 4.0 * area / (edge * edge);
    if (!(triangles <= (double)TRIANGLES_MAX)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or a smaller shape",
                         "a surface of %g m2 split into edges of %g m needs about %.3g triangles; "
                         "at most %llu are possible",
                         area, edge, triangles, TRIANGLES_MAX);
    }
    return OOZE_OK;
}

/* middle[corner] becomes the midpoint of the edge that begins there; `*cuts` counts the midpoints.
   */
static OozeStatus place_middles(const OozeMesh *mesh, double edge, OozeMeshBuild *build,
                                uint32_t *middle, uint64_t *cuts, OozeError *error)
{
    OozeHalfEdge *edges = NULL;
    OozeStatus status = ooze_mesh_edges(mesh, &edges, error);
    uint32_t current = NO_MIDDLE;
    *cuts = 0;
    for (uint64_t i = 0; !status && i < 3 * mesh->triangle_count; i++) {
        const OozeHalfEdge *e = &edges[i];
        if (i == 0 || e->low != e[-1].low || e->high != e[-1].high) {
            OozeVec3 a = mesh->vertices[e->low], b = mesh->vertices[e->high];
            current = NO_MIDDLE;
            if (vec3_length(vec3_sub(a, b)) > edge) {
                current = (uint32_t)build->vertex_count;
                status = ooze_mesh_build_vertex(build, vec3_scale(vec3_add(a, b), 0.5), error);
                ++*cuts;
            }
        }
        middle[e->corner] = current;
    }
    ooze_free(edges);
    return status;
}

static OozeStatus add(OozeMeshBuild *build, OozeStatus before, uint32_t a, uint32_t b, uint32_t c,
                      OozeError *error)
{
    return before ? before : ooze_mesh_build_triangle(build, a, b, c, error);
}

static OozeStatus cut_triangle(OozeMeshBuild *build, const uint32_t *corner, const uint32_t *middle,
                               OozeError *error)
{
    int marked = 0, first = 0;
    for (int k = 0; k < 3; k++) {
        marked += middle[k] != NO_MIDDLE;
    }
    /* With 1 or 2 cuts, the first corner is the one whose edge 0 is cut and whose edge 2 is not. */
    for (int k = 0; k < 3; k++) {
        bool cut = middle[k] != NO_MIDDLE, before_cut = middle[(k + 2) % 3] != NO_MIDDLE;
        first = cut && !before_cut ? k : first;
    }
    uint32_t a = corner[first], b = corner[(first + 1) % 3], c = corner[(first + 2) % 3];
    uint32_t ab = middle[first], bc = middle[(first + 1) % 3], ca = middle[(first + 2) % 3];
    OozeStatus status = OOZE_OK;
    if (marked == 0) {
        return add(build, status, a, b, c, error);
    }
    if (marked == 1) {
        status = add(build, status, a, ab, c, error);
        return add(build, status, ab, b, c, error);
    }
    status = add(build, status, ab, b, bc, error);
    if (marked == 3) {
        status = add(build, status, a, ab, ca, error);
        status = add(build, status, ca, bc, c, error);
        return add(build, status, ab, bc, ca, error);
    }
    OozeVec3 one = vec3_sub(build->vertices[a], build->vertices[bc]);
    OozeVec3 other = vec3_sub(build->vertices[ab], build->vertices[c]);
    if (vec3_dot(one, one) <= vec3_dot(other, other)) {
        status = add(build, status, a, ab, bc, error);
        return add(build, status, a, bc, c, error);
    }
    status = add(build, status, a, ab, c, error);
    return add(build, status, ab, bc, c, error);
}

/* One pass; `*cuts` counts the edges that were too long. */
static OozeStatus refine_once(const OozeMesh *mesh, double edge, OozeMeshBuild *build,
                              uint64_t *cuts, OozeError *error)
{
    OozeStatus status =
        ooze_mesh_build_reserve(build, mesh->vertex_count, mesh->triangle_count, error);
    uint32_t *middle = status ? NULL : ooze_alloc(3 * mesh->triangle_count, sizeof *middle);
    if (!status && !middle) {
        status = ooze_fail_memory(error, "cutting edges", 12 * mesh->triangle_count);
    }
    if (!status) {
        memcpy(build->vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
        build->vertex_count = mesh->vertex_count;
        status = place_middles(mesh, edge, build, middle, cuts, error);
    }
    for (uint64_t t = 0; !status && *cuts > 0 && t < mesh->triangle_count; t++) {
        status = cut_triangle(build, mesh->triangles + 3 * t, middle + 3 * t, error);
    }
    ooze_free(middle);
    return status;
}

OozeStatus ooze_mesh_refine(OozeMesh **mesh, double edge, OozeError *error)
{
    OozeStatus status = ooze_mesh_check_size(ooze_mesh_area(*mesh), edge, error);
    for (int pass = 0; !status && pass < PASSES_MAX; pass++) {
        OozeMeshBuild build = {.name = "the surface"};
        uint64_t cuts = 0;
        status = refine_once(*mesh, edge, &build, &cuts, error);
        if (status || cuts == 0) {
            ooze_mesh_build_free(&build);
            break;
        }
        OozeMesh *finer = NULL;
        status = ooze_mesh_build_finish(&build, &finer, error);
        if (!status) {
            ooze_mesh_free(*mesh);
            *mesh = finer;
            if (finer->triangle_count > TRIANGLES_MAX) {
                status = ooze_mesh_check_size(INFINITY, edge, error);
            }
        }
    }
    if (status) {
        ooze_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}
