/* Point clouds for the tests of grid and neighbours, and the comparison of fast lists with the
   brute-force reference. */
#ifndef OOZE_TESTS_CLOUDS_H
#define OOZE_TESTS_CLOUDS_H

#include "base/hash.h"
#include "base/memory.h"
#include "brute_force.h"
#include "check.h"

typedef struct Cloud {
    uint64_t n;
    OozeFloat4 *points;
} Cloud;

static inline float random_between(uint64_t seed, uint64_t i, uint64_t draw, double low,
                                   double high)
{
    return (float)(low + (high - low) * ooze_random01(seed, i, draw));
}

static inline Cloud cloud_empty(uint64_t n)
{
    Cloud cloud = {.n = n, .points = ooze_alloc_zero(n, sizeof(OozeFloat4))};
    assert_non_null(cloud.points);
    return cloud;
}

/* n points in a box with a corner at (ox, oy, oz). */
static inline Cloud cloud_random(uint64_t n, double size, double ox, double oy, double oz,
                                 uint64_t seed)
{
    Cloud cloud = cloud_empty(n);
    for (uint64_t i = 0; i < n; i++) {
        cloud.points[i] = (OozeFloat4){random_between(seed, i, 0, ox, ox + size),
                                       random_between(seed, i, 1, oy, oy + size),
                                       random_between(seed, i, 2, oz, oz + size), 0.0f};
    }
    return cloud;
}

/* side^3 points on a cubic lattice, in an order that is not sorted. */
static inline Cloud cloud_lattice(int side, double spacing)
{
    Cloud cloud = cloud_empty((uint64_t)side * (uint64_t)side * (uint64_t)side);
    for (uint64_t i = 0; i < cloud.n; i++) {
        uint64_t s = (uint64_t)side;
        cloud.points[i] = (OozeFloat4){(float)(spacing * (double)(i / (s * s))),
                                       (float)(spacing * (double)(i % s)),
                                       (float)(spacing * (double)(i / s % s)), 0.0f};
    }
    return cloud;
}

static inline void cloud_free(Cloud *cloud)
{
    ooze_free(cloud->points);
}

/* Puts points into the grid's order, as ooze_particles_reorder does with the store. */
static inline void cloud_reorder(Cloud *cloud, const uint32_t *order)
{
    OozeFloat4 *sorted = ooze_alloc(cloud->n, sizeof *sorted);
    assert_non_null(sorted);
    for (uint64_t i = 0; i < cloud->n; i++) {
        sorted[i] = cloud->points[order[i]];
    }
    ooze_free(cloud->points);
    cloud->points = sorted;
}

static inline void assert_same_lists(const OozeNeighbours *a, const OozeNeighbours *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->dummy, b->dummy);
    assert_memory_equal(a->first, b->first, (a->n + 1) * sizeof *a->first);
    if (a->n > 0) {
        assert_memory_equal(a->count, b->count, a->n * sizeof *a->count);
    }
    if (a->first[a->n] > 0) {
        assert_memory_equal(a->index, b->index, a->first[a->n] * sizeof *a->index);
    }
}

/* Sorts the cloud (in place) and holds its lists to the reference. Gives the number of pairs. */
static inline uint64_t check_cloud(Cloud *cloud, double cell, double radius,
                                   const OozePeriodic *periodic, OozeThreads *threads)
{
    OozeGrid *grid = ooze_grid_create();
    assert_non_null(grid);
    OozeNeighbours fast = {0}, slow = {0};
    CHECK_OK(ooze_grid_sort(grid, threads, cloud->points, cloud->n, cell, periodic, &error));
    cloud_reorder(cloud, ooze_grid_order(grid));
    CHECK_OK(ooze_neighbours_build(
        &fast, grid, threads,
        &(OozeNeighbourQuery){cloud->points, cloud->n, cloud->points, radius, true}, &error));
    brute_force(&slow, &(OozeNeighbourQuery){cloud->points, cloud->n, cloud->points, radius, true},
                cloud->n, periodic);
    assert_same_lists(&fast, &slow);
    uint64_t pairs = fast.pairs;
    ooze_neighbours_free(&fast);
    ooze_neighbours_free(&slow);
    ooze_grid_destroy(grid);
    return pairs;
}

#endif
