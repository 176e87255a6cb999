#include "cuda/bounds.cuh"

namespace ooze
{

OOZE_DEVICE float4 wrapped(float4 x, OozePeriodic p)
{
    x.x = ooze_periodic_wrap(x.x, p.min[0], p.length[0], p.inverse[0]);
    x.y = ooze_periodic_wrap(x.y, p.min[1], p.length[1], p.inverse[1]);
    x.z = ooze_periodic_wrap(x.z, p.min[2], p.length[2], p.inverse[2]);
    return x;
}

static bool is_open(const OozePeriodic *p)
{
    return p->length[0] == 0.0f && p->length[1] == 0.0f && p->length[2] == 0.0f;
}

void wrap_positions(Gpu *gpu, Store *store, const OozePeriodic *periodic)
{
    float4 *x = store_positions(store);
    OozePeriodic box = *periodic;
    for_each(
        gpu, store->n, OOZE_BODY(uint32_t i) { x[i] = wrapped(x[i], box); });
}

double fastest_speed(Gpu *gpu, const Store *store)
{
    const float4 *v = store_velocities(store);
    Most1 none = {0.0f};
    Most1 most = sum_now(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            Most1 own = {dot(v[i], v[i])};
            return own;
        });
    return sqrt((double)most.a);
}

/* The lowest index of those that are bad, the largest square of a speed. */
struct Ends {
    uint32_t first_bad;
    float square;
    __device__ void operator+=(const Ends &o)
    {
        first_bad = o.first_bad < first_bad ? o.first_bad : first_bad;
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
    bool wraps = !is_open(periodic);
    Ends none = {UINT32_MAX, 0.0f};
    Ends ends = sum_now(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            float4 place = x[i], speed = v[i];
            float square = dot(speed, speed);
            /* false for NaN, and for what has overflowed */
            bool good = dot(place, place) <= far2 && square <= fast2;
            if (good && wraps) {
                x[i] = wrapped(place, box);
            }
            Ends own = {good ? UINT32_MAX : i, square};
            return own;
        });
    OozeEngineEnd end = {ends.first_bad == UINT32_MAX ? UINT64_MAX : ends.first_bad,
                         sqrt((double)ends.square)};
    return end;
}

} // namespace ooze
