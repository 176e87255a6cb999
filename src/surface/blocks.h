/* The sparse grid: blocks of 8 x 8 x 8 nodes only where the surface may pass.

   Node i is at i * cell, counted from the origin of space, so that the grid does not move with the
   fluid. A block holds nodes 8 b to 8 b + 7 along each axis. */
#ifndef OOZE_SURFACE_BLOCKS_H
#define OOZE_SURFACE_BLOCKS_H

#include <math.h>

#include "surface/cloud.h"

enum { OOZE_BLOCK_EDGE = 8, OOZE_SURFACE_NODES = 512 };
/* Block coordinates range from -LIMIT to LIMIT along each axis. */
enum { OOZE_BLOCK_LIMIT = 1 << 20 };
/* No block, or no values. */
#define OOZE_BLOCK_NONE UINT32_MAX

typedef struct OozeBlock {
    int32_t at[3];
    uint32_t values;        /* index of its nodes in `values`, or NONE where all are on one side */
    uint64_t inside[8];     /* [z] bit y * 8 + x: the node is inside */
    uint64_t crossed[3][8]; /* the edge from the node along an axis crosses the surface */
    uint16_t before[3][8];  /* index of the first vertex of a row of `crossed` */
    uint32_t vertices, triangles;
    uint32_t extras, interfaces; /* vertices inside faces and cells, triangles between materials */
    uint64_t first_vertex, first_triangle, first_extra, first_interface;
    uint8_t label; /* of its inside nodes: 0 where there are none, OOZE_LABEL_MANY */
    uint8_t sides; /* of a block without values: bit 0 a neighbour has inside nodes there, bit 1
                      outside nodes, bit 2 the surface would end here */
} OozeBlock;

/* The nodes of a block have different labels. */
#define OOZE_LABEL_MANY 255

typedef struct OozeBlocks {
    double cell;       /* m */
    uint64_t memory;   /* bytes allowed */
    OozeBlock *blocks; /* in ascending order of z, y, x */
    uint64_t count, capacity;
    uint32_t *table; /* hash table of block indices, open addressing */
    uint64_t table_size;
    float *values; /* OOZE_SURFACE_NODES each */
    uint64_t value_count, value_capacity;
    uint8_t
        *labels; /* OOZE_SURFACE_NODES each: of the largest material field, 0 outside; or NULL */
} OozeBlocks;

OOZE_FORMULA uint64_t ooze_block_hash(const int32_t at[3])
{
    uint64_t key = (uint64_t)(at[0] + OOZE_BLOCK_LIMIT + 2) |
                   (uint64_t)(at[1] + OOZE_BLOCK_LIMIT + 2) << 22 |
                   (uint64_t)(at[2] + OOZE_BLOCK_LIMIT + 2) << 44;
    key *= 0x9e3779b97f4a7c15ull;
    return key ^ key >> 29;
}

OOZE_FORMULA uint32_t ooze_blocks_find(const OozeBlocks *b, const int32_t at[3])
{
    for (uint64_t slot = ooze_block_hash(at) & (b->table_size - 1);;
         slot = (slot + 1) & (b->table_size - 1)) {
        uint32_t found = b->table[slot];
        if (found == OOZE_BLOCK_NONE) {
            return OOZE_BLOCK_NONE;
        }
        const int32_t *other = b->blocks[found].at;
        if (other[0] == at[0] && other[1] == at[1] && other[2] == at[2]) {
            return found;
        }
    }
}

/* Blocks that hold a node within OOZE_SURFACE_SEED spacings of a particle. The surface mostly
   passes there; blocks beyond are added where it would end. */
OOZE_FORMULA void ooze_block_seeds(double cell, const float at[3], double reach, int32_t low[3],
                                   int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        double first = floor(((double)at[a] - reach) / cell);
        double last = ceil(((double)at[a] + reach) / cell);
        low[a] = (int32_t)floor(first / OOZE_BLOCK_EDGE);
        high[a] = (int32_t)floor(last / OOZE_BLOCK_EDGE);
    }
}

/* Sides of the nodes of a block that are adjacent to its neighbour at `offset`: bit 0 any inside,
   bit 1 any outside. */
OOZE_FORMULA uint8_t ooze_block_sides(const OozeBlock *block, const int offset[3])
{
    const uint64_t columns[3] = {0x0101010101010101ull, ~0ull, 0x8080808080808080ull};
    const uint64_t rows[3] = {0xffull, ~0ull, 0xffull << 56};
    uint64_t mask = columns[offset[0] + 1] & rows[offset[1] + 1], any = 0, all = mask;
    int first = offset[2] > 0 ? 7 : 0, last = offset[2] < 0 ? 0 : 7;
    for (int z = first; z <= last; z++) {
        any |= block->inside[z] & mask;
        all &= block->inside[z];
    }
    return (uint8_t)((any != 0) | (all != mask) << 1);
}

/* Whether the surface would end between two adjacent blocks without values, by their sides: bit 0
   nodes of others are inside there, bit 1 outside. */
OOZE_FORMULA bool ooze_block_conflict(uint8_t a, uint8_t b)
{
    return ((a | b) & 3) == 3 && (a & 3) != 3 && (b & 3) != 3;
}

/* All blocks through which the surface passes, with the values of their nodes, and around them the
   blocks that are wholly inside or outside. Fails, before it allocates them, where they need more
   than `memory` bytes. */
OozeStatus ooze_blocks_build(const OozeCloud *cloud, double cell, uint64_t memory,
                             OozeThreads *threads, OozeBlocks *blocks, OozeError *error);
void ooze_blocks_free(OozeBlocks *blocks);

/* Value at the nodes of one block, and the label of the material that contributes most; `labels`
   may be NULL. */
void ooze_field_fill(const OozeCloud *cloud, double cell, const int32_t at[3],
                     float values[OOZE_SURFACE_NODES], uint8_t *labels);

/* The kernels that reach a box: centre, weight and metric, one number of all after the other. */
enum { OOZE_KERNEL_LIST_MAX = 1024, OOZE_KERNEL_NUMBERS = 10 };
typedef struct OozeKernelList {
    uint32_t count;
    float numbers[OOZE_KERNEL_NUMBERS][OOZE_KERNEL_LIST_MAX + 4];
} OozeKernelList;
/* False where there are too many, and for cones. */
bool ooze_field_list(const OozeCloud *cloud, const float low[3], const float high[3],
                     OozeKernelList *list);
/* The field at a point of the box. */
float ooze_field_list_at(const OozeKernelList *list, const float point[3]);

#endif
