/* An engine that does what the processor does, with particles of its own: whatever a world does with it must be
   bitwise what it does without. It counts what goes to and fro. */
#ifndef OOZE_TESTS_UNIT_MIRROR_ENGINE_H
#define OOZE_TESTS_UNIT_MIRROR_ENGINE_H

#include "check.h"

#include "base/fail.h"
#include "world/engine.h"

typedef struct Mirror {
    OozeParticles *store;
    OozeArena *arena;
    OozeGrid *grid;
    OozeNeighbours fluid, walls;
} Mirror;

/* Of all mirrors of the program. */
typedef struct MirrorCounts {
    int alive, uploads, downloads, appends, anew, fastest, waits;
} MirrorCounts;

static MirrorCounts mirror_counts;
static const OozeMethod *mirror_method;
static bool mirror_is_there = true;
static double mirror_refuses = NAN; /* this value of the method's first setting */

static bool mirror_available(char *text, size_t size)
{
    snprintf(text, size, mirror_is_there ? "a mirror" : "the mirror is broken");
    return mirror_is_there;
}

static bool mirror_takes(const OozeMethod *method, const OozeStepContext *context, char *why,
                         size_t size)
{
    mirror_method = method;
    if (!isnan(mirror_refuses) && context->params[0] == mirror_refuses) {
        snprintf(why, size, "it does not like the number %g", mirror_refuses);
        return false;
    }
    return true;
}

static void mirror_destroy(void *data)
{
    Mirror *m = data;
    ooze_particles_destroy(m->store);
    ooze_arena_destroy(m->arena);
    ooze_grid_destroy(m->grid);
    ooze_neighbours_free(&m->fluid);
    ooze_neighbours_free(&m->walls);
    ooze_free(m);
    mirror_counts.alive--;
}

static OozeStatus mirror_create(void **data, OozeError *error)
{
    Mirror *m = ooze_alloc_zero(1, sizeof *m);
    *data = m;
    if (!m) {
        return ooze_fail_memory(error, "a mirror", sizeof *m);
    }
    mirror_counts.alive++;
    m->arena = ooze_arena_create();
    m->grid = ooze_grid_create();
    if (!m->arena || !m->grid || ooze_particles_create(&m->store, error)) {
        mirror_destroy(m);
        return ooze_fail_memory(error, "a mirror", sizeof *m);
    }
    return OOZE_OK;
}

static void mirror_facts(const void *data, OozeEngineFacts *facts)
{
    const Mirror *m = data;
    *facts = (OozeEngineFacts){.particles = ooze_particles_count(m->store),
                               .pairs = m->fluid.pairs,
                               .wall_pairs = m->walls.pairs,
                               .bytes = ooze_particles_bytes(m->store)};
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

static OozeStatus mirror_upload(void *data, const OozeParticles *particles, OozeError *error)
{
    Mirror *m = data;
    int field;
    OozeStatus status = OOZE_OK;
    mirror_counts.uploads++;
    for (int f = ooze_particles_field_count(m->store);
         f < ooze_particles_field_count(particles) && !status; f++) {
        status = ooze_particles_add_field(m->store, ooze_particles_field_info(particles, f), &field,
                                          error);
    }
    status =
        status ? status : ooze_particles_resize(m->store, ooze_particles_count(particles), error);
    if (!status) {
        mirror_copy(particles, m->store, 0);
    }
    return status;
}

static OozeStatus mirror_download(void *data, OozeParticles *particles, OozeError *error)
{
    const Mirror *m = data;
    uint64_t next_id = ooze_particles_next_id(particles);
    mirror_counts.downloads++;
    OozeStatus status = ooze_particles_resize(particles, ooze_particles_count(m->store), error);
    if (!status) {
        mirror_copy(m->store, particles, 0);
    }
    ooze_particles_set_next_id(particles, next_id);
    return status;
}

static OozeStatus mirror_append(void *data, const OozeParticles *newcomers, OozeError *error)
{
    Mirror *m = data;
    uint64_t first = 0;
    mirror_counts.appends++;
    assert_int_equal(ooze_particles_field_count(newcomers), ooze_particles_field_count(m->store));
    OozeStatus status =
        ooze_particles_add(m->store, ooze_particles_count(newcomers), &first, error);
    if (!status) {
        mirror_copy(newcomers, m->store, first);
    }
    return status;
}

static OozeStatus mirror_remove(void *data, const OozeSink *sinks, int count, double time,
                                uint64_t *removed, OozeError *error)
{
    Mirror *m = data;
    uint8_t *remove = calloc(ooze_particles_count(m->store), 1);
    for (int i = 0; i < count; i++) {
        ooze_sink_mark(&sinks[i], NULL, m->store, time, remove);
    }
    OozeStatus status = ooze_particles_remove(m->store, NULL, remove, removed, error);
    free(remove);
    return status;
}

static OozeStatus mirror_lead(void *data, const OozeEmitter *emitter, double time, uint16_t mark,
                              OozeError *error)
{
    Mirror *m = data;
    (void)error;
    ooze_emitter_lead(emitter, m->store, NULL, time, ooze_particles_find_field(m->store, "nozzle"),
                      mark);
    return OOZE_OK;
}

static double mirror_speed(const Mirror *m)
{
    const OozeFloat4 *v = ooze_particles_velocities(m->store);
    float most = 0.0f;
    for (uint64_t i = 0; i < ooze_particles_count(m->store); i++) {
        most = fmaxf(most, v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    }
    return sqrt((double)most);
}

static OozeStatus mirror_fastest(void *data, double *speed, OozeError *error)
{
    (void)error;
    mirror_counts.fastest++;
    *speed = mirror_speed(data);
    return OOZE_OK;
}

static OozeStatus mirror_wrap(void *data, const OozePeriodic *periodic, OozeError *error)
{
    Mirror *m = data;
    (void)error;
    OozeFloat4 *x = ooze_particles_positions(m->store);
    for (uint64_t i = 0; i < ooze_particles_count(m->store); i++) {
        x[i] = ooze_point_wrap(x[i], periodic);
    }
    return OOZE_OK;
}

static OozeStatus mirror_sort(void *data, const OozeStepContext *c, float low[3], float high[3],
                              OozeError *error)
{
    Mirror *m = data;
    uint64_t n = ooze_particles_count(m->store);
    ooze_arena_reset(m->arena);
    OozeStatus status = ooze_grid_sort(m->grid, c->threads, ooze_particles_positions(m->store), n,
                                       c->support, &c->periodic, error);
    if (!status && n > 0) {
        ooze_grid_box(m->grid, low, high);
    }
    return status ? status
                  : ooze_particles_reorder(m->store, c->threads, ooze_grid_order(m->grid), m->arena,
                                           error);
}

static OozeStatus mirror_find(void *data, const OozeStepContext *c, bool anew, OozeError *error)
{
    Mirror *m = data;
    uint64_t n = ooze_particles_count(m->store);
    const OozeFloat4 *x = ooze_particles_positions(m->store);
    mirror_counts.anew += anew;
    OozeStatus status =
        ooze_neighbours_build(&m->fluid, m->grid, c->threads, x, n, x, c->support, true, error);
    if (!status && c->boundary->count > 0) {
        status = ooze_boundary_update(c->boundary, c->threads, c->solids, c->support, &c->periodic,
                                      error);
        status = status ? status
                        : ooze_neighbours_build(&m->walls, c->boundary->grid, c->threads, x, n,
                                                c->boundary->position, c->support, false, error);
        status = status ? status : ooze_boundary_measure(c->boundary, c->threads, &m->walls, error);
    }
    return status;
}

static const void *mirror_field(const Mirror *m, const char *name)
{
    int field = ooze_particles_find_field(m->store, name);
    return field < 0 ? NULL : ooze_particles_data_const(m->store, field);
}

static OozeStatus mirror_step(void *data, OozeStepContext *context, OozeError *error)
{
    Mirror *m = data;
    OozeStepContext own = *context;
    own.particles = m->store;
    own.led = mirror_field(m, "nozzle");
    own.body = mirror_field(m, "body");
    own.pin = mirror_field(m, "pin");
    own.rest = mirror_field(m, "rest_position");
    own.fluid = &m->fluid;
    own.fluid_boundary = &m->walls;
    void *kept = NULL;
    OozeStatus status = mirror_method->create ? mirror_method->create(&kept, error) : OOZE_OK;
    status = status ? status : mirror_method->step(kept, &own, error);
    if (mirror_method->destroy) {
        mirror_method->destroy(kept);
    }
    return status;
}

static OozeStatus mirror_finish(void *data, const OozePeriodic *periodic, float fastest,
                                float farthest, OozeEngineEnd *end, OozeError *error)
{
    Mirror *m = data;
    OozeFloat4 *x = ooze_particles_positions(m->store);
    const OozeFloat4 *v = ooze_particles_velocities(m->store);
    (void)error;
    end->first_bad = UINT64_MAX;
    end->speed = mirror_speed(m);
    for (uint64_t i = 0; i < ooze_particles_count(m->store); i++) {
        float far = x[i].x * x[i].x + x[i].y * x[i].y + x[i].z * x[i].z;
        float fast = v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z;
        if (!(far <= farthest * farthest) || !(fast <= fastest * fastest)) {
            end->first_bad = i < end->first_bad ? i : end->first_bad;
            continue;
        }
        x[i] = ooze_point_wrap(x[i], periodic);
    }
    return OOZE_OK;
}

static const OozeEngine mirror = {
    .name = "mirror",
    .stand_in = true,
    .available = mirror_available,
    .takes = mirror_takes,
    .create = mirror_create,
    .destroy = mirror_destroy,
    .facts = mirror_facts,
    .wait = mirror_wait,
    .upload = mirror_upload,
    .download = mirror_download,
    .append = mirror_append,
    .remove = mirror_remove,
    .lead = mirror_lead,
    .fastest = mirror_fastest,
    .wrap = mirror_wrap,
    .sort = mirror_sort,
    .find_neighbours = mirror_find,
    .step = mirror_step,
    .finish = mirror_finish,
};

#endif
