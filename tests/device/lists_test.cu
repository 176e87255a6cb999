/* The device's neighbour lists against the brute-force reference: equal lists, not merely equal
   sums. */
#include "points.h"

static void none_and_one(void **state)
{
    (void)state;
    Points one(1, make_float4(-3.0f, 0.5f, 7.0f, 0.0f));
    assert_int_equal(check_points(Points(), 0.1, 0.1, nullptr), 0);
    assert_int_equal(check_points(one, 0.1, 0.1, nullptr), 0);
}

/* In a cubic lattice of spacing 1 a sphere of radius 2.01 holds 6 + 12 + 8 + 6 = 32 other points
   (at 1, sqrt 2, sqrt 3 and 2): 8^3 of them in a periodic box have no borders. Then points exactly
   one radius apart, and on borders of cells. */
static void lattice(void **state)
{
    (void)state;
    OozePeriodic periodic = periodic_box(0.0, 2.0, 3);
    assert_int_equal(check_points(lattice_points(8, 0.25), 0.51, 0.51, &periodic), 512 * 32);
    const double cells[] = {1.0, 2.0, 0.1, 3.0, 1.0 / 3.0};
    for (double cell : cells) {
        check_points(lattice_points(8, 1.0), cell, cell, nullptr);
        check_points(lattice_points(7, cell / 2.0), cell, cell, nullptr);
        check_points(lattice_points(11, cell / 4.0), cell, cell, nullptr);
    }
}

static void random_clouds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        uint64_t n = 1 + (uint64_t)(2000.0 * ooze_random01(seed, 0, 9));
        double size = 0.2 + 2.0 * ooze_random01(seed, 1, 9);
        Points points = random_points(n, size, -0.7, 0.3, -100.0, seed);
        check_points(points, 0.2, 0.2, nullptr);
        check_points(points, 0.31, 0.17, nullptr);
    }
}

/* n particles at one place: each sees the n - 1 others, and not itself. */
static void coincident(void **state)
{
    (void)state;
    Points points(700, make_float4(1.5f, -2.5f, 0.1f, 0.0f));
    assert_int_equal(check_points(points, 0.1, 0.1, nullptr), 700 * 699);
}

/* A dense drop in thin air: in one slice are points with hundreds of neighbours and points with
   few. */
static void clustered(void **state)
{
    (void)state;
    Points points = random_points(2500, 6.0, 0.0, 0.0, 0.0, 3);
    for (uint64_t i = 0; i < 900; i++) {
        points[i] = make_float4(between(4, i, 0, 2.0, 3.5), between(4, i, 1, 2.0, 3.5),
                                between(4, i, 2, 2.0, 3.5), 0.0f);
    }
    /* 900 in a cube of 1.5 edges: (4 pi / 3) / 3.4 of them around its middle, and half of that on
       average */
    uint64_t pairs = check_points(points, 1.0, 1.0, nullptr);
    assert_true(pairs > 900 * 200);
}

/* Far from the origin coordinates are coarse: distances tie and round, and cells are no longer
   counted; lists must still be the reference's. */
static void far_from_origin(void **state)
{
    (void)state;
    const double far[] = {1e4, -1e5, 1e6, 1.6777216e7, 1e9, 1e30};
    for (double f : far) {
        uint64_t pairs =
            check_points(random_points(1500, 8.0, f, -f, 0.5 * f, 3), 1.0, 1.0, nullptr);
        if (fabs(f) <= 1e5) { /* 1500^2 (4 pi / 3) / 8^3, less what is cut off at the borders */
            assert_in_range(pairs, 10000, 20000);
        }
    }
}

/* Two clusters 1e6 supports apart: the box has 1e18 cells, memory follows the points. And clouds so
   thin that the table of all cells would be larger than the points. */
static void far_clusters(void **state)
{
    (void)state;
    Points points = random_points(1000, 4.0, 0.0, 0.0, 0.0, 5);
    Points other = random_points(1000, 4.0, 1e6, -1e6, 1e6, 6);
    points.insert(points.end(), other.begin(), other.end());
    assert_true(check_points(points, 1.0, 1.0, nullptr) > 20000);
    for (uint64_t seed = 0; seed < 3; seed++) {
        points = random_points(700, 5.0, -2.0, 0.0, 1.0, seed);
        other = random_points(700, 150.0, -50.0, -70.0, -80.0, seed + 9);
        points.insert(points.end(), other.begin(), other.end());
        TestGpu gpu;
        ooze::Gpu *m = &gpu.m;
        ooze::Grid grid = {};
        sort_points(m, &grid, &points, 1.0, nullptr);
        assert_true(grid.cells.sparse);
        assert_true(grid.table_buffer.size + grid.order_buffer.size < 300 * points.size());
        ooze::grid_free(m, &grid);
        assert_true(check_points(points, 1.0, 1.0, nullptr) > 1000);
    }
}

static void periodic_axes(void **state)
{
    (void)state;
    /* Box lengths in cells: at the least allowed, where images are ambiguous by cell, and wide. */
    const double lengths[] = {3.0, 3.7, 4.0, 4.9999, 5.0, 5.5, 11.0};
    for (int axes = 1; axes <= 3; axes++) {
        for (double length : lengths) {
            for (double min : {0.0, -37.3}) {
                OozePeriodic periodic = periodic_box(min, length, axes);
                Points points =
                    random_points(700, length, min, min, min, (uint64_t)(10.0 * length));
                for (float4 &p : points) {
                    float *x = &p.x;
                    for (int k = 0; k < axes; k++) {
                        x[k] = ooze_periodic_wrap(x[k], periodic.min[k], periodic.length[k],
                                                  periodic.inverse[k]);
                    }
                }
                points[7] = make_float4((float)min, (float)min, (float)min, 0.0f);
                points[8].x = periodic.min[0] + periodic.length[0];
                check_points(points, 1.0, 1.0, &periodic);
            }
        }
    }
}

/* A long periodic box with few particles takes the sparse table across the wrap; also one that is
   short along x. */
static void periodic_sparse(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        OozePeriodic periodic = periodic_box(-1000.0, 2000.0, 2);
        float half = narrow ? 1.5f : 1000.0f; /* three edges: both ends in one slot */
        periodic.min[0] = -half;
        periodic.length[0] = 2.0f * half;
        periodic.inverse[0] = 1.0f / (2.0f * half);
        Points points(1500);
        for (uint64_t i = 0; i < points.size(); i++) {
            float x = between(1, i, 0, -1.5, 1.5), y = between(1, i, 1, -1.5, 1.5);
            points[i] =
                make_float4(x < 0.0f ? half + x : -half + x, y < 0.0f ? 1000.0f + y : -1000.0f + y,
                            between(1, i, 2, 0.0, 5000.0), 0.0f);
            if (i % 2) {
                points[i].z *= 0.02f;
            }
        }
        assert_true(check_points(points, 1.0, 1.0, &periodic) > 100);
    }
}

/* Points that are not the candidates, inside, near and far outside of the candidates' box. */
static void other_candidates(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        Points fluid = random_points(900, 6.0, -3.0, -3.0, -3.0, 11);
        Points solid = random_points(800, sparse ? 2.0 : 4.0, -1.0, -2.0, 0.0, 12);
        if (sparse) {
            solid[0].x = 5000.0f;
            solid[1].z = -7000.0f;
        }
        fluid[0] = make_float4(1e9f, -1e9f, 4.0f, 0.0f);
        fluid[1] = make_float4(1e38f, -1e38f, 1e38f, 0.0f);
        fluid[2] = make_float4(NAN, 0.0f, INFINITY, 0.0f);
        fluid[3] = solid[5];
        TestGpu gpu;
        ooze::Gpu *m = &gpu.m;
        ooze::Grid grid = {};
        ooze::Lists lists = {};
        const float4 *candidates = sort_points(m, &grid, &solid, 1.0, nullptr);
        assert_int_equal(grid.cells.sparse, sparse);
        CHECK_OK(ooze::lists_build(m, &lists, &grid,
                                   {send(m, fluid), fluid.size(), candidates, 0.9, false}, &error));
        check_against(m, &lists, fluid, solid, 0.9, nullptr, false);
        assert_true(lists.pairs > 100);
        std::vector<uint16_t> count = fetch(m, lists.count, fluid.size());
        assert_int_equal(count[0] + count[1] + count[2], 0);
        assert_true(count[3] >= 1);
        ooze::lists_free(m, &lists);
        ooze::grid_free(m, &grid);
    }
}

/* No candidates at all: lists of nothing. */
static void no_candidates(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    Points none, fluid = random_points(100, 6.0, -3.0, -3.0, -3.0, 11);
    const float4 *candidates = sort_points(m, &grid, &none, 1.0, nullptr);
    CHECK_OK(ooze::lists_build(m, &lists, &grid,
                               {send(m, fluid), fluid.size(), candidates, 1.0, false}, &error));
    check_against(m, &lists, fluid, none, 1.0, nullptr, false);
    assert_int_equal(lists.stored, 0);
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
}

/* Lists built again, of more points and of points with many more neighbours than before: what was
   kept of the last build does not hold them. */
static void built_again(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    const double sizes[] = {12.0, 3.0, 20.0, 2.0, 5.0};
    for (uint64_t k = 0; k < 5; k++) {
        Points points = random_points(900 + 400 * k, sizes[k], 0.0, 0.0, 0.0, k);
        ooze::scratch_reset(m);
        const float4 *sorted = sort_points(m, &grid, &points, 1.0, nullptr);
        CHECK_OK(ooze::lists_build(m, &lists, &grid, {sorted, points.size(), sorted, 1.0, true},
                                   &error));
        check_against(m, &lists, points, points, 1.0, nullptr, true);
    }
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
    assert_int_equal(lists.index_buffer.size + grid.table_buffer.size, 0);
}

/* What bodies see: each_neighbour with one lane and with several, and each_true_neighbour. */
static void read_by_bodies(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    Points points = random_points(1000, 5.0, 0.0, 0.0, 0.0, 21);
    const float4 *sorted = sort_points(m, &grid, &points, 1.0, nullptr);
    CHECK_OK(
        ooze::lists_build(m, &lists, &grid, {sorted, points.size(), sorted, 1.0, true}, &error));
    uint32_t *sums = ooze::scratch<uint32_t>(m, 3 * points.size());
    ooze::ListView view = ooze::view(&lists);
    ooze::for_each(
        m, points.size(), OOZE_BODY(uint32_t i) {
            uint32_t sum[3] = {0, 0, 0};
            ooze::each_true_neighbour(view, i, [&](uint32_t j) { sum[0] += j; });
            ooze::each_neighbour<1>(view, i, 0,
                                    [&](uint32_t j) { sum[1] += j != view.dummy ? j : 0; });
            for (uint32_t lane = 0; lane < 8; lane++) {
                ooze::each_neighbour<8>(view, i, lane,
                                        [&](uint32_t j) { sum[2] += j != view.dummy ? j : 0; });
            }
            for (int k = 0; k < 3; k++) {
                sums[3 * i + k] = sum[k];
            }
        });
    std::vector<uint32_t> found = fetch(m, sums, 3 * points.size());
    for (uint64_t i = 0; i < points.size(); i++) {
        uint32_t expected = 0;
        for (uint64_t j = 0; j < points.size(); j++) {
            float x = points[i].x - points[j].x, y = points[i].y - points[j].y;
            float z = points[i].z - points[j].z;
            expected += i != j && x * x + y * y + z * z < 1.0f ? (uint32_t)j : 0;
        }
        assert_int_equal(found[3 * i], expected);
        assert_int_equal(found[3 * i + 1], expected);
        assert_int_equal(found[3 * i + 2], expected);
    }
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
}

static void refusals(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    Points points = random_points(100, 5.0, 0.0, 0.0, 0.0, 21);
    const float4 *sorted = sort_points(m, &grid, &points, 1.0, nullptr);
    CHECK_FAILS(ooze::lists_build(m, &lists, &grid, {sorted, 100, sorted, 1.1, true}, &error),
                OOZE_ERROR_ARGUMENT, "cannot look for neighbours within 1.1 in cells of edge 1");
    CHECK_FAILS(ooze::lists_build(m, &lists, &grid, {sorted, 100, sorted, 0.0, true}, &error),
                OOZE_ERROR_ARGUMENT, "within 0");
    assert_int_equal(lists.n, 0);
    /* One point among 65,536 others: one more than a count holds. */
    Points crowd(65536, make_float4(0.0f, 0.0f, 0.0f, 0.0f));
    Points one(3, make_float4(9.0f, 0.0f, 0.0f, 0.0f));
    one[1].x = 0.1f;
    sorted = sort_points(m, &grid, &crowd, 1.0, nullptr);
    CHECK_FAILS(ooze::lists_build(m, &lists, &grid, {send(m, one), 3, sorted, 1.0, false}, &error),
                OOZE_ERROR_LIMIT, "particle 1 has more than 65535 neighbours");
    assert_int_equal(lists.n, 0);
    crowd.pop_back();
    sorted = sort_points(m, &grid, &crowd, 1.0, nullptr);
    CHECK_OK(ooze::lists_build(m, &lists, &grid, {send(m, one), 3, sorted, 1.0, false}, &error));
    assert_int_equal(lists.pairs, 65535);
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
}

/* A device that is full says so, leaves no lists, and goes on. */
static void out_of_memory(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    Points points = random_points(1000, 5.0, 0.0, 0.0, 0.0, 21);
    const float4 *sorted = sort_points(m, &grid, &points, 1.0, nullptr);
    m->failed = cudaErrorMemoryAllocation;
    CHECK_FAILS(ooze::lists_build(m, &lists, &grid, {sorted, 1000, sorted, 1.0, true}, &error),
                OOZE_ERROR_MEMORY, "1000 particles need at least");
    assert_int_equal(lists.n, 0);
    m->failed = cudaErrorMemoryAllocation;
    CHECK_FAILS(ooze::grid_sort(m, &grid, sorted, 1000, 1.0, nullptr, &error), OOZE_ERROR_MEMORY,
                "1000 particles need at least");
    assert_int_equal(grid.n, 0);
    sort_points(m, &grid, &points, 1.0, nullptr);
    CHECK_OK(ooze::lists_build(m, &lists, &grid, {sorted, 1000, sorted, 1.0, true}, &error));
    check_against(m, &lists, points, points, 1.0, nullptr, true);
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_and_one),    cmocka_unit_test(lattice),
        cmocka_unit_test(random_clouds),   cmocka_unit_test(coincident),
        cmocka_unit_test(clustered),       cmocka_unit_test(far_from_origin),
        cmocka_unit_test(far_clusters),    cmocka_unit_test(periodic_axes),
        cmocka_unit_test(periodic_sparse), cmocka_unit_test(other_candidates),
        cmocka_unit_test(no_candidates),   cmocka_unit_test(built_again),
        cmocka_unit_test(out_of_memory),   cmocka_unit_test(read_by_bodies),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
