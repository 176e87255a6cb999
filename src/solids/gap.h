/* Gaps between dynamic solids and other solids. */
#ifndef OOZE_SOLIDS_GAP_H
#define OOZE_SOLIDS_GAP_H

#include "solids/boundary.h"

typedef struct OozeGapSearch {
    const OozeSolid *solids;
    int count;
    const OozeBoundary *boundary;
    OozeArena *arena;
    double spacing;
    double least, most; /* m: gaps below and above are not told apart */
} OozeGapSearch;

/* Sets gap[k] of each dynamic solid k to the least distance from its samples to another solid that
   it may touch, both at their current poses; of large ones (OOZE_CELL_SAMPLES_MIN) to `least`, and
   of all others to `most`. Images in a periodic box do not count, nor do they for contacts. `gap`
   has one number a solid. */
OozeStatus ooze_solid_gaps(const OozeGapSearch *search, double *gap, OozeError *error);

#endif
