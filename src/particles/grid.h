/* Cell grid. Particles are sorted by cell (x fastest, then y, then z; stable); the order is the
   same for any number of threads. */
#ifndef OOZE_PARTICLES_GRID_H
#define OOZE_PARTICLES_GRID_H

#include "base/memory.h"
#include "base/threads.h"
#include "particles/particles.h"
#include "physics/periodic.h"

/* The image of x inside the box, on the periodic axes. */
OOZE_FORMULA OozeFloat4 ooze_point_wrap(OozeFloat4 x, const OozePeriodic *p)
{
    x.x = ooze_periodic_wrap(x.x, p->min[0], p->length[0], p->inverse[0]);
    x.y = ooze_periodic_wrap(x.y, p->min[1], p->length[1], p->inverse[1]);
    x.z = ooze_periodic_wrap(x.z, p->min[2], p->length[2], p->inverse[2]);
    return x;
}

/* Points sorted into cubic cells of edge `cell`. Memory is proportional to the number of points,
   not to the extent: a dense table when the bounding box is reasonably full, else a sparse one;
   both give the same order. */
typedef struct OozeGrid OozeGrid;
OozeGrid *ooze_grid_create(void); /* NULL: out of memory */
void ooze_grid_destroy(OozeGrid *grid);
uint64_t ooze_grid_bytes(const OozeGrid *grid);

/* Computes the sorted order of n points (order[new] = old, kept inside the grid until the next
   sort). A NaN or infinite coordinate is OOZE_ERROR_NUMERIC; the message names the first such
   point. On periodic axes points must lie inside the box, and the box must be at least three cells
   wide (OOZE_ERROR_ARGUMENT otherwise). */
OozeStatus ooze_grid_sort(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                          uint64_t n, double cell, const OozePeriodic *periodic, OozeError *error);
const uint32_t *ooze_grid_order(const OozeGrid *grid);
/* The bounding box of the points of the last sort; false where there were none. */
bool ooze_grid_box(const OozeGrid *grid, float min[3], float max[3]);

#endif
