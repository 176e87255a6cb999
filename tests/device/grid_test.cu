/* The device's sort of points into cells: order, stability, and what it refuses. */
#include "points.h"

/* Sorted by (z, y, x) of cells that are an edge wide in y and z and a quarter of it along x. */
static void points_are_sorted_by_cell(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    for (int sparse = 0; sparse < 2; sparse++) {
        Points points = random_points(3000, sparse ? 300.0 : 10.0, -3.0, 2.0, -7.5, 4);
        const float4 *sorted = sort_points(m, &grid, &points, 0.5, nullptr);
        assert_non_null(sorted);
        assert_int_equal(grid.cells.sparse, sparse);
        for (uint64_t i = 1; i < points.size(); i++) {
            const float edge = 0.5f * (1.0f + 4e-6f);
            float4 a = points[i - 1], b = points[i];
            float from[3] = {floorf(a.z / edge), floorf(a.y / edge), floorf(4.0f * a.x / edge)};
            float to[3] = {floorf(b.z / edge), floorf(b.y / edge), floorf(4.0f * b.x / edge)};
            int k = 0;
            while (k < 2 && from[k] == to[k]) {
                k++;
            }
            assert_true(from[k] <= to[k]);
        }
        for (int k = 0; k < 3; k++) {
            float low = INFINITY, high = -INFINITY;
            for (const float4 &p : points) {
                low = fminf(low, (&p.x)[k]);
                high = fmaxf(high, (&p.x)[k]);
            }
            assert_true(grid.low[k] == low && grid.high[k] == high);
        }
    }
    ooze::grid_free(m, &grid);
}

/* Points of one cell stay in the order they had, and a second sort of what is sorted changes
   nothing. */
static void sort_is_stable(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    Points points = random_points(40000, 4.0, 0.0, 0.0, 0.0, 8);
    sort_points(m, &grid, &points, 1.0, nullptr);
    sort_points(m, &grid, &points, 1.0, nullptr);
    std::vector<uint32_t> order = fetch(m, grid.order, points.size());
    for (uint64_t i = 0; i < points.size(); i++) {
        assert_int_equal(order[i], i);
    }
    /* another particle far away moves the box, not the order */
    points.push_back(make_float4(-50.0f, -50.0f, -50.0f, 0.0f));
    sort_points(m, &grid, &points, 1.0, nullptr);
    order = fetch(m, grid.order, points.size());
    assert_int_equal(order[0], points.size() - 1);
    for (uint64_t i = 1; i < points.size(); i++) {
        assert_int_equal(order[i], i - 1);
    }
    ooze::grid_free(m, &grid);
}

template <class T> static void check_reorder(ooze::Gpu *m, uint64_t n)
{
    std::vector<uint32_t> order(n);
    std::vector<T> values(n);
    for (uint64_t i = 0; i < n; i++) {
        order[i] = (uint32_t)((i * 7 + 3) % n);
        memset(&values[i], (int)(i % 251), sizeof(T));
    }
    T *to = ooze::scratch<T>(m, n);
    ooze::reorder(m, send(m, order), n, send(m, values), to, sizeof(T));
    std::vector<T> found = fetch(m, to, n);
    for (uint64_t i = 0; i < n; i++) {
        assert_memory_equal(&found[i], &values[order[i]], sizeof(T));
    }
}

struct Odd {
    unsigned char bytes[24];
};
struct Eight {
    float a[8];
};

static void arrays_of_every_type_are_reordered(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    check_reorder<uint8_t>(m, 1001);
    check_reorder<uint16_t>(m, 1001);
    check_reorder<uint32_t>(m, 1001);
    check_reorder<uint64_t>(m, 1001);
    check_reorder<float4>(m, 1001);
    check_reorder<Odd>(m, 1001);
    check_reorder<Eight>(m, 1001);
}

static void points_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    Points points = random_points(1000, 4.0, 0.0, 0.0, 0.0, 8);
    points[900].x = INFINITY;
    points[417].z = NAN;
    const float4 *sent = send(m, points);
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1000, 1.0, nullptr, &error), OOZE_ERROR_NUMERIC,
                "particle 417 is at (");
    assert_int_equal(grid.n, 0);
    points[417].z = 0.0f;
    sent = send(m, points);
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1000, 1.0, nullptr, &error), OOZE_ERROR_NUMERIC,
                "particle 900 is at (inf, ");
    points[900].x = 0.0f;
    sent = send(m, points);
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1000, 0.0, nullptr, &error), OOZE_ERROR_ARGUMENT,
                "cells of edge 0");
    OozePeriodic narrow = periodic_box(0.0, 4.0, 2);
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1000, 1.5, &narrow, &error), OOZE_ERROR_ARGUMENT,
                "it must be at least three of them");
    OozePeriodic small = periodic_box(0.0, 3.5, 3);
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1000, 1.0, &small, &error), OOZE_ERROR_ARGUMENT,
                "outside the periodic box from 0 to 3.5");
    CHECK_FAILS(ooze::grid_sort(m, &grid, sent, 1ull << 33, 1.0, nullptr, &error), OOZE_ERROR_LIMIT,
                "points to sort");
    assert_int_equal(grid.n, 0);
    CHECK_OK(ooze::grid_sort(m, &grid, sent, 1000, 1.0, nullptr, &error));
    assert_int_equal(grid.n, 1000);
    ooze::grid_free(m, &grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_sorted_by_cell),
        cmocka_unit_test(sort_is_stable),
        cmocka_unit_test(arrays_of_every_type_are_reordered),
        cmocka_unit_test(points_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
