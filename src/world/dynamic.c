/* Dynamic solids and joints in a world, and their motion in a step. */
#include "solids/dynamic.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

/* Beyond these bounds a run has diverged: floats no longer resolve a quarter of a spacing, and a
   step no longer resolves the motion. */

/* In an island of solids with more contacts the exact solution takes longer than the iterative
   one. */
enum { EXACT_CONTACTS_MAX = 40 };

static OozeStatus open_dynamics(OozeWorld *world, OozeError *error)
{
    const OozeDynamics *dynamics = ooze_dynamics_find();
    if (world->dynamic_count > 0) {
        return OOZE_OK;
    }
    if (!dynamics) {
        ooze_world_log(world, OOZE_LOG_WARNING,
                       "this build of ooze has no ODE, so dynamic solids pass through all other "
                       "solids; install libode-dev and build again");
        return OOZE_OK;
    }
    world->exact_contacts_max = EXACT_CONTACTS_MAX;
    OozeStatus status = dynamics->create(&world->dynamics_data, error);
    world->dynamics = status ? NULL : dynamics;
    return status;
}

void ooze_world_close_dynamics(OozeWorld *world)
{
    if (world->dynamics) {
        world->dynamics->destroy(world->dynamics_data);
    }
    world->dynamics = NULL;
}

OozeStatus ooze_world_add_dynamic_solid(OozeWorld *world, const OozeSolid *solid, OozeError *error)
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
    OozeStatus status = open_dynamics(world, error);
    world->dynamic_count += !status;
    return status;
}

/* ---- joints ----------------------------------------------------------------------------- */

OozeStatus ooze_world_add_joint(OozeWorld *world, const OozeJointDef *def, OozeJointId *id,
                                OozeError *error)
{
    enum { JOINTS_MAX = 4096 };
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    if (!ooze_dynamics_find()) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "install libode-dev, then build again",
                         "this build of ooze has no ODE, so there can be no joint '%s'",
                         def->name ? def->name : "");
    }
    if (world->joints.count >= JOINTS_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer joints",
                         "a world holds at most %d joints", JOINTS_MAX);
    }
    OozeJoint *joint = OOZE_LIST_RESERVE(world->joints);
    if (!joint) {
        return ooze_fail_memory(error, "a joint", sizeof *joint);
    }
    OozeStatus status =
        ooze_joint_create(joint, def, world->solids.items, world->solids.count, error);
    if (!status && id) {
        id->index = world->joints.count;
    }
    world->joints.count += !status;
    return status;
}

OozeStatus ooze_world_set_joint(OozeWorld *world, OozeJointId id, OozeJointParam param,
                                double value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OozeStatus status = ooze_world_check_id(id.index, world->joints.count, "joint", error);
    return status ? status : ooze_joint_set(&world->joints.items[id.index], param, value, error);
}

/* ---- a step ----------------------------------------------------------------------------- */

OozeStatus ooze_world_prepare_loads(OozeWorld *world, OozeError *error)
{
    int count = world->solids.count;
    if (world->dynamic_count > 0 && count > world->load_capacity) {
        ooze_free(world->loads);
        world->load_capacity = 0;
        world->loads = ooze_alloc_zero(2 * (size_t)count, sizeof *world->loads);
        if (!world->loads) {
            return ooze_fail_memory(error, "the loads of solids",
                                    2 * (uint64_t)count * sizeof *world->loads);
        }
        world->load_capacity = count;
    }
    for (int i = 0; world->dynamic_count > 0 && i < count; i++) {
        world->loads[world->load_capacity + i] = (OozeLoad){{0, 0, 0}, {0, 0, 0}};
    }
    return OOZE_OK;
}

const OozeLoad *ooze_world_solid_loads(const OozeWorld *world, int *count)
{
    *count = world->dynamic_count > 0 ? world->load_capacity : 0;
    return *count > 0 ? &world->loads[world->load_capacity] : NULL;
}

void ooze_world_begin_substep_loads(OozeWorld *world)
{
    ooze_dynamic_start(world->solids.items, world->solids.count);
}

void ooze_world_predict_solids(OozeWorld *world)
{
    world->dynamic = (OozeDynamicStage){
        .solids = world->solids.items,
        .count = world->solids.count,
        .joints = world->joints.items,
        .joint_count = world->joints.count,
        .loads = world->loads,
        .gravity = world->def.gravity,
        .dt = world->substep.dt,
        .exact_contacts_max = world->exact_contacts_max,
        .dynamics = world->dynamics,
        .data = world->dynamics_data,
    };
    if (world->dynamic_count > 0) {
        ooze_dynamic_begin(&world->dynamic);
    }
}

static OozeStatus check_pose(const OozeWorld *world, const OozeSolid *solid, OozeError *error)
{
    const OozePose *pose = &solid->pose;
    double spacing = world->def.spacing, speed = vec3_length(pose->velocity);
    /* false for NaN and for overflow */
    bool near = vec3_length(pose->position) <= OOZE_SPACINGS_FROM_ORIGIN_MAX * spacing;
    bool slow = speed <= OOZE_SPACINGS_PER_STEP_MAX * spacing / world->def.time_step;
    if (near && slow && vec3_is_finite(pose->spin)) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_NUMERIC,
                     "use a smaller time step, or look for absurd densities; frames written so far "
                     "are good",
                     "solid '%s' runs away, or is no longer finite, in step %llu, at %g s",
                     solid->name, (unsigned long long)world->step, world->substep.time);
}

OozeStatus ooze_world_finish_solids(OozeWorld *world, OozeError *error)
{
    OozeDynamicStage *stage = &world->dynamic;
    if (world->dynamic_count == 0) {
        return OOZE_OK;
    }
    OozeStatus status = stage->moved ? OOZE_OK : ooze_dynamic_move(stage, error);
    for (int i = 0; i < stage->count && !status; i++) {
        OozeLoad *sum = &world->loads[world->load_capacity + i];
        sum->impulse = vec3_add(sum->impulse, stage->loads[i].impulse);
        sum->moment = vec3_add(sum->moment, stage->loads[i].moment);
        if (ooze_solid_is_dynamic(&stage->solids[i])) {
            status = check_pose(world, &stage->solids[i], error);
        }
    }
    return status;
}

/* ---- speed ------------------------------------------------------------------------------ */

/* Upper bound of the speed of its points: that of the centre, and of the farthest corner of its
   bounding box about the centre. */
static double max_point_speed(const OozeSolid *solid)
{
    OozeBounds box = ooze_shape_bounds(solid->shape);
    OozeVec3 c = solid->mass.centre;
    OozeVec3 arm =
        vec3(fmax(box.max.x - c.x, c.x - box.min.x), fmax(box.max.y - c.y, c.y - box.min.y),
             fmax(box.max.z - c.z, c.z - box.min.z));
    OozeVec3 v = ooze_dynamic_velocity(solid, &solid->pose);
    return vec3_length(v) + vec3_length(solid->pose.spin) * vec3_length(arm);
}

double ooze_world_fastest_solid(const OozeWorld *world)
{
    double fastest = 0.0;
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        fastest = ooze_solid_is_dynamic(solid) ? fmax(fastest, max_point_speed(solid)) : fastest;
    }
    return fastest;
}
