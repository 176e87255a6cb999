/* Smooth normals that stop at creases. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "render/solid_meshes.h"

#define CREASE 0.77f /* cosine: edges sharper than 40 degrees stay sharp */

static OozeF3 corner(const float *positions, const uint32_t *triangle, int i)
{
    return f3_load(positions + 3 * (size_t)triangle[i]);
}

/* The normal weighted by twice the area of the triangle. */
static OozeF3 weighted_normal(const float *positions, const uint32_t *triangle)
{
    OozeF3 a = corner(positions, triangle, 0);
    return f3_cross(f3_sub(corner(positions, triangle, 1), a),
                    f3_sub(corner(positions, triangle, 2), a));
}

/* Lists the triangles around each vertex; those of vertex v are at starts[v] to starts[v + 1]. */
static void list_around(const uint32_t *triangles, uint64_t triangle_count, uint64_t vertex_count,
                        uint64_t *starts, uint32_t *around)
{
    memset(starts, 0, (vertex_count + 2) * sizeof *starts);
    for (uint64_t i = 0; i < 3 * triangle_count; i++) {
        starts[triangles[i] + 2]++;
    }
    for (uint64_t v = 2; v < vertex_count + 2; v++) {
        starts[v] += starts[v - 1];
    }
    for (uint64_t i = 0; i < 3 * triangle_count; i++) {
        around[starts[triangles[i] + 1]++] = (uint32_t)(i / 3);
    }
}

OozeStatus ooze_corner_normals(const float *positions, uint64_t vertex_count,
                               const uint32_t *triangles, uint64_t triangle_count, float *normals,
                               OozeError *error)
{
    uint64_t *starts = ooze_alloc(vertex_count + 2, sizeof *starts);
    uint32_t *around = ooze_alloc(3 * triangle_count, sizeof *around);
    if (!starts || !around) {
        ooze_free(starts);
        ooze_free(around);
        return ooze_fail_memory(error, "normals", 3 * triangle_count * sizeof *around);
    }
    list_around(triangles, triangle_count, vertex_count, starts, around);
    for (uint64_t i = 0; i < 3 * triangle_count; i++) {
        OozeF3 own = weighted_normal(positions, triangles + 3 * (i / 3)), sum = f3_all(0.0f);
        OozeF3 unit = f3_unit(own);
        for (uint64_t k = starts[triangles[i]]; k < starts[triangles[i] + 1]; k++) {
            OozeF3 other = weighted_normal(positions, triangles + 3 * (uint64_t)around[k]);
            bool smooth = f3_dot(f3_unit(other), unit) > CREASE;
            sum = smooth ? f3_add(sum, other) : sum;
        }
        OozeF3 normal = f3_dot(sum, sum) > 0.0f ? f3_unit(sum) : unit;
        memcpy(normals + 3 * i, &normal, sizeof normal);
    }
    ooze_free(starts);
    ooze_free(around);
    return OOZE_OK;
}
