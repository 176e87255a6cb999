/* Speed of mesh reading, distance grids and distance queries. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/vec3.h"
#include "mesh/read.h"
#include "solids/distance_grid.h"
#include "solids/shape.h"

static OozeMesh *make_round(OozeShapeKind kind, double edge)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    if (ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, NULL) ||
        ooze_shape_triangulate(shape, edge, NULL, &mesh, NULL)) {
        exit(1);
    }
    ooze_shape_destroy(shape);
    return mesh;
}

static void time_reading(const OozeMesh *mesh)
{
    OozeText text = {0};
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        ooze_text_append(&text, "v %.9g %.9g %.9g\n", v.x, v.y, v.z);
    }
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        ooze_text_append(&text, "f %u//%u %u//%u %u//%u\n", c[0] + 1, c[0] + 1, c[1] + 1, c[1] + 1,
                         c[2] + 1, c[2] + 1);
    }
    double start = ooze_clock();
    OozeMesh *back = NULL;
    if (ooze_mesh_read_memory(text.data, text.length, "bench.obj", &back, NULL)) {
        exit(1);
    }
    printf("OBJ of %llu triangles, %.0f MB: %.2f s\n", (unsigned long long)mesh->triangle_count,
           (double)text.length / 1e6, ooze_clock() - start);
    ooze_mesh_free(back);
    ooze_text_clear(&text);
}

static void time_grid(const OozeMesh *mesh, double spacing, const char *what)
{
    OozeDistanceGrid *grid = NULL;
    double start = ooze_clock();
    OozeError error = {0};
    if (ooze_distance_grid_create(mesh, spacing, 0.0, NULL, &grid, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    double built = ooze_clock();
    uint64_t nodes = ooze_distance_grid_nodes(grid);
    enum { QUERIES = 2000000 };
    double sum = 0.0;
    for (uint64_t i = 0; i < QUERIES; i++) {
        OozeVec3 p = vec3(1.4 * ooze_random01(1, i, 0) - 0.7, 0.4 * ooze_random01(1, i, 1) - 0.2,
                          1.4 * ooze_random01(1, i, 2) - 0.7);
        OozeVec3 normal;
        sum += ooze_distance_grid_at(grid, p, &normal) + normal.x;
    }
    double asked = ooze_clock();
    printf(
        "%s, %llu triangles, %llu nodes, %.1f MB: %.2f s, %.2f us a node; %.0f ns a query (%g)\n",
        what, (unsigned long long)mesh->triangle_count, (unsigned long long)nodes,
        (double)ooze_distance_grid_bytes(grid) / 1e6, built - start,
        (built - start) / (double)nodes * 1e6, (asked - built) / QUERIES * 1e9, sum);
    ooze_distance_grid_destroy(grid);
}

int main(void)
{
    OozeMesh *mesh = make_round(OOZE_SHAPE_TORUS, 0.0032);
    time_reading(mesh);
    ooze_mesh_free(mesh);
    mesh = make_round(OOZE_SHAPE_SPHERE, 0.013);
    time_grid(mesh, 0.025, "ball");
    ooze_mesh_free(mesh);
    mesh = make_round(OOZE_SHAPE_TORUS, 0.0105);
    time_grid(mesh, 0.025, "ring");
    mesh->triangle_count -= 20;
    mesh->watertight = false;
    time_grid(mesh, 0.025, "ring with a gap");
    mesh->triangle_count /= 2;
    time_grid(mesh, 0.025, "shell");
    ooze_mesh_free(mesh);
    return 0;
}
