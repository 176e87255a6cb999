/* The samples of a surface in a set of cells that changes, by the rule of local_sampling.h. */
#ifndef OOZE_SOLIDS_CELL_SAMPLES_H
#define OOZE_SOLIDS_CELL_SAMPLES_H

#include "base/threads.h"
#include "solids/cell_set.h"
#include "solids/shape.h"

/* Starts as zero. */
typedef struct OozeCellSamples {
    OozeCellSet cells; /* sorted */
    uint64_t *first;   /* of each cell, its first point; one more entry for the end */
    OozeVec3 *points;  /* in the frame of the shape, ordered by cell */
} OozeCellSamples;

void ooze_cell_samples_free(OozeCellSamples *samples);
uint64_t ooze_cell_samples_count(const OozeCellSamples *samples);
uint64_t ooze_cell_samples_bytes(const OozeCellSamples *samples);

/* Makes `samples` those of a sorted set of cells; cells that it has already are copied. The old
   samples stay where it fails. The result does not depend on the number of threads. */
OozeStatus ooze_cell_samples_update(OozeCellSamples *samples, const OozeShape *shape,
                                    double spacing, const OozeCellSet *cells, OozeThreads *threads,
                                    OozeError *error);

#endif
