#include "cuda/sources.cuh"

#include "cuda/shape_distance.cuh"

namespace ooze
{

static OozeStatus mark_removed(Engine *engine, const OozeSink *sink, uint8_t *remove,
                               OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    ShapeView shape;
    OozeStatus result = shape_send(gpu, &engine->solids, sink->shape, &shape, error);
    if (result) {
        return result;
    }
    OozePose pose = sink->pose;
    OozeBounds bounds = ooze_shape_bounds(sink->shape);
    const float4 *x = store_positions(&engine->store);
    for_each(
        gpu, engine->store.n, OOZE_BODY(uint32_t i) {
            if (ooze_placed_contains(&shape, &pose, &bounds, widen(x[i]))) {
                remove[i] = 1;
            }
        });
    return OOZE_OK;
}

OozeStatus sources_remove(Engine *engine, const OozeSink *sinks, int count, double time,
                          uint64_t *removed, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    uint64_t n = engine->store.n;
    int open = 0;
    *removed = 0;
    for (int k = 0; k < count; k++) {
        open += ooze_sink_is_open(&sinks[k], time);
    }
    if (open == 0 || n == 0) {
        return OOZE_OK;
    }
    Mark mark = scratch_mark(gpu);
    uint8_t *remove = scratch<uint8_t>(gpu, n);
    clear(gpu, remove, n);
    OozeStatus result = OOZE_OK;
    for (int k = 0; k < count && !result; k++) {
        if (ooze_sink_is_open(&sinks[k], time)) {
            result = mark_removed(engine, &sinks[k], remove, error);
        }
    }
    result = result ? result : store_remove(gpu, &engine->store, remove, removed, error);
    scratch_rewind(gpu, mark);
    return result ? result : status(gpu, n, error);
}

OozeStatus sources_prescribe(Engine *engine, const OozeEmitter *emitter, double time, uint16_t mark,
                             OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    const Store *store = &engine->store;
    OozeNozzleFlow flow;
    uint16_t *prescribed = static_cast<uint16_t *>(store_data(store, "nozzle"));
    if (prescribed && ooze_emitter_flow_at(emitter, time, &flow)) {
        const float4 *x = store_positions(store);
        float4 *v = store_velocities(store);
        for_each(
            gpu, store->n, OOZE_BODY(uint32_t i) {
                if (prescribed[i] != mark) {
                    return;
                }
                OozeVec3 velocity;
                if (ooze_nozzle_velocity(&flow, widen(x[i]), &velocity)) {
                    v[i] = narrow(velocity);
                } else {
                    prescribed[i] = 0;
                }
            });
    }
    return status(gpu, store->n, error);
}

} // namespace ooze
