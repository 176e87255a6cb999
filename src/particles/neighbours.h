/* Cell grid and neighbour lists. Lists are built once a step and re-used by every iteration.

   Order and content are the same for any number of threads: particles are sorted by cell (x fastest,
   then y, then z; stable), and each list holds its neighbours in ascending index order. */
#ifndef OOZE_PARTICLES_NEIGHBOURS_H
#define OOZE_PARTICLES_NEIGHBOURS_H

#include "base/memory.h"
#include "base/threads.h"
#include "particles/particles.h"
#include "physics/periodic.h"

/* The same point inside the box, on the axes that wrap. */
OOZE_FORMULA OozeFloat4 ooze_point_wrap(OozeFloat4 x, const OozePeriodic *p)
{
    x.x = ooze_periodic_wrap(x.x, p->min[0], p->length[0], p->inverse[0]);
    x.y = ooze_periodic_wrap(x.y, p->min[1], p->length[1], p->inverse[1]);
    x.z = ooze_periodic_wrap(x.z, p->min[2], p->length[2], p->inverse[2]);
    return x;
}

/* Points sorted into cubic cells of edge `cell`. Memory follows the number of points, however far
   apart they are: a dense table when the bounding box is reasonably full, else a sparse one; both
   give the same order. */
typedef struct OozeGrid OozeGrid;
OozeGrid *ooze_grid_create(void); /* NULL: out of memory */
void ooze_grid_destroy(OozeGrid *grid);
uint64_t ooze_grid_bytes(const OozeGrid *grid);

/* Computes the sorted order of n points (order[new] = old, kept inside the grid until the next
   sort). A NaN or infinite coordinate is OOZE_ERROR_NUMERIC and names the
   first such point. On periodic axes points must lie inside the box, and the box must be at least
   three cells wide (OOZE_ERROR_ARGUMENT otherwise). */
OozeStatus ooze_grid_sort(OozeGrid *grid, OozeThreads *threads, const OozeFloat4 *points,
                          uint64_t n, double cell, const OozePeriodic *periodic, OozeError *error);
const uint32_t *ooze_grid_order(const OozeGrid *grid);
/* The box around the points of the last sort; false where there were none. */
bool ooze_grid_box(const OozeGrid *grid, float min[3], float max[3]);

/* Compact lists. The neighbours of i are index[first[i]] .. index[first[i] + count[i] - 1]; each list
   is padded with the dummy index `dummy` up to a multiple of OOZE_LIST_PAD. */
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

/* For each of n points, the candidates within `radius` (<= the grid's cell edge; distance computed in
   float as dx*dx + dy*dy + dz*dz < radius*radius, in that order, on nearest images). `candidates` are the grid's points
   AFTER reordering: candidate k is the point that was order[k]. With `skip_self`, points and
   candidates are the same array and i is not its own neighbour. Else points may lie anywhere, but on
   periodic axes inside the box; a point that is not a number has no neighbours. Points in the order
   of a grid of the same cell edge are handled fastest. A failed build leaves no lists (n == 0). */
OozeStatus ooze_neighbours_build(OozeNeighbours *lists, const OozeGrid *grid, OozeThreads *threads,
                                 const OozeFloat4 *points, uint64_t n, const OozeFloat4 *candidates,
                                 double radius, bool skip_self, OozeError *error);

/* The same by comparing all pairs: the reference that tests hold the fast path to. */
OozeStatus ooze_neighbours_brute_force(OozeNeighbours *lists, const OozeFloat4 *points, uint64_t n,
                                       const OozeFloat4 *candidates, uint64_t candidate_count,
                                       double radius, const OozePeriodic *periodic, bool skip_self,
                                       OozeError *error);

#endif
