/* Feeds bytes to the mesh and height map readers, and what they accept to the distance grid. */
#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/read.h"
#include "solids/distance_grid.h"
#include "solids/heightfield.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double extent(const OozeMesh *mesh)
{
    double largest = 0.0;
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        largest = fmax(largest, vec3_length(vec3_sub(mesh->vertices[i], mesh->vertices[0])));
    }
    return largest;
}

static void measure(const OozeMesh *mesh)
{
    enum { TRIANGLES_MAX = 60 }; /* keeps a run short */
    OozeDistanceGrid *grid = NULL;
    OozeMesh *surface = NULL;
    double size = extent(mesh);
    if (mesh->triangle_count > TRIANGLES_MAX || !(size > 0.0)) {
        return;
    }
    if (ooze_distance_grid_create(mesh, size / 2.0, 0.0, NULL, &grid, NULL) == OOZE_OK) {
        OozeVec3 normal;
        for (uint64_t i = 0; i < mesh->vertex_count; i++) {
            double d = ooze_distance_grid_at(grid, mesh->vertices[i], &normal);
            if (isnan(d) || isnan(normal.x)) {
                __builtin_trap();
            }
        }
        if (ooze_distance_grid_surface(grid, &surface, NULL) == OOZE_OK) {
            ooze_mesh_free(surface);
        }
        ooze_distance_grid_destroy(grid);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Content decides; the suffix is the last resort, so each gets its turn. */
    static const char *const names[] = {"input.obj", "input.ply", "input.stl", "input"};
    const char *bytes = (const char *)data;
    OozeError error;
    OozeMesh *mesh = NULL;
    if (ooze_mesh_read_memory(bytes, size, names[size % 4], &mesh, &error) == OOZE_OK) {
        measure(mesh);
        ooze_mesh_free(mesh);
    }
    OozeHeightMap map;
    if (ooze_height_map_read_memory(bytes, size, "input", &map, &error) == OOZE_OK) {
        if (!map.heights || map.columns == 0 || map.rows == 0) {
            __builtin_trap();
        }
        ooze_free(map.heights);
    }
    return 0;
}
