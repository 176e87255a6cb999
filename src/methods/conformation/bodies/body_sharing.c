/* Particle bodies over several processes. Every process has the slots of all bodies, with the
   particles of all processes, and computes their motions: sums over a body have the order of one
   process. A field of rigid bodies is gathered by all processes. Bonds of soft bodies are found by
   all, and each has those of its particles in the velocity solve. */
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"

/* A particle of a body. */
typedef struct Entry {
    OozeFloat4 rest, place;
    uint32_t slot, particle; /* of its process */
} Entry;

struct OozeBodySharing {
    OozeRanks *ranks;
    uint64_t own_count, count; /* particles of rigid bodies: of this process, of all */
    uint32_t *own;             /* particles of this process */
    uint32_t *slot;            /* of all, process by process */
    uint64_t *counts, *bytes;  /* per process: of these */
    void *sent, *received;     /* a vector or a tensor for each */
    uint32_t *rank;            /* per slot: process of its particle */
    uint32_t *particle;        /* per slot: its number there */
};

/* ---- slots ---- */

static uint64_t list_entries(const OozeStepBodies *b, Entry *entries)
{
    const OozeConformationStep *s = b->step;
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        uint32_t slot = b->slot[i];
        if (slot == UINT32_MAX) {
            continue;
        }
        if (entries) {
            entries[count] = (Entry){.rest = b->all.rest[slot], .slot = slot};
            entries[count].particle = (uint32_t)i;
            if (b->rigid_of[i]) {
                entries[count].place = b->all.place[slot];
            }
        }
        count++;
    }
    return count;
}

/* Entries of all processes. */
static OozeStatus gather_entries(const OozeStepBodies *b, OozeHaloList *list, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    uint64_t ranks = (uint64_t)ooze_halo_ranks(c->halo)->count;
    *list = (OozeHaloList){.count = list_entries(b, NULL), .size = sizeof(Entry)};
    list->at = ooze_arena_alloc(c->arena, ranks + 1, sizeof *list->at);
    Entry *own = ooze_arena_alloc(c->arena, list->count, sizeof *own);
    if (!list->at || !own) {
        return ooze_fail_memory(error, "the bodies", list->count * sizeof *own);
    }
    memset(own, 0, list->count * sizeof *own);
    list_entries(b, own);
    list->own = own;
    return ooze_halo_gather_list(c->halo, c->arena, list, error);
}

/* Fills the slots and counts the particles of rigid bodies. */
static void fill_slots(OozeStepBodies *b, struct OozeBodySharing *shared, const OozeHaloList *list)
{
    OozeBodies *bodies = &b->all;
    uint32_t me = (uint32_t)shared->ranks->rank;
    for (uint32_t r = 0; r < (uint32_t)shared->ranks->count; r++) {
        shared->counts[r] = 0;
        for (uint64_t k = list->at[r]; k < list->at[r + 1]; k++) {
            const Entry *entry = (const Entry *)list->all + k;
            uint32_t slot = entry->slot;
            bodies->index[slot] = r == me ? entry->particle : OOZE_FAR_PARTICLE;
            bodies->rest[slot] = entry->rest;
            shared->rank[slot] = r;
            shared->particle[slot] = entry->particle;
            if (slot < bodies->rigid_slots) {
                bodies->place[slot] = entry->place;
                shared->slot[shared->count++] = slot;
                shared->counts[r]++;
                if (r == me) {
                    shared->own[shared->own_count++] = entry->particle;
                }
            }
        }
    }
}

OozeStatus ooze_body_sharing_begin(OozeStepBodies *b, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    OozeArena *arena = c->arena;
    struct OozeBodySharing *shared = ooze_arena_alloc(arena, 1, sizeof *shared);
    uint64_t slots = b->all.slots;
    OozeHaloList list;
    if (!shared) {
        return ooze_fail_memory(error, "the bodies", sizeof *shared);
    }
    *shared = (struct OozeBodySharing){.ranks = ooze_halo_ranks(c->halo)};
    uint64_t ranks = (uint64_t)shared->ranks->count;
    shared->counts = ooze_arena_alloc(arena, ranks, sizeof *shared->counts);
    shared->bytes = ooze_arena_alloc(arena, ranks, sizeof *shared->bytes);
    shared->rank = ooze_arena_alloc(arena, slots, sizeof *shared->rank);
    shared->particle = ooze_arena_alloc(arena, slots, sizeof *shared->particle);
    shared->slot = ooze_arena_alloc(arena, b->all.rigid_slots, sizeof *shared->slot);
    shared->own = ooze_arena_alloc(arena, b->all.rigid_slots, sizeof *shared->own);
    shared->sent = ooze_arena_alloc(arena, b->all.rigid_slots, sizeof(OozeSym3));
    shared->received = ooze_arena_alloc(arena, b->all.rigid_slots, sizeof(OozeSym3));
    OozeStatus status = ooze_arena_failed(arena)
                            ? ooze_fail_memory(error, "the bodies", slots * 100)
                            : gather_entries(b, &list, error);
    if (!status) {
        fill_slots(b, shared, &list);
        b->all.sharing = shared;
    }
    return status;
}

/* ---- fields of rigid bodies ---- */

static void gather(struct OozeBodySharing *shared, size_t size)
{
    for (int r = 0; r < shared->ranks->count; r++) {
        shared->bytes[r] = shared->counts[r] * size;
    }
    shared->ranks->gather_varied(shared->ranks, shared->sent, shared->bytes, shared->received);
}

void ooze_body_sharing_to_slots(const OozeBodies *b, const OozeF32x4 *field, OozeFloat4 *slots)
{
    struct OozeBodySharing *shared = b->sharing;
    OozeFloat4 *sent = shared->sent;
    const OozeFloat4 *received = shared->received;
    for (uint64_t k = 0; k < shared->own_count; k++) {
        OozeF32x4 a = field[shared->own[k]];
        sent[k] = (OozeFloat4){a[0], a[1], a[2], 0};
    }
    gather(shared, sizeof *sent);
    for (uint64_t k = 0; k < shared->count; k++) {
        slots[shared->slot[k]] = received[k];
    }
}

void ooze_body_sharing_tensors(const OozeBodies *b, OozeSym3 *slots)
{
    struct OozeBodySharing *shared = b->sharing;
    OozeSym3 *sent = shared->sent;
    const OozeSym3 *received = shared->received;
    uint64_t own = 0;
    for (uint64_t k = 0; k < shared->count; k++) {
        if (b->index[shared->slot[k]] < OOZE_FAR_PARTICLE) {
            sent[own++] = slots[shared->slot[k]];
        }
    }
    gather(shared, sizeof *sent);
    for (uint64_t k = 0; k < shared->count; k++) {
        slots[shared->slot[k]] = received[k];
    }
}

/* ---- bonds of soft bodies ---- */

/* Marks the slots of far ends of bonds of this process, and counts them by process. */
static void mark_ends(const OozeStepBodies *b, uint32_t *place)
{
    const struct OozeBodySharing *shared = b->all.sharing;
    uint64_t *at = b->far_ends.receive_at;
    for (uint64_t slot = 0; slot < b->all.slots; slot++) {
        place[slot] = UINT32_MAX;
    }
    for (uint64_t slot = 0; slot < b->all.slots; slot++) {
        if (b->all.index[slot] >= OOZE_FAR_PARTICLE) {
            continue;
        }
        for (uint64_t e = b->bonds->first[slot]; e < b->bonds->first[slot + 1]; e++) {
            uint32_t other = b->bonds->other[e];
            if (b->all.index[other] == OOZE_FAR_PARTICLE && place[other] == UINT32_MAX) {
                place[other] = 0;
                at[shared->rank[other] + 1]++;
            }
        }
    }
}

OozeStatus ooze_body_sharing_find_ends(OozeStepBodies *b, OozeError *error)
{
    const struct OozeBodySharing *shared = b->all.sharing;
    OozeArena *arena = b->step->context->arena;
    OozeRankExchange *x = &b->far_ends;
    uint32_t *place = ooze_arena_alloc(arena, b->all.slots, sizeof *place);
    uint32_t *wanted = ooze_arena_alloc(arena, b->all.slots, sizeof *wanted);
    ooze_rank_exchange_create(x, shared->ranks, arena);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "bonds", b->all.slots * 8);
    }
    mark_ends(b, place);
    for (int r = 0; r < shared->ranks->count; r++) {
        x->receive_at[r + 1] += x->receive_at[r];
        x->bytes[r] = x->receive_at[r]; /* next of that process */
    }
    for (uint64_t slot = 0; slot < b->all.slots; slot++) {
        if (place[slot] != UINT32_MAX) {
            place[slot] = (uint32_t)x->bytes[shared->rank[slot]]++;
            wanted[place[slot]] = shared->particle[slot];
        }
    }
    for (uint64_t e = 0; e < b->bonds->first[b->all.slots]; e++) {
        bool is_far = b->to[e] == OOZE_FAR_PARTICLE;
        b->to[e] = is_far ? (uint32_t)b->step->n + place[b->bonds->other[e]] : b->to[e];
    }
    ooze_rank_exchange_request(x, wanted, arena);
    b->far = ooze_arena_alloc(arena, ooze_rank_exchange_received(x), sizeof *b->far);
    b->far_buffer = ooze_arena_alloc(arena, ooze_rank_exchange_sent(x), sizeof *b->far_buffer);
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "bonds", ooze_rank_exchange_received(x) * sizeof *b->far)
               : OOZE_OK;
}

void ooze_step_bodies_fetch(OozeConformationStep *s, const OozeF32x4 *field)
{
    OozeStepBodies *b = s->own->bodies;
    if (b && b->far) {
        ooze_rank_exchange_run(&b->far_ends, field, b->far, sizeof *field, b->far_buffer);
    }
}
