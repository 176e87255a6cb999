/* The thread pool: every element once, chunk borders as promised, sums with the same bits. */
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"

static const int thread_counts[] = {1, 2, 3, 7};
enum { COUNTS = 4 };

static OozeThreads *pool(int count)
{
    OozeThreads *threads;
    CHECK_OK(ooze_threads_create(count, &threads, &error));
    return threads;
}

typedef struct Touch {
    uint64_t count, grain;
    int workers;
    _Atomic int touched[5000];
    _Atomic int bad;
} Touch;

static void touch(void *context, uint64_t begin, uint64_t end, int worker)
{
    Touch *job = context;
    bool whole = end - begin == job->grain || end == job->count;
    if (begin >= end || end > job->count || worker < 0 || worker >= job->workers ||
        (job->grain > 0 && (begin % job->grain != 0 || !whole))) {
        job->bad++;
    }
    for (uint64_t i = begin; i < end; i++) {
        job->touched[i]++;
    }
}

static void every_element_once(void **state)
{
    (void)state;
    const uint64_t counts[] = {0, 1, 2, 99, 1000, 4999}, grains[] = {0, 1, 7, 64, 5000};
    static Touch job;
    for (int t = -1; t < COUNTS; t++) {
        OozeThreads *threads = t < 0 ? NULL : pool(thread_counts[t]);
        for (int c = 0; c < 6; c++) {
            for (int g = 0; g < 5; g++) {
                memset(&job, 0, sizeof job);
                job.count = counts[c];
                job.grain = grains[g];
                job.workers = ooze_threads_count(threads);
                ooze_parallel_for(threads, counts[c], grains[g], touch, &job);
                assert_int_equal(job.bad, 0);
                for (uint64_t i = 0; i < 5000; i++) {
                    assert_int_equal(job.touched[i], i < counts[c]);
                }
            }
        }
        ooze_threads_destroy(threads);
    }
}

/* Each worker has its number to itself while it runs a chunk: scratch by worker is safe. */
typedef struct Claim {
    _Atomic int busy[16];
    _Atomic int clashes;
} Claim;

static void claim(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)begin;
    (void)end;
    Claim *job = context;
    job->clashes += job->busy[worker]++ != 0;
    for (volatile int i = 0; i < 200; i++) {
    }
    job->busy[worker]--;
}

static void own_worker_number(void **state)
{
    (void)state;
    Claim job = {0};
    OozeThreads *threads = pool(7);
    for (int round = 0; round < 50; round++) {
        ooze_parallel_for(threads, 100, 1, claim, &job);
    }
    assert_int_equal(job.clashes, 0);
    ooze_threads_destroy(threads);
}

/* Many jobs one after the other, with pauses in which workers fall asleep: none is lost. */
static void add_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    atomic_fetch_add((_Atomic uint64_t *)context, end - begin);
}

static void many_jobs(void **state)
{
    (void)state;
    OozeThreads *threads = pool(3);
    _Atomic uint64_t sum = 0;
    for (int round = 0; round < 3000; round++) {
        ooze_parallel_for(threads, 10, 1, add_range, (void *)&sum);
        if (round % 500 == 0) {
            for (volatile int i = 0; i < 3000000; i++) {
            }
        }
    }
    assert_int_equal(sum, 30000);
    ooze_threads_destroy(threads);
}

/* Numbers whose sum depends on the order of adding, so equal bits mean equal order. */
static void add_numbers(void *context, uint64_t begin, uint64_t end, double *sums)
{
    (void)context;
    for (uint64_t i = begin; i < end; i++) {
        double a = ooze_random01(1, i, 0), b = ooze_random01(1, i, 1);
        sums[0] += 1.0;
        sums[1] += a;
        sums[2] += (a - 0.5) * exp(30.0 * b);
    }
}

static void sums_have_the_same_bits(void **state)
{
    (void)state;
    const uint64_t counts[] = {0, 1, 4095, 4096, 4097, 100003};
    for (int c = 0; c < 6; c++) {
        double first[3], sums[3], serial[3] = {0};
        add_numbers(NULL, 0, counts[c], serial);
        for (int t = 0; t < COUNTS; t++) {
            OozeThreads *threads = pool(thread_counts[t]);
            CHECK_OK(ooze_parallel_sum(threads, counts[c], 3, add_numbers, NULL, sums, &error));
            if (t == 0) {
                memcpy(first, sums, sizeof first);
            }
            assert_memory_equal(first, sums, sizeof first);
            ooze_threads_destroy(threads);
        }
        assert_true(first[0] == (double)counts[c]);
        /* n terms below 1 added in another order: at most n roundings of a sum below n. */
        double n = (double)counts[c];
        CHECK_NEAR(first[1], serial[1], n * n * 0x1p-53);
        if (counts[c] == 100003) { /* the sensitive sum does depend on the order of adding */
            assert_true(first[2] != serial[2]);
        }
    }
}

static void sum_failure(void **state)
{
    (void)state;
    double sums[3];
    ooze_memory_fail_after(1);
    CHECK_FAILS(ooze_parallel_sum(NULL, 100, 3, add_numbers, NULL, sums, &error), OOZE_ERROR_MEMORY,
                "out of memory");
    ooze_memory_fail_after(0);
}

static void creation(void **state)
{
    (void)state;
    OozeThreads *threads = pool(0);
    assert_true(ooze_threads_count(threads) >= 1);
    ooze_threads_destroy(threads);
    ooze_threads_destroy(NULL);
    assert_int_equal(ooze_threads_count(NULL), 1);
    CHECK_FAILS(ooze_threads_create(-1, &threads, &error), OOZE_ERROR_ARGUMENT, "-1 threads");
    CHECK_FAILS(ooze_threads_create(100000, &threads, &error), OOZE_ERROR_ARGUMENT, "100000");
    assert_null(threads);
    for (uint64_t k = 1; k <= 2; k++) {
        ooze_memory_fail_after(k);
        CHECK_FAILS(ooze_threads_create(3, &threads, &error), OOZE_ERROR_MEMORY, "out of memory");
        assert_null(threads);
    }
    ooze_memory_fail_after(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_once), cmocka_unit_test(own_worker_number),
        cmocka_unit_test(many_jobs),          cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(sum_failure),        cmocka_unit_test(creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
