/* Gathers of density_warm_start.h. */
#include "methods/conformation/cpu/density_warm_start.h"
#include "solvers/pairs/wall_gradient_f32x4.h"

static inline OozeF32x4 push_of_fluid(const OozeConformationStep *s, const OozeCubic *cubic,
                                      uint64_t i, bool periodic)
{
    const OozeEdges *edges = s->own->edges;
    const OozeF32x4 *x = s->x0;
    const float *lambda = s->first_multiplier;
    const uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    const OozeF32x4 none = {0}, smallest = ooze_f32x4_splat(cubic->smallest);
    OozeF32x4 push = {0}, value = {0};
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 d[4], others = {lambda[j[0]], lambda[j[1]], lambda[j[2]], lambda[j[3]]};
        ooze_f32x4_deltas(x[i], x, j, edges->box, periodic, d);
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 slope = ooze_cubic_f32x4_slope(cubic, r, &value);
        OozeF32x4 over_r = (lambda[i] + others) * slope / ooze_f32x4_max(r, smallest);
        OozeF32x4Mask true_pairs = ooze_f32x4_load(weight) > 0.0f; /* not the padding */
        push = ooze_f32x4_add_weighted(ooze_f32x4_select(true_pairs, over_r, none), d, push);
    }
    return push;
}

static inline OozeF32x4 push_of_walls(const OozeConformationStep *s, const OozeCubic *cubic,
                                      uint64_t i)
{
    const OozeWallSamples walls = {s->context->fluid_boundary, s->context->boundary,
                                   s->own->edges->box, *cubic};
    const float scale = s->first_multiplier[i] * s->wall_scale / s->volume;
    float density = 0.0f; /* not needed */
    OozeF32x4 x = s->x0[i];
    x[3] = 0;
    return ooze_wall_gradient(&walls, i, x, scale, &density);
}

static void pushes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    const OozeCubic cubic = ooze_cubic(s->support, s->volume);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 push = s->own->edges->periodic ? push_of_fluid(s, &cubic, i, true)
                                                 : push_of_fluid(s, &cubic, i, false);
        if (s->context->boundary->count > 0 && s->first_multiplier[i] > 0.0f) {
            push += push_of_walls(s, &cubic, i);
        }
        push[3] = 0;
        s->first_push[i] = s->mobility[i] * push;
    }
}

const OozeDensityWarmStartLoops OOZE_LOOPS(ooze_density_warm_start_loops) = {
    .pushes = pushes_range,
};
