#include "particles/message_plan.h"

#include <string.h>

#include "particles/split.h"

bool ooze_message_plan_create(OozeMessagePlan *plan, OozeRanks *ranks, OozeArena *arena)
{
    const size_t one = (size_t)ranks->count + 1;
    uint64_t *memory = arena ? ooze_arena_alloc(arena, 4 * one, sizeof *memory)
                             : ooze_alloc(4 * one, sizeof *memory);
    *plan = (OozeMessagePlan){.ranks = ranks};
    if (memory) {
        memset(memory, 0, 4 * one * sizeof *memory);
        plan->send_at = memory;
        plan->receive_at = memory + one;
        plan->bytes = memory + 2 * one;
    }
    return memory != NULL;
}

void ooze_message_plan_free(OozeMessagePlan *plan)
{
    ooze_free(plan->send_at);
    plan->send_at = plan->receive_at = plan->bytes = NULL;
}

void ooze_message_plan_complete(OozeMessagePlan *plan)
{
    ooze_split_receipts(plan->ranks, plan->send_at, plan->bytes, plan->receive_at);
}

/* Where messages begin in the memory of the sender; returns the same of the receiver. */
static const uint64_t *find_bytes(const OozeMessagePlan *plan, size_t size)
{
    const int ranks = plan->ranks->count;
    uint64_t *send = plan->bytes, *receive = send + ranks + 1;
    for (int r = 0; r <= ranks; r++) {
        send[r] = plan->send_at[r] * size;
        receive[r] = plan->receive_at[r] * size;
    }
    return receive;
}

void ooze_message_plan_exchange(const OozeMessagePlan *plan, const void *from, void *to,
                                size_t size)
{
    const uint64_t *receive = find_bytes(plan, size);
    plan->ranks->exchange(plan->ranks, from, plan->bytes, to, receive);
}

void ooze_message_plan_begin(const OozeMessagePlan *plan, const void *from, void *to, size_t size)
{
    const uint64_t *receive = find_bytes(plan, size);
    plan->ranks->exchange_begin(plan->ranks, from, plan->bytes, to, receive);
}
