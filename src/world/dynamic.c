/* Dynamic solids in a step: where each stroke begins, how fast they are, and that they are moved. */
#include "solids/dynamic.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

/* As far as floats tell quarters of a spacing; and as fast as nothing is that a run can follow. */
static const double SPACINGS_FROM_ORIGIN = 4e6, SPACINGS_A_STEP = 1000.0;

OozeStatus ooze_world_admit_solid(OozeWorld *world, const OozeSolid *solid, OozeError *error)
{
    if (!ooze_solid_is_dynamic(solid)) {
        return OOZE_OK;
    }
    if (!world->method->pushes_solids) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "leave its density out, or use another method",
                         "solid '%s' has a density, but method '%s' does not push solids",
                         solid->name, world->method->info.name);
    }
    world->dynamic_count++;
    return OOZE_OK;
}

/* ---- a step ------------------------------------------------------------------------------- */

OozeStatus ooze_world_prepare_loads(OozeWorld *world, OozeError *error)
{
    int count = world->solids.count;
    if (world->dynamic_count > 0 && count > world->load_room) {
        ooze_free(world->loads);
        world->load_room = 0;
        world->loads = ooze_alloc_zero(2 * (size_t)count, sizeof *world->loads);
        if (!world->loads) {
            return ooze_fail_memory(error, "the loads of solids",
                                    2 * (uint64_t)count * sizeof *world->loads);
        }
        world->load_room = count;
    }
    for (int i = 0; world->dynamic_count > 0 && i < count; i++) {
        world->loads[world->load_room + i] = (OozeLoad){{0, 0, 0}, {0, 0, 0}};
    }
    return OOZE_OK;
}

const OozeLoad *ooze_world_taken(const OozeWorld *world, int solid)
{
    bool known = world->dynamic_count > 0 && solid < world->load_room;
    return known ? &world->loads[world->load_room + solid] : NULL;
}

void ooze_world_start_stroke(OozeWorld *world)
{
    ooze_dynamic_start(world->solids.items, world->solids.count);
}

void ooze_world_fly_solids(OozeWorld *world)
{
    world->dynamic = (OozeDynamicStage){
        .solids = world->solids.items,
        .count = world->solids.count,
        .loads = world->loads,
        .gravity = world->def.gravity,
        .dt = world->sub.dt,
    };
    if (world->dynamic_count > 0) {
        ooze_dynamic_begin(&world->dynamic);
    }
}

static OozeStatus check_pose(const OozeWorld *world, const OozeSolid *solid, OozeError *error)
{
    const OozePose *pose = &solid->pose;
    double spacing = world->def.spacing, speed = vec3_length(pose->velocity);
    /* false for NaN, and for what has overflowed */
    bool near = vec3_length(pose->position) <= SPACINGS_FROM_ORIGIN * spacing;
    bool slow = speed <= SPACINGS_A_STEP * spacing / world->def.time_step;
    if (near && slow && vec3_is_finite(pose->spin)) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_NUMERIC,
                     "use a smaller time step, or look for absurd densities; frames written so far "
                     "are good",
                     "solid '%s' runs away, or is no longer finite, in step %llu, at %g s",
                     solid->name, (unsigned long long)world->step, world->sub.time);
}

OozeStatus ooze_world_settle_solids(OozeWorld *world, OozeError *error)
{
    OozeDynamicStage *stage = &world->dynamic;
    if (world->dynamic_count == 0) {
        return OOZE_OK;
    }
    OozeStatus status = stage->moved ? OOZE_OK : ooze_dynamic_move(stage, error);
    for (int i = 0; i < stage->count && !status; i++) {
        OozeLoad *taken = &world->loads[world->load_room + i];
        taken->impulse = vec3_add(taken->impulse, stage->loads[i].impulse);
        taken->moment = vec3_add(taken->moment, stage->loads[i].moment);
        if (ooze_solid_is_dynamic(&stage->solids[i])) {
            status = check_pose(world, &stage->solids[i], error);
        }
    }
    return status;
}

/* ---- speed -------------------------------------------------------------------------------- */

/* Of its fastest point, at most: that of the centre and of the farthest corner of its box about it. */
static double speed_of(const OozeSolid *solid)
{
    OozeBounds box = ooze_shape_bounds(solid->shape);
    OozeVec3 c = solid->mass.centre;
    OozeVec3 arm =
        vec3(fmax(box.max.x - c.x, c.x - box.min.x), fmax(box.max.y - c.y, c.y - box.min.y),
             fmax(box.max.z - c.z, c.z - box.min.z));
    OozeVec3 v = ooze_pose_velocity_at(&solid->pose, ooze_dynamic_centre(solid, &solid->pose));
    return vec3_length(v) + vec3_length(solid->pose.spin) * vec3_length(arm);
}

double ooze_world_fastest_solid(const OozeWorld *world)
{
    double most = 0.0;
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        most = ooze_solid_is_dynamic(solid) ? fmax(most, speed_of(solid)) : most;
    }
    return most;
}
