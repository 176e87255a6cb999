#include "mpi/ranks.h"

#include <limits.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* Counts and places of MPI are ints: longer messages are sent in pieces. */
enum { PIECE = 1 << 30, TAG = 1 };

typedef struct Group {
    OozeRanks ranks;
    int *counts, *places; /* per rank, of a collective call */
    MPI_Request *requests;
    int request_capacity, request_count; /* count: of the exchange that is under way */
} Group;

static void count_collective(OozeRanks *ranks, uint64_t bytes, double start)
{
    ranks->traffic.collectives++;
    ranks->traffic.gathered += bytes;
    ranks->traffic.seconds += ooze_clock() - start;
}

static void sum(OozeRanks *ranks, uint64_t *values, int count)
{
    double start = ooze_clock();
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    count_collective(ranks, (uint64_t)count * sizeof *values, start);
}

static void sum_before(OozeRanks *ranks, uint64_t *values, int count)
{
    double start = ooze_clock();
    MPI_Exscan(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (ranks->rank == 0) { /* left as it was */
        memset(values, 0, (size_t)count * sizeof *values);
    }
    count_collective(ranks, (uint64_t)count * sizeof *values, start);
}

static void max(OozeRanks *ranks, double *values, int count)
{
    double start = ooze_clock();
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    count_collective(ranks, (uint64_t)count * sizeof *values, start);
}

static void gather(OozeRanks *ranks, const void *from, size_t bytes, void *to)
{
    double start = ooze_clock();
    MPI_Allgather(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    count_collective(ranks, bytes, start);
}

static void swap(OozeRanks *ranks, const uint64_t *numbers, uint64_t *from)
{
    double start = ooze_clock();
    MPI_Alltoall(numbers, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    count_collective(ranks, (uint64_t)ranks->count * sizeof *numbers, start);
}

static void broadcast_pieces(void *data, uint64_t bytes, int from)
{
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        uint64_t left = bytes - at;
        MPI_Bcast((char *)data + at, left < PIECE ? (int)left : PIECE, MPI_BYTE, from,
                  MPI_COMM_WORLD);
    }
}

static void broadcast(OozeRanks *ranks, void *data, uint64_t bytes)
{
    double start = ooze_clock();
    broadcast_pieces(data, bytes, 0);
    count_collective(ranks, ranks->rank == 0 ? bytes : 0, start);
}

/* One request a piece. */
static int pieces(uint64_t bytes)
{
    return (int)((bytes + PIECE - 1) / PIECE);
}

static MPI_Request *reserve_requests(Group *group, int wanted)
{
    if (wanted > group->request_capacity) {
        ooze_free(group->requests);
        group->requests = ooze_alloc((size_t)wanted, sizeof *group->requests);
        group->request_capacity = group->requests ? wanted : 0;
        if (!group->requests) {
            ooze_mpi_abort(EXIT_FAILURE); /* no rank could be told */
        }
    }
    return group->requests;
}

/* Messages between ranks that have something to tell each other. */
static void exchange_begin(OozeRanks *ranks, const void *send, const uint64_t *send_at,
                           void *receive, const uint64_t *receive_at)
{
    double start = ooze_clock();
    Group *group = (Group *)ranks;
    int wanted = 0, used = 0, me = ranks->rank;
    for (int r = 0; r < ranks->count; r++) {
        wanted += pieces(send_at[r + 1] - send_at[r]) + pieces(receive_at[r + 1] - receive_at[r]);
    }
    MPI_Request *requests = reserve_requests(group, wanted);
    for (int r = 0; r < ranks->count; r++) {
        for (uint64_t at = receive_at[r], end = receive_at[r + 1]; r != me && at < end;
             at += PIECE) {
            MPI_Irecv((char *)receive + at, end - at < PIECE ? (int)(end - at) : PIECE, MPI_BYTE, r,
                      TAG, MPI_COMM_WORLD, &requests[used++]);
        }
    }
    for (int r = 0; r < ranks->count; r++) {
        for (uint64_t at = send_at[r], end = send_at[r + 1]; r != me && at < end; at += PIECE) {
            MPI_Isend((const char *)send + at, end - at < PIECE ? (int)(end - at) : PIECE, MPI_BYTE,
                      r, TAG, MPI_COMM_WORLD, &requests[used++]);
            ranks->traffic.messages++;
        }
        ranks->traffic.bytes += r != me ? send_at[r + 1] - send_at[r] : 0;
    }
    if (send_at[me + 1] > send_at[me]) {
        memcpy((char *)receive + receive_at[me], (const char *)send + send_at[me],
               send_at[me + 1] - send_at[me]);
    }
    group->request_count = used;
    ranks->traffic.seconds += ooze_clock() - start;
}

static void exchange_poll(OozeRanks *ranks)
{
    Group *group = (Group *)ranks;
    int done;
    MPI_Testall(group->request_count, group->requests, &done, MPI_STATUSES_IGNORE);
    group->request_count = done ? 0 : group->request_count;
}

static void exchange_end(OozeRanks *ranks)
{
    double start = ooze_clock();
    Group *group = (Group *)ranks;
    MPI_Waitall(group->request_count, group->requests, MPI_STATUSES_IGNORE);
    group->request_count = 0;
    ranks->traffic.seconds += ooze_clock() - start;
}

static void exchange(OozeRanks *ranks, const void *send, const uint64_t *send_at, void *receive,
                     const uint64_t *receive_at)
{
    exchange_begin(ranks, send, send_at, receive, receive_at);
    exchange_end(ranks);
}

/* Each rank sends its part to all, one after the other. */
static void gather_pieces(OozeRanks *ranks, const void *from, const uint64_t *bytes, char *to)
{
    for (int r = 0; r < ranks->count; r++) {
        if (r == ranks->rank) {
            memcpy(to, from, bytes[r]);
        }
        broadcast_pieces(to, bytes[r], r);
        to += bytes[r];
    }
}

static void gather_varied(OozeRanks *ranks, const void *from, const uint64_t *bytes, void *to)
{
    double start = ooze_clock();
    Group *group = (Group *)ranks;
    uint64_t total = 0;
    for (int r = 0; r < ranks->count; r++) {
        group->counts[r] = (int)bytes[r];
        group->places[r] = (int)total;
        total += bytes[r];
    }
    if (total <= INT_MAX) {
        MPI_Allgatherv(from, group->counts[ranks->rank], MPI_BYTE, to, group->counts, group->places,
                       MPI_BYTE, MPI_COMM_WORLD);
    } else {
        gather_pieces(ranks, from, bytes, to);
    }
    count_collective(ranks, bytes[ranks->rank], start);
}

/* Whether messages may be in GPU memory. */
static bool takes_device_memory(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

static int find_host_rank(int rank)
{
    MPI_Comm host;
    int own = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &own);
    MPI_Comm_free(&host);
    return own;
}

/* mpirun of Open MPI and MPICH, and srun, set one of these. */
static bool was_started_in_group(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i])) {
            return true;
        }
    }
    return false;
}

OozeRanks *ooze_mpi_open(void)
{
    int provided, count = 1;
    if (!was_started_in_group()) {
        return NULL;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    Group *group = ooze_alloc_zero(1, sizeof *group);
    if (!group) {
        ooze_mpi_abort(EXIT_FAILURE);
    }
    group->counts = ooze_alloc((size_t)count, sizeof *group->counts);
    group->places = ooze_alloc((size_t)count, sizeof *group->places);
    if (!group->counts || !group->places) {
        ooze_mpi_abort(EXIT_FAILURE);
    }
    reserve_requests(group, 4 * count); /* enough for all but messages longer than a piece */
    OozeRanks *ranks = &group->ranks;
    *ranks = (OozeRanks){.count = count,
                         .sum = sum,
                         .max = max,
                         .sum_before = sum_before,
                         .gather = gather,
                         .gather_varied = gather_varied,
                         .swap = swap,
                         .exchange = exchange,
                         .exchange_begin = exchange_begin,
                         .exchange_poll = exchange_poll,
                         .exchange_end = exchange_end,
                         .broadcast = broadcast};
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    ranks->host_rank = find_host_rank(ranks->rank);
    ranks->takes_device_memory = takes_device_memory();
    gethostname(ranks->host, sizeof ranks->host - 1);
    return ranks;
}

void ooze_mpi_close(OozeRanks *ranks)
{
    Group *group = (Group *)ranks;
    if (group) {
        MPI_Finalize();
        ooze_free(group->counts);
        ooze_free(group->places);
        ooze_free(group->requests);
        ooze_free(group);
    }
}

void ooze_mpi_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}
