/* Pairs of particles at free surfaces over several processes. Surfaces may meet wherever they are,
   and pairs are found one after the other, so that every process has all particles at surfaces and
   finds all pairs. In the velocity solve it has those of its particles, and gets the velocities at
   their other ends. */
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cpu/impact_solve.h"

/* A particle at a surface. */
typedef struct Gathered {
    OozeF32x4 x0, u, inward;
    float trace;
} Gathered;

/* ---- surfaces ---- */

static OozeStatus gather(OozeImpactSurface *surface, OozeHaloList *list, OozeError *error)
{
    const OozeConformationStep *s = surface->step;
    OozeArena *arena = s->context->arena;
    uint64_t ranks = (uint64_t)ooze_halo_ranks(s->context->halo)->count;
    Gathered *own = ooze_arena_alloc(arena, surface->own_count, sizeof *own);
    surface->rank_at = ooze_arena_alloc(arena, ranks + 1, sizeof *surface->rank_at);
    if (!own || !surface->rank_at) {
        return ooze_fail_memory(error, "contacts within the step",
                                surface->own_count * sizeof *own);
    }
    for (uint64_t k = 0; k < surface->own_count; k++) {
        uint32_t i = surface->own[k];
        own[k] = (Gathered){s->x0[i], s->u[i], s->edge_sum[i], surface->trace[i]};
    }
    *list = (OozeHaloList){
        .own = own, .count = surface->own_count, .at = surface->rank_at, .size = sizeof *own};
    return ooze_halo_gather_list(s->context->halo, arena, list, error);
}

OozeStatus ooze_impact_gather_surface(OozeImpactSurface *surface, const OozeLodge *solve,
                                      OozeError *error)
{
    OozeArena *arena = solve->step->context->arena;
    OozeHaloList list;
    surface->own = surface->index;
    surface->own_count = surface->count;
    OozeStatus status = gather(surface, &list, error);
    if (status) {
        return status;
    }
    uint64_t total = list.total;
    const Gathered *all = list.all;
    OozeF32x4 *vectors = ooze_arena_alloc(arena, 3 * total, sizeof *vectors);
    float *trace = ooze_arena_alloc(arena, total, sizeof *trace);
    surface->index = ooze_arena_alloc(arena, total, sizeof *surface->index);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", total * sizeof *all);
    }
    for (uint64_t k = 0; k < total; k++) {
        vectors[k] = all[k].x0;
        vectors[total + k] = all[k].u;
        vectors[2 * total + k] = all[k].inward;
        trace[k] = all[k].trace;
        surface->index[k] = (uint32_t)k;
    }
    surface->x0 = vectors;
    surface->u = vectors + total;
    surface->inward = vectors + 2 * total;
    surface->trace = trace;
    surface->count = total;
    return OOZE_OK;
}

/* ---- pairs ---- */

/* Numbers as ends of the pairs of this process. */
typedef struct Ends {
    const OozeImpactSurface *surface;
    uint64_t first, last; /* numbers of this process */
    uint64_t n;           /* of its particles */
    uint32_t *foreign;    /* per number: 1: wanted from another process; then its place there */
} Ends;

static bool is_own(const Ends *ends, uint32_t number)
{
    return number >= ends->first && number < ends->last;
}

static uint32_t end_of(const Ends *ends, uint32_t number)
{
    return is_own(ends, number) ? ends->surface->own[number - ends->first]
                                : (uint32_t)ends->n + ends->foreign[number];
}

/* Lists the numbers that are wanted from other processes. */
static OozeStatus request_ends(const Ends *ends, OozeImpactPairs *pairs, OozeArena *arena,
                               OozeError *error)
{
    const OozeImpactSurface *surface = ends->surface;
    OozeRankExchange *x = &pairs->exchange;
    uint32_t *wanted = ooze_arena_alloc(arena, surface->count, sizeof *wanted), count = 0;
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", surface->count * 4);
    }
    for (int r = 0; r < x->ranks->count; r++) {
        for (uint64_t k = surface->rank_at[r]; k < surface->rank_at[r + 1]; k++) {
            if (ends->foreign[k]) {
                wanted[count] = (uint32_t)(k - surface->rank_at[r]);
                ends->foreign[k] = count++;
            }
        }
        x->receive_at[r + 1] = count;
    }
    ooze_rank_exchange_request(x, wanted, arena);
    pairs->foreign = ooze_arena_alloc(arena, count, sizeof *pairs->foreign);
    pairs->buffer = ooze_arena_alloc(arena, ooze_rank_exchange_sent(x), sizeof *pairs->buffer);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", count * sizeof *pairs->foreign);
    }
    for (uint64_t k = 0; k < ooze_rank_exchange_sent(x); k++) {
        x->send[k] = surface->own[x->send[k]];
    }
    return OOZE_OK;
}

/* Marks the ends that other processes have. Returns the number of pairs of this one. */
static uint64_t mark_ends(const Ends *ends, const OozeImpactPairs *all)
{
    uint64_t count = 0;
    memset(ends->foreign, 0, ends->surface->count * sizeof *ends->foreign);
    for (uint64_t k = 0; k < all->count; k++) {
        const OozeImpactPair *pair = &all->pair[k];
        bool i = is_own(ends, pair->i), j = is_own(ends, pair->j);
        count += i || j;
        if (i != j) {
            ends->foreign[i ? pair->j : pair->i] = 1;
        }
    }
    return count;
}

OozeStatus ooze_impact_take_pairs(const OozeImpactSurface *surface, OozeLodge *solve,
                                  OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    OozeRanks *ranks = ooze_halo_ranks(s->context->halo);
    const OozeImpactPairs *all = solve->own->all_pairs;
    Ends ends = {.surface = surface,
                 .first = surface->rank_at[ranks->rank],
                 .last = surface->rank_at[ranks->rank + 1],
                 .n = s->n};
    ends.foreign = ooze_arena_alloc(arena, surface->count, sizeof *ends.foreign);
    uint64_t count = ends.foreign ? mark_ends(&ends, all) : 0;
    OozeImpactPairs *pairs = ooze_arena_alloc(arena, 1, sizeof *pairs);
    solve->own->pair_particle =
        ooze_arena_alloc(arena, all->count, sizeof *solve->own->pair_particle);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", all->count * 8);
    }
    *pairs = (OozeImpactPairs){.room = count, .n = s->n};
    pairs->pair = ooze_arena_alloc(arena, count, sizeof *pairs->pair);
    pairs->first = ooze_arena_alloc(arena, s->n + 1, sizeof *pairs->first);
    pairs->entry = ooze_arena_alloc(arena, 2 * count, sizeof *pairs->entry);
    ooze_rank_exchange_create(&pairs->exchange, ranks, arena);
    OozeStatus status = request_ends(&ends, pairs, arena, error);
    for (uint64_t k = 0; k < all->count && !status; k++) {
        OozeImpactPair pair = all->pair[k];
        bool i = is_own(&ends, pair.i), j = is_own(&ends, pair.j);
        solve->own->pair_particle[k] = UINT64_MAX;
        if (i || j) {
            pair.i = end_of(&ends, pair.i);
            pair.j = end_of(&ends, pair.j);
            solve->own->pair_particle[k] = i ? pair.i : pair.j;
            pairs->pair[pairs->count++] = pair;
        }
    }
    if (!status) {
        ooze_impact_list_pairs(pairs, s->n);
        solve->own->pairs = pairs;
    }
    return status;
}

void ooze_impact_fetch(OozeImpactPairs *pairs, const OozeF32x4 *u)
{
    if (pairs->foreign) {
        ooze_rank_exchange_run(&pairs->exchange, u, pairs->foreign, sizeof *u, pairs->buffer);
    }
}
