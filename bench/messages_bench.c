/* Latency and bandwidth of the messages of a run over several processes, by the calls that it
   makes: an exchange with the ranks beside, as of ghosts, and a sum over all, as of the conjugate
   gradients. Prints microseconds; the best of several turns.

   mpirun -n 2 build/bench/messages_bench */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/exact_sum.h"
#include "base/memory.h"
#include "mpi/ranks.h"

enum { TURNS = 15, BYTES_MAX = 1 << 23 };

typedef struct Buffers {
    char *send, *receive;
    uint64_t *send_at, *receive_at;
} Buffers;

/* Seconds of an exchange of `bytes` with each of the ranks beside this one, of the slowest rank. */
static double exchange(OozeRanks *ranks, const Buffers *b, uint64_t bytes, int calls)
{
    b->send_at[0] = b->receive_at[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        uint64_t here = abs(r - ranks->rank) == 1 ? bytes : 0;
        b->send_at[r + 1] = b->send_at[r] + here;
        b->receive_at[r + 1] = b->receive_at[r] + here;
    }
    double best = DBL_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        double zero = 0.0, start;
        ranks->max(ranks, &zero, 1);
        start = ooze_clock();
        for (int k = 0; k < calls; k++) {
            ranks->exchange(ranks, b->send, b->send_at, b->receive, b->receive_at);
        }
        double seconds = (ooze_clock() - start) / calls;
        ranks->max(ranks, &seconds, 1);
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* Seconds of an exact sum over all ranks. */
static double add(OozeRanks *ranks, int calls)
{
    double best = DBL_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = ooze_clock();
        for (int k = 0; k < calls; k++) {
            OozeExactSum sum = {{0}, 0, 0};
            double one = 1.0, total;
            ooze_exact_add(&sum, &one, 1, 1);
            ooze_exact_round(&sum, 1, ranks, &total);
        }
        double seconds = (ooze_clock() - start) / calls;
        ranks->max(ranks, &seconds, 1);
        best = seconds < best ? seconds : best;
    }
    return best;
}

int main(void)
{
    OozeRanks *ranks = ooze_mpi_open();
    if (!ranks) {
        fprintf(stderr, "messages_bench: start it with mpirun\n");
        return EXIT_FAILURE;
    }
    size_t places = (size_t)ranks->count + 1;
    Buffers b = {ooze_alloc_zero(2, BYTES_MAX), ooze_alloc_zero(2, BYTES_MAX),
                 ooze_alloc(places, sizeof(uint64_t)), ooze_alloc(places, sizeof(uint64_t))};
    if (!b.send || !b.receive || !b.send_at || !b.receive_at) {
        ooze_mpi_abort(EXIT_FAILURE);
    }
    for (uint64_t bytes = 64; bytes <= BYTES_MAX; bytes *= 8) {
        double seconds = exchange(ranks, &b, bytes, bytes < 100000 ? 50 : 4);
        if (ranks->rank == 0) {
            printf("exchange %llu %.3f\n", (unsigned long long)bytes, 1e6 * seconds);
        }
    }
    double seconds = add(ranks, 50);
    if (ranks->rank == 0) {
        printf("sum %zu %.3f\n", sizeof(OozeExactSum), 1e6 * seconds);
    }
    ooze_free(b.send);
    ooze_free(b.receive);
    ooze_free(b.send_at);
    ooze_free(b.receive_at);
    ooze_mpi_close(ranks);
    return EXIT_SUCCESS;
}
