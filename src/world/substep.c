/* The length of substeps. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

/* Tolerance for the rounding of float speeds of particles that move exactly max_travel. */
static const double ROUNDING = 1e-6;

OozeStatus ooze_world_fastest_particle(OozeWorld *world, double *speed, OozeError *error)
{
    *speed = world->engine_speed;
    return isnan(*speed) ? world->engine->fastest(world->engine_data, speed, error) : OOZE_OK;
}

bool ooze_world_uses_substeps(const OozeWorld *world)
{
    return world->def.max_travel > 0.0 && !world->method->traces_paths;
}

/* m that a particle may move in a substep. */
static double longest_travel(const OozeWorld *world)
{
    return world->def.max_travel * world->def.spacing * (1.0 + ROUNDING);
}

static double length_of(const OozeWorld *world, int units)
{
    return world->def.time_step * units / OOZE_SUBSTEP_UNITS;
}

bool ooze_world_allows_speed(const OozeWorld *world, double speed, int units)
{
    double dt = length_of(world, units), gravity = vec3_length(world->def.gravity);
    return (speed + gravity * dt) * dt <= longest_travel(world);
}

double ooze_world_speed_limit(const OozeWorld *world, int units)
{
    double dt = length_of(world, units), gravity = vec3_length(world->def.gravity);
    return longest_travel(world) / dt - gravity * dt;
}

static void set_units(OozeWorld *world, int units)
{
    OozeSubstep *sub = &world->substep;
    double step = world->def.time_step;
    sub->units = units;
    sub->time = world->time + step * ((double)sub->done / OOZE_SUBSTEP_UNITS);
    sub->dt = units == OOZE_SUBSTEP_UNITS ? step : step * ((double)units / OOZE_SUBSTEP_UNITS);
}

/* The longest substep that the method allows, s. */
static double stable_step(const OozeWorld *world)
{
    if (!world->method->divides_unstable_steps || world->def.max_travel <= 0.0) {
        return INFINITY;
    }
    OozeStepContext context = ooze_world_step_context((OozeWorld *)world);
    return world->method->stable_step(&context);
}

/* Substeps begin at multiples of their length, so that a step always ends with a whole substep. */
OozeStatus ooze_world_choose_substep(OozeWorld *world, OozeError *error)
{
    int units = OOZE_SUBSTEP_UNITS;
    double fastest = 0.0;
    OozeStatus status = OOZE_OK;
    while (world->substep.done % units != 0) {
        units /= 2;
    }
    double stable = stable_step(world) * (1.0 + ROUNDING);
    while (units > 1 && world->def.time_step * units / OOZE_SUBSTEP_UNITS > stable) {
        units /= 2;
    }
    world->substep.free_speed = INFINITY;
    if (world->def.max_travel > 0.0 && world->dynamic_count > 0) {
        double speed = ooze_world_fastest_solid(world);
        while (units > 1 && !ooze_world_allows_speed(world, speed, units)) {
            units /= 2;
        }
    }
    if (ooze_world_uses_substeps(world)) {
        status = ooze_world_fastest_particle(world, &fastest, error);
        if (!status && !ooze_world_allows_speed(world, fastest, units)) {
            status = ooze_world_find_free_flight(world, fastest, &units, &world->substep.free_speed,
                                                 error);
        }
    }
    if (!status) {
        set_units(world, units);
    }
    return status;
}

bool ooze_world_halve_substep(OozeWorld *world)
{
    if (world->substep.units <= 1) {
        return false;
    }
    set_units(world, world->substep.units / 2);
    return true;
}
