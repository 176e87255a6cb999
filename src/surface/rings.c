#include "surface/rings.h"

#include "base/fail.h"

OozeStatus ooze_rings_build(const OozeSurfaceMesh *mesh, OozeRings *rings, OozeError *error)
{
    uint64_t corners = 3 * mesh->triangle_count;
    rings->first = ooze_alloc_zero(mesh->vertex_count + 2, sizeof *rings->first);
    rings->edges = ooze_alloc(corners, sizeof *rings->edges);
    if (!rings->first || !rings->edges) {
        ooze_rings_free(rings);
        return ooze_fail_memory(error, "the neighbours of vertices",
                                corners * sizeof *rings->edges);
    }
    /* first[v + 2] counts; then first[v + 1] is the index of v's next edge, and in the end v's end.
       */
    for (uint64_t k = 0; k < corners; k++) {
        rings->first[(uint64_t)mesh->triangles[k] + 2]++;
    }
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        rings->first[v + 2] += rings->first[v + 1];
    }
    for (uint64_t k = 0; k < corners; k++) {
        const uint32_t *t = mesh->triangles + k / 3 * 3;
        rings->edges[rings->first[(uint64_t)t[k % 3] + 1]++] =
            (OozeRingEdge){t[(k + 1) % 3], t[(k + 2) % 3]};
    }
    return OOZE_OK;
}

void ooze_rings_free(OozeRings *rings)
{
    ooze_free(rings->first);
    ooze_free(rings->edges);
    *rings = (OozeRings){0};
}

bool ooze_rings_closed(const OozeRings *rings, uint64_t vertex)
{
    const OozeRingEdge *edges = rings->edges + rings->first[vertex];
    uint64_t count = rings->first[vertex + 1] - rings->first[vertex], seen = 0;
    uint32_t at = count > 0 ? edges[0].to : 0;
    while (seen < count) {
        uint64_t found = 0, next = 0;
        for (uint64_t k = 0; k < count; k++) {
            if (edges[k].to == at) {
                next = k;
                found++;
            }
        }
        if (found != 1 || edges[next].third == at) {
            return false;
        }
        at = edges[next].third;
        seen++;
        if (at == edges[0].to) {
            break;
        }
    }
    return seen == count && (count == 0 || count > 2);
}
