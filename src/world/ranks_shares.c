#include "world/ranks_shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Shares are corrected after this many sorts, where the slowest rank takes so much longer than the
   mean. */
enum { BALANCE_EVERY = 10 };
static const double IMBALANCE_MAX = 1.1;

bool ooze_ranks_shares_create(OozeRanksShares *shares, const OozeRanks *ranks)
{
    const char *shuffle = getenv("OOZE_RANKS_SHUFFLE");
    size_t count = (size_t)ranks->count;
    *shares = (OozeRanksShares){.cuts = ooze_alloc(count + 1, sizeof *shares->cuts),
                                .speeds = ooze_alloc(2 * count, sizeof *shares->speeds),
                                .shuffle = shuffle ? atoi(shuffle) : 0};
    for (int r = 0; shares->cuts && r <= ranks->count; r++) {
        shares->cuts[r] = (double)r / (double)ranks->count;
    }
    return shares->cuts && shares->speeds;
}

void ooze_ranks_shares_free(OozeRanksShares *shares)
{
    ooze_free(shares->cuts);
    ooze_free(shares->speeds);
}

/* For tests: cuts that differ from balance to balance, some of them far from equal. */
static void shuffle_shares(OozeRanksShares *shares, int count)
{
    double sum = 0.0;
    for (int r = 0; r < count; r++) {
        uint32_t number = (uint32_t)(shares->sorts * 7919 + r * 104729) * 2654435761u;
        shares->speeds[r] = 0.2 + (double)(number >> 8) / (double)(1u << 24);
        sum += shares->speeds[r];
    }
    for (int r = 0; r < count; r++) {
        shares->cuts[r + 1] = shares->cuts[r] + shares->speeds[r] / sum;
    }
}

/* A rank that was slow gets fewer particles, half of the difference at a time. */
static void balance_shares(OozeRanksShares *shares, OozeRanks *ranks, uint64_t own, uint64_t total)
{
    int count = ranks->count;
    double mine[2] = {shares->busy, (double)own};
    double *all = shares->speeds, slowest = 0.0, busy = 0.0, speed = 0.0;
    ranks->gather(ranks, mine, sizeof mine, all);
    for (int r = 0; r < count; r++) {
        slowest = fmax(slowest, all[2 * r]);
        busy += all[2 * r];
    }
    shares->busy = 0.0;
    if (!(slowest > IMBALANCE_MAX * busy / count) || total < 1) {
        return;
    }
    double mean = (double)total / busy; /* also of ranks without particles */
    for (int r = 0; r < count; r++) {
        bool idle = !(all[2 * r] > 0.0) || all[2 * r + 1] < 1.0;
        all[r] = idle ? mean : all[2 * r + 1] / all[2 * r];
        speed += all[r];
    }
    double at = 0.0, before = 0.0;
    for (int r = 0; r < count; r++) {
        double now = shares->cuts[r + 1] - before;
        before = shares->cuts[r + 1];
        at += 0.5 * (now + all[r] / speed);
        shares->cuts[r + 1] = at;
    }
}

void ooze_ranks_shares_update(OozeRanksShares *shares, OozeRanks *ranks, uint64_t own,
                              uint64_t total)
{
    shares->sorts++;
    if (shares->shuffle > 0 && shares->sorts % shares->shuffle == 0) {
        shuffle_shares(shares, ranks->count);
    } else if (shares->shuffle == 0 && shares->sorts % BALANCE_EVERY == 0) {
        balance_shares(shares, ranks, own, total);
    }
}
