#include "cuda/bounds.cuh"

#include "cuda/pairs.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

void wrap_positions(Gpu *gpu, Store *store, const OozePeriodic *periodic)
{
    float4 *x = store_positions(store);
    OozePeriodic box = *periodic;
    store->box_known = false;
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

/* Lowest index of a particle out of bounds, largest square of a speed, and the box around all. */
struct BoundsCheck {
    uint32_t first_invalid;
    float square;
    PointBox box;
    __device__ void operator+=(const BoundsCheck &o)
    {
        box += o.box;
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
    BoundsCheck none = {UINT32_MAX, 0.0f, box_of_none()};
    BoundsCheck check = sum_to_host(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            float4 place = x[i], speed = v[i];
            float square = dot(speed, speed);
            /* false for NaN and infinity */
            bool valid = dot(place, place) <= far2 && square <= fast2;
            if (valid && wraps) {
                x[i] = place = wrap_point(box, place);
            }
            BoundsCheck own = {valid ? UINT32_MAX : i, square,
                               box_of_point(place.x, place.y, place.z)};
            return own;
        });
    store->box = check.box;
    store->box_known = gpu->failed == cudaSuccess && check.first_invalid == UINT32_MAX;
    OozeEngineEnd end = {check.first_invalid == UINT32_MAX ? UINT64_MAX : check.first_invalid,
                         sqrt((double)check.square)};
    return end;
}

OozeStatus find_fast(Gpu *gpu, const Store *store, const OozeFastQuery *query,
                     OozeFastParticle *found, uint64_t *count, OozeError *error)
{
    Mark mark = scratch_mark(gpu);
    uint64_t capacity = query->capacity;
    OozeFastParticle *list = scratch<OozeFastParticle>(gpu, capacity);
    uint32_t *counter = scratch<uint32_t>(gpu, 1), total = 0;
    const float4 *x = store_positions(store), *v = store_velocities(store);
    const uint16_t *nozzle = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    const uint16_t *body = static_cast<const uint16_t *>(store_data(store, "body"));
    const uint8_t *marked =
        query->bound_field ? static_cast<const uint8_t *>(store_data(store, query->bound_field))
                           : nullptr;
    float limit = query->speed * query->speed;
    clear(gpu, counter, sizeof *counter);
    for_each(
        gpu, store->n, OOZE_BODY(uint32_t i) {
            float4 at = x[i], u = v[i];
            if (dot(u, u) > limit) {
                bool bound = (nozzle && nozzle[i] != 0) || (body && body[i] != 0) ||
                             (marked && marked[i] != 0);
                uint32_t slot = atomicAdd(counter, 1u);
                if (slot < capacity) {
                    list[slot] = {i, bound, {at.x, at.y, at.z}, {u.x, u.y, u.z}};
                }
            }
        });
    copy_out(gpu, &total, counter, sizeof total);
    *count = total;
    OozeStatus result = status(gpu, store->n, error);
    if (!result && total > 0 && total <= capacity) {
        copy_out(gpu, found, list, total * sizeof *found);
        result = status(gpu, store->n, error);
    }
    scratch_rewind(gpu, mark);
    return result;
}

OozeStatus find_cells(Gpu *gpu, const Store *store, const OozeCellMap *map, float speed,
                      OozeCellSet *cells, OozeError *error)
{
    /* a table of cells that were added lately removes most repetitions */
    const uint64_t slots = 1 << 16;
    const unsigned long long none = UINT64_MAX;
    Mark mark = scratch_mark(gpu);
    unsigned long long *recent = scratch<unsigned long long>(gpu, slots);
    unsigned long long *found = scratch<unsigned long long>(gpu, store->n);
    uint32_t *count = scratch<uint32_t>(gpu, 1), total = 0;
    const float4 *x = store_positions(store), *v = store_velocities(store);
    const OozeCellMap to_cell = *map;
    float limit = speed * speed;
    clear(gpu, count, sizeof *count);
    for_each(
        gpu, slots, OOZE_BODY(uint32_t k) { recent[k] = none; });
    for_each(
        gpu, store->n, OOZE_BODY(uint32_t i) {
            if (dot(v[i], v[i]) > limit) {
                return;
            }
            unsigned long long key = ooze_cell_of(&to_cell, widen(x[i]));
            unsigned long long *slot = &recent[key * 0x9e3779b97f4a7c15u >> 48];
            unsigned long long before = *slot;
            if (before != key && atomicCAS(slot, before, key) != key) {
                found[atomicAdd(count, 1u)] = key;
            }
        });
    copy_out(gpu, &total, count, sizeof total);
    OozeStatus result = status(gpu, store->n, error);
    result = result ? result : ooze_cell_set_reserve(cells, total, error);
    if (!result && total > 0) {
        copy_out(gpu, cells->keys, found, total * sizeof *cells->keys);
        cells->count = total;
        result = status(gpu, store->n, error);
    }
    scratch_rewind(gpu, mark);
    return result;
}

} // namespace ooze
