/* Samples of a surface in cells of OOZE_CELL_STEPS spacings, in the frame of the shape, by a local
   rule: the samples of a cell depend on the shape, the spacing and the cell alone, not on the other
   cells that are sampled. A large surface of any shape is sampled in cells near fluid by it.

   1. Candidates: jittered points of a lattice of half a spacing, near the surface, projected on it.
   2. Candidates on sharp edges displace those beside the edges.
   3. A maximal set without near pairs, chosen greedily in blocks of 8 colours: a block depends on
      adjacent blocks of earlier colours only.
   4. Some rounds of relaxation by mutual repulsion, with a short range.

   Each stage reads points within a fixed distance, so that candidates within the sum of these
   distances determine a sample. */
#ifndef OOZE_SOLIDS_LOCAL_SAMPLING_H
#define OOZE_SOLIDS_LOCAL_SAMPLING_H

#include "solids/cell_set.h"
#include "solids/shape.h"

/* Samples of some cells; starts as zero. Both arrays are freed with ooze_free. */
typedef struct OozeTileSamples {
    OozeVec3 *points; /* in the frame of the shape, ordered by cell */
    uint64_t *first;  /* first point of each cell; one more entry for the end */
} OozeTileSamples;

/* Samples a sorted set of cells, which are near each other: time and memory are those of the
   surface within a box about all of them. */
OozeStatus ooze_sample_tile(const OozeShape *shape, double spacing, const OozeCellSet *cells,
                            OozeTileSamples *samples, OozeError *error);

#endif
