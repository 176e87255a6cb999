/* The first filling of a nozzle leaves out particles that would overlap existing ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "world/world.h"

/* Particles overlap below this distance, in spacings; in a layer they are farther apart. */
static const float OVERLAP_DISTANCE = 0.8f;

/* Existing particles near the new ones. */
typedef struct Existing {
    const OozePeriodic *periodic;
    float low[3], high[3]; /* bounds of the new particles, extended by the overlap distance */
    OozeFloat4 *points;    /* those within the bounds, sorted by x */
    uint64_t count;
} Existing;

/* The periodic image of a coordinate that is nearest to the middle of the bounds. */
static float image(const Existing *near, float x, int axis)
{
    float length = near->periodic->length[axis];
    float middle = 0.5f * (near->low[axis] + near->high[axis]);
    return length > 0.0f ? x - length * rintf((x - middle) / length) : x;
}

static bool is_within_bounds(const Existing *near, OozeFloat4 *x)
{
    *x = (OozeFloat4){image(near, x->x, 0), image(near, x->y, 1), image(near, x->z, 2), 0};
    return x->x >= near->low[0] && x->x <= near->high[0] && x->y >= near->low[1] &&
           x->y <= near->high[1] && x->z >= near->low[2] && x->z <= near->high[2];
}

static void bound(Existing *near, const OozeFloat4 *x, uint64_t n, float reach)
{
    for (int axis = 0; axis < 3; axis++) {
        near->low[axis] = INFINITY;
        near->high[axis] = -INFINITY;
        for (uint64_t i = 0; i < n; i++) {
            float at = axis == 0 ? x[i].x : axis == 1 ? x[i].y : x[i].z;
            near->low[axis] = fminf(near->low[axis], at - reach);
            near->high[axis] = fmaxf(near->high[axis], at + reach);
        }
    }
}

/* Number of points within the bounds; these are copied to `out` unless it is NULL. */
static uint64_t gather(const Existing *near, const OozeFloat4 *points, uint64_t n, OozeFloat4 *out)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        OozeFloat4 x = points[i];
        if (is_within_bounds(near, &x)) {
            if (out) {
                out[found] = x;
            }
            found++;
        }
    }
    return found;
}

static int by_x(const void *a, const void *b)
{
    float x = ((const OozeFloat4 *)a)->x, y = ((const OozeFloat4 *)b)->x;
    return (x > y) - (x < y);
}

static bool overlaps(const Existing *near, OozeFloat4 x, float reach)
{
    uint64_t begin = 0, end = near->count;
    while (begin < end) { /* finds the first point with x >= x.x - reach */
        uint64_t middle = begin + (end - begin) / 2;
        if (near->points[middle].x < x.x - reach) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    bool overlap = false;
    for (uint64_t i = begin; i < near->count && near->points[i].x <= x.x + reach && !overlap; i++) {
        float a = near->points[i].x - x.x, b = near->points[i].y - x.y, c = near->points[i].z - x.z;
        overlap = a * a + b * b + c * c < reach * reach;
    }
    return overlap;
}

static OozeStatus remove_overlapping(OozeWorld *world, Existing *near, OozeParticles *arrivals,
                                     uint64_t first, float reach, uint64_t *removed,
                                     OozeError *error)
{
    uint64_t n = ooze_particles_count(arrivals);
    uint8_t *remove = ooze_alloc_zero(n, 1);
    if (!remove) {
        return ooze_fail_memory(error, "the start of a nozzle", n);
    }
    qsort(near->points, near->count, sizeof *near->points, by_x);
    const OozeFloat4 *x = ooze_particles_positions(arrivals);
    for (uint64_t i = first; i < n; i++) {
        remove[i] = overlaps(near, x[i], reach);
    }
    OozeStatus status = ooze_particles_remove(arrivals, world->threads, remove, removed, error);
    ooze_free(remove);
    return status;
}

OozeStatus ooze_world_remove_overlaps(OozeWorld *world, OozeParticles *arrivals, uint64_t first,
                                      uint64_t *removed, OozeError *error)
{
    Existing near = {.periodic = &world->periodic};
    const OozeFloat4 *new = ooze_particles_positions(arrivals);
    const OozeFloat4 *old = ooze_particles_positions(world->particles);
    uint64_t old_count = ooze_particles_count(world->particles);
    float reach = OVERLAP_DISTANCE * (float)world->def.spacing;
    *removed = 0;
    bound(&near, new + first, ooze_particles_count(arrivals) - first, reach);
    near.count = gather(&near, new, first, NULL) + gather(&near, old, old_count, NULL);
    if (near.count == 0) {
        return OOZE_OK;
    }
    near.points = ooze_alloc(near.count, sizeof *near.points);
    if (!near.points) {
        return ooze_fail_memory(error, "the start of a nozzle", near.count * sizeof *near.points);
    }
    uint64_t copied = gather(&near, new, first, near.points);
    gather(&near, old, old_count, near.points + copied);
    OozeStatus status = remove_overlapping(world, &near, arrivals, first, reach, removed, error);
    ooze_free(near.points);
    return status;
}
