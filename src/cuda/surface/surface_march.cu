/* Triangles from the sparse grid on the GPU: counts, places and connects the vertices of the blocks
   of a surface. See surface/march.h. */
#include "cuda/sort.cuh"
#include "cuda/surface/surface_blocks.cuh"

namespace ooze
{

enum { EDGE = OOZE_BLOCK_EDGE };

/* A vertex with its attributes and two triangles, in bytes. */
#define VERTEX_BYTES (12 * 4 + 2 + 2 * 12)

/* ---- counting ---- */

static void count_blocks(Gpu *gpu, const OozeBlocks &set, const OozeCubeTable *table,
                         SurfaceMesh *mesh)
{
    uint32_t *vertices = scratch<uint32_t>(gpu, set.count),
             *triangles = scratch<uint32_t>(gpu, set.count);
    uint64_t *first_vertex = scratch<uint64_t>(gpu, set.count),
             *first_triangle = scratch<uint64_t>(gpu, set.count);
    const OozeBlocks blocks = set;
    for_each(
        gpu, blocks.count + 1, OOZE_BODY(uint32_t i) {
            OozeOctant octant;
            vertices[i] = triangles[i] = 0;
            if (i < blocks.count && ooze_octant_find(&blocks, &blocks.blocks[i], &octant)) {
                OozeBlock *block = &blocks.blocks[i];
                ooze_march_count(&octant, table, block);
                ooze_march_number(block);
                vertices[i] = block->vertices;
                triangles[i] = block->triangles;
            }
        });
    running_sum(gpu, vertices, first_vertex, blocks.count);
    running_sum(gpu, triangles, first_triangle, blocks.count);
    for_each(
        gpu, blocks.count, OOZE_BODY(uint32_t i) {
            blocks.blocks[i].first_vertex = first_vertex[i];
            blocks.blocks[i].first_triangle = first_triangle[i];
        });
    copy_out(gpu, &mesh->vertex_count, first_vertex + blocks.count, sizeof mesh->vertex_count);
    copy_out(gpu, &mesh->triangle_count, first_triangle + blocks.count,
             sizeof mesh->triangle_count);
}

/* ---- vertices ---- */

/* The grid edge that a vertex is on: its block, and 512 axis + node. */
static void list_edges(Gpu *gpu, const OozeBlocks &set, uint2 *edges)
{
    const OozeBlocks blocks = set;
    for_each(
        gpu, blocks.count * 3, OOZE_BODY(uint32_t k) {
            const uint32_t i = k / 3, axis = k % 3;
            const OozeBlock *block = &blocks.blocks[i];
            uint64_t next = block->first_vertex + block->before[axis][0];
            for (uint32_t z = 0; z < EDGE && block->vertices; z++) {
                const uint64_t bits = block->crossed[axis][z];
                for (uint32_t node = 0; node < EDGE * EDGE && bits >> node; node++) {
                    if (bits >> node & 1) {
                        edges[next++] =
                            make_uint2(i, axis * OOZE_SURFACE_NODES + z * EDGE * EDGE + node);
                    }
                }
            }
        });
}

/* As place_block of surface/march.c, for one vertex. */
OOZE_DEVICE void place_vertex(const SurfaceView &v, const OozeBlocks &set, uint2 edge,
                              float position[3])
{
    const OozeBlock *block = &set.blocks[edge.x];
    const int axis = (int)(edge.y / OOZE_SURFACE_NODES);
    const int node[3] = {(int)(edge.y % EDGE), (int)(edge.y / EDGE % EDGE),
                         (int)(edge.y / (EDGE * EDGE) % EDGE)};
    float line[4], c[4];
    for (int k = 0; k < 4; k++) {
        int32_t number[3], at[3];
        for (int a = 0; a < 3; a++) {
            number[a] = block->at[a] * EDGE + node[a] + (a == axis ? k - 1 : 0);
            at[a] = number[a] >> 3;
        }
        uint32_t other = ooze_blocks_find(&set, at);
        if (other != OOZE_BLOCK_NONE && set.blocks[other].values != OOZE_BLOCK_NONE) {
            line[k] = set.values[(uint64_t)set.blocks[other].values * OOZE_SURFACE_NODES +
                                 (uint64_t)(((number[2] & 7) * EDGE + (number[1] & 7)) * EDGE +
                                            (number[0] & 7))];
        } else {
            line[k] = field_at(v, f32x4((float)((double)number[0] * set.cell),
                                        (float)((double)number[1] * set.cell),
                                        (float)((double)number[2] * set.cell)));
        }
    }
    ooze_march_cubic(line, v.iso, c);
    float t = ooze_march_root(c);
    for (int round = 0; round < 2; round++) {
        for (int a = 0; a < 3; a++) {
            double at = (double)block->at[a] * EDGE + node[a] + (a == axis ? (double)t : 0.0);
            position[a] = (float)(at * set.cell);
        }
        if (round == 0) {
            float f = field_at(v, f32x4(position[0], position[1], position[2])) - v.iso;
            t = ooze_march_correct(c, t, f, line[1] > line[2]);
        }
    }
}

void surface_march(Gpu *gpu, const SurfaceCloud *cloud, SurfaceBlocks *blocks, SurfaceMesh *mesh,
                   bool *fits)
{
    OozeCubeTable host_table;
    ooze_cube_table(&host_table);
    OozeCubeTable *table = scratch<OozeCubeTable>(gpu, 1);
    copy_in(gpu, table, &host_table, sizeof host_table);
    count_blocks(gpu, blocks->set, table, mesh);
    *fits = mesh->vertex_count * VERTEX_BYTES <= blocks->set.memory &&
            3 * mesh->triangle_count < UINT32_MAX;
    if (!*fits || gpu->failed != cudaSuccess) {
        return;
    }
    const SurfaceView v = cloud->view;
    const OozeBlocks set = blocks->set;
    float *positions = scratch<float>(gpu, 3 * mesh->vertex_count);
    uint32_t *triangles = scratch<uint32_t>(gpu, 3 * mesh->triangle_count);
    mesh->positions = positions;
    mesh->triangles = triangles;
    Mark mark = scratch_mark(gpu);
    uint2 *edges = scratch<uint2>(gpu, mesh->vertex_count);
    list_edges(gpu, set, edges);
    for_each(
        gpu, mesh->vertex_count,
        OOZE_BODY(uint32_t i) { place_vertex(v, set, edges[i], positions + 3 * (uint64_t)i); });
    for_each(
        gpu, set.count, OOZE_BODY(uint32_t i) {
            OozeOctant octant;
            const OozeBlock *block = &set.blocks[i];
            if (block->triangles && ooze_octant_find(&set, block, &octant)) {
                ooze_march_connect(&octant, table, triangles + 3 * block->first_triangle);
            }
        });
    scratch_rewind(gpu, mark);
}

} // namespace ooze
