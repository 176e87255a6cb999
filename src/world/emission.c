/* The emission stage: sinks remove particles, emitters add them, nozzles prescribe velocities. */
#include <math.h>

#include "physics/periodic.h"
#include "world/world.h"

static OozeStatus run_sinks(OozeWorld *world, OozeError *error)
{
    uint64_t removed = 0;
    if (world->sinks.count == 0 || ooze_world_particle_count(world) == 0) {
        return OOZE_OK;
    }
    OozeStatus status = world->engine->remove(world->engine_data, world->sinks.items,
                                              world->sinks.count, world->time, &removed, error);
    if (removed > 0) {
        world->engine_speed = NAN;
    }
    world->removed += removed;
    return status;
}

static OozeStatus wrap_new_particles(OozeWorld *world, OozeError *error)
{
    const OozePeriodic *p = &world->periodic;
    if (!ooze_periodic_any(p)) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_world_upload(world, error); /* tells other ranks what is needed */
    bool needed = world->needs_wrap;
    world->needs_wrap = false;
    return status || !needed ? status : world->engine->wrap(world->engine_data, p, error);
}

/* Whether the nozzle is first filled after the second step, when other fluid may be inside it.
   Nozzles that run from the start are filled in the second step. */
static bool is_refilled(const OozeWorld *world, const OozeEmitter *emitter)
{
    double dt = world->def.time_step;
    return world->step > 1 && ooze_emitter_fills(emitter, world->time - dt, dt);
}

/* ooze_world_remove_overlaps reads the particles on the host, on every rank. */
static OozeStatus sync_for_refills(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->emitters.count && !status; i++) {
        if (is_refilled(world, &world->emitters.items[i])) {
            world->host_has_all = true;
            status = ooze_world_sync_to_host(world, error);
            world->host_has_all = false;
        }
    }
    return status;
}

static OozeStatus run_emitter(OozeWorld *world, int i, OozeParticles *arrivals, OozeError *error)
{
    double dt = world->def.time_step;
    OozeEmitter *emitter = &world->emitters.items[i];
    bool refilled = is_refilled(world, emitter);
    uint64_t first = ooze_particles_count(arrivals), emitted = 0, removed = 0;
    const OozeEmission emission = {world->time - dt, dt, world->nozzle_field, (uint16_t)(i + 1)};
    OozeStatus status = ooze_emitter_emit(emitter, arrivals, &emission, &emitted, error);
    if (!status && refilled && emitted > 0) {
        status = ooze_world_remove_overlaps(world, arrivals, first, &removed, error);
        emitted -= removed;
        emitter->state.emitted -= removed;
    }
    if (status) {
        return status;
    }
    ooze_world_init_particles(world, arrivals, first, emitted, emitter->temperature);
    world->emitted += emitted;
    if (emitted > 0 && emitter->limit > 0 && emitter->state.emitted >= emitter->limit) {
        ooze_world_log(world, OOZE_LOG_INFO, "emitter '%s' has emitted its %llu particles",
                       emitter->name, (unsigned long long)emitter->limit);
    }
    return OOZE_OK;
}

/* Adds the particles that entered nozzles during the step that has just ended. */
static OozeStatus run_emitters(OozeWorld *world, OozeParticles *arrivals, OozeError *error)
{
    OozeStatus status = sync_for_refills(world, error);
    for (int i = 0; i < world->emitters.count && !status; i++) {
        status = run_emitter(world, i, arrivals, error);
    }
    return status ? status : ooze_world_upload(world, error);
}

OozeStatus ooze_world_emit(OozeWorld *world, OozeError *error)
{
    OozeParticles *arrivals = NULL;
    OozeStatus status = run_sinks(world, error);
    if (!status && world->emitters.count > 0) {
        status = ooze_world_begin_arrivals(world, &arrivals, error);
        status = status ? status : run_emitters(world, arrivals, error);
        status = status ? status : ooze_world_append_arrivals(world, error);
    }
    /* after emission, before any motion: a jet's new speed acts on the coming step */
    ooze_world_apply_changes(world);
    status = status || world->pushes.count == 0 ? status : ooze_world_apply_pushes(world, error);
    return status ? status : wrap_new_particles(world, error);
}

OozeStatus ooze_world_prescribe(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->emitters.count && !status; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        uint16_t mark = (uint16_t)(i + 1);
        status =
            world->engine->prescribe(world->engine_data, emitter, world->substep.time, mark, error);
    }
    return status;
}

double ooze_world_forecast_particles(const OozeWorld *world, double end)
{
    double particles = (double)ooze_world_particle_count(world);
    double dt = world->def.time_step; /* emitters lag by one step: see run_emitters */
    for (int i = 0; i < world->emitters.count; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        particles += ooze_emitter_forecast_particles(emitter, world->time - dt, end - dt) -
                     (double)emitter->state.emitted;
    }
    return particles;
}
