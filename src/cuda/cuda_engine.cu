/* The GPU as an engine of a world: see world/engine.h. */
#include "cuda/engine.cuh"

#include <cstdio>
#include <new>

#include "cuda/bounds.cuh"
#include "cuda/device.h"
#include "cuda/heat.cuh"
#include "cuda/method.cuh"
#include "cuda/probes.cuh"
#include "cuda/ranks.cuh"
#include "cuda/sources.cuh"

extern "C" {
#include "base/clock.h"
}

namespace ooze
{

static Engine *engine_of(void *data)
{
    return static_cast<Engine *>(data);
}

static OozeStatus check(Engine *e, OozeError *error)
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
        snprintf(why, size, "method '%s' runs on the processor alone", method->info.name);
        return false;
    }
    return !found->supports || found->supports(context, why, size);
}

static bool engine_supports_ranks(const OozeMethod *method, const OozeStepContext *context,
                                  char *why, size_t size)
{
    const DeviceMethod *found = device_method_find(method->info.name);
    return !found->supports_ranks || found->supports_ranks(context, why, size);
}

static void engine_destroy(void *data)
{
    Engine *e = engine_of(data);
    Gpu *gpu = &e->gpu;
    if (e->method->destroy) {
        e->method->destroy(e, e->method_data);
    }
    fetches_free(gpu, &e->fetches);
    walls_free(gpu, &e->walls);
    solids_free(gpu, &e->solids);
    lists_free(gpu, &e->fluid);
    lists_free(gpu, &e->fluid_walls);
    lists_free(gpu, &e->near);
    lists_free(gpu, &e->near_walls);
    grid_free(gpu, &e->grid);
    store_free(gpu, &e->store);
    share_destroy(gpu, gpu->share);
    gpu->share = nullptr;
    gpu_destroy(gpu);
    ooze_free(e);
}

static OozeStatus engine_create(OozeWorld *world, const OozeMethod *method, void **data,
                                OozeError *error)
{
    OozeRanks *ranks = ooze_world_ranks(world);
    Engine *e = static_cast<Engine *>(ooze_alloc_zero(1, sizeof *e));
    *data = e;
    if (!e) {
        return ooze_fail_memory(error, "the GPU's book-keeping", sizeof *e);
    }
    /* for tests of the rounded gathers on few particles, and of the others on many */
    const char *pack_from = getenv("OOZE_PACK_FROM");
    e->counts_launches = true;
    e->pack_from = pack_from ? strtoull(pack_from, nullptr, 10) : few_particles();
    e->near.temporary = e->near_walls.temporary = true;
    e->method = device_method_find(method->info.name);
    e->uses_lists = !method->ignores_fluid;
    OozeStatus result = OOZE_OK;
    if (ranks) {
        ooze_cuda_select(ranks->host_rank);
    }
    if (!gpu_create(&e->gpu)) {
        result = check(e, error);
        result = result ? result : ooze_fail_memory(error, "the GPU's book-keeping", 0);
    }
    if (!result && ranks) {
        e->gpu.share = share_create(ranks);
        result = e->gpu.share ? OOZE_OK : ooze_fail_memory(error, "sharing steps", 0);
    }
    if (!result && e->method->create) {
        result = e->method->create(e, &e->method_data, error);
    }
    if (result) {
        engine_destroy(e);
        *data = nullptr;
    }
    return result;
}

static void engine_facts(const void *data, OozeEngineFacts *facts)
{
    const Engine *e = static_cast<const Engine *>(data);
    *facts = {e->store.n, e->fluid.pairs, e->walls.count > 0 ? e->fluid_walls.pairs : 0,
              e->gpu.allocated, free_bytes()};
}

static void engine_wait(void *data)
{
    gpu_wait(&engine_of(data)->gpu);
}

static const OozeEngineCounts *engine_counts(const void *data)
{
    return &static_cast<const Engine *>(data)->gpu.counts;
}

/* ---- particles -------------------------------------------------------------------------- */

static OozeStatus engine_upload(void *data, const OozeParticles *particles,
                                const OozeFieldView *arrays, OozeError *error)
{
    Engine *e = engine_of(data);
    OozeStatus result = store_upload(&e->gpu, &e->store, particles, error);
    return result || !arrays ? result : e->method->restore(e, e->method_data, arrays, error);
}

static OozeStatus engine_download(void *data, OozeParticles *particles, OozeFieldView *arrays,
                                  OozeError *error)
{
    Engine *e = engine_of(data);
    OozeStatus result = store_download(&e->gpu, &e->store, particles, error);
    return result || !arrays ? result : e->method->save(e, e->method_data, arrays, error);
}

static bool engine_fetch(void *data, OozeFetch *fetch, OozeFieldView *fields, int count)
{
    return fetch_begin(engine_of(data), fetch, fields, count);
}

static OozeStatus engine_append(void *data, const OozeParticles *arrivals, OozeError *error)
{
    Engine *e = engine_of(data);
    return store_append(&e->gpu, &e->store, arrivals, error);
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
    return check(e, error);
}

static OozeStatus engine_find_fast(void *data, const OozeFastQuery *query, OozeFastParticle *found,
                                   uint64_t *count, OozeError *error)
{
    Engine *e = engine_of(data);
    scratch_reset(&e->gpu); /* a new substep: memory of the last one is free */
    return find_fast(&e->gpu, &e->store, query, found, count, error);
}

static OozeStatus engine_measure(void *data, const OozeProbeQuery *query, const double *masses,
                                 int count, double *values, OozeError *error)
{
    Engine *e = engine_of(data);
    scratch_reset(&e->gpu); /* between steps: memory of the last one is free */
    return probe_measure(&e->gpu, &e->store, query, masses, count, values, error);
}

static OozeStatus engine_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    Engine *e = engine_of(data);
    wrap_positions(&e->gpu, &e->store, periodic);
    return check(e, error);
}

/* ---- a substep -------------------------------------------------------------------------- */

static OozeStatus engine_sort(void *data, const OozeStepContext *context, float low[3],
                              float high[3], OozeError *error)
{
    Engine *e = engine_of(data);
    Gpu *gpu = &e->gpu;
    scratch_reset(gpu);
    if (gpu->share) {
        return ranks_sort(e, context, low, high, error);
    }
    e->grid.known_box = e->store.box_known ? &e->store.box : nullptr;
    OozeStatus result = grid_sort(gpu, &e->grid, store_positions(&e->store), e->store.n,
                                  context->support, &context->periodic, error);
    ooze_timer_lap(context->timer, "sort");
    if (!result && e->store.n > 0) {
        memcpy(low, e->grid.low, sizeof e->grid.low);
        memcpy(high, e->grid.high, sizeof e->grid.high);
        result = store_reorder(gpu, &e->store, e->grid.order, error);
        ooze_timer_lap(context->timer, "reorder");
    }
    return result;
}

static OozeStatus engine_find_cells(void *data, const OozeCellMap *map, float speed,
                                    OozeCellSet *cells, OozeError *error)
{
    Engine *e = engine_of(data);
    return find_cells(&e->gpu, &e->store, map, speed, cells, error);
}

/* With the ghosts of other ranks. */
static OozeStatus find_particles_near(Engine *e, const OozeStepContext *context, OozeError *error)
{
    Gpu *gpu = &e->gpu;
    OozeStatus result = gpu->share ? ranks_find_ghosts(e, context, error) : OOZE_OK;
    if (!result) {
        const uint64_t n = e->store.n;
        const float4 *x = store_positions(&e->store);
        const ListsJob jobs[] = {{&e->fluid, &e->grid, {x, n, x, context->support, true}, "lists"},
                                 {&e->fluid_walls,
                                  &e->walls.grid,
                                  {x, n, e->walls.view.position, context->support, false},
                                  "boundary_lists"}};
        result = lists_build_all(gpu, jobs, e->walls.count > 0 ? 2 : 1, context->timer, error);
        ooze_timer_add(context->timer, "lists");
    }
    return result;
}

static OozeStatus engine_find_neighbours(void *data, const OozeStepContext *context, bool resampled,
                                         OozeError *error)
{
    Engine *e = engine_of(data);
    OozeStatus result = solids_send(&e->gpu, &e->solids, context, error);
    result = result ? result : walls_update(&e->gpu, &e->walls, context, resampled, error);
    ooze_timer_add(context->timer, "boundary");
    const bool needs_lists = e->uses_lists || e->gpu.share || store_data(&e->store, "temperature");
    return result || !needs_lists ? result : find_particles_near(e, context, error);
}

/* A step that is shared with other ranks. It repeats with more ghosts where some particles move
   farther apart than was expected; it has not changed any by then. */
static OozeStatus shared_step(Engine *e, OozeStepContext *context, OozeError *error)
{
    RankShare *share = e->gpu.share;
    const double start = ooze_clock(), waited = share->ranks->traffic.seconds;
    OozeStatus result = OOZE_OK;
    do {
        if (share->again) {
            ranks_drop_ghosts(e);
            scratch_reset(&e->gpu);
            share->again = false;
            result = find_particles_near(e, context, error);
        }
        result = result ? result : e->method->step(e, e->method_data, context, error);
    } while (share->again && !result);
    if (result || context->report->too_far) { /* else the heat stage reads them */
        ranks_drop_ghosts(e);
    }
    share->shares.busy += ooze_clock() - start - (share->ranks->traffic.seconds - waited);
    return result;
}

static OozeStatus engine_step(void *data, OozeStepContext *context, OozeError *error)
{
    Engine *e = engine_of(data);
    e->store.box_known = false; /* the method moves particles */
    return e->gpu.share ? shared_step(e, context, error)
                        : e->method->step(e, e->method_data, context, error);
}

static OozeStatus engine_conduct(void *data, OozeHeatJob *job, OozeError *error)
{
    return heat_conduct(engine_of(data), job, error);
}

static OozeStatus engine_finish(void *data, const OozePeriodic *periodic, float fastest,
                                float farthest, OozeEngineEnd *end, OozeError *error)
{
    Engine *e = engine_of(data);
    ranks_drop_ghosts(e);
    *end = check_bounds(&e->gpu, &e->store, periodic, fastest, farthest);
    if (e->gpu.share && end->first_bad != UINT64_MAX) {
        end->first_bad += e->gpu.share->first;
    }
    return check(e, error);
}

} // namespace ooze

extern "C" const OozeEngine ooze_cuda_engine = {
    "cuda",
    OOZE_STAND_IN,
    true,
    ooze::engine_available,
    ooze::engine_supports,
    ooze::engine_supports_ranks,
    ooze::engine_create,
    ooze::engine_destroy,
    ooze::engine_facts,
    ooze::engine_wait,
    ooze::engine_counts,
    ooze::engine_upload,
    ooze::engine_download,
    ooze::engine_fetch,
    ooze::engine_append,
    ooze::engine_remove,
    ooze::engine_prescribe,
    ooze::engine_fastest,
    ooze::engine_find_fast,
    nullptr, // mark_linked
    ooze::engine_measure,
    ooze::engine_wrap,
    ooze::engine_sort,
    ooze::engine_find_cells,
    ooze::engine_find_neighbours,
    ooze::engine_step,
    ooze::engine_conduct,
    ooze::engine_finish,
};
