/* Levels of the background grids on the processor: see solvers/multigrid/levels.h. Memory is that
   of the arenas of the hierarchy, which record failures. */
#ifndef OOZE_SOLVERS_MULTIGRID_CPU_LEVELS_H
#define OOZE_SOLVERS_MULTIGRID_CPU_LEVELS_H

#include "base/f32x4.h"
#include "base/memory.h"
#include "base/threads.h"
#include "particles/halo.h"
#include "solvers/multigrid/levels.h"

/* false: out of memory. */
bool ooze_hierarchy_create(OozeHierarchy *h);
void ooze_hierarchy_destroy(OozeHierarchy *h);
uint64_t ooze_hierarchy_bytes(const OozeHierarchy *h);
/* Before a build: no levels. */
void ooze_hierarchy_clear(OozeHierarchy *h, OozeThreads *threads);

/* Memory was refused since the hierarchy was cleared. */
static inline bool ooze_hierarchy_failed(const OozeHierarchy *h)
{
    return ooze_arena_failed(h->kept) || ooze_arena_failed(h->temporary);
}

/* first[k]: sum of count[0 .. k - 1], in place of the counts; first[n], and the result: of all. */
uint32_t ooze_sum_counts(uint32_t *first, uint64_t n);

/* Number of the cell of the first level at x, and the place in it. */
static inline uint64_t ooze_hierarchy_cell(const OozeHierarchy *h, OozeF32x4 x, OozeF32x4 *into)
{
    int32_t at[3];
    float place[3];
    for (int k = 0; k < 3; k++) {
        at[k] = ooze_multigrid_cell(&h->axis[k], x[k], &place[k]);
    }
    *into = ooze_f32x4(place[0], place[1], place[2], 0.0f);
    return ooze_multigrid_number(h->level[0].shape.cells, at);
}

/* The axes of the first level over h->n particles, and its shape; see ooze_grid_find_axes. */
void ooze_hierarchy_find_axes(OozeHierarchy *h, const OozeF32x4 *x, double spacing,
                              const OozePeriodic *periodic, OozeHalo *halo);
/* Cells of the particles; cell_of: per particle, or NULL. */
void ooze_hierarchy_find_cells(OozeHierarchy *h, const OozeF32x4 *x, uint32_t *cell_of);

/* Moves the links of each cell from its place in `found` into level->link; level->link_first holds
   their numbers. place NULL: there is room for OOZE_LINK_SLOTS each. */
void ooze_hierarchy_store_links(OozeHierarchy *h, int level, const uint32_t *found,
                                const uint32_t *place);

/* Stages of ooze_hierarchy_find. */
void ooze_hierarchy_find_nodes(OozeHierarchy *h, int level);
void ooze_hierarchy_find_coarser(OozeHierarchy *h, int level);
/* The end of find_coarser: where the nodes of a level are in the next. */
void ooze_hierarchy_find_coarse_cells(OozeHierarchy *h, int level);

#endif
