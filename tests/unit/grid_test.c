/* The cell grid: its order, its memory, what it refuses. */
#include "clouds.h"

static const uint32_t *sort(OozeGrid *grid, const Cloud *cloud, double cell)
{
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud->points, cloud->n, cell, NULL, &error));
    return ooze_grid_order(grid);
}

static int64_t cell_number(float x)
{
    return (int64_t)floor((double)x);
}

/* x fastest, then y, then z; points of one cell in their old order. */
static int compare_places(const OozeFloat4 *points, uint32_t a, uint32_t b)
{
    int64_t d[4] = {cell_number(points[a].z) - cell_number(points[b].z),
                    cell_number(points[a].y) - cell_number(points[b].y),
                    cell_number(points[a].x) - cell_number(points[b].x), (int64_t)a - (int64_t)b};
    for (int k = 0; k < 4; k++) {
        if (d[k] != 0) {
            return d[k] < 0 ? -1 : 1;
        }
    }
    return 0;
}

/* The grid widens cells by four millionths against rounding; with that they are 1 wide here. Points
   keep clear of cell borders, so plain floor gives the cell. */
static void check_order(Cloud *cloud, uint64_t bytes_max)
{
    for (uint64_t i = 0; i < cloud->n; i++) {
        float *p = &cloud->points[i].x;
        for (int k = 0; k < 3; k++) {
            float whole = floorf(p[k]);
            p[k] = whole + 0.1f + 0.8f * (p[k] - whole);
        }
    }
    OozeGrid *grid = ooze_grid_create();
    const uint32_t *order = sort(grid, cloud, 1.0 / (1.0 + 4e-6));
    for (uint64_t i = 1; i < cloud->n; i++) {
        assert_int_equal(compare_places(cloud->points, order[i - 1], order[i]), -1);
    }
    assert_true(ooze_grid_bytes(grid) < bytes_max);
    ooze_grid_destroy(grid);
    cloud_free(cloud);
}

static void order_dense(void **state)
{
    (void)state;
    Cloud cloud = cloud_random(20000, 12.0, -5.0, -7.0, 100.0, 1);
    check_order(&cloud, 20000 * 64);
    cloud = cloud_lattice(20, 0.37);
    check_order(&cloud, 8000 * 64);
}

static void order_sparse(void **state)
{
    (void)state;
    /* Sides of 2^1, 2^12 and 2^20 cells take one, two and three digits; so does each axis alone. */
    for (int bits = 1; bits <= 20; bits++) {
        Cloud cloud = cloud_random(3000, ldexp(1.0, bits), -ldexp(0.3, bits), 0.0, -9.0, 2);
        check_order(&cloud, 3000 * 64);
    }
    for (int axis = 0; axis < 3; axis++) {
        Cloud cloud = cloud_random(3000, 3.0, 0.0, 0.0, 0.0, 3);
        for (uint64_t i = 0; i < cloud.n; i++) {
            (&cloud.points[i].x)[axis] *= 1e5f;
        }
        check_order(&cloud, 3000 * 64);
    }
}

/* One point far away switches to the sparse table; the others must stay in the same order. */
static void sparse_equals_dense(void **state)
{
    (void)state;
    Cloud cloud = cloud_random(20000, 11.7, 0.0, 0.0, 0.0, 4);
    Cloud with_far = cloud_empty(cloud.n + 1);
    memcpy(with_far.points, cloud.points, cloud.n * sizeof *cloud.points);
    with_far.points[cloud.n] = (OozeFloat4){1e6f, 1e6f, 1e6f, 0.0f};
    OozeGrid *dense = ooze_grid_create(), *sparse = ooze_grid_create();
    const uint32_t *a = sort(dense, &cloud, 1.0), *b = sort(sparse, &with_far, 1.0);
    assert_memory_equal(a, b, cloud.n * sizeof *a);
    assert_int_equal(b[cloud.n], cloud.n);
    ooze_grid_destroy(dense);
    ooze_grid_destroy(sparse);
    cloud_free(&cloud);
    cloud_free(&with_far);
}

/* Whatever the distances, memory stays in proportion to the number of points. */
static void memory_is_proportional_to_the_points(void **state)
{
    (void)state;
    for (double far = 1.0; far < 1e38; far *= 100.0) {
        Cloud cloud = cloud_random(1000, 4.0, 0.0, 0.0, 0.0, 5);
        cloud.points[10].x = (float)far;
        cloud.points[11].y = (float)-far;
        cloud.points[12].z = (float)far;
        OozeGrid *grid = ooze_grid_create();
        sort(grid, &cloud, 0.5);
        assert_true(ooze_grid_bytes(grid) < 1000 * 120);
        ooze_grid_destroy(grid);
        cloud_free(&cloud);
    }
}

static void positions_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 3; k++) {
            Cloud cloud = cloud_random(40000, 30.0, 0.0, 0.0, 0.0, 6);
            (&cloud.points[31234].x)[axis] = bad[k];
            (&cloud.points[35000].x)[axis] = bad[k];
            CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, NULL, &error),
                        OOZE_ERROR_NUMERIC, "particle 31234 ");
            cloud_free(&cloud);
        }
    }
    ooze_grid_destroy(grid);
}

static void bad_arguments(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    Cloud cloud = cloud_random(100, 3.0, 0.0, 0.0, 0.0, 7);
    const double cells[] = {0.0, -1.0, NAN, INFINITY, 1e-200};
    for (int k = 0; k < 5; k++) {
        CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, cells[k], NULL, &error),
                    OOZE_ERROR_ARGUMENT, "cells of edge");
    }
    CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, OOZE_PARTICLES_MAX + 1, 1.0, NULL, &error),
                OOZE_ERROR_LIMIT, "at most 4294967280");
    OozePeriodic periodic = {.length = {0.0f, 3.0f, 0.0f}, .inverse = {0.0f, 1.0f / 3.0f, 0.0f}};
    CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.1, &periodic, &error),
                OOZE_ERROR_ARGUMENT, "axis y");
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, &periodic, &error));
    cloud.points[5].y = 3.1f;
    CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, &periodic, &error),
                OOZE_ERROR_ARGUMENT, "y = 3.1");
    cloud.points[5].y = -0.1f;
    CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, &periodic, &error),
                OOZE_ERROR_ARGUMENT, "y = -0.1");
    periodic.length[0] = -4.0f;
    CHECK_FAILS(ooze_grid_sort(grid, NULL, cloud.points, cloud.n, 1.0, &periodic, &error),
                OOZE_ERROR_ARGUMENT, "axis x");
    cloud_free(&cloud);
    ooze_grid_destroy(grid);
    ooze_grid_destroy(NULL);
}

/* Wrapped coordinates always lie in the box, so that a wrapped particle is never refused. */
static void wrapped_coordinates_are_in_the_box(void **state)
{
    (void)state;
    const float lengths[] = {1.0f, 0.3f, 7.1f, 1000.0f};
    const float mins[] = {0.0f, -0.15f, 3.7f, -1e4f};
    for (int k = 0; k < 16; k++) {
        float length = lengths[k / 4], min = mins[k % 4], inverse = 1.0f / length;
        for (uint64_t i = 0; i < 20000; i++) {
            float x = min + length * (float)(6.0 * ooze_random01(8, i, (uint64_t)k) - 3.0);
            if (i < 64) { /* just below, at and above the ends */
                x = min + (float)(i % 4) * length - length;
                for (uint64_t step = 0; step < i / 8; step++) {
                    x = nextafterf(x, i / 4 % 2 ? INFINITY : -INFINITY);
                }
            }
            float wrapped = ooze_periodic_wrap(x, min, length, inverse);
            assert_true(wrapped >= min && wrapped <= min + length);
            double turns = ((double)wrapped - (double)x) / (double)length;
            /* Whole turns, to rounding of coordinates as large as |min| + 3 lengths. */
            double size = fabs((double)min) + 3.0 * (double)length;
            CHECK_NEAR(turns, rint(turns), 4.0 * size * 0x1p-23 / (double)length);
        }
    }
}

/* Growing and shrinking the same grid; after a few rounds it allocates nothing. */
static void reuse(void **state)
{
    (void)state;
    OozeGrid *grid = ooze_grid_create();
    for (int round = 0; round < 20; round++) {
        Cloud cloud = cloud_random((uint64_t)(round * 977 % 5000), 9.0, 0.0, 0.0, 0.0, 9);
        if (round == 10) {
            Cloud largest = cloud_random(5000, 9.0, 0.0, 0.0, 0.0, 10);
            sort(grid, &largest, 1.0);
            cloud_free(&largest);
        }
        ooze_memory_fail_after(round > 10 ? 1 : 0);
        sort(grid, &cloud, 1.0);
        ooze_memory_fail_after(0);
        cloud_free(&cloud);
    }
    ooze_grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_dense),
        cmocka_unit_test(order_sparse),
        cmocka_unit_test(sparse_equals_dense),
        cmocka_unit_test(memory_is_proportional_to_the_points),
        cmocka_unit_test(positions_that_are_not_finite_are_refused),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(wrapped_coordinates_are_in_the_box),
        cmocka_unit_test(reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
