/* Data of the distance grid, for the files that build it, query it and extract its surface. */
#ifndef OOZE_SOLIDS_DISTANCE_DATA_H
#define OOZE_SOLIDS_DISTANCE_DATA_H

#include "base/formula.h"
#include "solids/distance_grid.h"

/* Blocks of 8 cells per axis hold all their 9 nodes per axis: interpolation needs no other block.
   */
enum { OOZE_BLOCK_CELLS = 8, OOZE_BLOCK_SIDE = 9, OOZE_BLOCK_NODES = 729 };

typedef enum OozeCellKind { OOZE_CELL_BRANCH, OOZE_CELL_BLOCK, OOZE_CELL_EMPTY } OozeCellKind;

typedef struct OozeDistanceCell {
    uint32_t kind;
    uint32_t link;    /* branch: its first child of 8; block: its index */
    float distance;   /* empty: signed, at the middle, rounded towards zero */
    float nearest[3]; /* empty: point of the surface nearest to the middle, from the origin */
} OozeDistanceCell;

/* Integer block coordinates from the origin. */
typedef struct OozeBlockCoord {
    uint32_t x, y, z;
} OozeBlockCoord;

struct OozeDistanceGrid {
    double step;       /* between nodes */
    double band;       /* every point nearer than this is in a block */
    int depth;         /* the root is 2^depth blocks wide */
    OozeVec3 origin;   /* its lowest corner */
    OozeVec3 min, max; /* of the solid */
    bool shell;
    double half_thickness; /* of a shell */
    OozeMesh *mesh;        /* repaired */
    OozeDistanceCell *cells;
    uint64_t cell_count, cell_capacity;
    OozeBlockCoord *coords; /* of blocks */
    float *nodes;           /* OOZE_BLOCK_NODES per block, x fastest */
    uint64_t block_count, block_capacity;
};

OOZE_FORMULA uint64_t ooze_block_node(int i, int j, int k)
{
    return (uint64_t)(i + OOZE_BLOCK_SIDE * (j + OOZE_BLOCK_SIDE * k));
}

#endif
