/* The cells into which a surface is divided, so that a large one can be sampled in some of them
   only, and the lattice of samples on a plane or a box. */
#ifndef OOZE_SOLIDS_SURFACE_LATTICE_H
#define OOZE_SOLIDS_SURFACE_LATTICE_H

#include "physics/periodic.h"
#include "solids/cell_set.h"
#include "solids/shape.h"

/* Samples have three indices; on each sample at least one index is at an end of its range. */
typedef struct OozeSurfaceLattice {
    OozeShapeKind kind;
    /* Not NULL: there are cells but no lattice; local_sampling.h has the samples of this shape. */
    const OozeShape *shape;
    OozeVec3 axes[3];       /* unit, orthogonal: directions of growing indices */
    OozeVec3 origin, size;  /* box: its lowest corner, which has index 0, 0, 0; its edges */
    double step[3];         /* m between indices */
    double low[3], high[3]; /* first and last index; infinite along a plane */
    bool undivided[3];      /* all indices along the axis are in cell 0 */
} OozeSurfaceLattice;

/* False: the surface is not sampled on a lattice. The lattice of a plane is infinite, and passes
   through its position. */
bool ooze_surface_lattice(const OozeShape *shape, double spacing, OozeSurfaceLattice *lattice);
/* Cells of a bounded surface that has no lattice; they are aligned with the frame of the shape. */
OozeSurfaceLattice ooze_surface_cells(const OozeShape *shape, double spacing);
/* Sample of an index, in the frame of the shape. */
OozeVec3 ooze_lattice_point(const OozeSurfaceLattice *lattice, double i, double j, double k);

/* Periodic axes are undivided, as a sample near one end of the box is near the other end too; a
   plane has one period of samples. False: the solid is not aligned with a periodic axis. */
bool ooze_lattice_wrap(OozeSurfaceLattice *lattice, const OozePose *pose,
                       const OozePeriodic *periodic, double spacing);

/* From points of the world to cells of a lattice at a pose. */
OozeCellMap ooze_lattice_cell_map(const OozeSurfaceLattice *lattice, const OozePose *pose);
/* Whether a cell with samples is within `reach` cells of a cell, along each axis. Without a lattice
   the answer may be true where there is none. */
bool ooze_lattice_touches(const OozeSurfaceLattice *lattice, uint64_t cell, int reach);
/* Cells within `reach` cells of the given ones; only those with samples if `sampled`. */
OozeStatus ooze_lattice_around(const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                               int reach, bool sampled, OozeCellSet *around, OozeError *error);
/* Number of samples in the cells. Writes their positions, in the frame of the shape, unless
   `points` is NULL. They are in ascending order of the third index, then the second, then the
   first, so that the order of two samples does not depend on the set of cells. */
uint64_t ooze_lattice_sample(const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                             OozeVec3 *points);

#endif
