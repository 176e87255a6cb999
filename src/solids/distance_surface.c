/* The zero surface of a distance grid as triangles: of a shell by marching tetrahedra. */
#include "base/fail.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "solids/distance_data.h"

typedef struct Corner {
    uint64_t at[3]; /* whole steps from the origin */
    double value;
} Corner;

static bool comes_before(const Corner *a, const Corner *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->at[k] != b->at[k]) {
            return a->at[k] < b->at[k];
        }
    }
    return false;
}

/* The intersection of the surface with an edge. Computed from the same end for all tetrahedra, so
   that it has the same bits in each; kept off the ends, so that no two intersections coincide. */
static OozeVec3 cut_edge(const OozeDistanceGrid *grid, const Corner *a, const Corner *b)
{
    if (comes_before(b, a)) {
        const Corner *kept = a;
        a = b;
        b = kept;
    }
    double s = fmin(fmax(a->value / (a->value - b->value), 1e-3), 1.0 - 1e-3), position[3];
    for (int k = 0; k < 3; k++) {
        position[k] = (double)a->at[k] + s * ((double)b->at[k] - (double)a->at[k]);
    }
    return vec3(grid->origin.x + grid->step * position[0],
                grid->origin.y + grid->step * position[1],
                grid->origin.z + grid->step * position[2]);
}

static OozeStatus add_triangle(OozeMeshBuild *build, OozeVec3 a, OozeVec3 b, OozeVec3 c,
                               OozeVec3 outward, OozeError *error)
{
    OozeVec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    uint32_t first = (uint32_t)build->vertex_count;
    OozeStatus status = ooze_mesh_build_vertex(build, a, error);
    status = status ? status : ooze_mesh_build_vertex(build, b, error);
    status = status ? status : ooze_mesh_build_vertex(build, c, error);
    if (status) {
        return status;
    }
    bool right = vec3_dot(normal, outward) >= 0.0;
    return ooze_mesh_build_triangle(build, first, first + (right ? 1 : 2), first + (right ? 2 : 1),
                                    error);
}

static OozeStatus march_tetrahedron(const OozeDistanceGrid *grid, const Corner corners[4],
                                    OozeMeshBuild *build, OozeError *error)
{
    int in[4], out[4], ins = 0, outs = 0;
    OozeVec3 outward = {0};
    for (int i = 0; i < 4; i++) {
        const Corner *c = &corners[i];
        if (c->value < 0.0) {
            in[ins++] = i;
        } else {
            out[outs++] = i;
        }
    }
    if (ins == 0 || outs == 0) {
        return OOZE_OK;
    }
    for (int i = 0; i < ins; i++) { /* from the mean of the inner corners to that of the outer */
        for (int o = 0; o < outs; o++) {
            const Corner *a = &corners[in[i]], *b = &corners[out[o]];
            outward = vec3_add(outward, vec3((double)b->at[0] - (double)a->at[0],
                                             (double)b->at[1] - (double)a->at[1],
                                             (double)b->at[2] - (double)a->at[2]));
        }
    }
    OozeVec3 cut[4];
    int cuts = 0;
    for (int i = 0; i < ins; i++) {
        for (int o = 0; o < outs; o++) {
            cut[cuts++] = cut_edge(grid, &corners[in[i]], &corners[out[o]]);
        }
    }
    OozeStatus status = add_triangle(build, cut[0], cut[1], cut[2], outward, error);
    if (!status && cuts == 4) { /* 0 1 3 2 is the cyclic order */
        status = add_triangle(build, cut[1], cut[3], cut[2], outward, error);
    }
    return status;
}

/* Six tetrahedra about the long diagonal: adjacent cells divide their common face alike. */
static OozeStatus march_cell(const OozeDistanceGrid *grid, const Corner corners[8],
                             OozeMeshBuild *build, OozeError *error)
{
    static const int middles[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    OozeStatus status = OOZE_OK;
    for (int i = 0; !status && i < 6; i++) {
        const Corner tetrahedron[4] = {corners[0], corners[middles[i][0]], corners[middles[i][1]],
                                       corners[7]};
        status = march_tetrahedron(grid, tetrahedron, build, error);
    }
    return status;
}

static OozeStatus march_block(const OozeDistanceGrid *grid, uint64_t block, OozeMeshBuild *build,
                              OozeError *error)
{
    const float *nodes = grid->nodes + block * OOZE_BLOCK_NODES;
    OozeBlockCoord coord = grid->coords[block];
    OozeStatus status = OOZE_OK;
    for (int n = 0; !status && n < OOZE_BLOCK_CELLS * OOZE_BLOCK_CELLS * OOZE_BLOCK_CELLS; n++) {
        int i = n % OOZE_BLOCK_CELLS, j = n / OOZE_BLOCK_CELLS % OOZE_BLOCK_CELLS;
        int k = n / (OOZE_BLOCK_CELLS * OOZE_BLOCK_CELLS), inside = 0;
        Corner corners[8];
        for (int c = 0; c < 8; c++) {
            int x = i + (c & 1), y = j + (c >> 1 & 1), z = k + (c >> 2 & 1);
            corners[c] = (Corner){{(uint64_t)coord.x * OOZE_BLOCK_CELLS + (uint64_t)x,
                                   (uint64_t)coord.y * OOZE_BLOCK_CELLS + (uint64_t)y,
                                   (uint64_t)coord.z * OOZE_BLOCK_CELLS + (uint64_t)z},
                                  nodes[ooze_block_node(x, y, z)]};
            inside += corners[c].value < 0.0;
        }
        if (inside > 0 && inside < 8) {
            status = march_cell(grid, corners, build, error);
        }
    }
    return status;
}

double ooze_distance_grid_area(const OozeDistanceGrid *grid)
{
    double sides = grid->shell ? 2.0 : 1.0;
    return sides * ooze_mesh_area(grid->mesh);
}

OozeStatus ooze_distance_grid_surface(const OozeDistanceGrid *grid, OozeMesh **mesh,
                                      OozeError *error)
{
    *mesh = NULL;
    if (!grid->shell) {
        return ooze_mesh_copy(grid->mesh, mesh, error);
    }
    OozeMeshBuild build = {.name = "the skin of the shell"};
    OozeStatus status = OOZE_OK;
    for (uint64_t block = 0; !status && block < grid->block_count; block++) {
        status = march_block(grid, block, &build, error);
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}
