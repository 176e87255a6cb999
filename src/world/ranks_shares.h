/* Which part of the particles each process has. */
#ifndef OOZE_WORLD_RANKS_SHARES_H
#define OOZE_WORLD_RANKS_SHARES_H

#include "base/ranks.h"

typedef struct OozeRanksShares {
    double *cuts;   /* see ooze_split_find: per rank and one more */
    double *speeds; /* working memory: two numbers a rank */
    double busy;    /* s of work since the last balance, without messages */
    int sorts;
    int shuffle; /* for tests: the cuts change after every so many sorts; 0: no */
} OozeRanksShares;

/* Equal shares; false: out of memory. */
bool ooze_ranks_shares_create(OozeRanksShares *shares, const OozeRanks *ranks);
void ooze_ranks_shares_free(OozeRanksShares *shares);
/* Before a sort: balances now and then. `own` and `total` count particles of this rank and of
   all. */
void ooze_ranks_shares_update(OozeRanksShares *shares, OozeRanks *ranks, uint64_t own,
                              uint64_t total);

#endif
