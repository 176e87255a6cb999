/* The engine of several processes: each takes the steps of a part of the particles on its processor
   or its GPU, and has copies of those of other ranks nearby (particles/halo.h). The world, its
   solids, boundary samples, emitters and settings are the same on all ranks; rank 0 has all
   particles on the host when they are downloaded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "world/ranks_arrays.h"
#include "world/ranks_shares.h"
#include "world/world.h"

typedef struct RanksEngine {
    OozeWorld own; /* what the processor's engine works on: the rank's particles */
    /* The engine of this rank: the processor's, which works on `own`, or the GPU's, which divides
       the particles itself and has them in its memory; `own` then has copies. */
    const OozeEngine *inner;
    void *inner_data;
    bool on_gpu;
    OozeWorld *world; /* of the host */
    OozeRanks *ranks;
    OozeSplit split; /* of the last sort */
    OozeHalo *halo;
    OozeRanksArrays arrays;
    uint64_t total; /* particles of all ranks */
    OozeRanksShares shares;
    uint64_t fast_first,
        fast_count; /* of ranks_find_fast: those of ranks before, and of this one */
} RanksEngine;

static bool ranks_available(char *text, size_t size)
{
    snprintf(text, size, "several processes");
    return true;
}

static bool ranks_supports(const OozeMethod *method, const OozeStepContext *context, char *why,
                           size_t size)
{
    const char *reason = NULL;
    if (!method->ghost_fields) {
        snprintf(why, size, "the method '%s' runs on one process only", method->info.name);
        return false;
    }
    bool bodies = context->body_count > 0 && !method->shares_bodies;
    reason = bodies ? "particle bodies need one process with this method" : reason;
    reason = !reason && method->refuses_ranks ? method->refuses_ranks(context) : reason;
    if (reason) {
        snprintf(why, size, "%s", reason);
    }
    return !reason;
}

/* ---- memory ----------------------------------------------------------------------------- */

static void ranks_destroy(void *data)
{
    RanksEngine *engine = data;
    OozeWorld *own = &engine->own;
    if (engine->inner_data) {
        engine->inner->destroy(engine->inner_data);
    }
    if (own->method && own->method->destroy && own->method_data) {
        own->method->destroy(own->method_data);
    }
    ooze_particles_destroy(own->particles);
    ooze_arena_destroy(own->arena);
    ooze_grid_destroy(own->grid);
    ooze_neighbours_free(&own->fluid);
    ooze_neighbours_free(&own->fluid_boundary);
    ooze_split_free(&engine->split);
    ooze_halo_destroy(engine->halo);
    ooze_ranks_arrays_free(&engine->arrays);
    ooze_ranks_shares_free(&engine->shares);
    ooze_free(engine);
}

static OozeStatus fill_engine(RanksEngine *engine, OozeError *error)
{
    OozeWorld *own = &engine->own;
    own->arena = ooze_arena_create();
    own->grid = ooze_grid_create();
    engine->halo = ooze_halo_create(engine->ranks);
    if (!own->arena || !own->grid || !engine->halo ||
        !ooze_ranks_shares_create(&engine->shares, engine->ranks)) {
        return ooze_fail_memory(error, "sharing steps among processes", sizeof *engine);
    }
    ooze_halo_set_layers(engine->halo, own->method->ghost_layers > 1 ? 2 : 1);
    OozeStatus status = ooze_particles_create(&own->particles, error);
    status = status ? status : engine->inner->create(own, own->method, &engine->inner_data, error);
    return status || !own->method->create ? status : own->method->create(&own->method_data, error);
}

static OozeStatus ranks_create(OozeWorld *world, const OozeMethod *method, void **data,
                               OozeError *error)
{
    RanksEngine *engine = ooze_alloc_zero(1, sizeof *engine);
    if (!engine) {
        return ooze_fail_memory(error, "sharing steps among processes", sizeof *engine);
    }
    engine->world = world;
    engine->ranks = engine->split.ranks = world->ranks;
    engine->on_gpu = world->device == OOZE_DEVICE_CUDA;
    engine->inner = engine->on_gpu ? world->gpu_engine : &ooze_cpu_engine;
    engine->own = (OozeWorld){.method = method,
                              .ranks = world->ranks,
                              .threads = world->threads,
                              .periodic = world->periodic,
                              .nozzle_field = -1,
                              .temperature_field = -1};
    OozeStatus status = fill_engine(engine, error);
    if (status) {
        ranks_destroy(engine);
        engine = NULL;
    }
    *data = engine;
    return status;
}

static void ranks_facts(const void *data, OozeEngineFacts *facts)
{
    const RanksEngine *engine = data;
    if (engine->on_gpu) {
        engine->inner->facts(engine->inner_data, facts);
        facts->particles = engine->total;
        return;
    }
    *facts = (OozeEngineFacts){
        .particles = engine->total,
        .pairs = engine->own.fluid.pairs,
        .wall_pairs = engine->own.fluid_boundary.pairs,
        .bytes = ooze_particles_bytes(engine->own.particles) +
                 ooze_neighbours_bytes(&engine->own.fluid) + ooze_halo_bytes(engine->halo) +
                 ooze_split_bytes(&engine->split),
    };
}

/* ---- particles -------------------------------------------------------------------------- */

static size_t field_size(const OozeParticles *particles, int field)
{
    const OozeFieldInfo *info = ooze_particles_field_info(particles, field);
    return ooze_field_type_size(info->type) * (size_t)info->stride;
}

/* Bytes between rank 0, which has `total` elements, and the ranks, which have counts[r]. */
static void to_or_from_first(const RanksEngine *engine, const uint64_t *counts, size_t size,
                             uint64_t *all, uint64_t *own)
{
    const OozeRanks *ranks = engine->ranks;
    all[0] = own[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        all[r + 1] = all[r] + (ranks->rank == 0 ? counts[r] * size : 0);
        own[r + 1] = own[r] + (r == 0 ? counts[ranks->rank] * size : 0);
    }
}

/* Copies all fields from the store of rank 0 to the parts of all ranks, or from these to it. */
static OozeStatus copy_parts(RanksEngine *engine, OozeParticles *all, const uint64_t *counts,
                             bool from_first, OozeError *error)
{
    OozeRanks *ranks = engine->ranks;
    OozeParticles *part = engine->own.particles;
    uint64_t *all_at = ooze_alloc(2 * ((size_t)ranks->count + 1), sizeof *all_at);
    OozeStatus status = all_at ? OOZE_OK : ooze_fail_memory(error, "messages", 0);
    for (int f = 0; f < ooze_particles_field_count(part) && !status; f++) {
        uint64_t *own_at = all_at + ranks->count + 1;
        void *all_data = ooze_particles_data(all, f), *data = ooze_particles_data(part, f);
        to_or_from_first(engine, counts, field_size(part, f), all_at, own_at);
        if (from_first) {
            ranks->exchange(ranks, all_data, all_at, data, own_at);
        } else {
            ranks->exchange(ranks, data, own_at, all_data, all_at);
        }
    }
    ooze_free(all_at);
    return status;
}

/* Numbers of particles of the ranks; the caller frees them. */
static uint64_t *gather_counts(RanksEngine *engine, uint64_t own)
{
    uint64_t *counts = ooze_alloc((size_t)engine->ranks->count, sizeof *counts);
    if (counts) {
        engine->ranks->gather(engine->ranks, &own, sizeof own, counts);
    }
    return counts;
}

/* A GPU gets the method's arrays of all ranks, and keeps a part of them. */
static OozeStatus upload_own(RanksEngine *engine, const OozeFieldView *arrays, OozeError *error)
{
    OozeFieldView all[OOZE_METHOD_ARRAYS_MAX];
    OozeRanksArrays copies = {{NULL}};
    const bool sends = engine->on_gpu && arrays;
    OozeStatus status = sends ? ooze_ranks_broadcast_arrays(engine->ranks, engine->own.method,
                                                            arrays, all, &copies, error)
                              : OOZE_OK;
    status = status ? status
                    : engine->inner->upload(engine->inner_data, engine->own.particles,
                                            sends ? all : NULL, error);
    ooze_ranks_arrays_free(&copies);
    return status;
}

/* Rank 0 has the particles: others may have none, as they place none. */
static OozeStatus ranks_upload(void *data, const OozeParticles *particles,
                               const OozeFieldView *arrays, OozeError *error)
{
    RanksEngine *engine = data;
    OozeWorld *own = &engine->own;
    uint64_t facts[3] = {ooze_particles_count(particles), ooze_particles_next_id(particles),
                         engine->world->needs_wrap};
    uint64_t ranks = (uint64_t)engine->ranks->count, rank = (uint64_t)engine->ranks->rank;
    engine->ranks->broadcast(engine->ranks, facts, sizeof facts);
    engine->total = facts[0];
    ooze_particles_set_next_id(engine->world->particles, facts[1]);
    engine->world->needs_wrap = facts[2] != 0; /* rank 0 has placed the particles */
    if (engine->world->bodies.count > 0) {     /* ids of those that place no particles differ */
        engine->ranks->broadcast(engine->ranks, engine->world->bodies.items,
                                 (uint64_t)engine->world->bodies.count *
                                     sizeof *engine->world->bodies.items);
    }
    uint64_t begin = facts[0] * rank / ranks, end = facts[0] * (rank + 1) / ranks;
    OozeStatus status = ooze_particles_match_fields(particles, own->particles, error);
    status = status ? status : ooze_particles_reserve(own->particles, end - begin, error);
    uint64_t *counts = status ? NULL : gather_counts(engine, end - begin);
    if (!status) {
        ooze_particles_set_count(own->particles, end - begin);
        status = copy_parts(engine, engine->world->particles, counts, true, error);
    }
    ooze_free(counts);
    status = status ? status : upload_own(engine, arrays, error);
    if (!status && rank > 0) {
        status = ooze_particles_release(engine->world->particles, error);
    }
    own->nozzle_field = ooze_particles_find_field(own->particles, "nozzle");
    own->temperature_field = ooze_particles_find_field(own->particles, "temperature");
    if (!status && arrays && !engine->on_gpu) {
        OozeStepContext context = ooze_world_step_context(engine->world);
        context.particles = own->particles;
        status = ooze_ranks_divide_arrays(engine->ranks, own->method, own->method_data, &context,
                                          arrays, error);
    }
    return status;
}

/* Copies the particles of rank 0's host to the hosts of all ranks. */
static OozeStatus copy_to_all(RanksEngine *engine, OozeParticles *particles, OozeError *error)
{
    uint64_t n = engine->total;
    OozeStatus status = ooze_particles_reserve(particles, n, error);
    for (int f = 0; f < ooze_particles_field_count(particles) && !status; f++) {
        engine->ranks->broadcast(engine->ranks, ooze_particles_data(particles, f),
                                 n * field_size(particles, f));
    }
    if (!status) {
        ooze_particles_set_count(particles, n);
    }
    return status;
}

static OozeStatus ranks_download(void *data, OozeParticles *particles, OozeFieldView *arrays,
                                 OozeError *error)
{
    RanksEngine *engine = data;
    uint64_t wanted = engine->ranks->rank == 0 ? engine->total : 0;
    OozeStatus found = engine->inner->download(engine->inner_data, engine->own.particles,
                                               engine->on_gpu ? arrays : NULL, error);
    if (!found && arrays && !engine->on_gpu) {
        found = engine->own.method->save(engine->own.method_data, arrays, error);
    }
    if (found) {
        return found;
    }
    uint64_t *counts = gather_counts(engine, ooze_particles_count(engine->own.particles));
    OozeStatus status = counts ? ooze_particles_reserve(particles, wanted, error)
                               : ooze_fail_memory(error, "messages", 0);
    status = status ? status : copy_parts(engine, particles, counts, false, error);
    if (!status) {
        ooze_particles_set_count(particles, wanted);
    }
    ooze_free(counts);
    if (!status && arrays) {
        status =
            ooze_ranks_gather_arrays(engine->ranks, engine->own.method, engine->world->host_has_all,
                                     arrays, &engine->arrays, error);
    }
    return status || !engine->world->host_has_all ? status : copy_to_all(engine, particles, error);
}

/* All ranks have the same arrivals; they are behind all other particles. */
static OozeStatus ranks_append(void *data, const OozeParticles *arrivals, OozeError *error)
{
    RanksEngine *engine = data;
    engine->total += ooze_particles_count(arrivals);
    return engine->ranks->rank + 1 < engine->ranks->count
               ? OOZE_OK
               : engine->inner->append(engine->inner_data, arrivals, error);
}

static OozeStatus ranks_remove(void *data, const OozeSink *sinks, int count, double time,
                               uint64_t *removed, OozeError *error)
{
    RanksEngine *engine = data;
    ooze_arena_reset(engine->own.arena);
    OozeStatus status =
        engine->inner->remove(engine->inner_data, sinks, count, time, removed, error);
    if (!status) {
        engine->ranks->sum(engine->ranks, removed, 1);
        engine->total -= *removed;
    }
    return status;
}

static OozeStatus ranks_prescribe(void *data, const OozeEmitter *emitter, double time,
                                  uint16_t mark, OozeError *error)
{
    const RanksEngine *engine = data;
    return engine->inner->prescribe(engine->inner_data, emitter, time, mark, error);
}

static OozeStatus ranks_fastest(void *data, double *speed, OozeError *error)
{
    RanksEngine *engine = data;
    OozeStatus status = engine->inner->fastest(engine->inner_data, speed, error);
    if (!status) {
        engine->ranks->max(engine->ranks, speed, 1);
    }
    return status;
}

static OozeStatus ranks_find_fast(void *data, const OozeFastQuery *query, OozeFastParticle *found,
                                  uint64_t *count, OozeError *error)
{
    RanksEngine *engine = data;
    uint64_t own = 0, total = 0;
    OozeStatus status = engine->inner->find_fast(engine->inner_data, query, found, &own, error);
    uint64_t *counts = status ? NULL : gather_counts(engine, own);
    OozeFastParticle *copy = NULL;
    for (int r = 0; r < engine->ranks->count && counts; r++) {
        engine->fast_first = r == engine->ranks->rank ? total : engine->fast_first;
        total += counts[r];
        counts[r] *= sizeof *found;
    }
    engine->fast_count = own;
    if (!status && total <= query->capacity) {
        copy = ooze_alloc(own, sizeof *copy);
        status = copy ? OOZE_OK : ooze_fail_memory(error, "fast particles", own * sizeof *copy);
    }
    if (!status && copy) {
        memcpy(copy, found, own * sizeof *copy);
        engine->ranks->gather_varied(engine->ranks, copy, counts, found);
    }
    *count = total;
    ooze_free(copy);
    ooze_free(counts);
    return status;
}

static OozeStatus ranks_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    const RanksEngine *engine = data;
    return engine->inner->wrap(engine->inner_data, periodic, error);
}

/* ---- a substep -------------------------------------------------------------------------- */

/* Moves all fields to the ranks that have the particles from now on. */
static OozeStatus migrate(RanksEngine *engine, OozeError *error)
{
    OozeParticles *store = engine->own.particles;
    int count = ooze_particles_field_count(store);
    OozeStatus status = ooze_particles_reserve(store, engine->split.after, error);
    OozeColumn *columns = ooze_alloc((size_t)count, sizeof *columns);
    if (!status && !columns) {
        status = ooze_fail_memory(error, "messages", (size_t)count * sizeof *columns);
    }
    for (int f = 0; f < count && !status; f++) {
        void *data = ooze_particles_data(store, f);
        columns[f] = (OozeColumn){data, data, field_size(store, f)};
    }
    status = status ? status : ooze_split_move(&engine->split, columns, count, error);
    if (!status) {
        ooze_particles_set_count(store, engine->split.after);
    }
    ooze_free(columns);
    return status;
}

static OozeStatus ranks_sort(void *data, const OozeStepContext *c, float low[3], float high[3],
                             OozeError *error)
{
    RanksEngine *engine = data;
    OozeWorld *own = &engine->own;
    if (engine->on_gpu) {
        return engine->inner->sort(engine->inner_data, c, low, high, error);
    }
    ooze_arena_reset(own->arena);
    ooze_ranks_shares_update(&engine->shares, engine->ranks, ooze_particles_count(own->particles),
                             engine->total);
    OozeSplitPoints points = {ooze_particles_positions(own->particles),
                              ooze_particles_count(own->particles), c->support, &c->periodic};
    OozeStatus status =
        ooze_split_find(&engine->split, own->threads, &points, engine->shares.cuts, error);
    engine->total = engine->split.total;
    if (status || engine->total == 0) {
        return status;
    }
    memcpy(low, engine->split.low, sizeof engine->split.low);
    memcpy(high, engine->split.high, sizeof engine->split.high);
    float unused[2][3];
    status = migrate(engine, error);
    ooze_timer_lap(c->timer, "migrate");
    return status ? status : ooze_cpu_engine.sort(own, c, unused[0], unused[1], error);
}

static OozeStatus ranks_find_cells(void *data, const OozeCellMap *map, float speed,
                                   OozeCellSet *cells, OozeError *error)
{
    RanksEngine *engine = data;
    OozeCellSet own = {0};
    OozeStatus status = engine->inner->find_cells(engine->inner_data, map, speed, &own, error);
    uint64_t total = 0, *counts = NULL;
    if (!status) {
        ooze_cell_set_sort(&own);
        counts = gather_counts(engine, own.count);
        for (int r = 0; r < engine->ranks->count && counts; r++) {
            total += counts[r];
            counts[r] *= sizeof *own.keys;
        }
        status = counts ? ooze_cell_set_reserve(cells, total, error)
                        : ooze_fail_memory(error, "messages", 0);
    }
    if (!status) {
        engine->ranks->gather_varied(engine->ranks, own.keys, counts, cells->keys);
        cells->count = total;
    }
    ooze_free(counts);
    ooze_cell_set_free(&own);
    return status;
}

/* The context of this rank's particles. */
static OozeStepContext own_context(RanksEngine *engine, const OozeStepContext *context)
{
    OozeStepContext own = *context;
    OozeWorld *world = &engine->own;
    own.particles = world->particles;
    own.halo = engine->halo;
    own.prescribed = ooze_particles_find_data(world->particles, "nozzle");
    own.body = ooze_particles_find_data(world->particles, "body");
    own.pin = ooze_particles_find_data(world->particles, "pin");
    own.rest = ooze_particles_find_data(world->particles, "rest_position");
    own.temperature = ooze_particles_find_data(world->particles, "temperature");
    own.phase = ooze_particles_find_data(world->particles, "phase");
    own.fluid = &world->fluid;
    own.fluid_boundary = &world->fluid_boundary;
    return own;
}

static void copy_ghost_field(RanksEngine *engine, const char *name)
{
    OozeParticles *store = engine->own.particles;
    int field = ooze_particles_find_field(store, name);
    if (field >= 0) {
        ooze_halo_refresh(engine->halo, ooze_particles_data(store, field),
                          field_size(store, field));
    }
}

/* Positions of the ghosts, and the fields that the method reads at them. */
static OozeStatus copy_ghosts(RanksEngine *engine, OozeError *error)
{
    OozeParticles *store = engine->own.particles;
    uint64_t n = ooze_particles_count(store);
    OozeStatus status = ooze_particles_reserve(store, ooze_halo_local(engine->halo, n), error);
    if (status) {
        return status;
    }
    ooze_halo_refresh(engine->halo, ooze_particles_positions(store), sizeof(OozeFloat4));
    for (const char *const *name = engine->own.method->ghost_fields; *name; name++) {
        copy_ghost_field(engine, *name);
    }
    if (engine->own.temperature_field >= 0) { /* of the heat stage, and of coefficients */
        copy_ghost_field(engine, "material");
        copy_ghost_field(engine, "temperature");
    }
    return OOZE_OK;
}

static OozeStatus ranks_find_neighbours(void *data, const OozeStepContext *c, bool resampled,
                                        OozeError *error)
{
    RanksEngine *engine = data;
    if (engine->on_gpu) {
        return engine->inner->find_neighbours(engine->inner_data, c, resampled, error);
    }
    OozeStatus status = ooze_halo_find(engine->halo, &engine->split,
                                       ooze_particles_positions(engine->own.particles), error);
    status = status ? status : copy_ghosts(engine, error);
    ooze_timer_lap(c->timer, "ghosts");
    OozeStepContext own = own_context(engine, c);
    return status ? status : ooze_cpu_engine.find_neighbours(&engine->own, &own, resampled, error);
}

static OozeStatus ranks_step(void *data, OozeStepContext *context, OozeError *error)
{
    RanksEngine *engine = data;
    if (engine->on_gpu) {
        return engine->inner->step(engine->inner_data, context, error);
    }
    OozeStepContext own = own_context(engine, context);
    double start = ooze_clock(), waited = engine->ranks->traffic.seconds;
    OozeStatus status = engine->own.method->step(engine->own.method_data, &own, error);
    engine->shares.busy += ooze_clock() - start - (engine->ranks->traffic.seconds - waited);
    return status;
}

static OozeStatus ranks_mark_linked(void *data, const OozeStepContext *context,
                                    const uint32_t *particles, int count, bool *linked,
                                    OozeError *error)
{
    RanksEngine *engine = data;
    OozeStepContext own = own_context(engine, context);
    uint32_t *index = ooze_arena_alloc(context->arena, (size_t)count, sizeof *index);
    if (!index) {
        return ooze_fail_memory(error, "fast particles", (uint64_t)count * sizeof *index);
    }
    for (int k = 0; k < count; k++) {
        bool is_own = (uint64_t)k - engine->fast_first < engine->fast_count;
        index[k] = is_own ? particles[k] : UINT32_MAX;
    }
    return engine->own.method->mark_linked(engine->own.method_data, &own, index, count, linked,
                                           error);
}

static OozeStatus ranks_conduct(void *data, OozeHeatJob *job, OozeError *error)
{
    const RanksEngine *engine = data;
    if (engine->on_gpu) {
        return engine->inner->conduct(engine->inner_data, job, error);
    }
    OozeStepContext own = own_context(data, job->context);
    OozeHeatJob here = *job;
    here.context = &own;
    here.temperature = (double *)own.temperature;
    here.phase = (uint8_t *)own.phase;
    return ooze_heat_step(&here, error);
}

static OozeStatus ranks_finish(void *data, const OozePeriodic *periodic, float fastest,
                               float farthest, OozeEngineEnd *end, OozeError *error)
{
    RanksEngine *engine = data;
    OozeStatus status =
        engine->inner->finish(engine->inner_data, periodic, fastest, farthest, end, error);
    double first =
        end->first_bad == UINT64_MAX ? -INFINITY : -(double)(end->first_bad + engine->split.first);
    double most[2] = {first, isnan(end->speed) ? 0.0 : end->speed};
    engine->ranks->max(engine->ranks, most, 2);
    end->first_bad = isfinite(most[0]) ? (uint64_t)-most[0] : UINT64_MAX;
    end->speed = isnan(end->speed) ? NAN : most[1];
    return status;
}

const OozeEngine ooze_ranks_engine = {
    .name = "ranks",
    .own_memory = true,
    .available = ranks_available,
    .supports = ranks_supports,
    .create = ranks_create,
    .destroy = ranks_destroy,
    .facts = ranks_facts,
    .upload = ranks_upload,
    .download = ranks_download,
    .append = ranks_append,
    .remove = ranks_remove,
    .prescribe = ranks_prescribe,
    .fastest = ranks_fastest,
    .find_fast = ranks_find_fast,
    .mark_linked = ranks_mark_linked,
    .wrap = ranks_wrap,
    .sort = ranks_sort,
    .find_cells = ranks_find_cells,
    .find_neighbours = ranks_find_neighbours,
    .step = ranks_step,
    .conduct = ranks_conduct,
    .finish = ranks_finish,
};
