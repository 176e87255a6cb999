/* Interfaces between materials after marching: order of the vertices, smoothing. */
#include <string.h>

#include "base/fail.h"
#include "surface/rings.h"

/* Two steps of a pass over border lines, shrinking and growing (Taubin 1995). */
#define SHRINK 0.5f
#define GROW   -0.53f
enum { BORDER_PASSES = 6 };
#define NO_VERTEX UINT32_MAX

/* ---- order --------------------------------------------------------------------------------- */

static void renumber(uint32_t *corners, uint64_t count, const uint32_t *number)
{
    for (uint64_t k = 0; k < count; k++) {
        corners[k] = number[corners[k]];
    }
}

OozeStatus ooze_mesh_sort_interfaces(OozeSurfaceMesh *mesh, OozeError *error)
{
    uint64_t total = mesh->vertex_count, next = 0;
    if (!mesh->triangle_labels) {
        return OOZE_OK;
    }
    uint32_t *number = ooze_alloc_zero(total, sizeof *number);
    float *sorted = ooze_alloc(total, 3 * sizeof *sorted);
    if (!number || !sorted) {
        ooze_free(number);
        ooze_free(sorted);
        return ooze_fail_memory(error, "the interfaces of a surface", total * 16);
    }
    for (uint64_t k = 0; k < 3 * mesh->triangle_count; k++) {
        number[mesh->triangles[k]] = 1;
    }
    for (uint64_t v = 0; v < total; v++) {
        mesh->interface_vertex_count += !number[v];
    }
    mesh->vertex_count -= mesh->interface_vertex_count;
    uint64_t inner = mesh->vertex_count;
    for (uint64_t v = 0; v < total; v++) {
        uint64_t to = number[v] ? next++ : inner++;
        number[v] = (uint32_t)to;
        memcpy(sorted + 3 * to, mesh->positions + 3 * v, 3 * sizeof *sorted);
    }
    renumber(mesh->triangles, 3 * mesh->triangle_count, number);
    renumber(mesh->interfaces, 3 * mesh->interface_count, number);
    ooze_free(mesh->positions);
    mesh->positions = sorted;
    ooze_free(number);
    return OOZE_OK;
}

void ooze_mesh_drop_interfaces(OozeSurfaceMesh *mesh)
{
    ooze_free(mesh->triangle_labels);
    ooze_free(mesh->interfaces);
    ooze_free(mesh->interface_labels);
    mesh->triangle_labels = mesh->interface_labels = NULL;
    mesh->interfaces = NULL;
    mesh->interface_count = mesh->interface_vertex_count = 0;
}

OozeSurfaceMesh ooze_mesh_interfaces(const OozeSurfaceMesh *mesh)
{
    return (OozeSurfaceMesh){.vertex_count = mesh->vertex_count + mesh->interface_vertex_count,
                             .triangle_count = mesh->interface_count,
                             .positions = mesh->positions,
                             .triangles = mesh->interfaces};
}

/* ---- border lines -------------------------------------------------------------------------- */

static bool is_surface_edge(const OozeRings *rings, uint32_t a, uint32_t b)
{
    for (uint64_t k = rings->first[a]; k < rings->first[a + 1]; k++) {
        if (rings->to[k] == b) {
            return true;
        }
    }
    return false;
}

/* The two neighbours of each surface vertex along the line where an interface ends on the surface;
   NO_VERTEX for others. Where three lines meet, the vertex stays. */
static void find_borders(const OozeSurfaceMesh *mesh, const OozeRings *rings, uint32_t *neighbours)
{
    uint64_t n = mesh->vertex_count;
    uint8_t *count = (uint8_t *)(neighbours + 2 * n);
    memset(neighbours, 0xff, 2 * n * sizeof *neighbours);
    memset(count, 0, n);
    for (uint64_t k = 0; k < 3 * mesh->interface_count; k++) {
        uint32_t a = mesh->interfaces[k], b = mesh->interfaces[k / 3 * 3 + (k + 1) % 3];
        if (a >= n || b >= n || !is_surface_edge(rings, a, b)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            uint32_t own = side ? b : a, other = side ? a : b;
            bool known = neighbours[2 * (uint64_t)own] == other ||
                         neighbours[2 * (uint64_t)own + 1] == other;
            if (!known && count[own] < 2) {
                neighbours[2 * (uint64_t)own + count[own]] = other;
            }
            count[own] = (uint8_t)(count[own] + (!known && count[own] < 3));
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        if (count[v] != 2) {
            neighbours[2 * v] = NO_VERTEX;
        }
    }
}

typedef struct Borders {
    const uint32_t *neighbours;
    const float *from;
    float *to;
    float weight;
} Borders;

static void border_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Borders *job = context;
    (void)worker;
    for (uint64_t v = begin; v < end; v++) {
        const uint32_t *near = job->neighbours + 2 * v;
        for (uint64_t a = 0; a < 3; a++) {
            float own = job->from[3 * v + a], shift = 0.0f;
            if (near[0] != NO_VERTEX) {
                shift = 0.5f * (job->from[3 * (uint64_t)near[0] + a] - own +
                                job->from[3 * (uint64_t)near[1] + a] - own);
            }
            job->to[3 * v + a] = own + job->weight * shift;
        }
    }
}

static OozeStatus smooth_borders(OozeSurfaceMesh *mesh, OozeThreads *threads, OozeError *error)
{
    OozeRings rings = {0};
    uint64_t n = mesh->vertex_count;
    uint32_t *neighbours = ooze_alloc(n, 2 * sizeof *neighbours + 1);
    float *other = ooze_alloc(n, 3 * sizeof *other);
    OozeStatus status = neighbours && other ? ooze_rings_build(mesh, &rings, error)
                                            : ooze_fail_memory(error, "border lines", n * 21);
    if (!status) {
        find_borders(mesh, &rings, neighbours);
        for (int pass = 0; pass < BORDER_PASSES; pass++) {
            Borders shrink = {neighbours, mesh->positions, other, SHRINK};
            Borders grow = {neighbours, other, mesh->positions, GROW};
            ooze_parallel_for(threads, n, 4096, border_range, &shrink);
            ooze_parallel_for(threads, n, 4096, border_range, &grow);
        }
    }
    ooze_rings_free(&rings);
    ooze_free(neighbours);
    ooze_free(other);
    return status;
}

OozeStatus ooze_mesh_smooth_all(OozeSurfaceMesh *mesh, int passes, double spacing,
                                OozeThreads *threads, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    bool mixed = mesh->interface_count > 0 && passes > 0;
    if (mixed) {
        status = smooth_borders(mesh, threads, error);
    }
    if (!status) {
        OozeSmoothing surface = {.passes = passes, .spacing = spacing};
        status = ooze_mesh_smooth(mesh, &surface, threads, error);
    }
    if (mixed && !status) {
        OozeSurfaceMesh interfaces = ooze_mesh_interfaces(mesh);
        OozeSmoothing inner = {passes, spacing, mesh->vertex_count};
        status = ooze_mesh_smooth(&interfaces, &inner, threads, error);
    }
    return status;
}
