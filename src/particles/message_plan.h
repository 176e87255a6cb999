/* Which elements go from each rank to each other: ghosts of the processor and of the GPU, and what
   else is sent by lists. Functions are collective: see base/ranks.h. */
#ifndef OOZE_PARTICLES_MESSAGE_PLAN_H
#define OOZE_PARTICLES_MESSAGE_PLAN_H

#include "base/memory.h"
#include "base/ranks.h"

typedef struct OozeMessagePlan {
    OozeRanks *ranks;
    /* per rank and one more: where the elements for each begin, and those from each */
    uint64_t *send_at, *receive_at;
    uint64_t *bytes; /* working memory: 2 (ranks + 1) */
} OozeMessagePlan;

/* A plan of no elements, in memory of the arena, or of its own where that is NULL, which only then
   is freed. False: out of memory. */
bool ooze_message_plan_create(OozeMessagePlan *plan, OozeRanks *ranks, OozeArena *arena);
void ooze_message_plan_free(OozeMessagePlan *plan);

static inline uint64_t ooze_message_plan_sent(const OozeMessagePlan *plan)
{
    return plan->send_at[plan->ranks->count];
}

static inline uint64_t ooze_message_plan_received(const OozeMessagePlan *plan)
{
    return plan->receive_at[plan->ranks->count];
}

/* Finds receive_at from the send_at of all ranks. */
void ooze_message_plan_complete(OozeMessagePlan *plan);
/* Sends elements of `size` bytes that lie rank by rank, and receives the others likewise. */
void ooze_message_plan_exchange(const OozeMessagePlan *plan, const void *from, void *to,
                                size_t size);
/* The same up to the end of the exchange, which the caller calls. */
void ooze_message_plan_begin(const OozeMessagePlan *plan, const void *from, void *to, size_t size);

#endif
