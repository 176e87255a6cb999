/* Elements of arrays that ranks send each other many times by the same lists. All functions but the
   first are collective: see base/ranks.h. */
#ifndef OOZE_SOLVERS_MULTIGRID_RANK_EXCHANGE_H
#define OOZE_SOLVERS_MULTIGRID_RANK_EXCHANGE_H

#include "base/memory.h"
#include "base/ranks.h"

typedef struct OozeRankExchange {
    OozeRanks *ranks;
    uint64_t *send_at, *receive_at; /* per rank and one more: elements */
    uint32_t *send;                 /* indices of the elements that are sent, rank by rank */
    uint64_t *bytes;                /* working memory: 2 (ranks + 1) */
} OozeRankExchange;

/* Memory of the lists but `send`, in the arena, as zero. A failure is recorded by the arena. */
void ooze_rank_exchange_create(OozeRankExchange *exchange, OozeRanks *ranks, OozeArena *arena);

static inline uint64_t ooze_rank_exchange_sent(const OozeRankExchange *exchange)
{
    return exchange->send_at[exchange->ranks->count];
}

static inline uint64_t ooze_rank_exchange_received(const OozeRankExchange *exchange)
{
    return exchange->receive_at[exchange->ranks->count];
}

/* at[r + 1]: elements of rank r; sums them up, and sets next[r] to the first place of rank r. */
void ooze_rank_places(const OozeRanks *ranks, uint64_t *at, uint64_t *next);
/* From the numbers of elements in send_at[r + 1]: send_at, receive_at, and in bytes[r] the first
   place of rank r in `send`. */
void ooze_rank_exchange_offer(OozeRankExchange *exchange);
/* Finds send_at and `send` from receive_at and the indices that this rank wants, rank by rank. */
void ooze_rank_exchange_request(OozeRankExchange *exchange, const uint32_t *wanted,
                                OozeArena *arena);

/* Elements of `size` bytes that lie in the order of sending. */
void ooze_rank_exchange_packed(const OozeRankExchange *exchange, const void *packed, void *to,
                               size_t size);
/* The same from the ranks that have received them. */
void ooze_rank_exchange_back(const OozeRankExchange *exchange, const void *packed, void *to,
                             size_t size);
/* Elements `send` of an array; `buffer` has room for them. */
void ooze_rank_exchange_run(const OozeRankExchange *exchange, const void *from, void *to,
                            size_t size, void *buffer);

/* Elements of `size` bytes of which rank r has those from at[r] to at[r + 1], `own` on this rank;
   bytes: working memory, per rank. */
void ooze_rank_gather(OozeRanks *ranks, const uint64_t *at, const void *own, void *all, size_t size,
                      uint64_t *bytes);

#endif
