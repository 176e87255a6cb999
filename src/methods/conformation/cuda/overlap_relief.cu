/* Relief of overlaps: see methods/conformation/cpu/overlap_relief.c. */
#include "cuda/rank_sums.cuh"
#include "cuda/shape_distance.cuh"
#include "methods/conformation/cuda/positions.cuh"
#include "methods/conformation/overlap_relief_formula.h"

namespace ooze
{

/* Of all particles. */
struct Extremes {
    OozeReliefExtremes range;
    float any_buried; /* not 0: some particle is buried in a solid */
    __device__ void operator+=(const Extremes &o)
    {
        range = ooze_relief_widen(range, o.range);
        any_buried = o.any_buried > any_buried ? o.any_buried : any_buried;
    }
};

/* A solid in which particles are buried was placed there. Relief restarts for all particles within
   a support of it. has_buried: per solid, whether particles are buried in it. */
OOZE_DEVICE void reset_near_buried(const StepView &s, const uint8_t *has_buried, double support,
                                   uint32_t i)
{
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        OozeVec3 normal;
        if (has_buried[k] && solid_near(solid, s.x0[i], s.support, false) &&
            solid_distance(solid, widen(s.x0[i]), &normal) < support) {
            s.relief_progress[i] = 0.0f;
        }
    }
}

OozeStatus set_density_targets(OozeConformationStep *of, OozeError *)
{
    Step *step = step_of(of);
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    const OozeStepContext *c = step->context;
    const float4 g = f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z);
    Extremes none = {{-INFINITY, INFINITY, 0.0f}, 0.0f};
    Extremes *all = scratch<Extremes>(gpu, 1);
    StoreSum<Extremes> store = {all};
    const uint64_t solids = s.buried_in ? (uint64_t)s.solids.count : 0;
    uint8_t *has_buried = scratch<uint8_t>(gpu, solids);
    const double support = c->support;
    clear(gpu, has_buried, solids);
    sum_particles(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            bool buried = s.buried_in && s.buried_in[i] >= 0;
            if (buried) {
                has_buried[s.buried_in[i]] = 1;
            }
            Extremes found = {ooze_relief_extremes_of(&s, i, g), buried ? 1.0f : 0.0f};
            return found;
        },
        store);
    any_over_ranks(gpu, has_buried, solids);
    float tension = step->view.plan->largest_surface_tension;
    float iterations = fmaxf(1.0f, (float)step->view.plan->settings.density_iterations);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            if (s.buried_in && all->any_buried != 0.0f) {
                reset_near_buried(s, has_buried, support, i);
            }
            float on_all = ooze_relief_load(all->range, tension, s.spacing);
            ooze_relief_set_target(&s, i, on_all, iterations);
        });
    return OOZE_OK;
}

OozeStatus end_relief(OozeConformationStep *of, OozeError *)
{
    Step *step = step_of(of);
    const float *largest_shift2 = &step->end->arrival.shift2;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    const float smallest = ooze_relief_shift_square(s.spacing);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            bool restarts = false;
            if (*largest_shift2 > smallest && ooze_relief_follows(&s, i)) {
                float4 own = s.position_only_shift[i];
                float around = dot(own, own);
                each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                    float4 other = s.position_only_shift[j];
                    around = fmaxf(around, dot(other, other));
                });
                restarts = around > smallest;
            }
            ooze_relief_end(&s, i, restarts);
        });
    return OOZE_OK;
}

} // namespace ooze
