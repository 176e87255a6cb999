#include "methods/gather.h"

#include <math.h>

#include "base/fail.h"

/* K += x g^T; g is along x. */
static void add_outer(OozeSym3 *k, OozeFour x, OozeFour g)
{
    k->xx += x[0] * g[0];
    k->yy += x[1] * g[1];
    k->zz += x[2] * g[2];
    k->xy += x[0] * g[1];
    k->xz += x[0] * g[2];
    k->yz += x[1] * g[2];
}

/* Bonet and Lok's correction, kept away from neighbourhoods that cannot tell three directions: there
   the particle carries no stress rather than a wrong one. */
static OozeSym3 guarded_inverse(OozeSym3 k, uint32_t neighbours)
{
    float mean = ooze_sym3_trace(k) / 3.0f;
    float det = ooze_sym3_det(k);
    if (neighbours < 6 || !(mean > 0.25f) || !(det > 0.1f * mean * mean * mean)) {
        return ooze_sym3_identity(0);
    }
    return ooze_sym3_inverse(k);
}

/* Fluid that never slips on a solid is strained by it as by more fluid. */
static bool clings(const OozeSolid *solid)
{
    return isinf(solid->params[OOZE_SOLID_FRICTION]);
}

static OozeFour clinging_edge(const OozeGather *s, OozeFour x_ji, float volume)
{
    float r = sqrtf(ooze_four_dot3(x_ji, x_ji));
    float f = s->wall_strain_scale * volume * ooze_strain_wall_weight(r, s->support);
    return (OozeFour){f * x_ji[0], f * x_ji[1], f * x_ji[2], f};
}

/* W of a boundary sample where it was when the step began: what a wall presses together while it moves is
   no compression that was there before. */
static float begin_value(const OozeGather *s, uint32_t sample, OozeFour x_ji)
{
    const OozeFloat4 *v = &s->context->boundary->velocity[sample];
    float dt = (float)s->context->dt;
    OozeFour d = x_ji - dt * ooze_four(v->x, v->y, v->z, 0);
    return ooze_cubic_value(sqrtf(ooze_four_dot3(d, d)), s->support);
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeGather *s = data;
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    const OozeFour *x = s->x;
    float own = ooze_cubic_value(0, s->support);
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 k = ooze_sym3_identity(0);
        OozeFour sum = {0}, wall = {0};
        float value, density = own;
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            OozeFour d = ooze_four_nearest(x[list->index[e]] - x[i], &s->context->periodic);
            OozeFour g = ooze_edge(d, s->support, s->volume, s->strain_scale, &value);
            s->edge[e] = g;
            sum += g;
            density += value;
            add_outer(&k, d, g);
        }
        density *= s->volume;
        uint32_t wall_count = boundary->count ? walls->count[i] : 0;
        for (uint32_t w = 0; w < wall_count; w++) {
            uint64_t e = walls->first[i] + w;
            uint32_t b = walls->index[e];
            const OozeFloat4 *p = &boundary->position[b];
            OozeFour d =
                ooze_four_nearest(ooze_four(p->x, p->y, p->z, 0) - x[i], &s->context->periodic);
            float volume = s->wall_scale * boundary->volume[b];
            OozeFour g = ooze_edge(d, s->support, volume, 0.0f, &value);
            density += begin_value(s, b, d) * volume;
            if (!clings(&s->context->solids[boundary->solid[b]])) {
                g = ooze_four(0, 0, 0, 0);
            } else if (s->strain_scale > 0.0f) {
                g = clinging_edge(s, d, boundary->volume[b]);
            }
            s->wall_edge[e] = g;
            wall += g;
            add_outer(&k, d, g);
        }
        s->edge_sum[i] = sum + wall;
        /* an edge to a wall that is weighed as fluid counts for both of its ends */
        sum += s->strain_scale > 0.0f ? 0.5f * wall : wall;
        s->open[i] = sqrtf(ooze_four_dot3(sum, sum));
        s->density[i] = density;
        s->correction[i] = guarded_inverse(k, list->count[i] + wall_count);
    }
}

OozeStatus ooze_gather(OozeGather *s, OozeError *error)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    OozeArena *arena = s->context->arena;
    uint64_t wall_edges = s->context->boundary->count ? walls->first[s->n] : 0;
    s->edge = ooze_arena_alloc(arena, list->first[s->n], sizeof *s->edge);
    s->wall_edge = ooze_arena_alloc(arena, wall_edges, sizeof *s->wall_edge);
    s->edge_sum = ooze_arena_alloc(arena, s->n, sizeof *s->edge_sum);
    s->correction = ooze_arena_alloc(arena, s->n, sizeof *s->correction);
    s->density = ooze_arena_alloc(arena, s->n, sizeof *s->density);
    s->open = ooze_arena_alloc(arena, s->n, sizeof *s->open);
    if (!s->open || !s->edge || !s->wall_edge || !s->edge_sum || !s->correction || !s->density) {
        return ooze_fail_memory(error, "kernel gradients", list->first[s->n] * sizeof *s->edge);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_GATHER_GRAIN, gather_range, s);
    ooze_stage_lap(s->context->clock, OOZE_PART_GATHER);
    return OOZE_OK;
}
