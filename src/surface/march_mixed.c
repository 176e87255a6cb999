#include "surface/march_mixed.h"

#include <stdlib.h>
#include <string.h>

#include "surface/mixed_cell.h"
#include "surface/point.h"

enum { EDGE = OOZE_BLOCK_EDGE };
/* Kinds of extra vertices at a node: on the edge along an axis; of the face across an axis two
   dividing points and the middle; of the cell the middles of loops, and the apex. */
enum { KIND_EDGE = 0, KIND_FACE = 3, KIND_LOOP = 12, KIND_APEX = 16, KIND_BITS = 5 };
/* A point between two others stays this far from both, over their distance. */
#define NEAREST 0.1f

/* Labels of the 9 x 9 x 9 nodes of a block's cells: [z][y][x]. */
typedef struct Labels {
    uint8_t at[EDGE + 1][EDGE + 1][EDGE + 1];
} Labels;

static void gather_labels(const OozeBlocks *blocks, const OozeOctant *octant, Labels *labels)
{
    for (int z = 0; z <= EDGE; z++) {
        for (int y = 0; y <= EDGE; y++) {
            for (int x = 0; x <= EDGE; x++) {
                const OozeBlock *block = ooze_octant_block(octant, (const int[3]){x, y, z});
                int node = ((z % EDGE) * EDGE + y % EDGE) * EDGE + x % EDGE;
                bool inside = block->inside[z % EDGE] >> (8 * (y % EDGE) + x % EDGE) & 1;
                labels->at[z][y][x] =
                    block->values != OOZE_BLOCK_NONE
                        ? blocks->labels[(uint64_t)block->values * OOZE_SURFACE_NODES +
                                         (uint64_t)node]
                        : (uint8_t)(inside ? block->label : 0);
            }
        }
    }
}

static void cell_labels(const Labels *labels, const int node[3], uint8_t cell[8])
{
    for (int k = 0; k < 8; k++) {
        cell[k] = labels->at[node[2] + (k >> 2)][node[1] + (k >> 1 & 1)][node[0] + (k & 1)];
    }
}

/* Labels of the face at a node across an axis, as ooze_mixed_face takes them. */
static void face_labels(const uint8_t cell[8], int axis, uint8_t face[4])
{
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    face[0] = cell[0];
    face[1] = cell[u];
    face[2] = cell[v];
    face[3] = cell[u | v];
}

/* ---- keys ---------------------------------------------------------------------------------- */

static OozeExtraKey make_key(const int node[3], int kind)
{
    int number = ((node[2] % EDGE) * EDGE + node[1] % EDGE) * EDGE + node[0] % EDGE;
    return (OozeExtraKey)(number << KIND_BITS | kind);
}

/* Kinds of the extra vertices at a node: bit set. */
static uint32_t list_kinds(const uint8_t cell[8])
{
    uint32_t kinds = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint8_t labels[4], other = cell[1 << axis];
        OozeMixedFace face;
        kinds |= (uint32_t)(cell[0] && other && cell[0] != other) << (KIND_EDGE + axis);
        face_labels(cell, axis, labels);
        ooze_mixed_face(labels, &face);
        kinds |=
            ((uint32_t)face.split[0] | (uint32_t)face.split[1] << 1 | (uint32_t)face.middle << 2)
            << (KIND_FACE + 3 * axis);
    }
    OozeMixedCell mixed;
    ooze_mixed_cell(cell, &mixed);
    kinds |= ((1u << mixed.loop_count) - 1) << KIND_LOOP;
    kinds |= (uint32_t)mixed.has_apex << KIND_APEX;
    return kinds;
}

/* Of the cells of a block: the next in which materials meet, at `*number` or later. */
static bool next_mixed(const Labels *labels, int *number, int node[3], uint8_t cell[8])
{
    for (; *number < OOZE_SURFACE_NODES; ++*number) {
        node[0] = *number % EDGE;
        node[1] = *number / EDGE % EDGE;
        node[2] = *number / (EDGE * EDGE);
        cell_labels(labels, node, cell);
        if (ooze_is_mixed(cell)) {
            ++*number;
            return true;
        }
    }
    return false;
}

static int table_case(const uint8_t cell[8])
{
    int pattern = 0;
    for (int k = 0; k < 8; k++) {
        pattern |= (cell[k] > 0) << k;
    }
    return pattern;
}

void ooze_mixed_count(const OozeMixedMarch *job, const OozeOctant *octant, OozeBlock *block)
{
    Labels labels;
    gather_labels(job->blocks, octant, &labels);
    block->triangles = 0;
    for (int number = 0; number < OOZE_SURFACE_NODES; number++) {
        const int node[3] = {number % EDGE, number / EDGE % EDGE, number / (EDGE * EDGE)};
        uint8_t cell[8];
        cell_labels(&labels, node, cell);
        if (!ooze_is_mixed(cell)) {
            block->triangles += job->table->count[table_case(cell)];
            continue;
        }
        OozeMixedCell mixed;
        ooze_mixed_cell(cell, &mixed);
        block->triangles += (uint32_t)mixed.surface_count;
        block->interfaces += (uint32_t)mixed.interface_count;
        block->extras += (uint32_t)__builtin_popcount(list_kinds(cell));
    }
}

void ooze_mixed_list(const OozeMixedMarch *job, const OozeOctant *octant, const OozeBlock *block)
{
    Labels labels;
    OozeExtraKey *key = job->keys + block->first_extra;
    uint8_t cell[8];
    int node[3], number = 0;
    gather_labels(job->blocks, octant, &labels);
    while (next_mixed(&labels, &number, node, cell)) {
        for (uint32_t kinds = list_kinds(cell); kinds; kinds &= kinds - 1) {
            *key++ = make_key(node, __builtin_ctz(kinds));
        }
    }
}

static uint32_t find_extra(const OozeMixedMarch *job, const OozeOctant *octant, const int node[3],
                           int kind)
{
    const OozeBlock *block = ooze_octant_block(octant, node);
    const OozeExtraKey *keys = job->keys + block->first_extra, key = make_key(node, kind);
    uint32_t low = 0, high = block->extras;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        low = keys[middle] <= key ? middle : low;
        high = keys[middle] <= key ? high : middle;
    }
    return (uint32_t)block->first_vertex + block->vertices + low;
}

/* The vertex on the grid edge between two corners of a cell, of the surface or of an interface. */
static uint32_t edge_vertex(const OozeMixedMarch *job, const OozeOctant *octant,
                            const int cell_node[3], const uint8_t cell[8], int edge)
{
    int corner = ooze_cube_edge_corner(edge), axis = ooze_cube_edge_axis(edge);
    const int node[3] = {cell_node[0] + (corner & 1), cell_node[1] + (corner >> 1 & 1),
                         cell_node[2] + (corner >> 2)};
    bool crossing = !cell[corner] || !cell[corner | 1 << axis];
    return crossing ? ooze_octant_vertex(octant, node, axis)
                    : find_extra(job, octant, node, KIND_EDGE + axis);
}

/* Index of a vertex of a cell by its number in mixed_cell.h. */
static uint32_t cell_vertex(const OozeMixedMarch *job, const OozeOctant *octant, const int node[3],
                            const uint8_t cell[8], int vertex)
{
    if (vertex < OOZE_MIXED_SPLIT) {
        return edge_vertex(job, octant, node, cell, vertex);
    }
    if (vertex >= OOZE_MIXED_LOOP) {
        return find_extra(job, octant, node, KIND_LOOP + vertex - OOZE_MIXED_LOOP);
    }
    bool middle = vertex >= OOZE_MIXED_MIDDLE;
    int face = middle ? vertex - OOZE_MIXED_MIDDLE : (vertex - OOZE_MIXED_SPLIT) / 2;
    int part = middle ? 2 : (vertex - OOZE_MIXED_SPLIT) % 2, axis = face / 2;
    int owner[3] = {node[0], node[1], node[2]};
    owner[axis] += face & 1;
    return find_extra(job, octant, owner, KIND_FACE + 3 * axis + part);
}

/* ---- positions ----------------------------------------------------------------------------- */

/* The point between two others where two materials contribute equally. */
static void place_between(const OozeMixedMarch *job, const float a[3], const float b[3],
                          uint8_t label_a, uint8_t label_b, float *position)
{
    float at_a[2], at_b[2];
    ooze_field_labels_at(job->cloud, a, label_a, label_b, at_a);
    ooze_field_labels_at(job->cloud, b, label_a, label_b, at_b);
    float da = at_a[0] - at_a[1], db = at_b[0] - at_b[1], t = 0.5f;
    if (da > 0.0f && db < 0.0f) {
        t = da / (da - db);
        t = t < NEAREST ? NEAREST : t > 1.0f - NEAREST ? 1.0f - NEAREST : t;
    }
    for (int k = 0; k < 3; k++) {
        position[k] = a[k] + t * (b[k] - a[k]);
    }
}

static void place_on_edge(const OozeMixedMarch *job, const OozeBlock *block, const int node[3],
                          const uint8_t cell[8], int axis, float *position)
{
    float a[3], b[3];
    for (int k = 0; k < 3; k++) {
        double number = (double)block->at[k] * EDGE + node[k];
        a[k] = (float)(number * job->blocks->cell);
        b[k] = (float)((number + (k == axis)) * job->blocks->cell);
    }
    place_between(job, a, b, cell[0], cell[1 << axis], position);
}

static void add_position(const OozeMixedMarch *job, uint32_t vertex, float sum[4])
{
    const float *x = job->mesh->positions + 3 * (uint64_t)vertex;
    sum[0] += x[0];
    sum[1] += x[1];
    sum[2] += x[2];
    sum[3] += 1.0f;
}

/* Corner of the cell at a face's node, from its number in OozeMixedFace. */
static int face_corner(int axis, int number)
{
    return (number & 1) << (axis + 1) % 3 | (number >> 1) << (axis + 2) % 3;
}

static void place_in_face(const OozeMixedMarch *job, const OozeOctant *octant, const int node[3],
                          const uint8_t cell[8], int kind, float *position)
{
    int axis = (kind - KIND_FACE) / 3, part = (kind - KIND_FACE) % 3;
    uint8_t labels[4];
    OozeMixedFace face;
    face_labels(cell, axis, labels);
    ooze_mixed_face(labels, &face);
    if (part < 2) {
        const float *end[2];
        for (int e = 0; e < 2; e++) {
            const uint8_t *corners = face.ends[part][e];
            int edge =
                ooze_cube_find_edge(face_corner(axis, corners[0]), face_corner(axis, corners[1]));
            end[e] =
                job->mesh->positions + 3 * (uint64_t)edge_vertex(job, octant, node, cell, edge);
        }
        place_between(job, end[0], end[1], labels[face.ends[part][0][0]],
                      labels[face.ends[part][1][0]], position);
        return;
    }
    float sum[4] = {0};
    for (int k = 0; k < face.point_count; k++) {
        const uint8_t *point = face.points[k];
        if (point[0] < 4) { /* dividing points have no position yet: the middle of their ends */
            int edge =
                ooze_cube_find_edge(face_corner(axis, point[0]), face_corner(axis, point[1]));
            add_position(job, edge_vertex(job, octant, node, cell, edge), sum);
        } else {
            float ends[4] = {0};
            for (int e = 0; e < 2; e++) {
                const uint8_t *corners = face.ends[point[1]][e];
                int edge = ooze_cube_find_edge(face_corner(axis, corners[0]),
                                               face_corner(axis, corners[1]));
                add_position(job, edge_vertex(job, octant, node, cell, edge), ends);
            }
            for (int a = 0; a < 3; a++) {
                sum[a] += 0.5f * ends[a];
            }
            sum[3] += 1.0f;
        }
    }
    for (int a = 0; a < 3; a++) {
        position[a] = sum[a] / sum[3];
    }
}

/* The middle of a loop: of its dividing points, or of all its vertices. The apex: of all interface
   segments. */
static void place_in_cell(const OozeMixedMarch *job, const OozeOctant *octant, const int node[3],
                          const uint8_t cell[8], int kind, float *position)
{
    OozeMixedCell mixed;
    int own = OOZE_MIXED_LOOP + kind - KIND_LOOP;
    float all[4] = {0}, divided[4] = {0};
    ooze_mixed_cell(cell, &mixed);
    const OozeMixedTriangle *triangles = mixed.surface;
    int count = mixed.surface_count;
    if (kind == KIND_APEX) {
        triangles = mixed.interface;
        count = mixed.interface_count;
    }
    for (int t = 0; t < count; t++) {
        for (int k = 1; k < 3 && triangles[t].corner[0] == own; k++) {
            int vertex = triangles[t].corner[k];
            uint32_t index = cell_vertex(job, octant, node, cell, vertex);
            add_position(job, index, all);
            if (vertex >= OOZE_MIXED_SPLIT) {
                add_position(job, index, divided);
            }
        }
    }
    const float *sum = divided[3] > 0.0f && kind != KIND_APEX ? divided : all;
    for (int a = 0; a < 3; a++) {
        position[a] = sum[a] / sum[3];
    }
}

void ooze_mixed_place(const OozeMixedMarch *job, const OozeOctant *octant, const OozeBlock *block,
                      int round)
{
    Labels labels;
    const OozeExtraKey *keys = job->keys + block->first_extra;
    gather_labels(job->blocks, octant, &labels);
    for (uint32_t e = 0; e < block->extras; e++) {
        int kind = keys[e] & ((1 << KIND_BITS) - 1), number = keys[e] >> KIND_BITS;
        int needed = kind < KIND_FACE ? 0 : kind < KIND_LOOP ? 1 : 2;
        if (needed != round) {
            continue;
        }
        const int node[3] = {number % EDGE, number / EDGE % EDGE, number / (EDGE * EDGE)};
        float *position = job->mesh->positions + 3 * (block->first_vertex + block->vertices + e);
        uint8_t cell[8];
        cell_labels(&labels, node, cell);
        if (round == 0) {
            place_on_edge(job, block, node, cell, kind - KIND_EDGE, position);
        } else if (round == 1) {
            place_in_face(job, octant, node, cell, kind, position);
        } else {
            place_in_cell(job, octant, node, cell, kind, position);
        }
    }
}

/* ---- triangles ----------------------------------------------------------------------------- */

void ooze_mixed_connect(const OozeMixedMarch *job, const OozeOctant *octant, const OozeBlock *block)
{
    Labels labels;
    uint32_t *corner = job->mesh->triangles + 3 * block->first_triangle;
    uint8_t *label = job->mesh->triangle_labels + block->first_triangle;
    uint32_t *inner = job->mesh->interfaces + 3 * block->first_interface;
    uint8_t *sides = job->mesh->interface_labels + 2 * block->first_interface;
    gather_labels(job->blocks, octant, &labels);
    for (int number = 0; number < OOZE_SURFACE_NODES; number++) {
        const int node[3] = {number % EDGE, number / EDGE % EDGE, number / (EDGE * EDGE)};
        uint8_t cell[8], fluid = 0;
        cell_labels(&labels, node, cell);
        if (!ooze_is_mixed(cell)) {
            int pattern = table_case(cell);
            for (int k = 0; k < 8; k++) {
                fluid = cell[k] ? cell[k] : fluid;
            }
            for (int k = 0; k < 3 * job->table->count[pattern]; k++) {
                *corner++ = edge_vertex(job, octant, node, cell, job->table->edges[pattern][k]);
            }
            memset(label, fluid, job->table->count[pattern]);
            label += job->table->count[pattern];
            continue;
        }
        OozeMixedCell mixed;
        ooze_mixed_cell(cell, &mixed);
        for (int t = 0; t < mixed.surface_count; t++) {
            for (int k = 0; k < 3; k++) {
                *corner++ = cell_vertex(job, octant, node, cell, mixed.surface[t].corner[k]);
            }
            *label++ = mixed.surface[t].behind;
        }
        for (int t = 0; t < mixed.interface_count; t++) {
            for (int k = 0; k < 3; k++) {
                *inner++ = cell_vertex(job, octant, node, cell, mixed.interface[t].corner[k]);
            }
            *sides++ = mixed.interface[t].behind;
            *sides++ = mixed.interface[t].front;
        }
    }
}
