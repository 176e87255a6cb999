/* Regions of shape matching on the reference shape. Particles are kept in slots, sorted by cells of
   their reference positions; particles whose reference positions were taken in different steps are
   in different cells, because those positions cannot be compared.

   Regions of particles: each particle has one, with all particles within the radius, itself
   included, as published. Regions of cells: each cell has one, with the particles of the 27 cells
   around it, weighted by quadratic B-splines; a cell counts in goals by its number of particles.
   Their cost does not grow with the radius. */
#ifndef OOZE_METHODS_BLEND_REGIONS_H
#define OOZE_METHODS_BLEND_REGIONS_H

#include "particles/particles.h"

#define OOZE_BLEND_SLOT_NONE UINT32_MAX /* slot of a particle without a reference position */
#define OOZE_BLEND_CELL_NONE UINT32_MAX

typedef enum OozeRegionKind { OOZE_REGIONS_OF_PARTICLES, OOZE_REGIONS_OF_CELLS } OozeRegionKind;

enum { OOZE_BLEND_NEAR = 27, OOZE_BLEND_SELF = 13 };

typedef struct OozeRegionCell {
    uint32_t step;  /* of the reference positions */
    int32_t at[3];  /* z, y, x: in units of the edge */
    uint64_t first; /* slot; the next cell's is the end */
} OozeRegionCell;

typedef struct OozeRegions {
    OozeRegionKind kind;
    double radius, edge; /* m: sigma; of the cells */
    uint64_t n;          /* slots */
    uint64_t cells;
    OozeFloat4 *reference; /* per slot; last lane: see ooze_blend_shape_tag */
    uint32_t *region_of;   /* per slot: the region of its cell, or its own */
    double *share; /* per slot: 1 / (sum of its memberships, each times the region's count) */
    OozeRegionCell *cell; /* cells + 1 */
    uint32_t *near; /* per cell: the cells around it, x fastest; OOZE_BLEND_CELL_NONE: empty */
    /* regions of particles: slots within the radius of each slot, itself included */
    uint64_t *list_first; /* n + 1 */
    uint32_t *list;
    uint64_t slot_room, cell_room, list_room;
} OozeRegions; /* starts as zero */

/* Particles in store order. */
typedef struct OozeRegionsInput {
    uint64_t n;
    const OozeFloat4 *reference;
    const uint32_t *reference_step; /* 0: none */
    const uint64_t *id;             /* decides the order within a cell */
    OozeRegionKind kind;
    double radius;
} OozeRegionsInput;

void ooze_regions_free(OozeRegions *regions);
uint64_t ooze_regions_bytes(const OozeRegions *regions);
/* Builds the regions and writes the slot of each particle. A failed build leaves no slots. */
OozeStatus ooze_regions_build(OozeRegions *regions, OozeThreads *threads,
                              const OozeRegionsInput *input, uint32_t *slot, OozeError *error);

static inline uint64_t ooze_regions_count(const OozeRegions *regions)
{
    return regions->kind == OOZE_REGIONS_OF_CELLS ? regions->cells : regions->n;
}

#endif
