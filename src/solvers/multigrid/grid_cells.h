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

#endif
