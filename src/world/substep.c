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

static void set_units(OozeWorld *world, int units)
{
    OozeSubstep *sub = &world->substep;
    double step = world->def.time_step;
    sub->units = units;
    sub->time = world->time + step * ((double)sub->done / OOZE_SUBSTEP_UNITS);
    sub->dt = units == OOZE_SUBSTEP_UNITS ? step : step * ((double)units / OOZE_SUBSTEP_UNITS);
}

/* Substeps begin at multiples of their length, so that a step always ends with a whole substep. */
OozeStatus ooze_world_choose_substep(OozeWorld *world, OozeError *error)
{
    int units = OOZE_SUBSTEP_UNITS;
    while (world->substep.done % units != 0) {
        units /= 2;
    }
    bool particles = ooze_world_uses_substeps(world);
    bool solids = world->def.max_travel > 0.0 && world->dynamic_count > 0;
    if (particles || solids) {
        double speed = 0.0, step = world->def.time_step;
        double farthest = world->def.max_travel * world->def.spacing * (1.0 + ROUNDING);
        double gravity = vec3_length(world->def.gravity);
        OozeStatus status = particles ? ooze_world_fastest_particle(world, &speed, error) : OOZE_OK;
        if (status) {
            return status;
        }
        speed = fmax(speed, ooze_world_fastest_solid(world));
        for (; units > 1; units /= 2) {
            double dt = step * units / OOZE_SUBSTEP_UNITS;
            if ((speed + gravity * dt) * dt <= farthest) {
                break;
            }
        }
    }
    set_units(world, units);
    return OOZE_OK;
}

bool ooze_world_halve_substep(OozeWorld *world)
{
    if (world->substep.units <= 1) {
        return false;
    }
    set_units(world, world->substep.units / 2);
    return true;
}
