/* Loops, copies, fills and results for the host follow each other in the order of their launch. */
#include "device/device_check.h"

using namespace ooze;

enum { COUNT = 1000 };

static void set_all(Gpu *m, uint32_t *a, uint32_t n, uint32_t value)
{
    for_each(
        m, n, OOZE_BODY(uint32_t i) { a[i] = value + i; });
}

static void multiply_add(Gpu *m, uint32_t *a, uint32_t n, uint32_t factor, uint32_t more)
{
    for_each(
        m, n, OOZE_BODY(uint32_t i) { a[i] = factor * a[i] + more; });
}

static void check_all(Gpu *m, const uint32_t *a, uint32_t n, uint32_t value, uint32_t factor,
                      uint32_t more, int times)
{
    static uint32_t found[COUNT];
    copy_out(m, found, a, n * sizeof *found);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t expected = value + i;
        for (int k = 0; k < times; k++) {
            expected = factor * expected + more;
        }
        assert_int_equal(found[i], expected);
    }
}

static void launches_keep_order_and_arguments(void **)
{
    Gpu gpu, *m = &gpu;
    assert_true(gpu_create(m));
    DeviceBuffer memory = {};
    uint32_t *a = buffer<uint32_t>(m, &memory, COUNT);
    for (uint32_t round = 0; round < 40; round++) {
        const uint32_t n = round % 3 == 0 ? (uint32_t)COUNT : 10 * (1 + round % 7),
                       value = round % 5;
        const int times = round % 4 == 3 ? 150 : 9;
        set_all(m, a, n, value);
        for (int k = 0; k < times; k++) {
            multiply_add(m, a, n, 3, round % 2);
        }
        check_all(m, a, n, value, 3, round % 2, times);
    }
    buffer_free(m, &memory);
    gpu_destroy(m);
}

static void copies_and_fills_have_every_size(void **)
{
    Gpu gpu, *m = &gpu;
    static unsigned char from[5000], back[5000];
    assert_true(gpu_create(m));
    DeviceBuffer first = {}, second = {};
    unsigned char *a = buffer<unsigned char>(m, &first, sizeof from);
    unsigned char *b = buffer<unsigned char>(m, &second, sizeof from);
    for (size_t k = 0; k < sizeof from; k++) {
        from[k] = (unsigned char)(7 * k + 1);
    }
    for (size_t size : {1, 4, 15, 16, 17, 255, 256, 257, 2047, 2048, 2049, 5000}) {
        clear(m, b, sizeof from);
        copy_in(m, a, from, size);
        copy(m, b, a, size);
        clear(m, a, size);
        copy_out(m, back, b, sizeof back);
        assert_memory_equal(back, from, size);
        for (size_t k = size; k < sizeof back; k++) {
            assert_int_equal(back[k], 0);
        }
        copy_out(m, back, a, size);
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(back[k], 0);
        }
    }
    buffer_free(m, &first);
    buffer_free(m, &second);
    gpu_destroy(m);
}

/* The host stops at most one batch after the flag was set. */
static void polling_ends_a_loop(void **)
{
    Gpu gpu, *m = &gpu;
    assert_true(gpu_create(m));
    DeviceBuffer memory = {};
    int32_t *state = buffer<int32_t>(m, &memory, 2); /* the flag, and iterations */
    for (int32_t last : {1, 10, 11, 12, 37}) {
        clear(m, state, 2 * sizeof *state);
        int launched = 0;
        for (int k = 0; k < 100; k++) {
            if (k % 4 == 0 && !poll_unfinished(m, k / 4, state)) {
                break;
            }
            launched++;
            for_each(
                m, 1, OOZE_BODY(uint32_t) {
                    if (!state[0]) {
                        state[1]++;
                        state[0] = state[1] == last;
                    }
                });
        }
        int32_t found[2];
        copy_out(m, found, state, sizeof found);
        assert_int_equal(found[1], last);
        assert_true(launched >= last && launched <= last + 12);
    }
    buffer_free(m, &memory);
    gpu_destroy(m);
}

/* Arrays that a later one does not fit into make room for it where memory does not suffice; the
   processor does not know how much is left, and always does so. */
static void small_chunks_make_room(void **)
{
    Gpu gpu, *m = &gpu;
    assert_true(gpu_create(m));
    const size_t unit = 8u << 20, before = m->allocated;
    uint32_t *kept = static_cast<uint32_t *>(scratch_bytes(m, unit));
    set_all(m, kept, COUNT, 5);
    const Mark mark = scratch_mark(m);
    (void)scratch_bytes(m, 2 * unit);
    (void)scratch_bytes(m, 3 * unit);
    scratch_rewind(m, mark);
    uint32_t *large = static_cast<uint32_t *>(scratch_bytes(m, 4 * unit));
    set_all(m, large, COUNT, 6);
    const bool makes_room = free_bytes() == 0;
    assert_int_equal(m->allocated - before, (makes_room ? 5 : 10) * unit);
    check_all(m, large, COUNT, 6, 1, 0, 0);
    scratch_rewind(m, mark);
    assert_int_equal(scratch_bytes(m, unit) == large, makes_room);
    check_all(m, kept, COUNT, 5, 1, 0, 0);
    scratch_reset(m);
    assert_true(m->allocated - before <= 6 * unit + 6 * unit / 64 + 256);
    gpu_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_keep_order_and_arguments),
        cmocka_unit_test(small_chunks_make_room),
        cmocka_unit_test(copies_and_fills_have_every_size),
        cmocka_unit_test(polling_ends_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
