/* XSPH: every particle takes over a share of how its neighbours move, and of how solids do that it clings to. Monaghan's mean of
   both densities in place of the neighbour's keeps momentum exact between particles that weigh the same; others
   exchange it by the harmonic mean of their masses. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/workspace.h"

typedef struct Smooth {
    const OozeLinksStep *s;
    const OozeFour *x; /* in the order of the store */
    float *density, *weight;
    OozeFour *next;
    float fluid, walls; /* eps_a and eps_b */
} Smooth;

static OozeFour sample_at(const OozeBoundary *b, uint32_t sample)
{
    OozeFloat4 at = b->position[sample];
    return ooze_four(at.x, at.y, at.z, 0);
}

static void density_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Smooth *m = data;
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *near = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeBoundary *b = s->context->boundary;
    for (uint64_t i = begin; i < end; i++) {
        float sum = ooze_links_value(&s->kernel, 0.0f), wall_sum = 0.0f;
        for (uint32_t k = 0; k < near->count[i]; k++) {
            OozeFour d = ooze_links_apart(s, m->x[i], m->x[near->index[near->first[i] + k]]);
            sum += ooze_links_value(&s->kernel, sqrtf(ooze_four_dot3(d, d)));
        }
        for (uint32_t k = 0; s->samples && k < walls->count[i]; k++) {
            uint32_t sample = walls->index[walls->first[i] + k];
            OozeFour d = ooze_links_apart(s, m->x[i], sample_at(b, sample));
            wall_sum += s->wall_scale * b->volume[sample] *
                        ooze_links_value(&s->kernel, sqrtf(ooze_four_dot3(d, d)));
        }
        m->density[i] = s->volume * sum + wall_sum;
    }
}

static OozeFour from_walls(const Smooth *m, uint64_t i)
{
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeBoundary *b = s->context->boundary;
    OozeFour sum = {0};
    for (uint32_t k = 0; s->samples && k < walls->count[i]; k++) {
        uint32_t sample = walls->index[walls->first[i] + k];
        OozeFour d = ooze_links_apart(s, m->x[i], sample_at(b, sample));
        OozeFloat4 v = b->velocity[sample];
        float w = s->wall_scale * b->volume[sample] *
                  ooze_links_value(&s->kernel, sqrtf(ooze_four_dot3(d, d)));
        w = ooze_links_clings(s, b->solid[sample]) ? w : 0.0f;
        sum += w * (ooze_four(v.x, v.y, v.z, 0) - s->u[i]);
    }
    return sum;
}

static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Smooth *m = data;
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *near = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour sum = {0};
        float weight = m->weight[i];
        for (uint32_t k = 0; k < near->count[i] && weight > 0.0f; k++) {
            uint32_t j = near->index[near->first[i] + k];
            OozeFour d = ooze_links_apart(s, m->x[i], m->x[j]);
            float value = s->volume * ooze_links_value(&s->kernel, sqrtf(ooze_four_dot3(d, d)));
            float mean = 0.5f * (m->density[i] + m->density[j]);
            float share = 2.0f * weight / (weight + m->weight[j]);
            sum += (share * value / mean) * (s->u[j] - s->u[i]);
        }
        m->next[i] = s->u[i] + m->fluid * sum;
        if (weight > 0.0f && m->walls > 0.0f) {
            m->next[i] += m->walls * from_walls(m, i);
        }
    }
}

OozeStatus ooze_links_smooth(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    Smooth m = {.s = s,
                .fluid = (float)c->params[OOZE_LINKS_XSPH],
                .walls = (float)c->params[OOZE_LINKS_WALL_XSPH]};
    if (m.fluid == 0.0f && m.walls == 0.0f) {
        return OOZE_OK;
    }
    m.x = s->x0;
    m.density = ooze_arena_alloc(c->arena, s->n, sizeof *m.density);
    m.weight = ooze_arena_alloc(c->arena, s->n, sizeof *m.weight);
    m.next = ooze_arena_alloc(c->arena, s->n, sizeof *m.next);
    if (!m.density || !m.weight || !m.next) {
        return ooze_fail_memory(error, "smoothed velocities", s->n * sizeof *m.next);
    }
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; i < s->n; i++) {
        bool led = c->led && c->led[i];
        m.weight[i] = led ? 0.0f : s->material_weight[material[i]];
    }
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, density_range, &m);
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, smooth_range, &m);
    s->u = m.next;
    return OOZE_OK;
}
