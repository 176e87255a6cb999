/* Points for the tests of the device's grid and lists, and the comparison with brute force. */
#ifndef OOZE_TESTS_POINTS_H
#define OOZE_TESTS_POINTS_H

#include <algorithm>

#include "device/device_check.h"

extern "C" {
#include "brute_force.h"
}

typedef std::vector<float4> Points;

static inline float between(uint64_t seed, uint64_t i, uint64_t draw, double low, double high)
{
    return (float)(low + (high - low) * ooze_random01(seed, i, draw));
}

/* In a box of this size with a corner at (ox, oy, oz). */
static inline Points random_points(uint64_t n, double size, double ox, double oy, double oz,
                                   uint64_t seed)
{
    Points points(n);
    for (uint64_t i = 0; i < n; i++) {
        points[i] =
            make_float4(between(seed, i, 0, ox, ox + size), between(seed, i, 1, oy, oy + size),
                        between(seed, i, 2, oz, oz + size), 0.0f);
    }
    return points;
}

/* side^3 points on a cubic lattice, in an order that is not sorted. */
static inline Points lattice_points(uint64_t side, double spacing)
{
    Points points(side * side * side);
    for (uint64_t i = 0; i < points.size(); i++) {
        points[i] = make_float4((float)(spacing * (double)(i / (side * side))),
                                (float)(spacing * (double)(i % side)),
                                (float)(spacing * (double)(i / side % side)), 0.0f);
    }
    return points;
}

static inline OozePeriodic periodic_box(double min, double length, int axes)
{
    OozePeriodic periodic = {};
    for (int k = 0; k < axes; k++) {
        periodic.min[k] = (float)min;
        periodic.length[k] = (float)length;
        periodic.inverse[k] = 1.0f / (float)length;
    }
    return periodic;
}

/* A permutation, sorted by rows, and stable within cells of a quarter edge: equal points keep their
   order. */
static inline void check_order(const Points &points, const std::vector<uint32_t> &order)
{
    std::vector<bool> seen(points.size());
    for (uint64_t k = 0; k < order.size(); k++) {
        assert_true(order[k] < points.size());
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
        if (k > 0 && memcmp(&points[order[k]], &points[order[k - 1]], sizeof(float4)) == 0) {
            assert_true(order[k] > order[k - 1]);
        }
    }
}

/* Device lists as the reference's are: indices of each point, then filling up to the slice's
   longest. */
static inline void check_lists(ooze::Gpu *m, const ooze::Lists *lists, const OozeNeighbours *slow)
{
    const uint64_t slices = (lists->n + ooze::SLICE - 1) / ooze::SLICE;
    assert_int_equal(lists->n, slow->n);
    assert_int_equal(lists->pairs, slow->pairs);
    assert_int_equal(lists->dummy, slow->dummy);
    std::vector<uint64_t> begin = fetch(m, lists->begin, slices);
    std::vector<uint16_t> count = fetch(m, lists->count, lists->n);
    std::vector<uint4> index = fetch(m, lists->index, lists->stored / 4);
    std::vector<bool> taken(lists->stored / 4 / ooze::SLICE); /* slices do not overlap */
    uint64_t stored = 0;
    for (uint64_t s = 0; s < slices; s++) {
        ooze::Slice slice = ooze::slice_of(begin[s]);
        uint32_t most = 0;
        for (uint64_t i = s * ooze::SLICE; i < lists->n && i < (s + 1) * ooze::SLICE; i++) {
            most = std::max(most, slow->count[i]);
        }
        assert_int_equal(slice.quads, (most + 3) / 4);
        assert_int_equal(slice.first % ooze::SLICE, 0);
        assert_true(slice.first + (uint64_t)slice.quads * ooze::SLICE <= index.size());
        for (uint64_t q = 0; q < slice.quads; q++) {
            assert_false(taken[slice.first / ooze::SLICE + q]);
            taken[slice.first / ooze::SLICE + q] = true;
        }
        stored += (uint64_t)slice.quads * ooze::SLICE * 4;
    }
    assert_int_equal(lists->stored, stored);
    for (uint64_t i = 0; i < lists->n; i++) {
        const uint32_t *expected = slow->index + slow->first[i];
        ooze::Slice slice = ooze::slice_of(begin[i / ooze::SLICE]);
        assert_int_equal(count[i], slow->count[i]);
        for (uint64_t q = 0; q < slice.quads; q++) {
            uint4 j = index[slice.first + q * ooze::SLICE + i % ooze::SLICE];
            const uint32_t quad[4] = {j.x, j.y, j.z, j.w};
            for (uint64_t c = 0; c < 4; c++) {
                uint64_t k = 4 * q + c;
                assert_int_equal(quad[c], k < slow->count[i] ? expected[k] : lists->dummy);
            }
        }
    }
}

static inline void check_against(ooze::Gpu *m, const ooze::Lists *lists, const Points &points,
                                 const Points &candidates, double radius,
                                 const OozePeriodic *periodic, bool skip_self)
{
    OozeNeighbours slow = {};
    const OozeNeighbourQuery query = {
        reinterpret_cast<const OozeFloat4 *>(points.data()), points.size(),
        reinterpret_cast<const OozeFloat4 *>(candidates.data()), radius, skip_self};
    brute_force(&slow, &query, candidates.size(), periodic);
    check_lists(m, lists, &slow);
    ooze_neighbours_free(&slow);
}

/* Sorts the points, in place too, into `grid`. */
static inline const float4 *sort_points(ooze::Gpu *m, ooze::Grid *grid, Points *points, double cell,
                                        const OozePeriodic *periodic)
{
    const float4 *sent = send(m, *points);
    CHECK_OK(ooze::grid_sort(m, grid, sent, points->size(), cell, periodic, &error));
    assert_int_equal(grid->n, points->size());
    float4 *sorted = ooze::scratch<float4>(m, points->size());
    ooze::reorder(m, grid->order, points->size(), sent, sorted, sizeof(float4));
    check_order(*points, fetch(m, grid->order, points->size()));
    *points = fetch(m, sorted, points->size());
    return sorted;
}

/* Sorts the points and holds their lists to brute force. Gives the number of pairs. */
static inline uint64_t check_points(Points points, double cell, double radius,
                                    const OozePeriodic *periodic)
{
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Grid grid = {};
    ooze::Lists lists = {};
    const float4 *sorted = sort_points(m, &grid, &points, cell, periodic);
    CHECK_OK(
        ooze::lists_build(m, &lists, &grid, {sorted, points.size(), sorted, radius, true}, &error));
    check_against(m, &lists, points, points, radius, periodic, true);
    uint64_t pairs = lists.pairs;
    ooze::lists_free(m, &lists);
    ooze::grid_free(m, &grid);
    return pairs;
}

#endif
