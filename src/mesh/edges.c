/* The half edges of a triangle mesh in sorted order, and whether every edge has two triangles. */
#include "base/fail.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#include <string.h>

/* A stable counting sort by one vertex; by high first and then by low, it sorts by both. */
static void sort_by(const OozeHalfEdge *from, OozeHalfEdge *to, uint64_t count, uint64_t *first,
                    uint64_t vertices, bool by_low)
{
    memset(first, 0, (vertices + 1) * sizeof *first);
    for (uint64_t i = 0; i < count; i++) {
        first[(by_low ? from[i].low : from[i].high) + 1]++;
    }
    for (uint64_t v = 0; v < vertices; v++) {
        first[v + 1] += first[v];
    }
    for (uint64_t i = 0; i < count; i++) {
        to[first[by_low ? from[i].low : from[i].high]++] = from[i];
    }
}

OozeStatus ooze_mesh_edges(const OozeMesh *mesh, OozeHalfEdge **out, OozeError *error)
{
    *out = NULL;
    uint64_t count = 3 * mesh->triangle_count;
    OozeHalfEdge *edges = ooze_alloc(count, sizeof *edges);
    OozeHalfEdge *scratch = ooze_alloc(count, sizeof *edges);
    uint64_t *first = ooze_alloc(mesh->vertex_count + 1, sizeof *first);
    if (!edges || !scratch || !first) {
        ooze_free(edges);
        ooze_free(scratch);
        ooze_free(first);
        return ooze_fail_memory(error, "the edges of a mesh", 2 * count * sizeof *edges);
    }
    for (uint64_t k = 0; k < count; k++) {
        uint32_t a = mesh->triangles[k];
        uint32_t b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        edges[k] = (OozeHalfEdge){a < b ? a : b, a < b ? b : a, (uint32_t)k};
    }
    sort_by(edges, scratch, count, first, mesh->vertex_count, false);
    sort_by(scratch, edges, count, first, mesh->vertex_count, true);
    ooze_free(scratch);
    ooze_free(first);
    *out = edges;
    return OOZE_OK;
}

OozeStatus ooze_mesh_check_watertight(OozeMesh *mesh, OozeError *error)
{
    OozeHalfEdge *edges = NULL;
    OozeStatus status = ooze_mesh_edges(mesh, &edges, error);
    if (status) {
        return status;
    }
    uint64_t count = 3 * mesh->triangle_count;
    bool closed = count > 0;
    for (uint64_t i = 0; closed && i < count; i += 2) {
        const OozeHalfEdge *a = &edges[i], *b = a + 1, *next = a + 2;
        closed = i + 1 < count && a->low == b->low && a->high == b->high &&
                 ooze_half_edge_forward(mesh, a) != ooze_half_edge_forward(mesh, b) &&
                 (i + 2 >= count || next->low != a->low || next->high != a->high);
    }
    mesh->watertight = closed;
    ooze_free(edges);
    return OOZE_OK;
}
