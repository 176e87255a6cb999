#include "solvers/multigrid/rank_exchange.h"

#include <string.h>

#include "particles/split.h"

void ooze_rank_exchange_create(OozeRankExchange *x, OozeRanks *ranks, OozeArena *arena)
{
    uint64_t one = (uint64_t)ranks->count + 1;
    x->ranks = ranks;
    x->send = NULL;
    x->send_at = ooze_arena_alloc(arena, 4 * one, sizeof *x->send_at);
    if (x->send_at) {
        memset(x->send_at, 0, 4 * one * sizeof *x->send_at);
        x->receive_at = x->send_at + one;
        x->bytes = x->receive_at + one;
    }
}

void ooze_rank_places(const OozeRanks *ranks, uint64_t *at, uint64_t *next)
{
    for (int r = 0; r < ranks->count; r++) {
        at[r + 1] += at[r];
        next[r] = at[r];
    }
}

void ooze_rank_exchange_offer(OozeRankExchange *x)
{
    ooze_rank_places(x->ranks, x->send_at, x->bytes);
    ooze_split_receipts(x->ranks, x->send_at, x->bytes, x->receive_at);
    memcpy(x->bytes, x->send_at, (size_t)x->ranks->count * sizeof *x->bytes);
}

void ooze_rank_exchange_request(OozeRankExchange *x, const uint32_t *wanted, OozeArena *arena)
{
    ooze_split_receipts(x->ranks, x->receive_at, x->bytes, x->send_at);
    x->send = ooze_arena_alloc(arena, ooze_rank_exchange_sent(x), sizeof *x->send);
    if (x->send) { /* without memory this rank ends, and with it the others */
        ooze_rank_exchange_back(x, wanted, x->send, sizeof *x->send);
    }
}

void ooze_rank_exchange_packed(const OozeRankExchange *x, const void *packed, void *to, size_t size)
{
    int ranks = x->ranks->count;
    uint64_t *send = x->bytes, *receive = send + ranks + 1;
    for (int r = 0; r <= ranks; r++) {
        send[r] = x->send_at[r] * size;
        receive[r] = x->receive_at[r] * size;
    }
    x->ranks->exchange(x->ranks, packed, send, to, receive);
}

void ooze_rank_exchange_back(const OozeRankExchange *x, const void *packed, void *to, size_t size)
{
    OozeRankExchange back = *x;
    back.send_at = x->receive_at;
    back.receive_at = x->send_at;
    ooze_rank_exchange_packed(&back, packed, to, size);
}

void ooze_rank_exchange_run(const OozeRankExchange *x, const void *from, void *to, size_t size,
                            void *buffer)
{
    char *at = buffer;
    for (uint64_t k = 0; k < ooze_rank_exchange_sent(x); k++, at += size) {
        memcpy(at, (const char *)from + x->send[k] * size, size);
    }
    ooze_rank_exchange_packed(x, buffer, to, size);
}

void ooze_rank_gather(OozeRanks *ranks, const uint64_t *at, const void *own, void *all, size_t size,
                      uint64_t *bytes)
{
    for (int r = 0; r < ranks->count; r++) {
        bytes[r] = (at[r + 1] - at[r]) * size;
    }
    ranks->gather_varied(ranks, own, bytes, all);
}
