/* Rows of a lattice, along x, that may contain points of a shape. Rows between distant parts of a
   compound are skipped: their number is proportional to the boxes of the parts, not to the box of
   the whole. */
#ifndef OOZE_SOLIDS_LATTICE_ROWS_H
#define OOZE_SOLIDS_LATTICE_ROWS_H

#include "solids/shape.h"

typedef struct OozeLatticeRows {
    OozeBounds boxes[OOZE_SHAPE_PARTS_MAX]; /* of the parts, in the frame of the shape */
    int box_count;
    double y, z, step; /* of the first row; between rows */
    int64_t columns, layers;
    int64_t j, k; /* current row: its height is y + j step, its depth z + k step */
    uint64_t visited;
} OozeLatticeRows;

/* The lattice has rows j = 0 .. columns - 1 in layers k = 0 .. layers - 1. Points of the shape are
   within `margin` of the boxes of its parts. */
OozeLatticeRows ooze_lattice_rows(const OozeShape *shape, double margin);

/* Upper bound of the rows with this distance between them. */
double ooze_lattice_rows_max(const OozeLatticeRows *rows, double step);

/* Begins before the first row; moves to the next, layer by layer. False: no more. */
void ooze_lattice_rows_begin(OozeLatticeRows *rows, OozeVec3 first, double step, int64_t columns,
                             int64_t layers);
bool ooze_lattice_rows_next(OozeLatticeRows *rows);

#endif
