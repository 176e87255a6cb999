#include "surface/march.h"

#include <string.h>

#include "base/fail.h"
#include "surface/march_formula.h"
#include "surface/march_mixed.h"
#include "surface/point.h"

enum { EDGE = OOZE_BLOCK_EDGE };

/* A vertex with its attributes and two triangles, in bytes. */
#define VERTEX_BYTES (12 * 4 + 2 + 2 * 12)

typedef struct Marching {
    OozeBlocks *blocks;
    const OozeCloud *cloud;
    OozeCubeTable table;
    OozeSurfaceMesh *mesh;
    OozeMixedMarch mixed;
    int round; /* of placing the extra vertices */
} Marching;

/* ---- counting ------------------------------------------------------------------------------ */

static void count_block(const Marching *job, OozeBlock *block)
{
    OozeOctant octant;
    if (!ooze_octant_find(job->blocks, block, &octant)) {
        return;
    }
    ooze_march_count(&octant, &job->table, block);
    if (ooze_octant_is_mixed(job->blocks, &octant)) {
        ooze_mixed_count(&job->mixed, &octant, block);
    }
    ooze_march_number(block);
}

static void count_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Marching *job = context;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        count_block(job, &job->blocks->blocks[i]);
    }
}

/* ---- vertices ------------------------------------------------------------------------------ */

static float node_value(const OozeBlocks *blocks, const OozeBlock *block, const int at[3])
{
    return blocks->values[(uint64_t)block->values * OOZE_SURFACE_NODES +
                          (uint64_t)((at[2] * EDGE + at[1]) * EDGE + at[0])];
}

/* Values at the nodes of a grid line around a crossed edge: one before it, its ends, one after. */
static void gather_line(const Marching *job, const OozeBlock *along[3], const int node[3], int axis,
                        float line[4])
{
    for (int k = 0; k < 4; k++) {
        int at[3] = {node[0], node[1], node[2]}, place = node[axis] + k - 1;
        const OozeBlock *block = along[place < 0 ? 0 : place < EDGE ? 1 : 2];
        at[axis] = (place + EDGE) % EDGE;
        if (block && block->values != OOZE_BLOCK_NONE) {
            line[k] = node_value(job->blocks, block, at);
            continue;
        }
        float point[3];
        for (int a = 0; a < 3; a++) {
            double number = (double)along[1]->at[a] * EDGE + (a == axis ? place : node[a]);
            point[a] = (float)(number * job->blocks->cell);
        }
        line[k] = ooze_field_value_at(job->cloud, point);
    }
}

/* The position on an edge where the field has the value iso: the root of the cubic, and one secant
   step on the field itself, which leaves an error of a thousandth of a spacing. */
static void place_vertex(const Marching *job, const OozeKernelList *list, const double node[3],
                         int axis, const float line[4], float *position)
{
    float c[4], iso = (float)job->cloud->iso;
    ooze_march_cubic(line, iso, c);
    float t = ooze_march_root(c);
    for (int round = 0; round < 2; round++) {
        for (int a = 0; a < 3; a++) {
            position[a] = (float)((node[a] + (a == axis ? (double)t : 0.0)) * job->blocks->cell);
        }
        if (round == 0) {
            float f = list ? ooze_field_list_at(list, position)
                           : ooze_field_value_at(job->cloud, position);
            t = ooze_march_correct(c, t, f - iso, line[1] > line[2]);
        }
    }
}

/* Vertices of a block from which on a list of the kernels that reach its edges saves time. */
enum { LIST_FROM = 8 };

static bool list_kernels(const Marching *job, const OozeBlock *block, OozeKernelList *list)
{
    float low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (float)((double)block->at[a] * EDGE * job->blocks->cell);
        high[a] = (float)(((double)block->at[a] + 1.0) * EDGE * job->blocks->cell);
    }
    return block->vertices >= LIST_FROM && ooze_field_list(job->cloud, low, high, list);
}

static void place_block(const Marching *job, const OozeBlock *block)
{
    OozeOctant octant;
    OozeKernelList kernels;
    if (block->vertices == 0 || !ooze_octant_find(job->blocks, block, &octant)) {
        return;
    }
    const OozeKernelList *list = list_kernels(job, block, &kernels) ? &kernels : NULL;
    float *position = job->mesh->positions + 3 * block->first_vertex;
    for (int axis = 0; axis < 3; axis++) {
        int32_t before[3] = {block->at[0], block->at[1], block->at[2]};
        before[axis]--;
        uint32_t index = ooze_blocks_find(job->blocks, before);
        const OozeBlock *along[3] = {index == OOZE_BLOCK_NONE ? NULL : &job->blocks->blocks[index],
                                     block, octant.block[1 << axis]};
        for (int z = 0; z < EDGE; z++) {
            for (uint64_t bits = block->crossed[axis][z]; bits; bits &= bits - 1) {
                int k = __builtin_ctzll(bits);
                const int node[3] = {k % 8, k / 8, z};
                float line[4];
                gather_line(job, along, node, axis, line);
                const double number[3] = {(double)block->at[0] * EDGE + node[0],
                                          (double)block->at[1] * EDGE + node[1],
                                          (double)block->at[2] * EDGE + node[2]};
                place_vertex(job, list, number, axis, line, position);
                position += 3;
            }
        }
    }
}

/* ---- triangles ----------------------------------------------------------------------------- */

/* The label of the fluid in blocks that are not mixed. */
static uint8_t only_label(const OozeOctant *octant)
{
    uint8_t label = 0;
    for (int k = 0; k < 8; k++) {
        label = octant->block[k]->label ? octant->block[k]->label : label;
    }
    return label;
}

static void connect_block(const Marching *job, const OozeBlock *block)
{
    OozeOctant octant;
    if (block->triangles + block->interfaces == 0 ||
        !ooze_octant_find(job->blocks, block, &octant)) {
        return;
    }
    if (ooze_octant_is_mixed(job->blocks, &octant)) {
        ooze_mixed_connect(&job->mixed, &octant, block);
        return;
    }
    if (job->mesh->triangle_labels) {
        memset(job->mesh->triangle_labels + block->first_triangle, only_label(&octant),
               block->triangles);
    }
    ooze_march_connect(&octant, &job->table, job->mesh->triangles + 3 * block->first_triangle);
}

/* Blocks with extra vertices. */
static void extra_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Marching *job = context;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        const OozeBlock *block = &job->blocks->blocks[i];
        OozeOctant octant;
        if (block->extras == 0 || !ooze_octant_find(job->blocks, block, &octant)) {
            continue;
        }
        if (job->round < 0) {
            ooze_mixed_list(&job->mixed, &octant, block);
        } else {
            ooze_mixed_place(&job->mixed, &octant, block, job->round);
        }
    }
}

static void place_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Marching *job = context;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        place_block(job, &job->blocks->blocks[i]);
    }
}

static void connect_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Marching *job = context;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        connect_block(job, &job->blocks->blocks[i]);
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

void ooze_surface_mesh_free(OozeSurfaceMesh *mesh)
{
    ooze_free(mesh->positions);
    ooze_free(mesh->triangles);
    ooze_free(mesh->triangle_labels);
    ooze_free(mesh->interfaces);
    ooze_free(mesh->interface_labels);
    *mesh = (OozeSurfaceMesh){0};
}

static OozeStatus reserve_mixed(Marching *job, uint64_t extras, OozeError *error)
{
    OozeSurfaceMesh *mesh = job->mesh;
    job->mixed.keys = ooze_alloc(extras, sizeof *job->mixed.keys);
    mesh->triangle_labels = ooze_alloc(mesh->triangle_count, 1);
    mesh->interfaces = ooze_alloc(mesh->interface_count, 3 * sizeof *mesh->interfaces);
    mesh->interface_labels = ooze_alloc(mesh->interface_count, 2);
    return job->mixed.keys && mesh->triangle_labels && mesh->interfaces && mesh->interface_labels
               ? OOZE_OK
               : ooze_fail_memory(error, "the interfaces of a surface",
                                  2 * extras + mesh->triangle_count + 14 * mesh->interface_count);
}

static OozeStatus reserve_mesh(Marching *job, OozeError *error)
{
    OozeSurfaceMesh *mesh = job->mesh;
    uint64_t extras = 0;
    for (uint64_t i = 0; i < job->blocks->count; i++) {
        OozeBlock *block = &job->blocks->blocks[i];
        block->first_vertex = mesh->vertex_count;
        block->first_triangle = mesh->triangle_count;
        block->first_extra = extras;
        block->first_interface = mesh->interface_count;
        mesh->vertex_count += block->vertices + block->extras;
        mesh->triangle_count += block->triangles;
        mesh->interface_count += block->interfaces;
        extras += block->extras;
    }
    uint64_t bytes = mesh->vertex_count * VERTEX_BYTES;
    if (bytes > job->blocks->memory || mesh->vertex_count >= UINT32_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use larger cells, or allow more memory",
                         "the surface of frame %llu has %llu vertices and would need %llu MiB; "
                         "%llu MiB are allowed",
                         (unsigned long long)job->cloud->frame->index,
                         (unsigned long long)mesh->vertex_count, (unsigned long long)(bytes >> 20),
                         (unsigned long long)(job->blocks->memory >> 20));
    }
    mesh->positions = ooze_alloc(mesh->vertex_count, 3 * sizeof *mesh->positions);
    mesh->triangles = ooze_alloc(mesh->triangle_count, 3 * sizeof *mesh->triangles);
    if (!mesh->positions || !mesh->triangles) {
        return ooze_fail_memory(error, "the triangles of a surface", bytes);
    }
    return job->blocks->labels ? reserve_mixed(job, extras, error) : OOZE_OK;
}

OozeStatus ooze_march(OozeBlocks *blocks, const OozeCloud *cloud, OozeThreads *threads,
                      OozeSurfaceMesh *mesh, OozeError *error)
{
    Marching job = {.blocks = blocks, .cloud = cloud, .mesh = mesh};
    *mesh = (OozeSurfaceMesh){0};
    job.mixed = (OozeMixedMarch){blocks, cloud, &job.table, mesh, NULL};
    ooze_cube_table(&job.table);
    ooze_parallel_for(threads, blocks->count, 8, count_range, &job);
    OozeStatus status = reserve_mesh(&job, error);
    if (status) {
        ooze_free(job.mixed.keys);
        ooze_surface_mesh_free(mesh);
        return status;
    }
    ooze_parallel_for(threads, blocks->count, 2, place_range, &job);
    for (job.round = -1; job.round < 3 && blocks->labels; job.round++) {
        ooze_parallel_for(threads, blocks->count, 2, extra_range, &job);
    }
    ooze_parallel_for(threads, blocks->count, 2, connect_range, &job);
    ooze_free(job.mixed.keys);
    return OOZE_OK;
}
