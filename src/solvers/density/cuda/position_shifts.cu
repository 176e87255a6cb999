/* Position-only shifts after the iterations of the density stage: relief of overlaps, and drift. */
#include "solvers/density/cuda/sweep.cuh"
#include "solvers/density/density_formula.h"

namespace ooze
{

OOZE_DEVICE float4 limited(float4 a, float limit)
{
    return ooze_shortened(sqrtf(dot(a, a)), limit) * a;
}

OozeStatus density_begin_relief(OozeDensitySweep *step, OozeError *)
{
    const DensitySweep s = *sweep_of(step);
    for_each(
        gpu_of(s.machine), s.n, OOZE_BODY(uint32_t i) {
            s.given.position_only_shift[i] = s.shift[i];
            s.multiplier[i].projected = s.multiplier[i].extrapolated = 0.0f;
        });
    return OOZE_OK;
}

void density_end_relief(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    for_each(
        gpu_of(s.machine), s.n, OOZE_BODY(uint32_t o) {
            float4 before = s.given.position_only_shift[o], by = s.shift[o] - before;
            s.shift[o] = before;
            s.given.position_only_shift[o] =
                is_rigid(s, o) ? f32x4(0, 0, 0)
                               : limited(by, ooze_position_only_limit(s.given.support));
        });
}

/* Whether thread regularisation moves a particle: see OozeDensityJob. */
OOZE_DEVICE bool is_regularised(const DensitySweep &s, uint32_t o)
{
    const OozeSym3 *axes =
        s.given.thread_regularisation ? &s.given.thread_regularisation[o] : nullptr;
    return axes && ooze_thread_is_regularised(*axes);
}

template <int LANES, bool OPEN> static void drift(const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    const float distance = s.given.min_distance, share = s.given.drift_share;
    const float min_distance = distance / s.fixed_point.unit;
    for_lanes<LANES>(
        gpu_of(s.machine), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const uint2 own = s.place[i];
            const bool regularised = is_regularised(s, s.order[i]);
            float4 sum = f32x4(0, 0, 0), crowd = f32x4(0, 0, 0);
            each_neighbour<LANES>(s.near_list, i, lane, [&](uint32_t j) {
                float4 delta = delta_between<OPEN>(s.fixed_point, own, s.place[j]);
                float square = dot(delta, delta);
                bool near =
                    square < min_distance * min_distance && square > 0.0f && j != s.near_list.dummy;
                float inverse = inverse_root(near ? square : 1.0f);
                sum = sum + (near ? share * (min_distance * inverse - 1.0f) : 0.0f) * delta;
                bool other = regularised && square > 0.0f && j != s.near_list.dummy;
                float r = s.fixed_point.unit * sqrtf(other ? square : 1.0f);
                crowd =
                    crowd +
                    (other ? ooze_thread_regularisation_weight(r, s.given.support) : 0.0f) * delta;
            });
            sum = lanes_sum<LANES>(sum);
            crowd = s.given.thread_regularisation ? lanes_sum<LANES>(crowd) : crowd;
            if (lane == 0) {
                uint32_t o = s.order[i];
                if (regularised) {
                    float by[3], from[3] = {crowd.x, crowd.y, crowd.z};
                    ooze_sym3_apply(s.given.thread_regularisation[o], from, by);
                    sum = sum + f32x4(by[0], by[1], by[2]);
                }
                bool moves = !(s.given.mobility && s.given.mobility[o] <= 0.0f) && !is_rigid(s, o);
                s.given.drift[o] =
                    moves ? limited(s.fixed_point.unit * sum, ooze_drift_limit(distance))
                          : f32x4(0, 0, 0);
            }
        });
}

void density_drift(OozeDensitySweep *step)
{
    const DensitySweep *sweep = sweep_of(step);
#define WITH_OPEN_BOX(lanes)     drift<lanes, true>(sweep)
#define WITH_PERIODIC_BOX(lanes) drift<lanes, false>(sweep)
    if (sweep->open) {
        OOZE_LANES(sweep->all, WITH_OPEN_BOX);
    } else {
        OOZE_LANES(sweep->all, WITH_PERIODIC_BOX);
    }
}

} // namespace ooze
