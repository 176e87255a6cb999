/* An engine filled by hand, for tests of its stages. */
#ifndef OOZE_TESTS_DEVICE_FIXTURE_CUH
#define OOZE_TESTS_DEVICE_FIXTURE_CUH

#include "device/device_check.h"

/* Nothing but a GPU at first; gone with the test. */
struct TestEngine {
    ooze::Engine e;
    TestEngine()
    {
        memset(static_cast<void *>(&e), 0, sizeof e);
        assert_true(ooze::gpu_create(&e.gpu));
    }
    ~TestEngine()
    {
        ooze::Gpu *m = &e.gpu;
        ooze::Walls *w = &e.walls;
        ooze::grid_free(m, &e.grid);
        ooze::lists_free(m, &e.near);
        ooze::lists_free(m, &e.near_walls);
        ooze::solids_free(m, &e.solids);
        ooze::grid_free(m, &w->grid);
        ooze::buffer_free(m, &w->position_buffer);
        ooze::buffer_free(m, &w->volume_buffer);
        ooze::gpu_destroy(m);
    }
};

/* n elements of the host and a zero behind them, in scratch; NULL of NULL. */
template <class T, class S> T *sent(ooze::Gpu *m, const S *from, uint64_t n)
{
    static_assert(sizeof(T) == sizeof(S), "the same elements under another name");
    if (!from) {
        return nullptr;
    }
    T *to = ooze::scratch<T>(m, n);
    ooze::clear(m, to, (n + 1) * sizeof(T));
    ooze::copy_in(m, to, from, n * sizeof(T));
    return to;
}

/* The samples of a boundary whose volumes are known, sorted anew. */
static inline void send_walls(ooze::Engine *e, const OozeBoundary *boundary,
                              const OozePeriodic *periodic)
{
    ooze::Gpu *m = &e->gpu;
    ooze::Walls *w = &e->walls;
    uint64_t n = w->count = boundary->count;
    if (n == 0) {
        return;
    }
    ooze::Mark mark = ooze::scratch_mark(m);
    float4 *position = sent<float4>(m, boundary->position, n);
    float *volume = sent<float>(m, boundary->volume, n);
    CHECK_OK(ooze::grid_sort(m, &w->grid, position, n, boundary->support, periodic, &error));
    float4 *sorted = ooze::buffer<float4>(m, &w->position_buffer, n);
    float *volumes = ooze::buffer<float>(m, &w->volume_buffer, n);
    ooze::clear(m, sorted + n, sizeof *sorted);
    ooze::clear(m, volumes + n, sizeof *volumes);
    ooze::reorder(m, w->grid.order, n, position, sorted, sizeof *sorted);
    ooze::reorder(m, w->grid.order, n, volume, volumes, sizeof *volumes);
    w->view.position = sorted;
    w->view.volume = volumes;
    w->view.count = (uint32_t)n;
    ooze::scratch_rewind(m, mark);
}

#endif
