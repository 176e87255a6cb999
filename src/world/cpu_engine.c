/* The processor as an engine: it works on the world's particle store directly, so that upload and
   download copy nothing. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "world/world.h"

enum { GRAIN = 8192 };

static bool cpu_available(char *text, size_t size)
{
    snprintf(text, size, "the processor");
    return true;
}

static bool cpu_supports(const OozeMethod *method, const OozeStepContext *context, char *why,
                         size_t size)
{
    (void)method;
    (void)context;
    (void)why;
    (void)size;
    return true;
}

static OozeStatus cpu_create(OozeWorld *world, const OozeMethod *method, void **data,
                             OozeError *error)
{
    (void)method;
    (void)error;
    *data = world;
    return OOZE_OK;
}

static void cpu_destroy(void *data)
{
    (void)data;
}

static void cpu_facts(const void *data, OozeEngineFacts *facts)
{
    const OozeWorld *world = data;
    *facts = (OozeEngineFacts){
        .particles = ooze_particles_count(world->particles),
        .pairs = world->fluid.pairs,
        .wall_pairs = world->fluid_boundary.pairs,
    };
}

/* ---- particles -------------------------------------------------------------------------- */

static OozeStatus cpu_upload(void *data, const OozeParticles *particles,
                             const OozeFieldView *arrays, OozeError *error)
{
    (void)data;
    (void)particles;
    (void)arrays;
    (void)error;
    return OOZE_OK;
}

static OozeStatus cpu_download(void *data, OozeParticles *particles, OozeFieldView *arrays,
                               OozeError *error)
{
    (void)data;
    (void)particles;
    (void)arrays;
    (void)error;
    return OOZE_OK;
}

/* Arrivals have ids already: the store's next id does not change. */
static OozeStatus cpu_append(void *data, const OozeParticles *arrivals, OozeError *error)
{
    OozeParticles *store = ((OozeWorld *)data)->particles;
    uint64_t first = 0, n = ooze_particles_count(arrivals), next = ooze_particles_next_id(store);
    OozeStatus status = ooze_particles_add(store, n, &first, error);
    for (int f = 0; f < ooze_particles_field_count(store) && !status; f++) {
        const OozeFieldInfo *info = ooze_particles_field_info(store, f);
        size_t size = ooze_field_type_size(info->type) * (size_t)info->stride;
        memcpy((char *)ooze_particles_data(store, f) + first * size,
               ooze_particles_data_const(arrivals, f), n * size);
    }
    ooze_particles_set_next_id(store, next);
    return status;
}

static OozeStatus cpu_remove(void *data, const OozeSink *sinks, int count, double time,
                             uint64_t *removed, OozeError *error)
{
    OozeWorld *world = data;
    uint64_t n = ooze_particles_count(world->particles);
    uint8_t *remove = ooze_arena_alloc(world->arena, n, 1);
    if (!remove) {
        return ooze_fail_memory(error, "removing particles", n);
    }
    memset(remove, 0, n);
    for (int i = 0; i < count; i++) {
        ooze_sink_mark(&sinks[i], world->threads, world->particles, time, remove);
    }
    return ooze_particles_remove(world->particles, world->threads, remove, removed, error);
}

static OozeStatus cpu_prescribe(void *data, const OozeEmitter *emitter, double time, uint16_t mark,
                                OozeError *error)
{
    OozeWorld *world = data;
    (void)error;
    ooze_emitter_prescribe(emitter, world->particles, world->threads, time, world->nozzle_field,
                           mark);
    return OOZE_OK;
}

typedef struct FastestJob {
    const OozeFloat4 *velocities;
    float *squares; /* largest squared speed of each chunk */
} FastestJob;

static float speed_square(const OozeFloat4 *v)
{
    return v->x * v->x + v->y * v->y + v->z * v->z;
}

static void fastest_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FastestJob *job = data;
    float largest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        float square = speed_square(&job->velocities[i]);
        largest = square > largest ? square : largest;
    }
    job->squares[begin / GRAIN] = largest;
}

static OozeStatus cpu_fastest(void *data, double *speed, OozeError *error)
{
    OozeWorld *world = data;
    uint64_t n = ooze_particles_count(world->particles);
    FastestJob job = {
        .velocities = ooze_particles_velocities(world->particles),
        .squares = ooze_arena_alloc(world->arena, n / GRAIN + 1, sizeof *job.squares),
    };
    if (!job.squares) {
        return ooze_fail_memory(error, "the length of a step", n / GRAIN * sizeof *job.squares);
    }
    ooze_parallel_for(world->threads, n, GRAIN, fastest_range, &job);
    float largest = 0.0f;
    for (uint64_t k = 0; k * GRAIN < n; k++) {
        largest = fmaxf(largest, job.squares[k]);
    }
    *speed = sqrt((double)largest);
    return OOZE_OK;
}

typedef struct FastJob {
    const OozeFloat4 *velocities;
    float square;     /* of the speed that they exceed */
    uint64_t *counts; /* per chunk */
} FastJob;

static void count_fast_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FastJob *job = data;
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        count += speed_square(&job->velocities[i]) > job->square;
    }
    job->counts[begin / GRAIN] = count;
}

/* Stores the particles that were counted, chunk by chunk. */
static void store_fast(OozeParticles *particles, const OozeFastQuery *query, const FastJob *job,
                       OozeFastParticle *found)
{
    uint64_t n = ooze_particles_count(particles), stored = 0;
    const OozeFloat4 *x = ooze_particles_positions(particles), *v = job->velocities;
    const uint16_t *nozzle = ooze_particles_find_data(particles, "nozzle");
    const uint16_t *body = ooze_particles_find_data(particles, "body");
    const uint8_t *bound = ooze_particles_find_data(particles, query->bound_field);
    for (uint64_t i = 0; i < n; i++) {
        if (i % GRAIN == 0 && job->counts[i / GRAIN] == 0) {
            i += GRAIN - 1;
        } else if (speed_square(&v[i]) > job->square) {
            found[stored++] = (OozeFastParticle){
                .index = (uint32_t)i,
                .bound = (nozzle && nozzle[i] != 0) || (body && body[i] != 0) ||
                         (bound && bound[i] != 0),
                .position = {x[i].x, x[i].y, x[i].z},
                .velocity = {v[i].x, v[i].y, v[i].z},
            };
        }
    }
}

static OozeStatus cpu_find_fast(void *data, const OozeFastQuery *query, OozeFastParticle *found,
                                uint64_t *count, OozeError *error)
{
    OozeWorld *world = data;
    uint64_t n = ooze_particles_count(world->particles), chunks = n / GRAIN + 1;
    OozeArenaMark mark = ooze_arena_mark(world->arena);
    FastJob job = {
        .velocities = ooze_particles_velocities(world->particles),
        .square = query->speed * query->speed,
        .counts = ooze_arena_alloc(world->arena, chunks, sizeof *job.counts),
    };
    if (!job.counts) {
        return ooze_fail_memory(error, "the length of a step", chunks * sizeof *job.counts);
    }
    ooze_parallel_for(world->threads, n, GRAIN, count_fast_range, &job);
    *count = 0;
    for (uint64_t k = 0; k * GRAIN < n; k++) {
        *count += job.counts[k];
    }
    if (*count <= query->capacity) {
        store_fast(world->particles, query, &job, found);
    }
    ooze_arena_rewind(world->arena, mark);
    return OOZE_OK;
}

static void wrap_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeWorld *world = data;
    OozeFloat4 *x = ooze_particles_positions(world->particles);
    for (uint64_t i = begin; i < end; i++) {
        x[i] = ooze_point_wrap(x[i], &world->periodic);
    }
}

static OozeStatus cpu_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    OozeWorld *world = data;
    (void)periodic;
    (void)error;
    ooze_parallel_for(world->threads, ooze_particles_count(world->particles), GRAIN, wrap_range,
                      world);
    return OOZE_OK;
}

/* ---- a substep -------------------------------------------------------------------------- */

static OozeStatus cpu_sort(void *data, const OozeStepContext *context, float low[3], float high[3],
                           OozeError *error)
{
    OozeWorld *world = data;
    uint64_t n = ooze_particles_count(world->particles);
    OozeStatus status =
        ooze_grid_sort(world->grid, world->threads, ooze_particles_positions(world->particles), n,
                       context->support, &context->periodic, error);
    ooze_timer_lap(context->timer, "sort");
    if (!status) {
        if (n > 0) {
            ooze_grid_box(world->grid, low, high);
        }
        status = ooze_particles_reorder(world->particles, world->threads,
                                        ooze_grid_order(world->grid), world->arena, error);
        ooze_timer_lap(context->timer, "reorder");
    }
    return status;
}

typedef struct CellsJob {
    const OozeFloat4 *positions, *velocities;
    const OozeCellMap *map;
    float square;     /* of the largest speed */
    uint64_t *keys;   /* per particle; those of a chunk at its beginning */
    uint64_t *counts; /* per chunk: its keys */
} CellsJob;

/* A table of cells that were found lately removes most repetitions. */
static void find_cells_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const CellsJob *job = data;
    enum { RECENT_BITS = 8 };
    uint64_t recent[1 << RECENT_BITS], count = 0;
    for (int k = 0; k < 1 << RECENT_BITS; k++) {
        recent[k] = UINT64_MAX;
    }
    for (uint64_t i = begin; i < end; i++) {
        const OozeFloat4 *x = &job->positions[i];
        if (speed_square(&job->velocities[i]) > job->square) {
            continue;
        }
        uint64_t key = ooze_cell_of(job->map, vec3((double)x->x, (double)x->y, (double)x->z));
        uint64_t *slot = &recent[key * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)];
        if (*slot != key) {
            job->keys[begin + count++] = *slot = key;
        }
    }
    job->counts[begin / GRAIN] = count;
}

static OozeStatus cpu_find_cells(void *data, const OozeCellMap *map, float speed,
                                 OozeCellSet *cells, OozeError *error)
{
    OozeWorld *world = data;
    uint64_t n = ooze_particles_count(world->particles);
    OozeArenaMark mark = ooze_arena_mark(world->arena);
    CellsJob job = {
        .positions = ooze_particles_positions(world->particles),
        .velocities = ooze_particles_velocities(world->particles),
        .map = map,
        .square = speed * speed,
        .keys = ooze_arena_alloc(world->arena, n + 1, sizeof *job.keys),
        .counts = ooze_arena_alloc(world->arena, n / GRAIN + 1, sizeof *job.counts),
    };
    if (!job.keys || !job.counts) {
        return ooze_fail_memory(error, "the cells of particles", n * sizeof *job.keys);
    }
    ooze_parallel_for(world->threads, n, GRAIN, find_cells_range, &job);
    OozeStatus status = OOZE_OK;
    for (uint64_t k = 0; k * GRAIN < n && !status; k++) {
        status = ooze_cell_set_reserve(cells, cells->count + job.counts[k], error);
        for (uint64_t i = 0; i < job.counts[k] && !status; i++) {
            cells->keys[cells->count++] = job.keys[k * GRAIN + i];
        }
    }
    ooze_arena_rewind(world->arena, mark);
    return status;
}

/* Moves boundary samples with their solids, then builds the lists of samples near particles and
   their volumes. */
static OozeStatus update_boundary(OozeWorld *world, const OozeStepContext *c, OozeError *error)
{
    OozeBoundary *boundary = c->boundary;
    OozeStatus status =
        ooze_boundary_update(boundary, world->threads, c->solids, c->support, &c->periodic, error);
    ooze_timer_add(c->timer, "boundary");
    if (!status) {
        status =
            ooze_neighbours_build(&world->fluid_boundary, boundary->grid, world->threads,
                                  &(OozeNeighbourQuery){ooze_particles_positions(world->particles),
                                                        ooze_particles_count(world->particles),
                                                        boundary->position, c->support, false},
                                  error);
        ooze_timer_lap(c->timer, "boundary_lists");
    }
    if (!status) {
        status = ooze_boundary_measure(boundary, world->threads, &world->fluid_boundary, error);
        ooze_timer_add(c->timer, "boundary");
    }
    return status;
}

static OozeStatus cpu_find_neighbours(void *data, const OozeStepContext *c, bool resampled,
                                      OozeError *error)
{
    OozeWorld *world = data;
    OozeStatus status = OOZE_OK;
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    (void)resampled;
    if (!world->method->ignores_fluid || world->temperature_field >= 0) {
        OozeNeighbourQuery query = {x, ooze_particles_count(world->particles), x, c->support, true};
        status = c->halo ? ooze_halo_lists(c->halo, &world->fluid, world->grid, world->threads,
                                           &query, &c->periodic, error)
                         : ooze_neighbours_build(&world->fluid, world->grid, world->threads, &query,
                                                 error);
        ooze_timer_lap(c->timer, "lists");
    }
    if (!status && world->method->uses_boundary_neighbours && c->boundary->count > 0) {
        status = update_boundary(world, c, error);
    }
    return status;
}

static OozeStatus cpu_step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeWorld *world = data;
    return world->method->step(world->method_data, context, error);
}

static OozeStatus cpu_conduct(void *data, OozeHeatJob *job, OozeError *error)
{
    (void)data;
    return ooze_heat_step(job, error);
}

typedef struct FinishJob {
    OozeFloat4 *positions;
    const OozeFloat4 *velocities;
    OozePeriodic periodic;
    float fastest, farthest;
    _Atomic uint64_t first_bad; /* lowest index of a particle out of bounds or not finite */
} FinishJob;

static void wrap_and_check(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    FinishJob *job = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 *x = &job->positions[i];
        const OozeFloat4 *v = &job->velocities[i];
        /* false for NaN and for overflow */
        bool near = x->x * x->x + x->y * x->y + x->z * x->z <= job->farthest * job->farthest;
        bool slow = speed_square(v) <= job->fastest * job->fastest;
        if (!near || !slow) {
            uint64_t lowest = atomic_load(&job->first_bad);
            while (i < lowest && !atomic_compare_exchange_weak(&job->first_bad, &lowest, i)) {
            }
            continue;
        }
        *x = ooze_point_wrap(*x, &job->periodic);
    }
}

static OozeStatus cpu_finish(void *data, const OozePeriodic *periodic, float fastest,
                             float farthest, OozeEngineEnd *end, OozeError *error)
{
    OozeWorld *world = data;
    (void)error;
    FinishJob job = {
        .positions = ooze_particles_positions(world->particles),
        .velocities = ooze_particles_velocities(world->particles),
        .periodic = *periodic,
        .fastest = fastest,
        .farthest = farthest,
        .first_bad = UINT64_MAX,
    };
    ooze_parallel_for(world->threads, ooze_particles_count(world->particles), GRAIN, wrap_and_check,
                      &job);
    *end = (OozeEngineEnd){.first_bad = atomic_load(&job.first_bad), .speed = NAN};
    return OOZE_OK;
}

const OozeEngine ooze_cpu_engine = {
    .name = "cpu",
    .available = cpu_available,
    .supports = cpu_supports,
    .create = cpu_create,
    .destroy = cpu_destroy,
    .facts = cpu_facts,
    .upload = cpu_upload,
    .download = cpu_download,
    .append = cpu_append,
    .remove = cpu_remove,
    .prescribe = cpu_prescribe,
    .fastest = cpu_fastest,
    .find_fast = cpu_find_fast,
    .wrap = cpu_wrap,
    .sort = cpu_sort,
    .find_cells = cpu_find_cells,
    .find_neighbours = cpu_find_neighbours,
    .step = cpu_step,
    .conduct = cpu_conduct,
    .finish = cpu_finish,
};
