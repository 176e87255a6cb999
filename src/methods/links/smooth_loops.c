/* XSPH: every particle takes over a share of how its neighbours move, and of how solids do that it clings to. Monaghan's mean of
   both densities in place of the neighbour's keeps momentum exact between particles that weigh the same; others
   exchange it by the harmonic mean of their masses. */
#include "methods/links/smooth.h"

#include "methods/links/fours.h"

/* Densities of solids; what they do to the particle's velocity. */
OOZE_LINKS_LOOP OozeFour add_walls(const OozeLinksSmooth *m, uint64_t i, OozeLinksKind kind,
                                   float *density)
{
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *near = s->context->fluid_boundary;
    const OozeBoundary *b = s->context->boundary;
    const OozeFour u = s->u[i];
    OozeFour all = {0}, sum = {0};
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        OozeFour d[4];
        ooze_four_ways(s->x0[i], (const OozeFour *)b->position, index, s->box, kind.periodic, d);
        OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
        OozeFour value = (s->wall_scale * s->kernel.value_scale) *
                         ooze_links_pick(b->volume, index) *
                         ooze_links_shape(s->kernel.inverse_h, r, kind).value;
        all += value;
        for (int k = 0; k < 4; k++) {
            value[k] = s->solids[b->solid[index[k]]].leads ? value[k] : 0.0f;
            d[k] = ooze_four_load(&b->velocity[index[k]].x) - u;
        }
        sum = ooze_four_add_weighted(value, d, sum);
    }
    *density = ooze_four_sum(all);
    return sum;
}

OOZE_LINKS_LOOP void densities(const OozeLinksSmooth *m, uint64_t begin, uint64_t end,
                               OozeLinksKind kind)
{
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *near = s->context->fluid;
    const float inverse_h = s->kernel.inverse_h, scale = s->volume * s->kernel.value_scale;
    const float centre = s->volume * ooze_links_value(&s->kernel, 0.0f);
    const OozeBox box = s->box;
    const OozeFour *x = s->x0;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour sum = {0};
        float walls = 0.0f;
        m->next[i] = sum;
        for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
            OozeFour d[4];
            ooze_four_ways(x[i], x, near->index + e, box, kind.periodic, d);
            OozeFour r = ooze_four_sqrt(ooze_four_dots(d, d));
            OozeFour value = scale * ooze_links_shape(inverse_h, r, kind).value;
            ooze_four_store(value, m->value + e);
            sum += value;
        }
        if (s->samples && s->context->fluid_boundary->count[i] > 0) {
            m->next[i] = add_walls(m, i, kind, &walls);
        }
        OozeFour moving = s->u[i];
        moving[3] = centre + ooze_four_sum(sum) + walls;
        m->moving[i] = moving;
    }
}

OOZE_LINKS_LOOP void smooth(const OozeLinksSmooth *m, uint64_t begin, uint64_t end,
                            OozeLinksKind kind)
{
    const OozeLinksStep *s = m->s;
    const OozeNeighbours *near = s->context->fluid;
    const OozeFour *moving = m->moving;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour sum = {0}, own = moving[i], density = ooze_four_splat(own[3]);
        float weight = m->weight[i];
        if (weight > 0.0f) {
            for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
                const uint32_t *j = near->index + e;
                OozeFour u[4] = {moving[j[0]], moving[j[1]], moving[j[2]], moving[j[3]]};
                OozeFour both = density + ooze_four_lasts(u[0], u[1], u[2], u[3]);
                OozeFour share = 2.0f * ooze_four_load(m->value + e);
                if (!kind.even) {
                    share *= 2.0f * weight / (weight + ooze_links_pick(m->weight, j));
                }
                for (int k = 0; k < 4; k++) {
                    u[k] -= own;
                }
                sum = ooze_four_add_weighted(share / both, u, sum);
            }
            sum = m->fluid * sum + m->walls * m->next[i];
        }
        OozeFour next = s->u[i] + sum;
        next[3] = 0;
        m->next[i] = next;
    }
}

/* As OOZE_LINKS_BY_KIND of the step. */
static void densities_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksSmooth *m = data;
    if (m->s->kernel.mixed) {
        densities(m, begin, end, (OozeLinksKind){.periodic = true, .mixed = true});
    } else if (m->s->periodic) {
        densities(m, begin, end, (OozeLinksKind){.periodic = true});
    } else {
        densities(m, begin, end, (OozeLinksKind){.periodic = false});
    }
}

static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksSmooth *m = data;
    if (m->s->even) {
        smooth(m, begin, end, (OozeLinksKind){.even = true});
    } else {
        smooth(m, begin, end, (OozeLinksKind){.even = false});
    }
}

const OozeLinksSmoothLoops OOZE_LOOPS(ooze_links_smooth_loops) = {
    .densities = densities_range,
    .smooth = smooth_range,
};
