/* Packed positions: see packed.cuh. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/packed.cuh"

namespace ooze
{

/* Box and step of packed positions, without arrays. */
static PackView pack_view(const float low[3], const float high[3], float support)
{
    PackView p;
    memset(&p, 0, sizeof p);
    float widest = support;
    for (int k = 0; k < 3; k++) {
        p.low[k] = low[k];
        widest = fmaxf(widest, high[k] - low[k]);
    }
    p.step = widest / 2097151.0f;
    p.inverse = 1.0f / p.step;
    return p;
}

/* Whether iterations use packed data: many particles, in an open box, without dynamic solids. */
static bool packs(const Step *step)
{
    return all_particles(step->gpu, step->view.n) >= step->engine->pack_from && !step->wraps &&
           !step->dynamic;
}

PackView pack_places(Step *step)
{
    StepView s = step->view;
    const Grid *grid = &step->engine->grid;
    PackView p = pack_view(grid->low, grid->high, s.support);
    if (packs(step)) {
        p.directions = scratch<uint4>(step->gpu, s.n);
        p.hourglass = scratch<HourglassRange>(step->gpu, 1);
        for_each(
            step->gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
                p.directions[i] = direction_pack(place_pack(p, s.x0[i]), f32x4(0, 0, 0), false);
            });
    }
    return p;
}

void pack_positions_alone(Step *step, PackView *pack)
{
    if (pack->directions) {
        pack->places = scratch<uint2>(step->gpu, step->view.n);
        PackView p = *pack;
        for_each(
            step->gpu, (uint64_t)step->view.n + 1,
            OOZE_BODY(uint32_t i) { p.places[i] = place_of(p, i); });
    }
}

void pack_hourglass(Step *step, const PackView *pack, const float *hourglass)
{
    if (!pack->directions) {
        return;
    }
    HourglassRange none = {INFINITY, 0.0f};
    StoreSum<HourglassRange> store = {const_cast<HourglassRange *>(pack->hourglass)};
    sum_particles(
        step->gpu, step->view.n, none,
        OOZE_BODY(uint32_t i) {
            float n = hourglass[i];
            HourglassRange range = {n > 0.0f ? n : INFINITY, n};
            return range;
        },
        store);
}

/* Edge to particle j in steps; last lane: its weight over s.strain. */
OOZE_DEVICE float4 packed_delta(const StepView &s, const PackView &p, float4 here, uint32_t j)
{
    float4 there = place_get(place_of(p, j)), d = there - here;
    d.w = packed_weight(p.step * p.step * s.inverse2, dot(d, d) + there.w);
    return d;
}

void pack_sums(Step *step, PackView *pack)
{
    pack->sums = scratch<float4>(step->gpu, step->view.n);
    StepView s = step->view;
    PackView p = *pack;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float4 here = place_get(place_of(p, i));
            float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f;
            each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
                float4 d = packed_delta(s, p, here, j);
                x += d.w * d.x;
                y += d.w * d.y;
                z += d.w * d.z;
                w += d.w;
            });
            float scale = s.strain, step = scale * p.step;
            float4 sum = make_float4(step * x, step * y, step * z, scale * w);
            each_wall(s, i, [&](uint32_t b) {
                Delta d = delta<true>(s, s.x0[i], s.walls.position[b]);
                float f = wall_weight(s, d.r2, b);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
                sum.w += f;
            });
            p.sums[i] = sum;
        });
}

void pack_sum_edges(Step *step, const PackView *pack, const float *a, float *to)
{
    StepView s = step->view;
    PackView p = *pack;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float4 here = place_get(place_of(p, i));
            float sum = 0.0f;
            each_neighbour<1>(s.fluid, i, 0,
                              [&](uint32_t j) { sum += packed_delta(s, p, here, j).w * a[j]; });
            to[i] = s.strain * sum;
        });
}

} // namespace ooze
