/* Ranks that are threads of this program: the interface of base/ranks.h in shared memory. */
#ifndef OOZE_TESTS_UNIT_THREAD_RANKS_H
#define OOZE_TESTS_UNIT_THREAD_RANKS_H

#include <pthread.h>

#include "base/ranks.h"
#include "check.h"

enum { THREAD_RANKS_MAX = 8 };

/* What the ranks show each other in the present call. */
typedef struct Board {
    pthread_barrier_t barrier;
    const void *shown[THREAD_RANKS_MAX];
    const uint64_t *at[THREAD_RANKS_MAX];
} Board;

typedef struct ThreadRanks {
    OozeRanks ranks;
    Board *board;
    char *receive; /* of the exchange that is under way */
    const uint64_t *receive_at;
} ThreadRanks;

static void show(OozeRanks *ranks, const void *data, const uint64_t *at)
{
    Board *board = ((ThreadRanks *)ranks)->board;
    board->shown[ranks->rank] = data;
    board->at[ranks->rank] = at;
    pthread_barrier_wait(&board->barrier);
}

static void leave(OozeRanks *ranks)
{
    pthread_barrier_wait(&((ThreadRanks *)ranks)->board->barrier);
}

static const void *shown_by(const OozeRanks *ranks, int rank)
{
    return ((const ThreadRanks *)ranks)->board->shown[rank];
}

static void sum_of_ranks(OozeRanks *ranks, uint64_t *values, int count, int end)
{
    uint64_t total[256] = {0};
    assert_in_range(count, 0, 256);
    show(ranks, values, NULL);
    for (int r = 0; r < end; r++) {
        for (int k = 0; k < count; k++) {
            total[k] += ((const uint64_t *)shown_by(ranks, r))[k];
        }
    }
    leave(ranks);
    memcpy(values, total, (size_t)count * sizeof *values);
}

static void thread_sum(OozeRanks *ranks, uint64_t *values, int count)
{
    sum_of_ranks(ranks, values, count, ranks->count);
}

static void thread_sum_before(OozeRanks *ranks, uint64_t *values, int count)
{
    sum_of_ranks(ranks, values, count, ranks->rank);
}

static void thread_max(OozeRanks *ranks, double *values, int count)
{
    double largest[256];
    assert_in_range(count, 0, 256);
    show(ranks, values, NULL);
    memcpy(largest, shown_by(ranks, 0), (size_t)count * sizeof *largest);
    for (int r = 1; r < ranks->count; r++) {
        for (int k = 0; k < count; k++) {
            largest[k] = fmax(largest[k], ((const double *)shown_by(ranks, r))[k]);
        }
    }
    leave(ranks);
    memcpy(values, largest, (size_t)count * sizeof *values);
}

static void thread_gather(OozeRanks *ranks, const void *from, size_t bytes, void *to)
{
    show(ranks, from, NULL);
    for (int r = 0; r < ranks->count; r++) {
        memcpy((char *)to + (size_t)r * bytes, shown_by(ranks, r), bytes);
    }
    leave(ranks);
}

static void thread_gather_varied(OozeRanks *ranks, const void *from, const uint64_t *bytes,
                                 void *to)
{
    char *at = to;
    show(ranks, from, NULL);
    for (int r = 0; r < ranks->count; r++) {
        memcpy(at, shown_by(ranks, r), bytes[r]);
        at += bytes[r];
    }
    leave(ranks);
}

static void thread_swap(OozeRanks *ranks, const uint64_t *numbers, uint64_t *from)
{
    show(ranks, numbers, NULL);
    for (int r = 0; r < ranks->count; r++) {
        from[r] = ((const uint64_t *)shown_by(ranks, r))[ranks->rank];
    }
    leave(ranks);
}

/* Nothing arrives before the end. */
static void thread_exchange_begin(OozeRanks *ranks, const void *send, const uint64_t *send_at,
                                  void *receive, const uint64_t *receive_at)
{
    ThreadRanks *own = (ThreadRanks *)ranks;
    own->receive = receive;
    own->receive_at = receive_at;
    show(ranks, send, send_at);
}

static void thread_exchange_poll(OozeRanks *ranks)
{
    (void)ranks;
}

static void thread_exchange_end(OozeRanks *ranks)
{
    char *receive = ((ThreadRanks *)ranks)->receive;
    const uint64_t *receive_at = ((ThreadRanks *)ranks)->receive_at;
    for (int r = 0; r < ranks->count; r++) {
        const uint64_t *at = ((ThreadRanks *)ranks)->board->at[r];
        uint64_t bytes = at[ranks->rank + 1] - at[ranks->rank];
        assert_int_equal(bytes, receive_at[r + 1] - receive_at[r]);
        memcpy(receive + receive_at[r], (const char *)shown_by(ranks, r) + at[ranks->rank], bytes);
    }
    leave(ranks);
}

static void thread_exchange(OozeRanks *ranks, const void *send, const uint64_t *send_at,
                            void *receive, const uint64_t *receive_at)
{
    thread_exchange_begin(ranks, send, send_at, receive, receive_at);
    thread_exchange_end(ranks);
}

static void thread_broadcast(OozeRanks *ranks, void *data, uint64_t bytes)
{
    show(ranks, data, NULL);
    if (ranks->rank > 0) {
        memcpy(data, shown_by(ranks, 0), bytes);
    }
    leave(ranks);
}

/* Runs `work` on `count` ranks, each with its element of `jobs`, which begins with ThreadRanks. */
static void run_on_ranks(int count, void *(*work)(void *), void *jobs, size_t size)
{
    Board board;
    pthread_t threads[THREAD_RANKS_MAX];
    assert_int_equal(pthread_barrier_init(&board.barrier, NULL, (unsigned)count), 0);
    for (int r = 0; r < count; r++) {
        ThreadRanks *own = (ThreadRanks *)((char *)jobs + (size_t)r * size);
        *own = (ThreadRanks){.ranks = {.rank = r,
                                       .count = count,
                                       .sum = thread_sum,
                                       .sum_before = thread_sum_before,
                                       .max = thread_max,
                                       .gather = thread_gather,
                                       .gather_varied = thread_gather_varied,
                                       .swap = thread_swap,
                                       .exchange = thread_exchange,
                                       .exchange_begin = thread_exchange_begin,
                                       .exchange_poll = thread_exchange_poll,
                                       .exchange_end = thread_exchange_end,
                                       .broadcast = thread_broadcast},
                             .board = &board};
        assert_int_equal(pthread_create(&threads[r], NULL, work, own), 0);
    }
    for (int r = 0; r < count; r++) {
        pthread_join(threads[r], NULL);
    }
    pthread_barrier_destroy(&board.barrier);
}

#endif
