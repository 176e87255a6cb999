/* XSPH: the velocity of a particle moves towards those of its neighbours and of solids with
   friction. Dividing by the mean of both densities (Monaghan) conserves momentum between equal
   masses; unequal ones exchange it by the harmonic mean of their masses. */
#include "methods/links/cpu/fours.h"

/* Sum over boundary particles: returns the velocity change, and sets `density`. */
OOZE_LINKS_LOOP OozeF32x4 add_walls(const OozeLinksStep *s, uint64_t i, OozeLinksKind kind,
                                    float *density)
{
    const OozeNeighbours *near = s->machine->context->fluid_boundary;
    const OozeBoundary *b = s->machine->context->boundary;
    const OozeF32x4 u = s->u[i];
    OozeF32x4 all = {0}, sum = {0};
    for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
        const uint32_t *index = near->index + e;
        OozeF32x4 d[4];
        ooze_f32x4_deltas(s->x0[i], (const OozeF32x4 *)b->position, index, ooze_box(&s->periodic),
                          kind.periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 value = (s->k.wall_scale * s->k.kernel.value_scale) *
                          ooze_links_pick(b->volume, index) *
                          ooze_links_shape(s->k.kernel.inverse_h, r, kind).value;
        all += value;
        for (int k = 0; k < 4; k++) {
            value[k] = s->poses[b->solid[index[k]]].smooths ? value[k] : 0.0f;
            d[k] = ooze_f32x4_load(&b->velocity[index[k]].x) - u;
        }
        sum = ooze_f32x4_add_weighted(value, d, sum);
    }
    *density = ooze_f32x4_sum(all);
    return sum;
}

OOZE_LINKS_LOOP void densities(const OozeLinksStep *s, uint64_t begin, uint64_t end,
                               OozeLinksKind kind)
{
    const OozeNeighbours *near = s->machine->context->fluid;
    const float inverse_h = s->k.kernel.inverse_h, scale = s->k.volume * s->k.kernel.value_scale;
    const float centre = s->k.volume * ooze_links_value(&s->k.kernel, 0.0f);
    const OozeBox box = ooze_box(&s->periodic);
    const OozeF32x4 *x = s->x0;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        float walls = 0.0f;
        s->wall_motion[i] = sum;
        for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
            OozeF32x4 d[4];
            ooze_f32x4_deltas(x[i], x, near->index + e, box, kind.periodic, d);
            OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
            OozeF32x4 value = scale * ooze_links_shape(inverse_h, r, kind).value;
            ooze_f32x4_store(value, s->value + e);
            sum += value;
        }
        if (s->k.samples && s->machine->context->fluid_boundary->count[i] > 0) {
            s->wall_motion[i] = add_walls(s, i, kind, &walls);
        }
        OozeF32x4 moving = s->u[i];
        moving[3] = centre + ooze_f32x4_sum(sum) + walls;
        s->moving[i] = moving;
    }
}

OOZE_LINKS_LOOP void smooth(const OozeLinksStep *s, uint64_t begin, uint64_t end,
                            OozeLinksKind kind)
{
    const OozeNeighbours *near = s->machine->context->fluid;
    const OozeF32x4 *moving = s->moving;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0}, own = moving[i], density = ooze_f32x4_splat(own[3]);
        float inverse_mass = s->store_inverse_mass[i];
        if (inverse_mass > 0.0f) {
            for (uint64_t e = near->first[i], last = near->first[i + 1]; e < last; e += 4) {
                const uint32_t *j = near->index + e;
                OozeF32x4 u[4] = {moving[j[0]], moving[j[1]], moving[j[2]], moving[j[3]]};
                OozeF32x4 both = density + ooze_f32x4_last_lanes(u[0], u[1], u[2], u[3]);
                OozeF32x4 share = 2.0f * ooze_f32x4_load(s->value + e);
                if (!kind.even) {
                    share *= 2.0f * inverse_mass /
                             (inverse_mass + ooze_links_pick(s->store_inverse_mass, j));
                }
                for (int k = 0; k < 4; k++) {
                    u[k] -= own;
                }
                sum = ooze_f32x4_add_weighted(share / both, u, sum);
            }
            sum = s->k.xsph * sum + s->k.wall_xsph * s->wall_motion[i];
        }
        OozeF32x4 next = s->u[i] + sum;
        next[3] = 0;
        s->u[i] = next;
    }
}

/* As OOZE_LINKS_BY_KIND of the step. */
static void densities_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    if (s->k.kernel.mixed) {
        densities(s, begin, end, (OozeLinksKind){.periodic = true, .mixed = true});
    } else if (s->wraps) {
        densities(s, begin, end, (OozeLinksKind){.periodic = true});
    } else {
        densities(s, begin, end, (OozeLinksKind){.periodic = false});
    }
}

static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    if (s->even) {
        smooth(s, begin, end, (OozeLinksKind){.even = true});
    } else {
        smooth(s, begin, end, (OozeLinksKind){.even = false});
    }
}

const OozeLinksSmoothLoops OOZE_LOOPS(ooze_links_smooth_loops) = {
    .densities = densities_range,
    .smooth = smooth_range,
};
