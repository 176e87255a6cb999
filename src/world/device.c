/* Chooses the engine that takes the steps, and moves particle data between host and engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "world/world.h"

enum { TEXT_BYTES = 256 };

static const char *const device_names[OOZE_DEVICE_COUNT] = {
    [OOZE_DEVICE_AUTO] = "auto",
    [OOZE_DEVICE_CPU] = "cpu",
    [OOZE_DEVICE_CUDA] = "cuda",
};

/* ---- choosing --------------------------------------------------------------------------- */

OozeStatus ooze_device_choose(OozeDevice *device, OozeError *error)
{
    const char *text = getenv("OOZE_DEVICE");
    if ((unsigned)*device >= OOZE_DEVICE_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeDevice", "%d is no device",
                         (int)*device);
    }
    if (*device != OOZE_DEVICE_AUTO || !text || !text[0]) {
        return OOZE_OK;
    }
    for (int i = 0; i < OOZE_DEVICE_COUNT; i++) {
        if (strcmp(text, device_names[i]) == 0) {
            *device = (OozeDevice)i;
            return OOZE_OK;
        }
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use cpu, cuda or auto, or unset it",
                     "the environment variable OOZE_DEVICE is '%.40s', which is no device", text);
}

OozeStatus ooze_device_missing(OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                     "build with `cmake --preset cuda`, or use device cpu",
                     "this build of ooze has no CUDA back end, so device cuda cannot be used");
}

OozeStatus ooze_device_unusable(const char *why, OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use device cpu",
                     "device cuda cannot be used: %s", why);
}

OozeStatus ooze_world_open_device(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    world->device = world->def.device;
    OozeStatus status = ooze_device_choose(&world->device, error);
    if (status || world->device == OOZE_DEVICE_CPU) {
        return status;
    }
    world->gpu_engine = ooze_engine_find(device_names[OOZE_DEVICE_CUDA]);
    if (world->device == OOZE_DEVICE_AUTO) {
        return OOZE_OK;
    }
    if (!world->gpu_engine) {
        return ooze_device_missing(error);
    }
    if (!world->gpu_engine->available(text, sizeof text)) {
        return ooze_device_unusable(text, error);
    }
    return OOZE_OK;
}

/* A description of the GPU if it can take the next step, else NULL, with the reason in `text`. */
static const char *check_gpu_engine(OozeWorld *world, char *text, size_t size)
{
    const OozeEngine *engine = world->gpu_engine;
    bool explicit_choice = world->device == OOZE_DEVICE_CUDA;
    OozeStepContext context = ooze_world_step_context(world);
    if (!engine || (engine->stand_in && !explicit_choice)) {
        snprintf(text, size, "this build has no CUDA back end");
        return NULL;
    }
    if (!engine->supports(world->method, &context, text, size)) {
        return NULL;
    }
    if (world->engine == engine) {
        return "as before";
    }
    return engine->available(text, size) ? text : NULL;
}

bool ooze_world_expects_gpu(OozeWorld *world)
{
    char text[TEXT_BYTES] = "";
    /* several processes use GPUs where these are asked for */
    bool may_choose = world->device == OOZE_DEVICE_AUTO && !world->ranks;
    return world->device == OOZE_DEVICE_CUDA ||
           (may_choose && check_gpu_engine(world, text, sizeof text));
}

void ooze_world_close_engine(OozeWorld *world)
{
    world->engine->destroy(world->engine_data);
    world->engine_data = NULL;
    world->data_location = OOZE_DATA_ON_HOST;
    world->engine_speed = NAN;
    world->timer.wait = NULL;
    world->timer.counts = NULL;
}

static OozeStatus switch_engine(OozeWorld *world, const OozeEngine *engine, OozeError *error)
{
    void *data = NULL;
    OozeStatus status = ooze_world_own_on_host(world, error);
    status = status ? status : engine->create(world, world->method, &data, error);
    if (!status) {
        ooze_world_close_engine(world);
        world->engine = engine;
        world->engine_data = data;
        world->samples_sent = false;
    }
    return status;
}

/* A GPU that is present but cannot be used is an error for device cuda; for device auto, `found`
   becomes NULL and the processor takes the steps. */
static OozeStatus start_gpu_engine(OozeWorld *world, const char **found, char *text, size_t size,
                                   OozeError *error)
{
    OozeError why = {0};
    OozeStatus status = switch_engine(world, world->gpu_engine, &why);
    if (status && world->device == OOZE_DEVICE_CUDA) {
        return ooze_fail(error, status, why.hint, "%s", why.message);
    }
    if (status) {
        snprintf(text, size, "%.200s", why.message);
        world->gpu_engine = NULL;
        *found = NULL;
    }
    return OOZE_OK;
}

void ooze_world_set_ranks(OozeWorld *world, OozeRanks *ranks)
{
    world->ranks = ranks && ranks->count > 1 ? ranks : NULL;
}

OozeRanks *ooze_world_ranks(const OozeWorld *world)
{
    return world->ranks;
}

static OozeStatus choose_ranks_engine(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    OozeStepContext context = ooze_world_step_context(world);
    const OozeEngine *gpu = world->device == OOZE_DEVICE_CUDA ? world->gpu_engine : NULL;
    if (!ooze_ranks_engine.supports(world->method, &context, text, sizeof text)) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use one process",
                         "%d processes cannot share these steps, because %s", world->ranks->count,
                         text);
    }
    snprintf(text, sizeof text, "this build cannot divide them");
    if (gpu && !(gpu->supports_ranks && gpu->supports(world->method, &context, text, sizeof text) &&
                 gpu->supports_ranks(world->method, &context, text, sizeof text))) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use device cpu, or one process",
                         "%d processes cannot share these steps on GPUs, because %s",
                         world->ranks->count, text);
    }
    return world->engine == &ooze_ranks_engine ? OOZE_OK
                                               : switch_engine(world, &ooze_ranks_engine, error);
}

static OozeStatus refuse_steps(const char *reason, OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use device cpu or auto",
                     "device cuda cannot take these steps, because %s", reason);
}

OozeStatus ooze_world_check_engine(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    bool needs_gpu = world->device == OOZE_DEVICE_CUDA && !world->ranks;
    return !needs_gpu || check_gpu_engine(world, text, sizeof text) ? OOZE_OK
                                                                    : refuse_steps(text, error);
}

OozeStatus ooze_world_choose_engine(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    if (world->ranks) {
        return choose_ranks_engine(world, error);
    }
    if (world->device == OOZE_DEVICE_CPU) {
        return OOZE_OK;
    }
    const OozeEngine *before = world->engine;
    const char *found = check_gpu_engine(world, text, sizeof text);
    OozeStatus status = OOZE_OK;
    if (!found && world->device == OOZE_DEVICE_CUDA) {
        return refuse_steps(text, error);
    }
    if (found && before == &ooze_cpu_engine) {
        status = start_gpu_engine(world, &found, text, sizeof text, error);
    } else if (!found && before != &ooze_cpu_engine) {
        status = switch_engine(world, &ooze_cpu_engine, error);
    }
    if (!status && (!world->engine_logged || before != world->engine)) {
        world->engine_logged = true;
        ooze_world_log(world, OOZE_LOG_INFO, "steps are taken by the %s: %s",
                       found ? "GPU" : "processor", text);
    }
    return status;
}

void ooze_world_time_parts(OozeWorld *world)
{
    world->timer.wait = world->engine->wait;
    world->timer.engine = world->engine_data;
    world->timer.counts = world->engine->counts ? world->engine->counts(world->engine_data) : NULL;
    world->timer.last_counts =
        world->timer.counts ? *world->timer.counts : (OozeEngineCounts){0, 0};
}

/* ---- copies between host and engine ----------------------------------------------------- */

/* Views of the method's arrays without data. */
static void describe_arrays(const OozeMethod *method, OozeFieldView *arrays)
{
    for (int i = 0; i < method->array_count; i++) {
        arrays[i] = (OozeFieldView){.name = method->arrays[i].name,
                                    .type = method->arrays[i].type,
                                    .components = method->arrays[i].components,
                                    .stride = method->arrays[i].stride};
    }
}

OozeStatus ooze_world_sync_to_host(OozeWorld *world, OozeError *error)
{
    OozeFieldView arrays[OOZE_METHOD_ARRAYS_MAX];
    const OozeFieldView *views[OOZE_METHOD_ARRAYS_MAX];
    const OozeMethod *method = world->method;
    if (world->data_location != OOZE_DATA_ON_ENGINE) {
        return OOZE_OK;
    }
    bool copied = method->array_count > 0 && world->engine->own_memory;
    describe_arrays(method, arrays);
    for (int i = 0; i < method->array_count; i++) {
        views[i] = &arrays[i];
    }
    OozeStatus status = world->engine->download(world->engine_data, world->particles,
                                                copied ? arrays : NULL, error);
    if (!status && copied) {
        OozeStepContext context = ooze_world_step_context(world);
        status = method->restore(world->method_data, &context, views, error);
    }
    if (!status) {
        world->data_location = OOZE_DATA_ON_BOTH;
    }
    return status;
}

OozeStatus ooze_world_own_on_host(OozeWorld *world, OozeError *error)
{
    OozeStatus status = ooze_world_sync_to_host(world, error);
    if (!status) {
        world->data_location = OOZE_DATA_ON_HOST;
    }
    return status;
}

static OozeStatus upload_all(OozeWorld *world, OozeError *error)
{
    OozeFieldView arrays[OOZE_METHOD_ARRAYS_MAX];
    bool copied = world->method->array_count > 0 && world->engine->own_memory;
    describe_arrays(world->method, arrays);
    OozeStatus status = copied ? world->method->save(world->method_data, arrays, error) : OOZE_OK;
    world->engine_speed = NAN;
    return status ? status
                  : world->engine->upload(world->engine_data, world->particles,
                                          copied ? arrays : NULL, error);
}

OozeStatus ooze_world_upload(OozeWorld *world, OozeError *error)
{
    OozeStatus status =
        world->data_location == OOZE_DATA_ON_HOST ? upload_all(world, error) : OOZE_OK;
    if (!status) {
        world->data_location = OOZE_DATA_ON_ENGINE;
    }
    return status;
}

uint64_t ooze_world_particle_count(const OozeWorld *world)
{
    OozeEngineFacts facts;
    if (world->data_location != OOZE_DATA_ON_ENGINE) {
        return ooze_particles_count(world->particles);
    }
    world->engine->facts(world->engine_data, &facts);
    return facts.particles;
}

/* ---- arrivals -------------------------------------------------------------------------- */

OozeStatus ooze_world_begin_arrivals(OozeWorld *world, OozeParticles **arrivals, OozeError *error)
{
    OozeStatus status = world->arrivals ? OOZE_OK : ooze_particles_create(&world->arrivals, error);
    status =
        status ? status : ooze_particles_match_fields(world->particles, world->arrivals, error);
    status = status ? status : ooze_particles_resize(world->arrivals, 0, error);
    if (!status) {
        ooze_particles_set_next_id(world->arrivals, ooze_particles_next_id(world->particles));
        *arrivals = world->arrivals;
    }
    return status;
}

OozeStatus ooze_world_append_arrivals(OozeWorld *world, OozeError *error)
{
    if (ooze_particles_count(world->arrivals) == 0) {
        return OOZE_OK;
    }
    ooze_particles_set_next_id(world->particles, ooze_particles_next_id(world->arrivals));
    world->engine_speed = NAN;
    return world->engine->append(world->engine_data, world->arrivals, error);
}
