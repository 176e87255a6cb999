/* A group of processes that take the steps of one world together: its ranks. Every function is
   collective: all ranks call it in the same order. src/mpi implements them. On one process there
   is no group, and code that would use it gets NULL. */
#ifndef OOZE_BASE_RANKS_H
#define OOZE_BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was sent since the start, by this rank. */
typedef struct OozeRankTraffic {
    uint64_t messages, bytes; /* from this rank to one other rank */
    uint64_t collectives,
        gathered;   /* calls in which all ranks take part, and bytes given to them */
    double seconds; /* in calls of this interface */
} OozeRankTraffic;

typedef struct OozeRanks OozeRanks;
struct OozeRanks {
    int rank, count;
    char host[64];            /* of this rank */
    int host_rank;            /* number of this rank among those of its host */
    bool takes_device_memory; /* exchange and its parts take it, but for messages to itself */
    OozeRankTraffic traffic;
    /* Element-wise over all ranks, in place; sums modulo 2^64. */
    void (*sum)(OozeRanks *ranks, uint64_t *values, int count);
    void (*max)(OozeRanks *ranks, double *values, int count);
    /* Element-wise over the ranks before this one, in place. */
    void (*sum_before)(OozeRanks *ranks, uint64_t *values, int count);
    /* `bytes` bytes of every rank, in their order. */
    void (*gather)(OozeRanks *ranks, const void *from, size_t bytes, void *to);
    /* The same with numbers of bytes that differ, known to all. */
    void (*gather_varied)(OozeRanks *ranks, const void *from, const uint64_t *bytes, void *to);
    /* numbers[r] to rank r; from[r] is that of rank r. */
    void (*swap)(OozeRanks *ranks, const uint64_t *numbers, uint64_t *from);
    /* send[at[r]] .. send[at[r + 1]] to rank r, and likewise from rank r; in bytes. */
    void (*exchange)(OozeRanks *ranks, const void *send, const uint64_t *send_at, void *receive,
                     const uint64_t *receive_at);
    /* The same in parts: messages travel between `begin` and `end`, and go on in calls of `poll`.
       Until the end the arrays stay as they are and no other function is called. */
    void (*exchange_begin)(OozeRanks *ranks, const void *send, const uint64_t *send_at,
                           void *receive, const uint64_t *receive_at);
    void (*exchange_poll)(OozeRanks *ranks);
    void (*exchange_end)(OozeRanks *ranks);
    void (*broadcast)(OozeRanks *ranks, void *data, uint64_t bytes); /* from rank 0 */
};

static inline int ooze_rank(const OozeRanks *ranks)
{
    return ranks ? ranks->rank : 0;
}

static inline int ooze_rank_count(const OozeRanks *ranks)
{
    return ranks ? ranks->count : 1;
}

#endif
