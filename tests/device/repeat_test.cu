/* Loops that one launch repeats have the bits of the same loops launched one by one, and end with
   the iteration that sets their flag. */
#include "cuda/repeat.cuh"
#include "device/device_check.h"

using namespace ooze;

enum { MOST = 300000, ITERATIONS = 20 };

/* What an iteration leaves for the next, and the sums of all of them. */
struct Progress {
    double factor;
    int32_t off, count;
    int32_t last,
        middle; /* the flag is set after `last` iterations, or after `middle` and a loop */
    Sum3 product[ITERATIONS];
    Sum1 moved[ITERATIONS];
};

struct Arrays {
    uint32_t n;
    float *value, *smooth;
    Progress *progress;
};

/* smooth = mean of the two neighbours and of one far away, which another block has written. */
template <int LANES> struct Smooth {
    Arrays a;
    __device__ void operator()(uint32_t i, uint32_t lane) const
    {
        const uint32_t n = a.n, all[4] = {i, (i + 1) % n, (i + n - 1) % n, (i + n / 2) % n};
        float sum = 0.0f;
        for (uint32_t k = lane; k < 4; k += LANES) {
            sum += a.value[all[k]];
        }
        sum = lanes_sum<LANES>(sum);
        if (lane == 0) {
            a.smooth[i] = 0.25f * sum;
        }
    }
};

/* Sums that depend on their order, of what other blocks have written. */
template <int LANES> struct Multiply {
    Arrays a;
    __device__ Sum3 operator()(uint32_t i, uint32_t lane) const
    {
        const float mine = lane == 0 ? a.smooth[(i + a.n / 3) % a.n] : 0.0f;
        const float s = lanes_sum<LANES>(mine);
        return {(double)s / 3.0, (double)(s * s), 1.0 / (double)(i + 1)};
    }
};
struct AfterMultiply {
    Progress *progress;
    __device__ void operator()(Sum3 sum) const
    {
        progress->product[progress->count] = sum;
        progress->factor = 0.5 + sum.b / (1.0 + 2.0 * sum.b) / 8.0 + sum.c * 1e-3;
        progress->off = progress->count == progress->middle;
    }
};

struct Move {
    Arrays a;
    __device__ Sum1 operator()(uint32_t i, uint32_t) const
    {
        const float before = a.value[i];
        const float after = before + (float)a.progress->factor * (a.smooth[i] - before);
        a.value[i] = after + 1e-3f * (float)(i % 7);
        return {(double)(after - before) / 7.0};
    }
};
struct AfterMove {
    Progress *progress;
    __device__ void operator()(Sum1 sum) const
    {
        if (!progress->off) {
            progress->moved[progress->count++] = sum;
            progress->off = progress->count == progress->last;
        }
    }
};

/* When the flag is set. */
struct End {
    int32_t last, middle;
};

static Arrays start(Gpu *m, uint32_t n, End end)
{
    Arrays a = {n, scratch<float>(m, n), scratch<float>(m, n), scratch<Progress>(m, 1)};
    clear(m, a.progress, sizeof *a.progress);
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            a.value[i] = (float)((i * 2654435761u) >> 8) * 1e-7f;
            if (i == 0) {
                a.progress->last = end.last;
                a.progress->middle = end.middle;
            }
        });
    return a;
}

template <int LANES> struct Iteration {
    Smooth<LANES> smooth;
    Multiply<LANES> multiply;
    Move move;
    AfterMultiply after_multiply;
    AfterMove after_move;
};
template <int LANES> static Iteration<LANES> iteration_of(const Arrays &a)
{
    return {{a}, {a}, {a}, {a.progress}, {a.progress}};
}
static const Sum1 none1 = {0.0};
static const Sum3 none3 = {0.0, 0.0, 0.0};

/* The last sum of an iteration is added beside the first loop of the next one, where LATE. */
template <int LANES, bool LATE> static void run_repeated(Gpu *m, const Arrays &a)
{
    const Iteration<LANES> it = iteration_of<LANES>(a);
    const int32_t *off = &a.progress->off;
    const auto smooth = each_loop<LANES>(a.n, it.smooth);
    const auto multiply = sum_loop<LANES>(a.n, none3, it.multiply, it.after_multiply);
    if (LATE) {
        repeat(m, ITERATIONS, off, smooth, multiply,
               late_sum_loop<1>(a.n, none1, it.move, it.after_move));
    } else {
        repeat(m, ITERATIONS, off, smooth, multiply,
               sum_loop<1>(a.n, none1, it.move, it.after_move));
    }
}

template <int LANES> static void run_alone(Gpu *m, const Arrays &a)
{
    const Iteration<LANES> it = iteration_of<LANES>(a);
    const int32_t *off = &a.progress->off;
    Progress found;
    memset(static_cast<void *>(&found), 0, sizeof found);
    for (int k = 0; k < ITERATIONS && !found.off; k++) {
        for_lanes<LANES>(m, a.n, unless_off(off, it.smooth));
        sum_lanes<LANES>(m, a.n, none3, unless_off(off, it.multiply), it.after_multiply);
        sum_lanes<1>(m, a.n, none1, unless_off(off, it.move), it.after_move);
        copy_out(m, &found, a.progress, sizeof found);
    }
}

template <int LANES, bool LATE> static void compare(Gpu *m, uint32_t n, End end)
{
    const Mark mark = scratch_mark(m);
    const Arrays one = start(m, n, end), all = start(m, n, end);
    run_alone<LANES>(m, one);
    const uint64_t before = m->counts.launches;
    run_repeated<LANES, LATE>(m, all);
    assert_true(m->counts.launches <= before + 2); /* the first one clears the barrier */
    Progress *a = brought_home(m, one.progress, 1), *b = brought_home(m, all.progress, 1);
    const int32_t first = end.last <= end.middle ? end.last : end.middle;
    assert_int_equal(a->count, first <= ITERATIONS ? first : ITERATIONS);
    assert_int_equal(a->off, first <= ITERATIONS);
    assert_memory_equal(a, b, sizeof *a);
    float *x = brought_home(m, one.value, n), *y = brought_home(m, all.value, n);
    assert_memory_equal(x, y, n * sizeof *x);
    free(a);
    free(b);
    free(x);
    free(y);
    scratch_rewind(m, mark);
}

static void compare_all(End end)
{
    TestGpu gpu;
    for (uint32_t n : {1u, 127u, 5000u, (uint32_t)MOST}) {
        compare<1, false>(&gpu.m, n, end);
        compare<1, true>(&gpu.m, n, end);
#ifdef __CUDACC__
        compare<MANY_LANES, false>(&gpu.m, n, end);
        compare<MANY_LANES, true>(&gpu.m, n, end);
#endif
    }
}

enum { NEVER = ITERATIONS + 1 };

static void repeated_loops_have_the_bits_of_single_ones(void **)
{
    compare_all({NEVER, NEVER});
}

static void the_flag_ends_them(void **)
{
    compare_all({1, NEVER});
    compare_all({ITERATIONS / 2, NEVER});
    compare_all({NEVER, ITERATIONS / 2 + 1});
}

/* Nothing runs where the flag is set before, or without iterations. */
static void a_set_flag_runs_nothing(void **)
{
    TestGpu gpu;
    Gpu *m = &gpu.m;
    const Arrays a = start(m, 1000, {NEVER, NEVER});
    Progress found;
    for_each(
        m, 1, OOZE_BODY(uint32_t) { a.progress->off = 1; });
    run_repeated<1, false>(m, a);
    clear(m, &a.progress->off, sizeof a.progress->off);
    repeat(m, 0, &a.progress->off, sum_loop<1>(a.n, none1, Move{a}, AfterMove{a.progress}));
    copy_out(m, &found, a.progress, sizeof found);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.off, 0);
}

/* Sums over no particles are what such sums are without repetition. */
static void sums_over_nothing_follow_too(void **)
{
    TestGpu gpu;
    Gpu *m = &gpu.m;
    const Arrays a = start(m, 1, {3, NEVER});
    Progress found;
    repeat(m, ITERATIONS, &a.progress->off, each_loop<1>(0, Smooth<1>{a}),
           sum_loop<1>(0, none1, Move{a}, AfterMove{a.progress}));
    copy_out(m, &found, a.progress, sizeof found);
    assert_int_equal(found.count, 3);
    assert_true(found.moved[2].a == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_loops_have_the_bits_of_single_ones),
        cmocka_unit_test(the_flag_ends_them),
        cmocka_unit_test(a_set_flag_runs_nothing),
        cmocka_unit_test(sums_over_nothing_follow_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
