/* How far a step may go at a stroke. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

enum { GRAIN = 8192 };

/* Speeds are floats: a particle that is to move just as far as it may does not cut the step. */
static const double ROUNDING = 1e-6;

typedef struct FastestJob {
    const OozeFloat4 *velocities;
    float *squares; /* of the fastest of each chunk */
} FastestJob;

static void fastest_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FastestJob *job = data;
    float most = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        const OozeFloat4 *v = &job->velocities[i];
        float square = v->x * v->x + v->y * v->y + v->z * v->z;
        most = square > most ? square : most;
    }
    job->squares[begin / GRAIN] = most;
}

static OozeStatus find_fastest(OozeWorld *world, double *speed, OozeError *error)
{
    if (world->engine && !isnan(world->engine_speed)) {
        *speed = world->engine_speed;
        return OOZE_OK;
    }
    if (world->engine) {
        return world->engine->fastest(world->engine_data, speed, error);
    }
    uint64_t n = ooze_particles_count(world->particles);
    FastestJob job = {
        .velocities = ooze_particles_velocities(world->particles),
        .squares = ooze_arena_alloc(world->arena, n / GRAIN + 1, sizeof *job.squares),
    };
    if (!job.squares) {
        return ooze_fail_memory(error, "the length of a step", n / GRAIN * sizeof *job.squares);
    }
    ooze_parallel_for(world->threads, n, GRAIN, fastest_range, &job);
    float most = 0.0f;
    for (uint64_t k = 0; k * GRAIN < n; k++) {
        most = fmaxf(most, job.squares[k]);
    }
    *speed = sqrt((double)most);
    return OOZE_OK;
}

bool ooze_world_cuts_steps(const OozeWorld *world)
{
    return world->def.max_travel > 0.0 && !world->method->traces_paths;
}

static void set_units(OozeWorld *world, int units)
{
    OozeSubStep *sub = &world->sub;
    double step = world->def.time_step;
    sub->units = units;
    sub->time = world->time + step * ((double)sub->done / OOZE_SUB_UNITS);
    sub->dt = units == OOZE_SUB_UNITS ? step : step * ((double)units / OOZE_SUB_UNITS);
}

/* Sub-steps begin at multiples of their length, so that those of any two steps fall together. */
OozeStatus ooze_world_choose_sub_step(OozeWorld *world, OozeError *error)
{
    int units = OOZE_SUB_UNITS;
    while (world->sub.done % units != 0) {
        units /= 2;
    }
    bool particles = ooze_world_cuts_steps(world);
    bool solids = world->def.max_travel > 0.0 && world->dynamic_count > 0;
    if (particles || solids) {
        double speed = 0.0, most = world->def.max_travel * world->def.spacing * (1.0 + ROUNDING);
        double pull = vec3_length(world->def.gravity), step = world->def.time_step;
        OozeStatus status = particles ? find_fastest(world, &speed, error) : OOZE_OK;
        if (status) {
            return status;
        }
        speed = fmax(speed, ooze_world_fastest_solid(world));
        for (; units > 1; units /= 2) {
            double dt = step * units / OOZE_SUB_UNITS;
            if ((speed + pull * dt) * dt <= most) {
                break;
            }
        }
    }
    set_units(world, units);
    return OOZE_OK;
}

bool ooze_world_halve_sub_step(OozeWorld *world)
{
    if (world->sub.units <= 1) {
        return false;
    }
    set_units(world, world->sub.units / 2);
    return true;
}
