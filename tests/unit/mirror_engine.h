/* The processor's engine with its own particle store: a world with it gives the same bits as
   without. Counts uploads and downloads. */
#ifndef OOZE_TESTS_UNIT_MIRROR_ENGINE_H
#define OOZE_TESTS_UNIT_MIRROR_ENGINE_H

#include "check.h"

#include "base/fail.h"
#include "world/world.h"

typedef struct Mirror {
    OozeWorld shadow; /* what the processor's engine works on: a particle store of its own */
} Mirror;

/* Of all mirrors of the program. */
typedef struct MirrorCounts {
    int alive, uploads, downloads, appends, resampled, fastest, waits;
} MirrorCounts;

static MirrorCounts mirror_counts;
static bool mirror_is_there = true;
static double mirror_refuses = NAN; /* this value of the method's first setting */

static bool mirror_available(char *text, size_t size)
{
    snprintf(text, size, mirror_is_there ? "a mirror" : "the mirror is broken");
    return mirror_is_there;
}

static bool mirror_supports(const OozeMethod *method, const OozeStepContext *context, char *why,
                            size_t size)
{
    (void)method;
    if (!isnan(mirror_refuses) && context->params[0] == mirror_refuses) {
        snprintf(why, size, "it does not like the number %g", mirror_refuses);
        return false;
    }
    return true;
}

static void mirror_destroy(void *data)
{
    OozeWorld *shadow = &((Mirror *)data)->shadow;
    ooze_particles_destroy(shadow->particles);
    ooze_arena_destroy(shadow->arena);
    ooze_grid_destroy(shadow->grid);
    ooze_neighbours_free(&shadow->fluid);
    ooze_neighbours_free(&shadow->fluid_boundary);
    ooze_free(data);
    mirror_counts.alive--;
}

static OozeStatus mirror_create(OozeWorld *world, const OozeMethod *method, void **data,
                                OozeError *error)
{
    Mirror *m = ooze_alloc_zero(1, sizeof *m);
    *data = m;
    if (!m) {
        return ooze_fail_memory(error, "a mirror", sizeof *m);
    }
    mirror_counts.alive++;
    m->shadow = (OozeWorld){.method = method,
                            .threads = world->threads,
                            .periodic = world->periodic,
                            .nozzle_field = -1,
                            .temperature_field = -1,
                            .arena = ooze_arena_create(),
                            .grid = ooze_grid_create()};
    if (!m->shadow.arena || !m->shadow.grid || ooze_particles_create(&m->shadow.particles, error)) {
        mirror_destroy(m);
        return ooze_fail_memory(error, "a mirror", sizeof *m);
    }
    return OOZE_OK;
}

static void mirror_facts(const void *data, OozeEngineFacts *facts)
{
    ooze_cpu_engine.facts(data, facts);
    facts->bytes = ooze_particles_bytes(((const Mirror *)data)->shadow.particles);
}

static void mirror_wait(void *data)
{
    (void)data;
    mirror_counts.waits++;
}

static void mirror_copy(const OozeParticles *from, OozeParticles *to, uint64_t first)
{
    for (int f = 0; f < ooze_particles_field_count(from); f++) {
        const OozeFieldInfo *info = ooze_particles_field_info(from, f);
        size_t size = ooze_field_type_size(info->type) * (size_t)info->stride;
        memcpy((char *)ooze_particles_data(to, f) + first * size,
               ooze_particles_data_const(from, f), ooze_particles_count(from) * size);
    }
}

static OozeStatus mirror_upload(void *data, const OozeParticles *particles,
                                const OozeFieldView *arrays, OozeError *error)
{
    OozeParticles *store = ((Mirror *)data)->shadow.particles;
    int field;
    OozeStatus status = OOZE_OK;
    assert_null(arrays);
    mirror_counts.uploads++;
    for (int f = ooze_particles_field_count(store);
         f < ooze_particles_field_count(particles) && !status; f++) {
        status =
            ooze_particles_add_field(store, ooze_particles_field_info(particles, f), &field, error);
    }
    status = status ? status : ooze_particles_resize(store, ooze_particles_count(particles), error);
    if (!status) {
        mirror_copy(particles, store, 0);
    }
    OozeWorld *shadow = &((Mirror *)data)->shadow;
    shadow->nozzle_field = ooze_particles_find_field(store, "nozzle");
    shadow->temperature_field = ooze_particles_find_field(store, "temperature");
    return status;
}

static OozeStatus mirror_download(void *data, OozeParticles *particles, OozeFieldView *arrays,
                                  OozeError *error)
{
    const OozeParticles *store = ((const Mirror *)data)->shadow.particles;
    uint64_t next_id = ooze_particles_next_id(particles);
    assert_null(arrays);
    mirror_counts.downloads++;
    OozeStatus status = ooze_particles_resize(particles, ooze_particles_count(store), error);
    if (!status) {
        mirror_copy(store, particles, 0);
    }
    ooze_particles_set_next_id(particles, next_id);
    return status;
}

static OozeStatus mirror_append(void *data, const OozeParticles *arrivals, OozeError *error)
{
    mirror_counts.appends++;
    return ooze_cpu_engine.append(data, arrivals, error);
}

static OozeStatus mirror_remove(void *data, const OozeSink *sinks, int count, double time,
                                uint64_t *removed, OozeError *error)
{
    ooze_arena_reset(((Mirror *)data)->shadow.arena);
    return ooze_cpu_engine.remove(data, sinks, count, time, removed, error);
}

static OozeStatus mirror_prescribe(void *data, const OozeEmitter *emitter, double time,
                                   uint16_t mark, OozeError *error)
{
    return ooze_cpu_engine.prescribe(data, emitter, time, mark, error);
}

static OozeStatus mirror_fastest(void *data, double *speed, OozeError *error)
{
    mirror_counts.fastest++;
    return ooze_cpu_engine.fastest(data, speed, error);
}

static OozeStatus mirror_find_fast(void *data, const OozeFastQuery *query, OozeFastParticle *found,
                                   uint64_t *count, OozeError *error)
{
    return ooze_cpu_engine.find_fast(data, query, found, count, error);
}

static OozeStatus mirror_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    return ooze_cpu_engine.wrap(data, periodic, error);
}

static OozeStatus mirror_sort(void *data, const OozeStepContext *c, float low[3], float high[3],
                              OozeError *error)
{
    ooze_arena_reset(((Mirror *)data)->shadow.arena);
    return ooze_cpu_engine.sort(data, c, low, high, error);
}

static OozeStatus mirror_find_cells(void *data, const OozeCellMap *map, float speed,
                                    OozeCellSet *cells, OozeError *error)
{
    return ooze_cpu_engine.find_cells(data, map, speed, cells, error);
}

static OozeStatus mirror_find(void *data, const OozeStepContext *c, bool resampled,
                              OozeError *error)
{
    mirror_counts.resampled += resampled;
    return ooze_cpu_engine.find_neighbours(data, c, resampled, error);
}

static OozeStepContext mirror_context(const OozeWorld *shadow, const OozeStepContext *context)
{
    OozeStepContext own = *context;
    own.particles = shadow->particles;
    own.temperature = ooze_particles_find_data(shadow->particles, "temperature");
    own.phase = ooze_particles_find_data(shadow->particles, "phase");
    own.prescribed = ooze_particles_find_data(shadow->particles, "nozzle");
    own.body = ooze_particles_find_data(shadow->particles, "body");
    own.pin = ooze_particles_find_data(shadow->particles, "pin");
    own.rest = ooze_particles_find_data(shadow->particles, "rest_position");
    own.fluid = &shadow->fluid;
    own.fluid_boundary = &shadow->fluid_boundary;
    return own;
}

static OozeStatus mirror_step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeWorld *shadow = &((Mirror *)data)->shadow;
    OozeStepContext own = mirror_context(shadow, context);
    const OozeMethod *method = shadow->method;
    OozeStatus status = method->create ? method->create(&shadow->method_data, error) : OOZE_OK;
    status = status ? status : ooze_cpu_engine.step(data, &own, error);
    if (method->destroy) {
        method->destroy(shadow->method_data);
    }
    return status;
}

static OozeStatus mirror_conduct(void *data, OozeHeatJob *job, OozeError *error)
{
    const OozeWorld *shadow = &((Mirror *)data)->shadow;
    OozeStepContext own = mirror_context(shadow, job->context);
    OozeHeatJob here = *job;
    here.context = &own;
    here.temperature = (double *)own.temperature;
    here.phase = (uint8_t *)own.phase;
    return ooze_cpu_engine.conduct(data, &here, error);
}

static OozeStatus mirror_finish(void *data, const OozePeriodic *periodic, float fastest,
                                float farthest, OozeEngineEnd *end, OozeError *error)
{
    OozeStatus status = ooze_cpu_engine.finish(data, periodic, fastest, farthest, end, error);
    return status ? status : ooze_cpu_engine.fastest(data, &end->speed, error);
}

static const OozeEngine mirror = {
    .name = "mirror",
    .stand_in = true,
    .own_memory = true,
    .available = mirror_available,
    .supports = mirror_supports,
    .create = mirror_create,
    .destroy = mirror_destroy,
    .facts = mirror_facts,
    .wait = mirror_wait,
    .upload = mirror_upload,
    .download = mirror_download,
    .append = mirror_append,
    .remove = mirror_remove,
    .prescribe = mirror_prescribe,
    .fastest = mirror_fastest,
    .find_fast = mirror_find_fast,
    .wrap = mirror_wrap,
    .sort = mirror_sort,
    .find_cells = mirror_find_cells,
    .find_neighbours = mirror_find,
    .step = mirror_step,
    .conduct = mirror_conduct,
    .finish = mirror_finish,
};

#endif
