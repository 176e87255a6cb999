/* Cells of background grids over particles: extent along each axis, and sorted keys in groups. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_CELLS_H
#define OOZE_SOLVERS_MULTIGRID_GRID_CELLS_H

#include "base/f32x4.h"
#include "particles/halo.h"
#include "solvers/multigrid/grid_multigrid_formula.h"
#include "solvers/multigrid/key_sort.h"

/* The axes of the first grid over n particles and those of other processes; periodic NULL: no axis
   is periodic; halo NULL: there is one process. */
void ooze_grid_find_axes(const OozeF32x4 *x, uint64_t n, double spacing,
                         const OozePeriodic *periodic, OozeThreads *threads, OozeHalo *halo,
                         OozeMultigridAxis axis[3]);

/* Sorted keys as groups of equal ones. */
typedef struct OozeGridGroups {
    uint64_t count;
    uint64_t *number; /* keys */
    uint32_t *first;  /* count + 1: first place of each */
} OozeGridGroups;
/* Groups of `count` sorted pairs, in the arena `kept`. A failure is recorded by the arenas. */
OozeGridGroups ooze_grid_groups(OozeArena *kept, OozeArena *temporary, const OozeKeySort *sort,
                                uint64_t count);

/* Writes the keys of the corners of `count` cells, eight each, and their numbers 8 cell + corner,
   for sorting. */
void ooze_grid_number_corners(OozeThreads *threads, const OozeMultigridShape *shape,
                              const uint64_t *cell, uint64_t count, OozeKeySort *sort);

/* Corners of nodes: node a has those from first[a] to first[a + 1] of `corner`. Sets node_of. */
void ooze_grid_link_corners(OozeThreads *threads, uint64_t nodes, const uint32_t *first,
                            const uint32_t *corner, uint32_t *node_of);

#endif
