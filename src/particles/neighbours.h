/* Neighbour lists, built once a step and re-used by every iteration. Each list holds its neighbours
   in ascending index order, for any number of threads. */
#ifndef OOZE_PARTICLES_NEIGHBOURS_H
#define OOZE_PARTICLES_NEIGHBOURS_H

#include "particles/grid.h"

/* Compact lists. The neighbours of i are index[first[i]] .. index[first[i] + count[i] - 1]; each
   list is padded with the dummy index `dummy` up to a multiple of OOZE_LIST_PAD. */
enum { OOZE_LIST_PAD = 4 };
typedef struct OozeNeighbours {
    uint64_t n;      /* lists */
    uint64_t pairs;  /* neighbours in all, padding not counted */
    uint64_t *first; /* n + 1 */
    uint32_t *count;
    uint32_t *index;
    uint32_t dummy; /* == number of candidates: one past the last */
    uint64_t capacity_n, capacity_index;
    struct OozeListScratch *scratch; /* working memory, kept from build to build */
} OozeNeighbours;                    /* starts as zero */
void ooze_neighbours_free(OozeNeighbours *lists);
uint64_t ooze_neighbours_bytes(const OozeNeighbours *lists);

/* The lists to build: for each of n points, the candidates within `radius` (<= the grid's cell
   edge; distance computed in float as dx*dx + dy*dy + dz*dz < radius*radius, in that order, on
   nearest images). `candidates` are the grid's points AFTER reordering: candidate k is the point
   that was order[k]. With `skip_self`, points are a part of the array of candidates, and none is
   its own neighbour. Otherwise points may lie anywhere, but inside the box on periodic axes; a
   point with a NaN coordinate has no neighbours. */
typedef struct OozeNeighbourQuery {
    const OozeFloat4 *points;
    uint64_t n;
    const OozeFloat4 *candidates;
    double radius;
    bool skip_self;
} OozeNeighbourQuery;

/* Points in the order of a grid of the same cell edge are processed fastest. A failed build leaves
   no lists (n == 0). */
OozeStatus ooze_neighbours_build(OozeNeighbours *lists, const OozeGrid *grid, OozeThreads *threads,
                                 const OozeNeighbourQuery *query, OozeError *error);

/* Memory of an array that loops over lists gather from: n elements, and zero ones after them, to
   which padding points. */
void *ooze_gathered_alloc(OozeArena *arena, uint64_t n, size_t size);

#endif
