/* The GPU as an engine of a world: see world/engine.h. */
#include "cuda/engine.cuh"

#include <cstdio>
#include <new>

#include "cuda/bounds.cuh"
#include "cuda/device.h"
#include "cuda/method.cuh"
#include "cuda/sources.cuh"

namespace ooze
{

static Engine *engine_of(void *data)
{
    return static_cast<Engine *>(data);
}

static OozeStatus ended(Engine *e, OozeError *error)
{
    return status(&e->gpu, e->store.n, error);
}

/* ---- the GPU -------------------------------------------------------------------------- */

static bool engine_available(char *text, size_t size)
{
    return ooze_cuda_describe(text, size) > 0;
}

static bool engine_supports(const OozeMethod *method, const OozeStepContext *context, char *why,
                            size_t size)
{
    const DeviceMethod *found = device_method_find(method->info.name);
    if (!found) {
        char names[128];
        device_method_names(names, sizeof names);
        snprintf(why, size, "the GPU takes steps of methods %s, not of '%s'", names,
                 method->info.name);
        return false;
    }
    return !found->supports || found->supports(context, why, size);
}

static void engine_destroy(void *data)
{
    Engine *e = engine_of(data);
    Gpu *m = &e->gpu;
    if (e->method->destroy) {
        e->method->destroy(e, e->method_data);
    }
    walls_free(m, &e->walls);
    solids_free(m, &e->solids);
    lists_free(m, &e->fluid);
    lists_free(m, &e->fluid_walls);
    lists_free(m, &e->near);
    lists_free(m, &e->near_walls);
    grid_free(m, &e->grid);
    store_free(m, &e->store);
    gpu_destroy(m);
    ooze_free(e);
}

static OozeStatus engine_create(OozeWorld *world, const OozeMethod *method, void **data,
                                OozeError *error)
{
    (void)world;
    Engine *e = static_cast<Engine *>(ooze_alloc_zero(1, sizeof *e));
    *data = e;
    if (!e) {
        return ooze_fail_memory(error, "the GPU's book-keeping", sizeof *e);
    }
    /* for tests of the rounded gathers on few particles, and of the others on many */
    const char *pack_from = getenv("OOZE_PACK_FROM");
    e->pack_from = pack_from ? strtoull(pack_from, nullptr, 10) : (uint64_t)PACK_FROM;
    e->near.passing = e->near_walls.passing = true;
    e->method = device_method_find(method->info.name);
    OozeStatus answer = OOZE_OK;
    if (!gpu_create(&e->gpu)) {
        answer = ended(e, error);
        answer = answer ? answer : ooze_fail_memory(error, "the GPU's book-keeping", 0);
    }
    if (!answer && e->method->create) {
        answer = e->method->create(e, &e->method_data, error);
    }
    if (answer) {
        engine_destroy(e);
        *data = nullptr;
    }
    return answer;
}

static void engine_facts(const void *data, OozeEngineFacts *facts)
{
    const Engine *e = static_cast<const Engine *>(data);
    *facts = {e->store.n, e->fluid.pairs, e->walls.count > 0 ? e->fluid_walls.pairs : 0,
              e->gpu.held, free_bytes()};
}

static void engine_wait(void *data)
{
    gpu_wait(&engine_of(data)->gpu);
}

/* ---- particles -------------------------------------------------------------------------- */

static OozeStatus engine_upload(void *data, const OozeParticles *particles,
                                const OozeFieldView *arrays, OozeError *error)
{
    Engine *e = engine_of(data);
    OozeStatus answer = store_upload(&e->gpu, &e->store, particles, error);
    return answer || !arrays ? answer : e->method->restore(e, e->method_data, arrays, error);
}

static OozeStatus engine_download(void *data, OozeParticles *particles, OozeFieldView *arrays,
                                  OozeError *error)
{
    Engine *e = engine_of(data);
    OozeStatus answer = store_download(&e->gpu, &e->store, particles, error);
    return answer || !arrays ? answer : e->method->save(e, e->method_data, arrays, error);
}

static OozeStatus engine_append(void *data, const OozeParticles *newcomers, OozeError *error)
{
    Engine *e = engine_of(data);
    return store_append(&e->gpu, &e->store, newcomers, error);
}

static OozeStatus engine_remove(void *data, const OozeSink *sinks, int count, double time,
                                uint64_t *removed, OozeError *error)
{
    return sources_remove(engine_of(data), sinks, count, time, removed, error);
}

static OozeStatus engine_prescribe(void *data, const OozeEmitter *emitter, double time,
                                   uint16_t mark, OozeError *error)
{
    return sources_prescribe(engine_of(data), emitter, time, mark, error);
}

static OozeStatus engine_fastest(void *data, double *speed, OozeError *error)
{
    Engine *e = engine_of(data);
    *speed = fastest_speed(&e->gpu, &e->store);
    return ended(e, error);
}

static OozeStatus engine_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    Engine *e = engine_of(data);
    wrap_positions(&e->gpu, &e->store, periodic);
    return ended(e, error);
}

/* ---- a substep -------------------------------------------------------------------------- */

static OozeStatus engine_sort(void *data, const OozeStepContext *context, float low[3],
                              float high[3], OozeError *error)
{
    Engine *e = engine_of(data);
    Gpu *m = &e->gpu;
    scratch_reset(m);
    OozeStatus answer = grid_sort(m, &e->grid, store_positions(&e->store), e->store.n,
                                  context->support, &context->periodic, error);
    ooze_timer_lap(context->timer, "sort");
    if (!answer && e->store.n > 0) {
        memcpy(low, e->grid.low, sizeof e->grid.low);
        memcpy(high, e->grid.high, sizeof e->grid.high);
        answer = store_reorder(m, &e->store, e->grid.order, error);
        ooze_timer_lap(context->timer, "reorder");
    }
    return answer;
}

static OozeStatus engine_find_neighbours(void *data, const OozeStepContext *context, bool resampled,
                                         OozeError *error)
{
    Engine *e = engine_of(data);
    Gpu *m = &e->gpu;
    const float4 *x = store_positions(&e->store);
    OozeStatus answer = solids_send(m, &e->solids, context, error);
    answer = answer ? answer : walls_update(m, &e->walls, context, resampled, error);
    ooze_timer_add(context->timer, "boundary");
    if (!answer) {
        answer =
            lists_build(m, &e->fluid, &e->grid, {x, e->store.n, x, context->support, true}, error);
        ooze_timer_lap(context->timer, "lists");
    }
    if (!answer && e->walls.count > 0) {
        answer =
            lists_build(m, &e->fluid_walls, &e->walls.grid,
                        {x, e->store.n, e->walls.view.position, context->support, false}, error);
        ooze_timer_lap(context->timer, "boundary_lists");
    }
    return answer;
}

static OozeStatus engine_step(void *data, OozeStepContext *context, OozeError *error)
{
    Engine *e = engine_of(data);
    return e->method->step(e, e->method_data, context, error);
}

static OozeStatus engine_finish(void *data, const OozePeriodic *periodic, float fastest,
                                float farthest, OozeEngineEnd *end, OozeError *error)
{
    Engine *e = engine_of(data);
    *end = check_bounds(&e->gpu, &e->store, periodic, fastest, farthest);
    return ended(e, error);
}

} // namespace ooze

#ifdef __CUDACC__
#define STAND_IN false
#else
#define STAND_IN true
#endif

extern "C" const OozeEngine ooze_cuda_engine = {
    "cuda",
    STAND_IN,
    true,
    ooze::engine_available,
    ooze::engine_supports,
    ooze::engine_create,
    ooze::engine_destroy,
    ooze::engine_facts,
    ooze::engine_wait,
    ooze::engine_upload,
    ooze::engine_download,
    ooze::engine_append,
    ooze::engine_remove,
    ooze::engine_prescribe,
    ooze::engine_fastest,
    ooze::engine_wrap,
    ooze::engine_sort,
    ooze::engine_find_neighbours,
    ooze::engine_step,
    ooze::engine_finish,
};
