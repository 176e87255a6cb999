/* Candidates for the neighbours of particles in the order of their grid. Lists of all neighbours
   would take more memory than everything else of a surface; here only those of one cell exist. */
#ifndef OOZE_SURFACE_WALK_H
#define OOZE_SURFACE_WALK_H

#include "surface/cloud.h"

typedef struct OozeCloudWalk {
    const OozeCloud *cloud;
    OozeGridCursor cursor;
    int32_t cell[3];
    int count; /* runs of candidates; -1 before the first particle */
    OozeGridRun run[OOZE_GRID_RUNS_MAX];
} OozeCloudWalk;

static inline OozeCloudWalk ooze_cloud_walk(const OozeCloud *cloud)
{
    return (OozeCloudWalk){.cloud = cloud, .count = -1};
}

/* The runs that hold every particle within OOZE_SURFACE_NEIGHBOURHOOD spacings of particle i, and i
   itself. */
static inline void ooze_cloud_walk_to(OozeCloudWalk *walk, uint64_t i)
{
    const OozeGridAxis *axis = walk->cloud->grid->axis;
    OozeFloat4 x = walk->cloud->x[i];
    const int32_t cell[3] = {ooze_grid_number(&axis[0], x.x), ooze_grid_number(&axis[1], x.y),
                             ooze_grid_number(&axis[2], x.z)};
    if (walk->count >= 0 && cell[0] == walk->cell[0] && cell[1] == walk->cell[1] &&
        cell[2] == walk->cell[2]) {
        return;
    }
    walk->cell[0] = cell[0];
    walk->cell[1] = cell[1];
    walk->cell[2] = cell[2];
    walk->count = ooze_grid_runs(walk->cloud->grid, &walk->cursor, cell, walk->run);
}

#endif
