/* Heat in a world: the fields temperature and phase, sources, and the heat stage of a step. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "world/world.h"

static bool anything_melts(const OozeWorld *world)
{
    bool any = false;
    for (int m = 0; m < world->materials.count; m++) {
        any = any || !isnan(world->materials.items[m].values[OOZE_MATERIAL_MELTING]);
    }
    return any;
}

static void init_phases(OozeWorld *world, OozeParticles *particles, uint64_t first, uint64_t n)
{
    if (world->phase_field >= 0) {
        ooze_heat_initial_phase(world->materials.items, ooze_particles_materials(particles),
                                ooze_particles_data(particles, world->temperature_field),
                                ooze_particles_data(particles, world->phase_field), first, n);
    }
}

void ooze_world_init_temperatures(OozeWorld *world, OozeParticles *particles, uint64_t first,
                                  uint64_t n, double temperature)
{
    if (world->temperature_field < 0) {
        return;
    }
    double *t = ooze_particles_data(particles, world->temperature_field);
    for (uint64_t i = first; i < first + n; i++) {
        t[i] = isnan(temperature) ? world->def.air_temperature : temperature;
    }
    init_phases(world, particles, first, n);
}

static OozeStatus enable_phases(OozeWorld *world, OozeError *error)
{
    static const OozeFieldInfo phase = {"phase", OOZE_FIELD_UINT8,     1, 1, "", 0.0,
                                        true,    "0: liquid; 1: solid"};
    if (world->phase_field >= 0 || world->temperature_field < 0 || !anything_melts(world)) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_world_own_on_host(world, error);
    status = status
                 ? status
                 : ooze_particles_add_field(world->particles, &phase, &world->phase_field, error);
    if (!status) {
        init_phases(world, world->particles, 0, ooze_particles_count(world->particles));
    }
    return status;
}

OozeStatus ooze_world_enable_heat(OozeWorld *world, OozeError *error)
{
    static const OozeFieldInfo temperature = {"temperature", OOZE_FIELD_FLOAT64, 1, 1, "degC", 0.0,
                                              true,          "temperature"};
    OozeStatus status = OOZE_OK;
    if (world->temperature_field < 0) {
        int field = -1;
        status = ooze_world_own_on_host(world, error);
        status = status ? status
                        : ooze_particles_add_field(world->particles, &temperature, &field, error);
        if (status) {
            return status;
        }
        world->temperature_field = field;
        world->heat = ooze_heat_constants(world->def.spacing, world->support);
        ooze_world_init_temperatures(world, world->particles, 0,
                                     ooze_particles_count(world->particles), NAN);
    }
    return enable_phases(world, error);
}

OozeStatus ooze_world_enable_heat_for(OozeWorld *world, const OozeMaterial *material,
                                      OozeError *error)
{
    bool wanted = material->table_count > 0 || world->temperature_field >= 0;
    return wanted ? ooze_world_enable_heat(world, error) : OOZE_OK;
}

OozeStatus ooze_world_check_temperature(double temperature, const char *what, const char *name,
                                        OozeError *error)
{
    if (isnan(temperature) || fabs(temperature) <= OOZE_TEMPERATURE_MAX) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give it in degC",
                     "the temperature of %s '%s' is %g; it must be between %g and %g degC", what,
                     name ? name : "", temperature, -OOZE_TEMPERATURE_MAX, OOZE_TEMPERATURE_MAX);
}

OozeStatus ooze_world_add_heat_source(OozeWorld *world, const OozeHeatSourceDef *def,
                                      OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    OozeHeatSource *source = OOZE_LIST_RESERVE(world->sources);
    if (!source) {
        return ooze_fail_memory(error, "a heat source", sizeof *source);
    }
    OozeStatus status =
        ooze_heat_source_create(source, def, world->def.up, world->def.spacing, error);
    if (status) {
        return status;
    }
    status = ooze_world_enable_heat(world, error);
    if (status) {
        ooze_heat_source_free(source);
        return status;
    }
    world->sources.count++;
    return OOZE_OK;
}

OozeStatus ooze_world_conduct(OozeWorld *world, OozeError *error)
{
    if (world->temperature_field < 0) {
        return OOZE_OK;
    }
    ooze_arena_reset(world->arena); /* the method's temporaries are no longer needed */
    OozeStepContext context = ooze_world_step_context(world);
    context.time = world->substep.time;
    context.dt = world->substep.dt;
    OozeHeatJob job = {
        .context = &context,
        .rule = &world->heat,
        .temperature = ooze_particles_data(world->particles, world->temperature_field),
        .phase = world->phase_field < 0 ? NULL
                                        : ooze_particles_data(world->particles, world->phase_field),
        .sources = world->sources.items,
        .source_count = world->sources.count,
        .air_temperature = world->def.air_temperature,
        .air_transfer = world->def.air_transfer,
    };
    return world->engine->conduct(world->engine_data, &job, error);
}
