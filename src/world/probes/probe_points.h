/* Points of the particles that a probe selects: neighbours and connected components. */
#ifndef OOZE_WORLD_PROBES_PROBE_POINTS_H
#define OOZE_WORLD_PROBES_PROBE_POINTS_H

#include "particles/neighbours.h"
#include "world/probes/probe_kind.h"

/* Lists are built for one block of points at a time, which bounds their memory. */
enum { OOZE_PROBE_LIST_BLOCK = 16384 };

static inline uint64_t ooze_probe_block_size(uint64_t n, uint64_t begin)
{
    return n - begin < OOZE_PROBE_LIST_BLOCK ? n - begin : OOZE_PROBE_LIST_BLOCK;
}

/* Copies the positions of the selected particles (`all`: of all particles), wrapped along periodic
   axes, to a new array; `*finite`: every coordinate is finite. */
OozeStatus ooze_probe_gather(const OozeProbeView *view, bool all, OozeFloat4 **points, uint64_t *n,
                             bool *finite, OozeError *error);

/* Points in the order of their cells. */
typedef struct OozeProbePoints {
    OozeGrid *grid;
    OozeFloat4 *points;
    uint64_t n;
    OozeNeighbours lists; /* of the current block */
} OozeProbePoints;

OozeStatus ooze_probe_points_sort(OozeProbePoints *sorted, const OozeProbeView *view,
                                  const OozeFloat4 *points, uint64_t n, double cell,
                                  OozeError *error);
void ooze_probe_points_free(OozeProbePoints *sorted);
/* Neighbours of points[0 .. n) among the sorted points; a point is its own neighbour. */
OozeStatus ooze_probe_points_find(OozeProbePoints *sorted, const OozeProbeView *view,
                                  const OozeFloat4 *points, uint64_t n, double radius,
                                  OozeError *error);

/* Connected components of points[0 .. n), linked where they are nearer than the probe's
   link_length: root[i] is the index of a point of the component of i, the same for all of them. */
OozeStatus ooze_probe_find_components(const OozeProbeView *view, const OozeFloat4 *points,
                                      uint64_t n, uint32_t *root, OozeError *error);

#endif
