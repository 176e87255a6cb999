/* Position-only shifts after the iterations of the density stage: relief of overlaps, and drift. */
#include "cuda/density_sweep.cuh"
#include "solvers/density/density_formula.h"

namespace ooze
{

OOZE_DEVICE float4 limited(float4 a, float limit)
{
    return ooze_shortened(sqrtf(dot(a, a)), limit) * a;
}

static void relief_begin(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            s.position_only_shift[i] = s.shift[i];
            s.multiplier[i].projected = s.multiplier[i].extrapolated = 0.0f;
        });
}

static void relief_end(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t o) {
            float4 before = s.position_only_shift[o], by = s.shift[o] - before;
            s.shift[o] = before;
            s.position_only_shift[o] =
                is_rigid(s, o) ? f32x4(0, 0, 0) : limited(by, ooze_position_only_limit(s.support));
        });
}

void density_relieve(Gpu *gpu, DensitySweep *sweep, bool overlaps)
{
    const DensityIteration iteration = {0, 0.0f, false};
    relief_begin(gpu, sweep);
    sweep->relieving = true;
    for (int k = 0; k < (overlaps ? OOZE_RELIEF_ITERATIONS : 0); k++) {
        density_multipliers(gpu, sweep, iteration);
        density_refresh_multipliers(gpu, sweep);
        density_corrections(gpu, sweep, iteration, false);
        density_refresh_places(gpu, sweep);
        density_swap(sweep);
    }
    density_swap(sweep); /* the push-out works on `next` */
    density_push_out(gpu, sweep, iteration);
    density_refresh_places(gpu, sweep);
    density_swap(sweep);
    relief_end(gpu, sweep);
    sweep->relieving = false;
}

/* Whether thread regularisation moves a particle: see OozeDensityJob. */
OOZE_DEVICE bool is_regularised(const DensitySweep &s, uint32_t o)
{
    const OozeSym3 *axes = s.thread_regularisation ? &s.thread_regularisation[o] : nullptr;
    return axes && axes->xx + axes->yy + axes->zz > 0.0f;
}

template <int LANES, bool OPEN>
static void drift(Gpu *gpu, const DensitySweep *sweep, float distance, float share)
{
    const DensitySweep s = *sweep;
    const float min_distance = distance / s.fixed_point.unit;
    for_lanes<LANES>(
        gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const uint2 own = s.place[i];
            const bool regularised = is_regularised(s, s.order[i]);
            float4 sum = f32x4(0, 0, 0), crowd = f32x4(0, 0, 0);
            each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
                float4 delta = delta_between<OPEN>(s.fixed_point, own, s.place[j]);
                float square = dot(delta, delta);
                bool near =
                    square < min_distance * min_distance && square > 0.0f && j != s.list.dummy;
                float inverse = inverse_root(near ? square : 1.0f);
                sum = sum + (near ? share * (min_distance * inverse - 1.0f) : 0.0f) * delta;
                bool other = regularised && square > 0.0f && j != s.list.dummy;
                float r = s.fixed_point.unit * sqrtf(other ? square : 1.0f);
                crowd = crowd +
                        (other ? ooze_thread_regularisation_weight(r, s.support) : 0.0f) * delta;
            });
            sum = lanes_sum<LANES>(sum);
            crowd = s.thread_regularisation ? lanes_sum<LANES>(crowd) : crowd;
            if (lane == 0) {
                uint32_t o = s.order[i];
                if (regularised) {
                    float by[3], from[3] = {crowd.x, crowd.y, crowd.z};
                    ooze_sym3_apply(s.thread_regularisation[o], from, by);
                    sum = sum + f32x4(by[0], by[1], by[2]);
                }
                bool moves = !(s.mobility && s.mobility[o] <= 0.0f) && !is_rigid(s, o);
                s.drift[o] = moves ? limited(s.fixed_point.unit * sum, ooze_drift_limit(distance))
                                   : f32x4(0, 0, 0);
            }
        });
}

void density_drift(Gpu *gpu, const DensitySweep *sweep, float min_distance, float share)
{
#define WITH_OPEN_BOX(lanes)     drift<lanes, true>(gpu, sweep, min_distance, share)
#define WITH_PERIODIC_BOX(lanes) drift<lanes, false>(gpu, sweep, min_distance, share)
    if (sweep->open) {
        OOZE_LANES(sweep->all, WITH_OPEN_BOX);
    } else {
        OOZE_LANES(sweep->all, WITH_PERIODIC_BOX);
    }
}

} // namespace ooze
