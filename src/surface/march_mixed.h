/* Triangles of the blocks in which several materials meet (mixed_cell.h). */
#ifndef OOZE_SURFACE_MARCH_MIXED_H
#define OOZE_SURFACE_MARCH_MIXED_H

#include "surface/march.h"
#include "surface/octant.h"

/* The vertices of a block that are no crossings of the surface with grid edges, in the order of
   their keys. */
typedef uint16_t OozeExtraKey;

typedef struct OozeMixedMarch {
    const OozeBlocks *blocks;
    const OozeCloud *cloud;
    const OozeCubeTable *table;
    OozeSurfaceMesh *mesh;
    OozeExtraKey *keys; /* of all blocks */
} OozeMixedMarch;

/* Counts surface triangles, extra vertices and interface triangles of a block. */
void ooze_mixed_count(const OozeMixedMarch *job, const OozeOctant *octant, OozeBlock *block);
/* Writes the keys of a block. */
void ooze_mixed_list(const OozeMixedMarch *job, const OozeOctant *octant, const OozeBlock *block);
/* Places the extra vertices. Round 0: on edges; 1: in faces; 2: in cells. Each needs the ones
   before, and the crossings, of all blocks. */
void ooze_mixed_place(const OozeMixedMarch *job, const OozeOctant *octant, const OozeBlock *block,
                      int round);
/* Writes the triangles. */
void ooze_mixed_connect(const OozeMixedMarch *job, const OozeOctant *octant,
                        const OozeBlock *block);

#endif
