#include "surface/rings.h"

#include "base/fail.h"

OozeStatus ooze_rings_build(const OozeSurfaceMesh *mesh, OozeRings *rings, OozeError *error)
{
    uint64_t corners = 3 * mesh->triangle_count;
    rings->first = ooze_alloc_zero(mesh->vertex_count + 2, sizeof *rings->first);
    rings->to = ooze_alloc(corners, sizeof *rings->to);
    rings->third = ooze_alloc(corners, sizeof *rings->third);
    if (!rings->first || !rings->to || !rings->third) {
        ooze_rings_free(rings);
        return ooze_fail_memory(error, "the neighbours of vertices",
                                corners * 2 * sizeof *rings->to);
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
        uint64_t at = rings->first[(uint64_t)t[k % 3] + 1]++;
        rings->to[at] = t[(k + 1) % 3];
        rings->third[at] = t[(k + 2) % 3];
    }
    return OOZE_OK;
}

void ooze_rings_free(OozeRings *rings)
{
    ooze_free(rings->first);
    ooze_free(rings->to);
    ooze_free(rings->third);
    *rings = (OozeRings){0};
}

bool ooze_rings_closed(const OozeRings *rings, uint64_t vertex)
{
    const uint32_t *to = rings->to + rings->first[vertex];
    const uint32_t *third = rings->third + rings->first[vertex];
    uint64_t count = rings->first[vertex + 1] - rings->first[vertex], seen = 0;
    uint32_t at = count > 0 ? to[0] : 0;
    while (seen < count) {
        uint64_t found = 0, next = 0;
        for (uint64_t k = 0; k < count; k++) {
            if (to[k] == at) {
                next = k;
                found++;
            }
        }
        if (found != 1 || third[next] == at) {
            return false;
        }
        at = third[next];
        seen++;
        if (at == to[0]) {
            break;
        }
    }
    return seen == count && (count == 0 || count > 2);
}
