/* Which machine takes the steps, and where the particles are. */
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

/* ---- choosing ----------------------------------------------------------------------------- */

static OozeStatus read_environment(OozeDevice *device, OozeError *error)
{
    const char *text = getenv("OOZE_DEVICE");
    if (!text || !text[0]) {
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

OozeStatus ooze_world_open_device(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    world->device = world->def.device;
    if ((unsigned)world->device >= OOZE_DEVICE_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeDevice", "%d is no device",
                         (int)world->device);
    }
    OozeStatus status =
        world->device == OOZE_DEVICE_AUTO ? read_environment(&world->device, error) : OOZE_OK;
    if (status || world->device == OOZE_DEVICE_CPU) {
        return status;
    }
    world->offered = ooze_engine_find(device_names[OOZE_DEVICE_CUDA]);
    if (world->device == OOZE_DEVICE_AUTO) {
        return OOZE_OK;
    }
    if (!world->offered) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "build with `cmake --preset cuda`, or use device cpu",
                         "this build of ooze has no CUDA back end, so device cuda cannot be used");
    }
    if (!world->offered->available(text, sizeof text)) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use device cpu",
                         "device cuda cannot be used: %s", text);
    }
    return OOZE_OK;
}

/* What there is to say about the machine that takes the steps, if it is to be the engine; NULL: it cannot. */
static const char *consider(OozeWorld *world, char *text, size_t size)
{
    const OozeEngine *engine = world->offered;
    bool asked = world->device == OOZE_DEVICE_CUDA;
    OozeStepContext context = ooze_world_step_context(world);
    if (!engine || (engine->stand_in && !asked)) {
        snprintf(text, size,
                 "this build has no CUDA back end"); /* or an unusable one, told before */
        return NULL;
    }
    if (world->temperature_field >= 0) {
        snprintf(text, size, "heat is conducted on the processor alone");
        return NULL;
    }
    if (world->dynamic_count > 0) {
        snprintf(text, size, "solids with a density are moved on the processor alone");
        return NULL;
    }
    if (!engine->takes(world->method, &context, text, size)) {
        return NULL;
    }
    if (world->engine) {
        return "as before";
    }
    return engine->available(text, size) ? text : NULL;
}

static OozeStatus leave_engine(OozeWorld *world, OozeError *error)
{
    OozeStatus status = ooze_world_take_back(world, error);
    if (!status) {
        ooze_world_close_engine(world);
    }
    return status;
}

/* A machine that is there and yet cannot be had is an error for those who asked for it, and none of `auto`. */
static OozeStatus enter_engine(OozeWorld *world, const char **found, char *text, size_t size,
                               OozeError *error)
{
    OozeError why = {0};
    OozeStatus status = world->offered->create(&world->engine_data, &why);
    if (status && world->device == OOZE_DEVICE_CUDA) {
        return ooze_fail(error, status, why.hint, "%s", why.message);
    }
    if (status) {
        snprintf(text, size, "%.200s", why.message);
        world->offered = NULL;
        *found = NULL;
        return OOZE_OK;
    }
    world->engine = world->offered;
    world->samples_sent = false;
    return OOZE_OK;
}

OozeStatus ooze_world_choose_machine(OozeWorld *world, OozeError *error)
{
    char text[TEXT_BYTES] = "";
    if (world->device == OOZE_DEVICE_CPU) {
        return OOZE_OK;
    }
    bool had = world->engine != NULL, told = world->machine_told;
    const char *found = consider(world, text, sizeof text);
    OozeStatus status = OOZE_OK;
    if (!found && world->device == OOZE_DEVICE_CUDA) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use device cpu or auto",
                         "device cuda cannot take these steps, because %s", text);
    }
    if (found && !had) {
        status = enter_engine(world, &found, text, sizeof text, error);
    } else if (!found && had) {
        status = leave_engine(world, error);
    }
    if (!status && (!told || had != (found != NULL))) {
        world->machine_told = true;
        ooze_world_log(world, OOZE_LOG_INFO, "steps are taken by the %s: %s",
                       found ? "GPU" : "processor", text);
    }
    return status;
}

void ooze_world_close_engine(OozeWorld *world)
{
    if (world->engine) {
        world->engine->destroy(world->engine_data);
    }
    world->engine = NULL;
    world->engine_data = NULL;
    world->holder = OOZE_HOLDER_HOST;
    world->clock.wait = NULL;
}

void ooze_world_time_parts(OozeWorld *world)
{
    world->clock.wait = world->engine ? world->engine->wait : NULL;
    world->clock.machine = world->engine_data;
}

/* ---- where the particles are -------------------------------------------------------------- */

OozeStatus ooze_world_bring_home(OozeWorld *world, OozeError *error)
{
    if (world->holder != OOZE_HOLDER_ENGINE) {
        return OOZE_OK;
    }
    OozeStatus status = world->engine->download(world->engine_data, world->particles, error);
    if (!status) {
        world->holder = OOZE_HOLDER_BOTH;
    }
    return status;
}

OozeStatus ooze_world_take_back(OozeWorld *world, OozeError *error)
{
    OozeStatus status = ooze_world_bring_home(world, error);
    if (!status) {
        world->holder = OOZE_HOLDER_HOST;
    }
    return status;
}

OozeStatus ooze_world_hand_over(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (world->engine && world->holder == OOZE_HOLDER_HOST) {
        world->engine_speed = NAN;
        status = world->engine->upload(world->engine_data, world->particles, error);
    }
    if (world->engine && !status) {
        world->holder = OOZE_HOLDER_ENGINE;
    }
    return status;
}

uint64_t ooze_world_particle_count(const OozeWorld *world)
{
    OozeEngineFacts facts;
    if (world->holder != OOZE_HOLDER_ENGINE) {
        return ooze_particles_count(world->particles);
    }
    world->engine->facts(world->engine_data, &facts);
    return facts.particles;
}

/* ---- newcomers ---------------------------------------------------------------------------- */

/* The same fields in the same order, whatever was added to the world since. */
static OozeStatus match_fields(const OozeParticles *model, OozeParticles *copy, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    int count = ooze_particles_field_count(model), field;
    for (int i = ooze_particles_field_count(copy); i < count && !status; i++) {
        status = ooze_particles_add_field(copy, ooze_particles_field_info(model, i), &field, error);
    }
    return status;
}

OozeStatus ooze_world_open_door(OozeWorld *world, OozeParticles **arrivals, OozeError *error)
{
    *arrivals = world->particles;
    if (!world->engine) {
        return OOZE_OK;
    }
    OozeStatus status = world->arrivals ? OOZE_OK : ooze_particles_create(&world->arrivals, error);
    status = status ? status : match_fields(world->particles, world->arrivals, error);
    status = status ? status : ooze_particles_resize(world->arrivals, 0, error);
    if (!status) {
        ooze_particles_set_next_id(world->arrivals, ooze_particles_next_id(world->particles));
        *arrivals = world->arrivals;
    }
    return status;
}

OozeStatus ooze_world_let_in(OozeWorld *world, OozeError *error)
{
    if (!world->engine || ooze_particles_count(world->arrivals) == 0) {
        return OOZE_OK;
    }
    ooze_particles_set_next_id(world->particles, ooze_particles_next_id(world->arrivals));
    world->engine_speed = NAN;
    return world->engine->append(world->engine_data, world->arrivals, error);
}
