#include "cuda/bounds.cuh"

#include "cuda/pairs.cuh"

namespace ooze
{

void wrap_positions(Gpu *gpu, Store *store, const OozePeriodic *periodic)
{
    float4 *x = store_positions(store);
    OozePeriodic box = *periodic;
    for_each(
        gpu, store->n, OOZE_BODY(uint32_t i) { x[i] = wrap_point(box, x[i]); });
}

double fastest_speed(Gpu *gpu, const Store *store)
{
    const float4 *v = store_velocities(store);
    Max1 none = {0.0f};
    Max1 largest = sum_to_host(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            Max1 own = {dot(v[i], v[i])};
            return own;
        });
    return sqrt((double)largest.a);
}

/* Lowest index of a particle out of bounds, and largest square of a speed. */
struct BoundsCheck {
    uint32_t first_invalid;
    float square;
    __device__ void operator+=(const BoundsCheck &o)
    {
        first_invalid = o.first_invalid < first_invalid ? o.first_invalid : first_invalid;
        square = o.square > square ? o.square : square;
    }
};

OozeEngineEnd check_bounds(Gpu *gpu, Store *store, const OozePeriodic *periodic, float fastest,
                           float farthest)
{
    float4 *x = store_positions(store);
    const float4 *v = store_velocities(store);
    float far2 = farthest * farthest, fast2 = fastest * fastest;
    OozePeriodic box = *periodic;
    bool wraps = ooze_periodic_any(periodic);
    BoundsCheck none = {UINT32_MAX, 0.0f};
    BoundsCheck check = sum_to_host(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            float4 place = x[i], speed = v[i];
            float square = dot(speed, speed);
            /* false for NaN and infinity */
            bool valid = dot(place, place) <= far2 && square <= fast2;
            if (valid && wraps) {
                x[i] = wrap_point(box, place);
            }
            BoundsCheck own = {valid ? UINT32_MAX : i, square};
            return own;
        });
    OozeEngineEnd end = {check.first_invalid == UINT32_MAX ? UINT64_MAX : check.first_invalid,
                         sqrt((double)check.square)};
    return end;
}

} // namespace ooze
