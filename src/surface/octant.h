/* The cells of a block and what they need of its upper neighbours. */
#ifndef OOZE_SURFACE_OCTANT_H
#define OOZE_SURFACE_OCTANT_H

#include "surface/blocks.h"
#include "surface/cube.h"

OOZE_FORMULA int ooze_count_bits(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return __popcll(bits);
#else
    return __builtin_popcountll(bits);
#endif
}

/* A block and its seven upper neighbours: block k is k & 1, k >> 1 & 1, k >> 2 blocks further. */
typedef struct OozeOctant {
    const OozeBlock *block[8];
} OozeOctant;

/* False where a block is missing: then none of the cells between them intersects the surface, since
   every block with values has all its neighbours. */
OOZE_FORMULA bool ooze_octant_find(const OozeBlocks *blocks, const OozeBlock *block,
                                   OozeOctant *octant)
{
    octant->block[0] = block;
    for (int k = 1; k < 8; k++) {
        const int32_t at[3] = {block->at[0] + (k & 1), block->at[1] + (k >> 1 & 1),
                               block->at[2] + (k >> 2)};
        uint32_t index = ooze_blocks_find(blocks, at);
        if (index == OOZE_BLOCK_NONE) {
            return false;
        }
        octant->block[k] = &blocks->blocks[index];
    }
    return true;
}

/* The block that holds a node, whose coordinates along each axis range from 0 to EDGE. */
OOZE_FORMULA const OozeBlock *ooze_octant_block(const OozeOctant *octant, const int node[3])
{
    return octant->block[(node[0] == OOZE_BLOCK_EDGE) | (node[1] == OOZE_BLOCK_EDGE) << 1 |
                         (node[2] == OOZE_BLOCK_EDGE) << 2];
}

/* Index of the vertex where the grid edge from a node along an axis crosses the surface. */
OOZE_FORMULA uint32_t ooze_octant_vertex(const OozeOctant *octant, const int node[3], int axis)
{
    const OozeBlock *block = ooze_octant_block(octant, node);
    int z = node[2] % OOZE_BLOCK_EDGE, bit = 8 * (node[1] % OOZE_BLOCK_EDGE) + node[0] % 8;
    uint64_t below = block->crossed[axis][z] & (((uint64_t)1 << bit) - 1);
    return (uint32_t)(block->first_vertex + block->before[axis][z] +
                      (uint64_t)ooze_count_bits(below));
}

/* Whether several materials meet in it. */
OOZE_FORMULA bool ooze_octant_is_mixed(const OozeBlocks *blocks, const OozeOctant *octant)
{
    uint8_t label = 0;
    for (int k = 0; k < 8 && blocks->labels; k++) {
        uint8_t other = octant->block[k]->label;
        if (other && label && other != label) {
            return true;
        }
        label = other ? other : label;
    }
    return label == OOZE_LABEL_MANY;
}

#endif
