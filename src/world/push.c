/* Pushes: velocity added at once to the particles near a point. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

OozePushDef ooze_push_def_default(void)
{
    return (OozePushDef){.radius = NAN};
}

OozeStatus ooze_world_add_push(OozeWorld *world, const OozePushDef *def, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    if (!vec3_is_finite(def->position) || !vec3_is_finite(def->velocity) ||
        !(def->radius > 0.0 && isfinite(def->radius)) ||
        !(def->time >= 0.0 && isfinite(def->time))) {
        return ooze_fail(
            error, OOZE_ERROR_ARGUMENT, "lengths are in m, times in s",
            "a push must have a position, a velocity, a radius above 0 and a time that "
            "is 0 or more");
    }
    OozePushDef *added = OOZE_LIST_RESERVE(world->pushes);
    if (!added) {
        return ooze_fail_memory(error, "a push", sizeof *added);
    }
    *added = *def;
    world->pushes.count++;
    return OOZE_OK;
}

/* Share of the push at the squared distance r2: smooth, 1 in the middle, 0 from the radius on. */
static double share_at(double r2, double radius)
{
    double inside = fmax(1.0 - r2 / (radius * radius), 0.0);
    return inside * inside;
}

typedef struct Job {
    const OozePushDef *push;
    const OozeFloat4 *positions;
    OozeFloat4 *velocities;
} Job;

static void push_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = context;
    OozeVec3 centre = job->push->position, velocity = job->push->velocity;
    for (uint64_t i = begin; i < end; i++) {
        const OozeFloat4 *p = &job->positions[i];
        OozeFloat4 *v = &job->velocities[i];
        OozeVec3 delta = vec3_sub(vec3((double)p->x, (double)p->y, (double)p->z), centre);
        double share = share_at(vec3_dot(delta, delta), job->push->radius);
        v->x += (float)(share * velocity.x);
        v->y += (float)(share * velocity.y);
        v->z += (float)(share * velocity.z);
    }
}

/* A push belongs to the one step that begins at its time or less than a step after it: no state is
   needed to resume between pushes. The tolerance is that of changes. */
OozeStatus ooze_world_apply_pushes(OozeWorld *world, OozeError *error)
{
    double dt = world->def.time_step, now = world->time + 5e-7 * dt;
    for (int i = 0; i < world->pushes.count; i++) {
        const OozePushDef *push = &world->pushes.items[i];
        if (push->time > now || push->time <= now - dt) {
            continue;
        }
        OozeStatus status = ooze_world_own_on_host(world, error);
        if (status) {
            return status;
        }
        Job job = {push, ooze_particles_positions(world->particles),
                   ooze_particles_velocities(world->particles)};
        ooze_parallel_for(world->threads, ooze_particles_count(world->particles), 0, push_range,
                          &job);
    }
    return ooze_world_upload(world, error);
}
