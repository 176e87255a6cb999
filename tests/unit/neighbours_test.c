/* Neighbour lists against the brute-force reference: equal lists, not merely equal sums. */
#include "clouds.h"

#include "physics/periodic.h"

static OozePeriodic box(double min, double length, int axes)
{
    OozePeriodic periodic = {0};
    for (int k = 0; k < axes; k++) {
        periodic.min[k] = (float)min;
        periodic.length[k] = (float)length;
        periodic.inverse[k] = 1.0f / (float)length;
    }
    return periodic;
}

static void none_and_one(void **state)
{
    (void)state;
    Cloud none = cloud_empty(0), one = cloud_empty(1);
    one.points[0] = (OozeFloat4){-3.0f, 0.5f, 7.0f, 0.0f};
    assert_int_equal(check_cloud(&none, 0.1, 0.1, NULL, NULL), 0);
    assert_int_equal(check_cloud(&one, 0.1, 0.1, NULL, NULL), 0);
    cloud_free(&none);
    cloud_free(&one);
}

/* In a cubic lattice of spacing 1 a sphere of radius 2.01 holds 6 + 12 + 8 + 6 = 32 other points
   (at 1, sqrt 2, sqrt 3 and 2); an inner point sees them all. */
static void lattice(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    OozeNeighbours lists = {0};
    Cloud cloud = cloud_lattice(9, 1.0);
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 2.01, NULL, &error));
    cloud_reorder(&cloud, ooze_grid_order(grid));
    CHECK_OK(ooze_neighbours_build(
        &lists, grid, NULL, &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, 2.01, true},
        &error));
    int inner = 0;
    for (uint64_t i = 0; i < cloud.n; i++) {
        OozeFloat4 p = cloud.points[i];
        if (p.x > 1 && p.x < 7 && p.y > 1 && p.y < 7 && p.z > 1 && p.z < 7) {
            assert_int_equal(lists.count[i], 32);
            inner++;
        }
    }
    assert_int_equal(inner, 5 * 5 * 5);
    ooze_neighbours_free(&lists);
    ooze_grid_destroy(grid);
    /* Points exactly one radius apart, and exactly on cell borders. */
    double cells[] = {1.0, 2.0, 0.1, 3.0, 1.0 / 3.0};
    for (int k = 0; k < 5; k++) {
        Cloud again = cloud_lattice(8, 1.0);
        check_cloud(&again, cells[k], cells[k], NULL, NULL);
        cloud_free(&again);
        again = cloud_lattice(7, cells[k] / 2.0);
        check_cloud(&again, cells[k], cells[k], NULL, NULL);
        cloud_free(&again);
    }
    cloud_free(&cloud);
}

static void random_clouds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t n = 1 + (uint64_t)(2000.0 * ooze_random01(seed, 0, 9));
        double size = 0.2 + 2.0 * ooze_random01(seed, 1, 9);
        Cloud cloud = cloud_random(n, size, -0.7, 0.3, -100.0, seed);
        check_cloud(&cloud, 0.2, 0.2, NULL, NULL);
        cloud_free(&cloud);
        cloud = cloud_random(n, size, -0.7, 0.3, -100.0, seed);
        check_cloud(&cloud, 0.31, 0.17, NULL, NULL);
        cloud_free(&cloud);
    }
}

/* n particles at one place: each sees the n - 1 others, and not itself. */
static void coincident(void **state)
{
    (void)state;
    Cloud cloud = cloud_empty(700);
    for (uint64_t i = 0; i < cloud.n; i++) {
        cloud.points[i] = (OozeFloat4){1.5f, -2.5f, 0.1f, 0.0f};
    }
    assert_int_equal(check_cloud(&cloud, 0.1, 0.1, NULL, NULL), 700 * 699);
    cloud_free(&cloud);
}

/* Far from the origin coordinates are coarse: 1e5 supports away a float counts in steps of about a
   hundredth of a support, so distances tie and round; lists must still be the reference's. */
static void far_from_origin(void **state)
{
    (void)state;
    double far[] = {1e4, -1e5, 1e6, 1.6777216e7, 1e9, 1e30};
    for (int k = 0; k < 6; k++) {
        Cloud cloud = cloud_random(1500, 8.0, far[k], -far[k], 0.5 * far[k], 3);
        uint64_t pairs = check_cloud(&cloud, 1.0, 1.0, NULL, NULL);
        if (fabs(far[k]) <=
            1e5) { /* the expected number of pairs in a box of side 8 is about 13,000 */
            assert_in_range(pairs, 10000, 20000);
        }
        cloud_free(&cloud);
    }
}

/* Two clusters 1e6 supports apart: the bounding box has 1e18 cells, memory follows the points. */
static void far_clusters(void **state)
{
    (void)state;
    Cloud cloud = cloud_random(2000, 4.0, 0.0, 0.0, 0.0, 5);
    Cloud other = cloud_random(1000, 4.0, 1e6, -1e6, 1e6, 6);
    memcpy(cloud.points + 1000, other.points, 1000 * sizeof *other.points);
    assert_true(check_cloud(&cloud, 1.0, 1.0, NULL, NULL) > 20000);
    OozeGrid *grid = ooze_grid_create();
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, NULL, &error));
    assert_true(ooze_grid_bytes(grid) < 200000);
    ooze_grid_destroy(grid);
    cloud_free(&cloud);
    cloud_free(&other);
}

static void periodic_axes(void **state)
{
    (void)state;
    /* Box lengths in cells: at the least allowed, where images are ambiguous by cell, and wide. */
    double lengths[] = {3.0, 3.7, 4.0, 4.9999, 5.0, 5.5, 11.0};
    for (int axes = 1; axes <= 3; axes++) {
        for (int k = 0; k < 7; k++) {
            for (int place = 0; place < 2; place++) {
                double min = place ? -37.3 : 0.0;
                OozePeriodic periodic = box(min, lengths[k], axes);
                Cloud cloud = cloud_random(1200, lengths[k], min, min, min, (uint64_t)k);
                for (uint64_t i = 0; i < cloud.n; i++) {
                    float *p = &cloud.points[i].x;
                    for (int a = 0; a < axes; a++) {
                        p[a] = ooze_periodic_wrap(p[a], periodic.min[a], periodic.length[a],
                                                  periodic.inverse[a]);
                    }
                }
                cloud.points[7] = (OozeFloat4){(float)min, (float)min, (float)min, 0.0f};
                cloud.points[8].x = periodic.min[0] + periodic.length[0];
                check_cloud(&cloud, 1.0, 1.0, &periodic, NULL);
                cloud_free(&cloud);
            }
        }
    }
}

/* In a periodic lattice there are no border points: everyone has the same 32 neighbours. */
static void periodic_lattice(void **state)
{
    (void)state;
    Cloud cloud = cloud_lattice(8, 0.25);
    OozePeriodic periodic = box(0.0, 2.0, 3);
    assert_int_equal(check_cloud(&cloud, 0.51, 0.51, &periodic, NULL), 512 * 32);
    cloud_free(&cloud);
}

/* A long periodic box with few particles takes the sparse table across the wrap. */
static void periodic_sparse(void **state)
{
    (void)state;
    OozePeriodic periodic = box(-1000.0, 2000.0, 2);
    Cloud cloud = cloud_empty(1000);
    for (uint64_t i = 0; i < cloud.n; i++) {
        float x = random_between(1, i, 0, -1.5, 1.5), y = random_between(1, i, 1, -1.5, 1.5);
        cloud.points[i] = (OozeFloat4){x < 0.0f ? 1000.0f + x : -1000.0f + x,
                                       y < 0.0f ? 1000.0f + y : -1000.0f + y,
                                       random_between(1, i, 2, 0.0, 500.0), 0.0f};
    }
    assert_true(check_cloud(&cloud, 1.0, 1.0, &periodic, NULL) > 0);
    cloud_free(&cloud);
}

/* Points that are not the candidates, inside, near and far outside of the candidates' box. */
static void other_candidates(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        Cloud fluid = cloud_random(900, 6.0, -3.0, -3.0, -3.0, 11);
        Cloud solid = cloud_random(800, sparse ? 2.0 : 4.0, -1.0, -2.0, 0.0, 12);
        if (sparse) {
            solid.points[0].x = 5000.0f;
            solid.points[1].z = -7000.0f;
        }
        fluid.points[0] = (OozeFloat4){1e9f, -1e9f, 4.0f, 0.0f};
        fluid.points[1] = (OozeFloat4){1e38f, -1e38f, 1e38f, 0.0f};
        fluid.points[2] = (OozeFloat4){NAN, 0.0f, INFINITY, 0.0f};
        fluid.points[3] = solid.points[5];
        OozeGrid *grid = ooze_grid_create();
        OozeNeighbours fast = {0}, slow = {0};
        CHECK_OK(ooze_grid_sort(grid, NULL, solid.points, solid.n, 1.0, NULL, &error));
        cloud_reorder(&solid, ooze_grid_order(grid));
        CHECK_OK(ooze_neighbours_build(
            &fast, grid, NULL,
            &(OozeNeighbourQuery){fluid.points, fluid.n, solid.points, 0.9, false}, &error));
        brute_force(&slow, &(OozeNeighbourQuery){fluid.points, fluid.n, solid.points, 0.9, false},
                    solid.n, NULL);
        assert_same_lists(&fast, &slow);
        assert_true(fast.pairs > 100);
        assert_int_equal(fast.dummy, 800);
        assert_int_equal(fast.count[0] + fast.count[1] + fast.count[2], 0);
        assert_true(fast.count[3] >= 1);
        ooze_neighbours_free(&fast);
        ooze_neighbours_free(&slow);
        ooze_grid_destroy(grid);
        cloud_free(&fluid);
        cloud_free(&solid);
    }
}

/* Every list is padded with the dummy up to a multiple of four, and lists follow without gaps. */
static void padding(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    OozeNeighbours lists = {0};
    Cloud cloud = cloud_random(1000, 5.0, 0.0, 0.0, 0.0, 21);
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, NULL, &error));
    cloud_reorder(&cloud, ooze_grid_order(grid));
    CHECK_OK(ooze_neighbours_build(
        &lists, grid, NULL, &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, 1.0, true},
        &error));
    uint64_t at = 0, pairs = 0;
    for (uint64_t i = 0; i < lists.n; i++) {
        assert_int_equal(lists.first[i], at);
        uint64_t end = at + (lists.count[i] + OOZE_LIST_PAD - 1) / OOZE_LIST_PAD * OOZE_LIST_PAD;
        for (uint64_t k = at + lists.count[i]; k < end; k++) {
            assert_int_equal(lists.index[k], cloud.n);
        }
        pairs += lists.count[i];
        at = end;
    }
    assert_int_equal(lists.first[lists.n], at);
    assert_int_equal(lists.pairs, pairs);
    ooze_neighbours_free(&lists);
    ooze_grid_destroy(grid);
    cloud_free(&cloud);
}

/* Order and lists are the same bits for any number of threads, dense, sparse and periodic; the
   cloud is larger than one wave of work and than one block of the sort. */
static void thread_counts(void **state)
{
    (void)state;
    const int counts[] = {1, 2, 3, 7};
    for (int kind = 0; kind < 3; kind++) {
        OozePeriodic periodic = box(0.0, 15.0, 3);
        const OozePeriodic *wrap = kind == 2 ? &periodic : NULL;
        Cloud cloud = cloud_random(30000, 15.0, 0.0, 0.0, 0.0, 33);
        if (kind == 1) {
            cloud.points[17].y = 1e5f;
        }
        Cloud sorted = {0};
        OozeNeighbours reference = {0};
        uint32_t *order = ooze_alloc(cloud.n, sizeof *order);
        for (int t = 0; t < 4; t++) {
            OozeThreads *threads;
            OozeNeighbours lists = {0};
            OozeGrid *grid = ooze_grid_create();
            CHECK_OK(ooze_threads_create(counts[t], &threads, &error));
            CHECK_OK(ooze_grid_sort(grid, threads, cloud.points, cloud.n, 1.0, wrap, &error));
            if (t == 0) {
                memcpy(order, ooze_grid_order(grid), cloud.n * sizeof *order);
                sorted = cloud_empty(cloud.n);
                memcpy(sorted.points, cloud.points, cloud.n * sizeof *cloud.points);
                cloud_reorder(&sorted, order);
            }
            assert_memory_equal(order, ooze_grid_order(grid), cloud.n * sizeof *order);
            CHECK_OK(ooze_neighbours_build(
                t == 0 ? &reference : &lists, grid, threads,
                &(OozeNeighbourQuery){sorted.points, sorted.n, sorted.points, 1.0, true}, &error));
            if (t > 0) {
                assert_same_lists(&lists, &reference);
            }
            ooze_neighbours_free(&lists);
            ooze_grid_destroy(grid);
            ooze_threads_destroy(threads);
        }
        ooze_neighbours_free(&reference);
        ooze_free(order);
        cloud_free(&sorted);
        cloud_free(&cloud);
    }
}

/* The same lists object serves clouds of changing size and grids of either kind. */
static void reuse(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    OozeNeighbours fast = {0}, slow = {0};
    for (uint64_t round = 0; round < 12; round++) {
        Cloud cloud = cloud_random(round * 337 % 1400, 4.0, 0.0, 0.0, 0.0, round);
        if (round % 3 == 2 && cloud.n > 0) {
            cloud.points[0].x = 4e5f;
        }
        CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, NULL, &error));
        cloud_reorder(&cloud, ooze_grid_order(grid));
        CHECK_OK(ooze_neighbours_build(
            &fast, grid, NULL,
            &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, 1.0, true}, &error));
        brute_force(&slow, &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, 1.0, true},
                    cloud.n, NULL);
        assert_same_lists(&fast, &slow);
        cloud_free(&cloud);
    }
    assert_true(ooze_neighbours_bytes(&fast) > fast.pairs * 4);
    ooze_neighbours_free(&fast);
    ooze_neighbours_free(&slow);
    assert_int_equal(ooze_neighbours_bytes(&fast), 0);
    ooze_grid_destroy(grid);
}

static void bad_radius(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    OozeNeighbours lists = {0};
    Cloud cloud = cloud_random(10, 1.0, 0.0, 0.0, 0.0, 1);
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 0.5, NULL, &error));
    const double radii[] = {0.6, 0.0, -1.0, NAN};
    for (int k = 0; k < 4; k++) {
        CHECK_FAILS(ooze_neighbours_build(
                        &lists, grid, NULL,
                        &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, radii[k], true},
                        &error),
                    OOZE_ERROR_ARGUMENT, "neighbours within");
    }
    ooze_neighbours_free(&lists);
    ooze_grid_destroy(grid);
    cloud_free(&cloud);
}

/* Fails the 1st, 2nd, ... allocation of a whole build until one runs through; each failure is
   reported as such and leaks nothing (the address sanitizer watches). */
static void memory_failures(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        Cloud cloud = cloud_random(3000, 9.0, 0.0, 0.0, 0.0, 44);
        cloud.points[3].z = sparse ? 9e5f : 0.0f;
        OozeThreads *threads;
        CHECK_OK(ooze_threads_create(2, &threads, &error));
        bool done = false;
        int failures = 0;
        for (uint64_t k = 1; !done; k++) {
            assert_true(k < 200);
            OozeError error = {0};
            OozeNeighbours lists = {0};
            ooze_memory_fail_after(k);
            OozeGrid *grid = ooze_grid_create();
            OozeStatus status =
                grid ? ooze_grid_sort(grid, threads, cloud.points, cloud.n, 1.0, NULL, &error)
                     : OOZE_ERROR_MEMORY;
            if (status == OOZE_OK) {
                status = ooze_neighbours_build(
                    &lists, grid, threads,
                    &(OozeNeighbourQuery){cloud.points, cloud.n, cloud.points, 1.0, false}, &error);
            }
            ooze_memory_fail_after(0);
            done = status == OOZE_OK;
            if (!done) {
                assert_int_equal(status, OOZE_ERROR_MEMORY);
                assert_int_equal(lists.n, 0);
                failures++;
            }
            ooze_neighbours_free(&lists);
            ooze_grid_destroy(grid);
        }
        assert_true(failures > 8);
        ooze_threads_destroy(threads);
        cloud_free(&cloud);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_and_one),    cmocka_unit_test(lattice),
        cmocka_unit_test(random_clouds),   cmocka_unit_test(coincident),
        cmocka_unit_test(far_from_origin), cmocka_unit_test(far_clusters),
        cmocka_unit_test(periodic_axes),   cmocka_unit_test(periodic_lattice),
        cmocka_unit_test(periodic_sparse), cmocka_unit_test(other_candidates),
        cmocka_unit_test(padding),         cmocka_unit_test(thread_counts),
        cmocka_unit_test(reuse),           cmocka_unit_test(bad_radius),
        cmocka_unit_test(memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
