#include "methods/gather.h"

#include <string.h>

#include "base/fail.h"

void *ooze_gathered_alloc(OozeArena *arena, uint64_t n, size_t size)
{
    char *block = ooze_arena_alloc(arena, n + OOZE_LIST_PAD, size);
    if (block) {
        memset(block + n * size, 0, OOZE_LIST_PAD * size);
    }
    return block;
}

float *ooze_edge_values(OozeEdgeMemory *memory, OozeArena *arena, uint64_t edges)
{
    if (!memory) {
        return ooze_arena_alloc(arena, edges, sizeof(float));
    }
    if (!memory->values || memory->room < edges) {
        ooze_free(memory->values);
        memory->room = edges + edges / 8;
        memory->values = ooze_alloc(memory->room, sizeof(float));
        memory->room = memory->values ? memory->room : 0;
    }
    return memory->values;
}

static OozeStatus weigh(OozeGather *s, OozeRangeBody body, OozeError *error)
{
    const OozeStepContext *c = s->context;
    uint64_t edges = c->fluid->first[s->n];
    s->edges = (OozeEdges){.list = c->fluid,
                           .x = s->x,
                           .weight = ooze_edge_values(s->memory, c->arena, edges),
                           .box = ooze_box(&c->periodic),
                           .periodic = ooze_periodic_any(&c->periodic)};
    if (!s->edges.weight) {
        return ooze_fail_memory(error, "weights of neighbours", edges * sizeof(float));
    }
    ooze_parallel_for(c->threads, s->n, OOZE_GATHER_GRAIN, body, s);
    ooze_stage_lap(c->clock, OOZE_PART_GATHER);
    return OOZE_OK;
}

OozeStatus ooze_gather(OozeGather *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    uint64_t wall_edges = c->boundary->count ? c->fluid_boundary->first[s->n] : 0;
    s->wall_edge = ooze_arena_alloc(c->arena, wall_edges, sizeof *s->wall_edge);
    s->edge_sum = ooze_gathered_alloc(c->arena, s->n, sizeof *s->edge_sum);
    s->correction = ooze_gathered_alloc(c->arena, s->n, sizeof *s->correction);
    s->density = ooze_arena_alloc(c->arena, s->n, sizeof *s->density);
    s->open = ooze_arena_alloc(c->arena, s->n, sizeof *s->open);
    if (!s->open || !s->wall_edge || !s->edge_sum || !s->correction || !s->density) {
        return ooze_fail_memory(error, "kernel gradients", s->n * 48);
    }
    return weigh(s, ooze_gather_loops()->gather, error);
}

OozeStatus ooze_gather_weights(OozeGather *s, OozeError *error)
{
    return weigh(s, ooze_gather_loops()->weigh, error);
}
