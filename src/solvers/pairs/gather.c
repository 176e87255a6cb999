#include "solvers/pairs/gather.h"

#include <string.h>

#include "base/fail.h"

float *ooze_edge_values(OozeEdgeMemory *memory, OozeArena *arena, uint64_t edges)
{
    if (!memory) {
        return ooze_arena_alloc(arena, edges, sizeof(float));
    }
    if (!memory->values || memory->room < edges) {
        ooze_free(memory->values);
        memory->room = edges + edges / 32;
        memory->values = ooze_alloc(memory->room, sizeof(float));
        memory->room = memory->values ? memory->room : 0;
    }
    return memory->values;
}

/* Divides `gathered`: per particle an edge sum, a tensor, and two numbers make three times 16
   bytes. */
static void divide(OozeGather *s)
{
    uint64_t n = s->n + OOZE_LIST_PAD;
    _Static_assert(sizeof(OozeSym3) + 2 * sizeof(float) == 2 * sizeof(OozeF32x4), "no gaps");
    s->edge_sum = s->gathered;
    s->correction = (OozeSym3 *)(void *)(s->gathered + n);
    s->density = (float *)(void *)(s->correction + n);
    s->surface_indicator = s->density + n;
    memset(s->edge_sum + s->n, 0, OOZE_LIST_PAD * sizeof *s->edge_sum);
    memset(s->correction + s->n, 0, OOZE_LIST_PAD * sizeof *s->correction);
}

OozeStatus ooze_gather(OozeGather *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    uint64_t wall_edges = c->boundary->count ? c->fluid_boundary->first[s->n] : 0;
    uint64_t edges = c->fluid->first[s->n];
    if (!s->gathered) {
        s->wall_edge = ooze_arena_alloc(c->arena, wall_edges, sizeof *s->wall_edge);
        s->gathered = ooze_arena_alloc(c->arena, 3 * (s->n + OOZE_LIST_PAD), sizeof *s->gathered);
    }
    s->edges = (OozeEdges){.list = c->fluid,
                           .x = s->x,
                           .weight = ooze_edge_values(s->memory, c->arena, edges),
                           .box = ooze_box(&c->periodic),
                           .periodic = ooze_periodic_any(&c->periodic)};
    if (!s->edges.weight || ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "weights of neighbours", s->n * 48 + edges * sizeof(float));
    }
    divide(s);
    ooze_parallel_for(c->threads, s->n, OOZE_GATHER_GRAIN, ooze_gather_loops()->gather, s);
    ooze_timer_lap(c->timer, "gather");
    return OOZE_OK;
}
