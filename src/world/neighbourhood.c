/* The neighbourhood stage: boundary samples, particles sorted in space, neighbour lists. */
#include <math.h>

#include "world/world.h"

OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error)
{
    const OozeEngine *engine = world->engine;
    OozeStepContext context = ooze_world_step_context(world);
    /* bounding box of the particles; low > high where there are none */
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    ooze_timer_begin(&world->timer, "neighbours");
    OozeStatus status = engine->sort(world->engine_data, &context, low, high, error);
    if (!status && world->method->uses_boundary_neighbours) {
        status = ooze_world_update_samples(world, low, high, error);
        ooze_timer_lap(&world->timer, "boundary");
    }
    if (!status) {
        bool resampled = !world->samples_sent;
        status = engine->find_neighbours(world->engine_data, &context, resampled, error);
        world->samples_sent = !status;
    }
    return status;
}
