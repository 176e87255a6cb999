/* Candidates for the neighbours of particles in the order of their grid. Lists of all neighbours
   would take more memory than everything else of a surface; here only those of one cell exist. */
#ifndef OOZE_SURFACE_WALK_H
#define OOZE_SURFACE_WALK_H

#include "base/f32x4.h"
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

/* Candidates that are near: at most OOZE_NEAR_MAX are selected at a time. */
enum { OOZE_NEAR_MAX = 256 };
typedef struct OozeNear {
    uint32_t count, index[OOZE_NEAR_MAX + 4];
    float r2[OOZE_NEAR_MAX + 4]; /* squares of their distances, m2 */
} OozeNear;

/* Squares of the distances of four particles from a point; x is padded for the last ones. */
static inline OozeF32x4 ooze_near_squares(const OozeFloat4 *x, uint32_t j, OozeFloat4 at)
{
    OozeF32x4 p[4];
    ooze_f32x4_transpose(ooze_f32x4_load(&x[j].x), ooze_f32x4_load(&x[j + 1].x),
                         ooze_f32x4_load(&x[j + 2].x), ooze_f32x4_load(&x[j + 3].x), p);
    OozeF32x4 dx = p[0] - ooze_f32x4_splat(at.x), dy = p[1] - ooze_f32x4_splat(at.y);
    OozeF32x4 dz = p[2] - ooze_f32x4_splat(at.z);
    return dx * dx + dy * dy + dz * dz;
}

/* Selects those of a run, from *begin on, that are nearer than the root of reach2; moves *begin. */
static inline void ooze_near_select(const OozeFloat4 *x, uint32_t *begin, uint32_t end,
                                    OozeFloat4 at, float reach2, OozeNear *near)
{
    uint32_t stop = end - *begin > OOZE_NEAR_MAX ? *begin + OOZE_NEAR_MAX : end, count = 0;
    for (uint32_t j = *begin; j < stop; j += 4) {
        float r2[4];
        ooze_f32x4_store(ooze_near_squares(x, j, at), r2);
        for (uint32_t lane = 0; lane < 4; lane++) { /* without branches: most are not near */
            near->index[count] = j + lane;
            near->r2[count] = r2[lane];
            count += r2[lane] < reach2 && j + lane < stop;
        }
    }
    near->count = count;
    *begin = stop;
}

#endif
